"""What was guessed in the guessing games of a log, and what each guess could go by."""

from __future__ import annotations

from collections.abc import Iterator

from intent.games.gamma.guessing import Guessing
from intent.games.gamma.relabelled import Relabelled
from intent.suites.gamma.replay import ReplayedGame

__all__ = ["GUESS_COLUMNS", "guess_rows"]

GUESS_COLUMNS = ("game_id", "seat", "round", "guess", "reference", "ratio", "low", "high")
"""Columns of `guess_rows`."""


def guess_rows(replayed: ReplayedGame) -> Iterator[tuple[str, int, int, float, float, str, int, int]]:
    """One row per guess of a guessing game, in the numbers of the original; none of any other game.

    The reference, what level 0 is around, is the middle of the range in the first round and the mean of the
    round before later on.

    Yields
    ------
    tuple
        As `GUESS_COLUMNS`; the ratio as the rules write it.

    References
    ----------
    Nagel (1995), American Economic Review 85:1313, section IV.
    """
    told = replayed.game
    game = told.inner if isinstance(told, Relabelled) else told
    if not isinstance(game, Guessing):
        return
    reference = (game.low + game.high) / 2
    game_id = str(replayed.row["game_id"])
    for played in replayed.rounds:
        guesses = {
            seat: int(told.inner_action(a) if isinstance(told, Relabelled) else a)
            for seat, a in played.actions.items()
            if a is not None
        }
        for seat, guess in guesses.items():
            if played.moves[seat].status == "parsed":
                yield (
                    *(game_id, seat, played.number, float(guess), reference),
                    *(game.ratio, game.low, game.high),
                )
        if guesses:
            reference = sum(guesses.values()) / len(guesses)
