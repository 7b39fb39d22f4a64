"""What language models are asked in a tournament: an experiment, which can be counted before it is played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError, shorten

if TYPE_CHECKING:
    from intent.arena.entrant import Entrant
    from intent.arena.match import MatchRules
    from intent.games.matrix import MatrixGame
    from intent.workflows.experiment.model import Experiment

__all__ = ["MODEL_REPETITIONS", "MODEL_TURNS", "PAIR", "count_calls", "model_experiment"]

MODEL_TURNS = 10
MODEL_REPETITIONS = 1
"""What all pairs play where a language model takes part and nothing is said: every move is paid for."""


_WINDOW = 24
"""Games in play at a time; each strategy in written code is a process of its own."""

_OURS = frozenset({"game", "rounds", "repetitions", "grid", "players", "opponent", "model", "pairs", "reply"})
"""Keys of an experiment that the tournament decides."""

PAIR = "pair"
"""Column of the log that names the two players of a game."""


def model_experiment(
    field: Sequence[Entrant],
    models: Sequence[str],
    rules: MatchRules,
    game: MatrixGame,
    *,
    repetitions: int = 1,
    seed: int = 0,
    left_out: frozenset[int] = frozenset(),
    self_play: bool = True,
    changes: Mapping[str, Any] | None = None,
) -> tuple[Experiment, dict[str, tuple[int, int]]]:
    """The experiment in which every model meets every strategy, every other model and itself.

    Parameters
    ----------
    field : sequence of Entrants
    models : names, as in an experiment file
    rules : MatchRules, without noise
    game : MatrixGame
    repetitions, seed : int
    left_out : places of strategies that are met by nobody
    self_play : bool
        Whether a model meets itself.
    changes : mapping, optional
        Further keys of an experiment: settings, prices, budget, cache, prompts, language, …

    Returns
    -------
    Experiment
        It can be counted before it is played (`intent.workflows.dry_run.dry_run`).
    dict of str -> (int, int)
        Name of a pair in the log -> places in the field followed by the models.

    Raises
    ------
    UsageError
        Noise, a model twice or one that is none, or a key that the tournament decides.
    """
    from intent.arena.model_seats import model_entrant, seat_player
    from intent.arena.model_table import model_pairs
    from intent.workflows.experiment.load import load_experiment

    if rules.noise:
        raise UsageError(
            f"noise {rules.noise:g} with language models, expected none: a flipped reply would not be theirs"
        )
    if len(set(models)) < len(models) or not models:
        raise UsageError(f"models {shorten(', '.join(models))}, expected one or more, each once")
    taken = sorted(_OURS & set(changes or {}))
    if taken:
        raise UsageError(f"key {taken[0]} is the tournament's to decide, expected such as settings or prices")
    everybody = [*field, *map(model_entrant, models)]
    pairs = {
        f"{everybody[a].name} : {everybody[b].name}": (a, b)
        for a, b in model_pairs(field, everybody[len(field) :], left_out=left_out, self_play=self_play)
    }
    values = {
        "name": "tournament",
        "horizon": "known" if rules.known_length else "unknown",
        "seed": seed,
        "window": _WINDOW,
        **(changes or {}),
        "game": game.name,
        "rounds": rules.turns,
        "repetitions": repetitions,
        "reply": {"then": "end"},
        "grid": {
            PAIR: {
                name: {"players": [seat_player(everybody[a]), seat_player(everybody[b])]}
                for name, (a, b) in pairs.items()
            }
        },
    }
    return load_experiment(values), pairs


def count_calls(
    paths: Sequence[str | Path],
    models: Sequence[str],
    *,
    against: str | None = None,
    turns: int | None = None,
    repetitions: int | None = None,
    game: str | None = None,
    known_length: bool = True,
    self_play: bool = True,
    seed: int = 0,
    changes: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What the language models of a tournament would be asked, and what it would cost; nobody is asked.

    Strategies that turn out to be at fault are counted, too.

    Returns
    -------
    dict as `schema.JSON_OBJECTS["dry_run"]`

    Raises
    ------
    UsageError
        As `model_experiment`.
    """
    from intent.workflows.dry_run import dry_run
    from intent.workflows.tournament_field import read_entries, stage

    field = read_entries(paths, against).field
    the_game, rules, _ = stage(
        field, game=game, turns=turns or MODEL_TURNS, noise=0.0, known_length=known_length
    )
    experiment, _ = model_experiment(
        field,
        models,
        rules,
        the_game,
        repetitions=repetitions or MODEL_REPETITIONS,
        seed=seed,
        self_play=self_play,
        changes=changes,
    )
    return dry_run(experiment, prompts_shown=1)
