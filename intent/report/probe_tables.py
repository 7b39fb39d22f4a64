"""A proposed probe in tables and sentences for people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from intent.report.wording import listed

__all__ = ["noise_in_words", "probe_sentences", "probe_tables", "what_was_sought"]

Table = tuple[Sequence[str], list[Sequence[object]], str]


def probe_tables(result: Any) -> list[Table]:
    """Header, rows and title of two tables: the probe round by round, and the opponents side by side.

    Parameters
    ----------
    result : ProbeResult
    """
    rounds = [
        (str(r["round"]), move, *_values(r))
        for r, move in zip(result.probe.rounds, result.sequence, strict=True)
    ]
    opponents: list[Sequence[object]] = [_row(result.probe)]
    if result.adaptive is not None:
        values = result.adaptive
        opponents.append(
            ("the best that reacts", f"{values['accuracy']:.4f}", f"{values['information']:.3f}", None, "")
        )
    opponents += [_row(opponent) for opponent in result.baselines]
    n = len(result.sequence)
    needed = f"rounds to {result.target * 100:g} %"
    return [
        (("round", "opponent plays", "accuracy", "bits"), list(rounds), what_was_sought(result)),
        (
            ("opponent", "accuracy", "bits", needed, "not separated"),
            opponents,
            f"After {n} round{'s' * (n > 1)}, beside other opponents",
        ),
    ]


def what_was_sought(result: Any) -> str:
    """What was looked for and how, in one line."""
    how = "all sequences compared" if result.search == "optimal" else "beam search, perhaps not the best"
    what = "most information" if result.objective == "information" else "highest accuracy"
    names = ", ".join(result.strategies)
    n = len(result.sequence)
    return f"{names} at {noise_in_words(result.eps)}: {what} in {n} round{'s' * (n > 1)} ({how})"


def noise_in_words(eps: tuple[float, float]) -> str:
    """The noise as a phrase."""
    low, high = eps
    return f"eps = {low:g}" if low == high else f"an eps unknown within {low:g} to {high:g}"


def probe_sentences(result: Any) -> list[str]:
    """The answer to how many rounds are needed, and what cannot be told apart at all."""
    goal, n = f"{result.target * 100:g} %", result.probe.rounds_needed
    lines = []
    if n is not None:
        same = result.target_sequence == result.sequence
        which = "this sequence" if same else f"the sequence {result.target_sequence}"
        lines.append(f"{goal} take {n} round{'s' * (n > 1)}, with {which}")
    elif result.accuracy_limit < result.target - 1e-9:
        why = "strategies are tied" if result.tied else "an early slip leaves some alike for ever"
        lines.append(f"no sequence reaches {goal}: the limit is {result.accuracy_limit:.4f}, since {why}")
    else:
        lines.append(f"{goal} are not reached within {result.config['max_rounds']} rounds")
    lines += [f"no opponent tells {listed(group)} apart" for group in result.tied]
    if any(r["accuracy_error"] for o in (result.probe, *result.baselines) for r in o.rounds):
        lines.append("too many histories were sampled: ± is a standard error, a band in the figure two")
    return lines


def _row(opponent: Any) -> Sequence[object]:
    groups = "; ".join(listed(group) for group in opponent.unseparated)
    return (opponent.name, *_values(opponent.last), opponent.rounds_needed, groups)


def _values(r: Any) -> tuple[str, str]:
    accuracy, bits = f"{r['accuracy']:.4f}", f"{r['information']:.3f}"
    if r["accuracy_error"] or r["information_error"]:
        return f"{accuracy} ± {r['accuracy_error']:.4f}", f"{bits} ± {r['information_error']:.3f}"
    return accuracy, bits
