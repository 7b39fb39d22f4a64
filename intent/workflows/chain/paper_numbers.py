"""What the paper printed, as data: cooperation, payoffs and equilibria, to set beside ours.

References
----------
Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, tables 3 to 6.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

__all__ = [
    "COOPERATION",
    "EQUILIBRIA",
    "LOST",
    "NOTES",
    "NOTES_OF_MODELS",
    "PAYOFFS",
    "SETS",
    "PublishedSet",
    "table_note",
]

Matrix = tuple[tuple[float, float, float], ...]
"""Rows and columns Aggressive, Cooperative, Neutral."""


@dataclass(frozen=True)
class PublishedSet:
    """One of the twelve sets: whose words, asked how, for play with which noise.

    Attributes
    ----------
    model : {"openai", "anthropic"}, as files are called
    style : {"default", "refine", "prose"}
    noise : float
    """

    model: str
    style: str
    noise: float

    @property
    def stem(self) -> str:
        """The name of its file, without the suffix."""
        return f"{self.model}_{self.style}{'_noise' if self.noise else ''}"


SETS: Mapping[str, PublishedSet] = {
    found.stem: found
    for found in (
        PublishedSet(model, style, noise)
        for model in ("openai", "anthropic")
        for noise in (0.0, 0.1)
        for style in ("default", "refine", "prose")
    )
}
"""Stem of a file -> its set, in the order of the tables."""

LOST: Mapping[str, str] = {
    "openai_refine_noise": "its strategies are lost upstream: only the results of their tournament are there",
}
"""Stem of a file -> why it cannot be had."""

COOPERATION: Mapping[tuple[str, str, float], Matrix] = {
    ("openai", "default", 0.0): ((0.30, 0.26, 0.28), (0.37, 1.00, 0.99), (0.42, 0.99, 0.99)),
    ("anthropic", "default", 0.0): ((0.21, 0.15, 0.18), (0.16, 0.99, 0.99), (0.17, 0.99, 0.99)),
}
"""Table 3, model, style, noise -> propensity to cooperate of the row against the column."""

PAYOFFS: Mapping[tuple[str, str, float], Matrix] = {
    ("openai", "default", 0.0): ((1.81, 2.09, 2.26), (1.55, 3.00, 2.99), (1.55, 2.99, 2.99)),
    ("openai", "refine", 0.0): ((2.20, 2.57, 2.63), (2.53, 2.99, 2.99), (2.55, 2.97, 2.97)),
    ("openai", "prose", 0.0): ((1.65, 2.29, 2.35), (2.08, 2.82, 2.89), (2.12, 2.89, 2.93)),
    ("anthropic", "default", 0.0): ((1.56, 1.42, 1.44), (1.41, 2.99, 2.98), (1.47, 2.98, 2.98)),
    ("anthropic", "refine", 0.0): ((1.87, 2.18, 2.04), (2.10, 2.86, 2.67), (2.01, 2.69, 2.50)),
    ("anthropic", "prose", 0.0): ((1.64, 2.24, 2.19), (2.02, 2.64, 2.65), (2.00, 2.64, 2.63)),
    ("openai", "default", 0.1): ((1.52, 2.17, 2.15), (1.69, 2.62, 2.57), (1.68, 2.60, 2.55)),
    ("openai", "refine", 0.1): ((2.18, 2.47, 2.47), (2.37, 2.61, 2.60), (2.36, 2.61, 2.59)),
    ("openai", "prose", 0.1): ((1.93, 2.53, 2.45), (2.09, 2.74, 2.67), (2.08, 2.71, 2.65)),
    ("anthropic", "default", 0.1): ((1.51, 1.45, 1.58), (1.53, 2.07, 2.06), (1.54, 2.00, 2.31)),
    ("anthropic", "refine", 0.1): ((1.95, 2.02, 2.11), (1.98, 2.05, 2.14), (2.01, 2.14, 2.24)),
    ("anthropic", "prose", 0.1): ((2.19, 2.42, 2.35), (2.19, 2.51, 2.46), (2.22, 2.53, 2.48)),
}
"""Tables 4 (noise 0) and 5 (noise .1): mean payoff per round of the row against the column."""

_RATIOS = ("1:1:1", "4:1:1")

EQUILIBRIA: Mapping[tuple[str, str, float, str], tuple[int, int, int]] = {
    (model, style, noise, ratio): shares
    for (model, style), printed in {
        ("openai", "default"): (((14, 53, 33), (66, 19, 17)), ((16, 42, 42), (59, 20, 21))),
        ("openai", "refine"): (((19, 48, 33), (49, 30, 21)), ((28, 38, 34), (63, 19, 18))),
        ("openai", "prose"): (((13, 38, 49), (35, 27, 38)), ((23, 41, 36), (60, 18, 22))),
        ("anthropic", "default"): (((4, 49, 47), (36, 24, 40)), ((15, 37, 48), (41, 20, 39))),
        ("anthropic", "refine"): (((16, 51, 33), (50, 22, 28)), ((37, 34, 29), (60, 18, 22))),
        ("anthropic", "prose"): (((14, 42, 44), (41, 30, 29)), ((17, 33, 50), (61, 26, 13))),
    }.items()
    for noise, by_ratio in zip((0.0, 0.1), printed, strict=True)
    for ratio, shares in zip(_RATIOS, by_ratio, strict=True)
}
"""Table 6: percent of the runs that ended in A, C, N; one row sums to 102, as it was printed."""

NOTES: Mapping[str, str] = {
    "6": "The paper's Moran processes had no seeds and ran 100 times a row: its shares can only be compared "
    "within Monte-Carlo error. p: probability of two rows of runs at least as unlike, if both came from the "
    "same process (labels of runs exchanged). ChatGPT-4o, default, 4:1:1 without noise was printed as 66, 19 "
    "and 17 %, which sum to 102; it stands here as printed.",
}
"""Number of a table -> what a reader must know of the printed one."""

NOTES_OF_MODELS: Mapping[tuple[str, str], str] = {
    ("3", "anthropic"): "The paper's rows Cooperative and Neutral of Claude 3.5 Sonnet are those of the "
    "authors' published result file, rounded as the others.",
}
"""Number of a table and model -> what a reader must know where the table shows the model."""


def table_note(number: str, models: Iterable[str]) -> str:
    """What a reader must know of a printed table of which numbers of these models are shown."""
    shown = set(models)
    told = [
        NOTES.get(number, ""),
        *(text for (n, m), text in NOTES_OF_MODELS.items() if n == number and m in shown),
    ]
    return " ".join(text for text in told if text) if shown else ""
