"""What a recogniser is trained and measured on: generated play, or the labelled part of a log.

Splits by setting, never by row: repeats of one condition stay on one side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import DataError, UnknownNameError
from intent.logs.gamelog import GameLog, Trajectories
from intent.logs.readers import read_log
from intent.play.corpora import generate_arrays, stream
from intent.play.dataset import DatasetSpec, load_spec, shipped_specs
from intent.recognise.ceiling import Ceiling, ceiling_of_log, ceiling_of_spec, own_of_log
from intent.recognise.recogniser import ordered_classes
from intent.strategies.automaton import Strategy
from intent.strategies.sets import own_strategies

__all__ = ["TEST_ROWS", "Material", "gather", "grouped_split", "labelled_play", "open_data", "setting_groups"]


TEST_ROWS = 100_000
"""Fresh trajectories on which recognisers of generated play are measured."""


@dataclass(frozen=True, eq=False)
class Material:
    """Play to learn from, other play to be measured on, and what is known of both.

    Attributes
    ----------
    X, X_test : Trajectories
    y, y_test : their strategies; None where the play is not labelled, with nothing to be measured on
    strategies : text that names the classes, as `strategy_set` takes it; None where nobody says
    ceiling : Ceiling of the play measured on
    config : JSON-able origin
    own : strategies of somebody's own that names of classes mean
    """

    X: Trajectories
    y: Sequence[str] | None
    X_test: Trajectories
    y_test: Sequence[str] | None
    strategies: str | None
    ceiling: Ceiling
    config: dict[str, Any]
    own: tuple[Strategy, ...] = ()


def open_data(
    data: DatasetSpec | GameLog | str | Path,
    where: Mapping[str, Sequence[str]] | None = None,
    **reading: Any,
) -> tuple[str, DatasetSpec | GameLog]:
    """The name of the data, and the dataset spec or log that it is.

    Raises
    ------
    UnknownNameError
        Neither a spec nor a file.
    """

    if isinstance(data, DatasetSpec):
        return data.name, data
    if isinstance(data, GameLog):
        return "log", data.where(where) if where else data
    if str(data) in shipped_specs() or Path(data).suffix in (".yaml", ".yml"):
        spec = load_spec(data)
        return spec.name, spec
    if not Path(data).exists():
        raise UnknownNameError("dataset spec or log file", str(data), shipped_specs())
    log = read_log(data, **reading)
    return Path(data).name.split(".")[0], log.where(where) if where else log


def gather(
    data: DatasetSpec | GameLog,
    test_share: float,
    seed: int,
    *,
    labelled: bool = True,
    own: Sequence[Strategy] = (),
) -> Material:
    """Material of generated play (measured on fresh play) or of a log (on held-out settings).

    Parameters
    ----------
    data : DatasetSpec or GameLog
    test_share : float in (0, 1), share of the settings of a log that is held out
    seed : int, of the split of a log
    labelled : bool
        Whether learning needs labels. If not, a log without any is learned from as a whole.
    own : sequence of Strategy
        What the strategies of a log mean that neither it nor the catalogue knows.

    Raises
    ------
    DataError
        A log without labelled play where it is needed, or of one setting.
    """

    if not isinstance(data, GameLog):
        return _of_spec(data)
    if not labelled and data.seats.loc[data.seats["focal"], "strategy"].isna().all():
        return _of_unlabelled(data)
    return _of_log(data, test_share, seed, (*own, *own_of_log(data)))


def labelled_play(log: GameLog) -> tuple[Trajectories, list[str]]:
    """Trajectories whose seat carries a strategy, and that strategy.

    Raises
    ------
    DataError
        No focal seat has one.
    """

    X = log.trajectories()
    if X.keys is None or "strategy" not in X.keys or X.keys["strategy"].notna().sum() == 0:
        raise DataError(
            "the log has no focal seat with a strategy in column 'strategy', expected labelled play"
        )
    rows = np.flatnonzero(X.keys["strategy"].notna().to_numpy())
    return X[rows], X.keys["strategy"].iloc[rows].astype(str).tolist()


def _of_spec(spec: DatasetSpec) -> Material:

    corpus = spec.corpus()
    names = np.array([s.name for s in corpus.strategies])
    rng, test_rng = np.random.default_rng(spec.seed).spawn(2)
    X, y = generate_arrays(corpus, rng)
    chunks = list(stream(spec.model_copy(update={"n": TEST_ROWS}).corpus(), test_rng))
    X_test = Trajectories(
        np.concatenate([c.X.own for c in chunks]), np.concatenate([c.X.other for c in chunks])
    )
    truth = names[np.concatenate([c.y for c in chunks])].tolist()
    met = np.array(corpus.opponent_names)[np.concatenate([c.opponent for c in chunks])]
    noise = np.concatenate([c.eps for c in chunks])
    ceiling = ceiling_of_spec(spec, X_test, truth, noise, met)
    return Material(
        X,
        names[y].tolist(),
        X_test,
        truth,
        spec.strategies,
        ceiling,
        spec.model_dump(mode="json"),
        own_strategies(spec.players()) if spec.tables else (),
    )


def _of_unlabelled(log: GameLog) -> Material:

    X = log.trajectories()
    ceiling = Ceiling(None, None, "the play is not labelled")
    return Material(X, None, X[:0], None, None, ceiling, {"log": log.provenance})


def _of_log(log: GameLog, test_share: float, seed: int, own: Sequence[Strategy]) -> Material:

    X, truth = labelled_play(log)
    assert X.keys is not None
    train_rows, test_rows = grouped_split(setting_groups(X.keys), test_share, np.random.default_rng(seed))
    tested = [truth[row] for row in test_rows]
    return Material(
        X[train_rows],
        [truth[row] for row in train_rows],
        X[test_rows],
        tested,
        ",".join(ordered_classes(truth).tolist()),
        ceiling_of_log(log, X[test_rows], tested, own=own),
        {"log": log.provenance, "test_share": test_share},
        tuple(s for s in own if s.name in set(truth)),
    )


_NOT_A_SETTING = {"seat", "player", "strategy", "repetition", "run", "source", "source_game_id"}


def setting_groups(keys: pd.DataFrame) -> NDArray[np.intp]:
    """Group of each trajectory: games that share all condition columns are one setting.

    Where a log has fewer than four settings, the game is the group. The seats of a game always stay together.

    Parameters
    ----------
    keys : DataFrame
        `Trajectories.keys`.

    Returns
    -------
    (n,) intp
    """
    columns = [c for c in keys.columns if c not in _NOT_A_SETTING and c != "game_id"]
    if columns:
        per_seat = keys.groupby(columns, dropna=False, sort=False, observed=True).ngroup()
        groups = (
            per_seat.groupby(keys["game_id"], sort=False, observed=True)
            .transform("min")
            .to_numpy(dtype=np.intp)
        )
        if len(np.unique(groups)) >= 4:
            return groups
    return np.asarray(pd.factorize(keys["game_id"])[0], dtype=np.intp)


def grouped_split(
    groups: Sequence[int] | NDArray[np.intp], share: float, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to train on and rows to test on, no group on both sides.

    Parameters
    ----------
    groups : (n,) int
    share : float in (0, 1)
        Share of the groups that is tested on.
    rng : numpy Generator

    Returns
    -------
    train, test : row indices, ascending

    Raises
    ------
    DataError
        Fewer than two groups.
    """
    groups = np.asarray(groups)
    names = np.unique(groups)
    if len(names) < 2:
        raise DataError(
            f"{len(names)} group of trajectories, expected at least 2 to split into train and test"
        )
    n_test = min(max(1, round(share * len(names))), len(names) - 1)
    tested = np.isin(groups, rng.choice(names, size=n_test, replace=False))
    return np.flatnonzero(~tested), np.flatnonzero(tested)
