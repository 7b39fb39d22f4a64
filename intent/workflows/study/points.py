"""The points of a study: set, opponent, length and noise, each with fresh play that all models share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import DataError, UsageError
from intent.workflows.study.models import set_tables
from intent.workflows.study.spec import LeftOut, RecordedOpponent, StudySpec
from intent.workflows.study.store import digest

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from intent.logs.trajectories import Trajectories

__all__ = ["Play", "Point", "plan_points", "play_point"]

Where = tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True)
class Point:
    """Where models are measured: fresh play of one set, opponent, length and noise.

    Attributes
    ----------
    set, opponent, rounds, noise : as the study names them
    text : opponent as `intent generate` takes it, or None where it is recorded
    log : file of the recorded moves, or None
    where : rows of the log
    n : trajectories
    key : of everything that determines the play
    """

    set: str
    opponent: str
    rounds: int
    noise: float
    text: str | None
    log: str | None
    where: Where
    n: int
    key: str


@dataclass(frozen=True, eq=False)
class Play:
    """The play of a point.

    Attributes
    ----------
    X : Trajectories of n rows
    truth : (n, K) exact posterior of the rule that knows eps
    rule : (n,) class named by the rule that integrates eps over U[0, .2]
    classes : K names
    """

    X: Trajectories
    truth: NDArray[np.float64]
    rule: NDArray[np.intp]
    classes: tuple[str, ...]


def plan_points(spec: StudySpec, logs: Path | None = None) -> tuple[tuple[Point, ...], tuple[LeftOut, ...]]:
    """All points of a study, and those that cannot be had with the reason.

    Parameters
    ----------
    spec : StudySpec
    logs : folder of public logs, for recorded opponents

    Raises
    ------
    UnknownNameError
        A set or opponent that does not exist.
    UsageError
        An opponent that plays the same strategy as the player.
    DataError
        The log of an opponent has no two-player moves.
    """
    points: list[Point] = []
    left_out: list[LeftOut] = []
    for set_name in spec.sets:
        for name, met in spec.points.opponents.items():
            for found in _against(spec, set_name, name, met, logs):
                if isinstance(found, LeftOut):
                    left_out.append(found)
                else:
                    points.append(found)
    return tuple(points), tuple(dict.fromkeys(left_out))


def play_point(point: Point) -> Play:
    """Fresh play of a point and what the exact rules say of it; the same whenever it is called."""
    import numpy as np

    from intent.play.corpora import Corpus, generate_arrays
    from intent.play.opponents import Recorded, opponent
    from intent.recognise.base import most_probable
    from intent.recognise.bayes import BayesRecogniser
    from intent.strategies.catalogue import strategy_set

    if point.log is not None:
        moves = _recorded_moves(point.log, point.where)
        met: Any = Recorded(np.ascontiguousarray(moves[:, : point.rounds]), name=point.opponent)
    else:
        met = opponent(str(point.text))
    strategies = strategy_set(point.set)
    span, eps = (point.rounds, point.rounds), (point.noise, point.noise)
    corpus = Corpus(strategies, point.n, span, eps, eps_other=None, opponent=met)
    X, _ = generate_arrays(corpus, np.random.default_rng(int(point.key, 16)))
    truth = BayesRecogniser(strategies, eps=point.noise).fit().predict_proba(X)
    blind = BayesRecogniser(strategies, eps="integrate").fit().predict_proba(X)
    return Play(X, truth, most_probable(blind), tuple(s.name for s in strategies))


def _against(
    spec: StudySpec, set_name: str, name: str, met: str | RecordedOpponent, logs: Path | None
) -> Iterator[Point | LeftOut]:
    text, log = None, None
    where: Where = ()
    longest = max(spec.points.rounds)
    if isinstance(met, str):
        text = met.replace("{set}", set_name)
        identity: Any = text
        _check_independent(name, text)
    else:
        where = tuple((column, tuple(values)) for column, values in met.where.items())
        found = _log_of(met.log, where, logs)
        if isinstance(found, str):
            yield LeftOut(f"opponent {name}", found)
            return
        log, longest, sha256 = found
        identity = {"log": sha256, "where": where}
    for rounds in spec.points.rounds:
        if rounds > longest:
            yield LeftOut(f"opponent {name}, {rounds} rounds", f"its recorded games have {longest}")
            continue
        for noise in spec.points.noise:
            key = digest([set_tables(set_name), identity, rounds, noise, spec.n_test, spec.seed])
            yield Point(set_name, name, rounds, noise, text, log, where, spec.n_test, key)


def _check_independent(name: str, text: str) -> None:
    """Refuse an opponent whose moves depend on the label: they would be evidence that no recogniser reads."""
    from intent.play.opponents import Mixture, SelfPlay, opponent

    met = opponent(text)
    if any(isinstance(part, SelfPlay) for part in (met.parts if isinstance(met, Mixture) else (met,))):
        raise UsageError(f"opponent {name!r} is {text!r}, expected one that does not depend on the player")


def _log_of(log: str, where: Where, logs: Path | None) -> tuple[str, int, str] | str:
    """File, rounds and SHA-256 of recorded games, or why there are none."""
    import hashlib

    if logs is None:
        return f"{log} is looked for in the folder of public logs (INTENT_DATA or --data); none was named"
    path = logs / log
    if not path.is_file():
        return f"the folder of public logs has no {log}"
    rounds = _recorded_moves(str(path), where).shape[1]
    return str(path), int(rounds), hashlib.sha256(path.read_bytes()).hexdigest()


@lru_cache(maxsize=4)
def _recorded_moves(path: str, where: Where) -> NDArray[np.int8]:
    """Moves (m, T) of all players of a log."""
    from intent.logs.readers import read_log

    X = read_log(path).where({column: list(values) for column, values in where}).trajectories()
    if X.other_share is not None or not len(X) or not X.shape[1]:
        raise DataError(f"{Path(path).name}: no two-player moves to take opponents from")
    return X.own
