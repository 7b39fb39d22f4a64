"""When a request may go, by trying all moments at which a window changes; times in microseconds."""


def inside(entries, window, end):
    """The tokens of each entry of the window that ends now."""
    return [tokens for time, tokens in entries if end - window < time <= end]


def earliest(entries, account, tokens, now):
    """By trying all moments at which a window changes."""

    def allowed(t):
        return all(len(inside(entries, b.window, t)) < b.limit for b in account.requests) and all(
            sum(inside(entries, b.window, t)) + min(tokens, b.limit) <= b.limit for b in account.tokens
        )

    windows = [b.window for b in account.requests + account.tokens]
    moments = {now, *(time + window for time, _ in entries for window in windows)}
    return min(t for t in moments if t >= now and allowed(t))
