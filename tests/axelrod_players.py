"""Written strategies as players of the Axelrod library, for oracles.

Only for sources of our own: they are executed in this process. Scores are kept as the published sets keep
them: a player updates its own once per call, from realised moves, and that of an opponent who keeps none.
"""

from __future__ import annotations

import functools
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from intent.base.errors import MissingExtraError
from intent.play.bridges.axelrod import axelrod_library

SAMPLES = Path(__file__).resolve().parent.parent / "datasets" / "samples" / "written_strategies"


def quiet_axelrod():
    """The library, imported as the product does. ImportError without it."""
    try:
        return axelrod_library()
    except MissingExtraError as error:
        raise ImportError(str(error)) from None


def sample_texts() -> dict[str, str]:
    """Name -> text of the files of samples."""
    return {path.stem: path.read_text(encoding="utf-8") for path in sorted(SAMPLES.glob("*.py"))}


@functools.cache
def score_keeping_base(axl):
    """The class that published strategies derive from, and the decorator of their method."""

    class ScoreKeeper(axl.Player):
        classifier = {  # noqa: RUF012 - the library's form
            "stochastic": True,
            "memory_depth": float("inf"),
            "long_run_time": False,
            "inspects_source": False,
            "manipulates_source": False,
            "manipulates_state": False,
        }

        def __init__(self):
            super().__init__()
            self._score = 0

        @property
        def score(self):
            return self._score

        def first_round(self):
            return len(self.history) == 0

        def total_scores(self, own, other):
            game = self.match_attributes["game"]
            both = [game.score(pair) for pair in zip(own, other, strict=False)]
            return sum(a for a, _ in both), sum(b for _, b in both)

    def auto_update_score(method):
        @functools.wraps(method)
        def scored(self, opponent):
            if self.history:
                mine, theirs = self.match_attributes["game"].score((self.history[-1], opponent.history[-1]))
                self._score += mine
            if not isinstance(opponent, ScoreKeeper):
                opponent.score = opponent.score + theirs if self.history else 0
            return method(self, opponent)

        return scored

    return ScoreKeeper, auto_update_score


def written_players(axl, text: str) -> dict[str, type]:
    """Classes of a file in the published format, by name."""
    base, decorator = score_keeping_base(axl)
    attitude = SimpleNamespace(AGGRESSIVE="Aggressive", COOPERATIVE="Cooperative", NEUTRAL="Neutral")
    names = {"axl": axl, "LLM_Strategy": base, "auto_update_score": decorator, "Attitude": attitude}
    kept = "".join(line for line in text.splitlines(True) if not line.startswith(("import ", "from ")))
    exec(compile(kept, "samples", "exec"), names)  # noqa: S102 - our own samples
    return {
        name: type(name, (made,), {"name": name})
        for name, made in names.items()
        if isinstance(made, type) and made is not base
    }


def source_player(axl, name: str, source: str) -> type:
    """The class of one bare ``def strategy(self, opponent)``."""
    base, decorator = score_keeping_base(axl)
    names = {"axl": axl}
    exec(compile(source, name, "exec"), names)  # noqa: S102 - our own samples
    return type(name, (base,), {"name": name, "strategy": decorator(names["strategy"])})


def moves_of(axl, match) -> np.ndarray:
    """Moves of a match of the library that was played, (2, turns) uint8, 1 = cooperate."""
    sides = zip(*match.result, strict=True)
    return np.array([[move == axl.Action.C for move in side] for side in sides], np.uint8)
