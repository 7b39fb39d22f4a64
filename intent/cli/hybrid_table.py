"""What ``intent label --hybrid`` prints: labels of the recogniser alone and hybrid ones side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from intent.cli.console import print_table, say

if TYPE_CHECKING:
    from intent.workflows.hybrid import HybridCounts

__all__ = ["print_hybrid"]


def print_hybrid(counts: HybridCounts, threshold: float, rules: str) -> None:
    """How often each strategy is named, and where the labels come from."""

    def share(count: float) -> str:
        return f"{count:,.0f} ({count / counts.n:.1%})" if counts.n else "–"

    header = ["strategy", f"recogniser, p >= {threshold:g}", "hybrid, shares split"]
    several = rules == "expand"
    rows = [
        [name, share(alone), share(split), *([share(full)] if several else [])]
        for name, (alone, split, full) in counts.strategies.items()
    ]
    say()
    print_table(header + (["hybrid, each counted fully"] if several else []), rows)
    origin = ", ".join(f"{name} {share(count)}" for name, count in counts.sources.items())
    say(f"hybrid labels come from: {origin}")
