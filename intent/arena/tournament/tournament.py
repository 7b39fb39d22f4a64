"""A round robin of strategies: who wins, what groups earn from one another, what was played.

Its matches are a game log too, so that the strategies can be labelled and compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.arena.entrant import ATTITUDES, Entrant
from intent.arena.match import MatchRules
from intent.arena.requests import TournamentRequest
from intent.arena.streams import Salt
from intent.arena.tournament.matches import Contest, Lot, MatchStore, lot_keys, lots, varies
from intent.arena.tournament.table import LineUp, RoundRobin
from intent.base.errors import UsageError
from intent.base.job import Result, Table, job
from intent.games.game import MatrixGame
from intent.logs.gamelog import GameLog
from intent.logs.stores import ParquetLogWriter
from intent.report.figures import IMAGES

if TYPE_CHECKING:
    import pandas as pd

    from intent.arena.match import Fault
    from intent.arena.streams import Salt
    from intent.arena.tournament.matches import MatchStore
    from intent.arena.tournament.table import LineUp, RoundRobin
    from intent.games.game import MatrixGame

__all__ = [
    "LOCK",
    "LOG",
    "RESULT",
    "STORE",
    "StoredMatch",
    "TournamentResult",
    "Which",
    "line_up_matches",
    "match_log",
    "round_robin_matches",
    "stored_matches",
    "tournament",
    "write_files",
    "write_match_log",
]

Which = Literal["first", "all"]


@dataclass(frozen=True, eq=False)
class StoredMatch:
    """One match.

    Parameters
    ----------
    players : (str, str)
        Names of the seats: a strategy's, or an agent's.
    strategies : (Entrant, Entrant)
    repetition : int from 0
    moves : (2, T) uint8, 1 = cooperate
    """

    players: tuple[str, str]
    strategies: tuple[Entrant, Entrant]
    repetition: int
    moves: NDArray[np.uint8]


def round_robin_matches(
    table: RoundRobin, salt: Salt, store: MatchStore, which: Which = "first"
) -> Iterator[StoredMatch]:
    """The matches that count, in the order of the schedule; of pairs that cannot differ, one.

    Parameters
    ----------
    salt : Salt, of the tournament
    which : {"first", "all"}, repetitions
    """
    played, added = table.played, table.added is not None
    for lot in lots(table.field, table.rules, table.repetitions):
        there = played[lot.first, lot.second]
        numbers = [r for r in lot.repetitions if there[0 if added else r] and (which == "all" or r == 0)]
        if numbers:
            yield from _of_lot(lot, numbers, table, salt, store)


def line_up_matches(
    line_up: LineUp, salt: Salt, store: MatchStore, which: Which = "first"
) -> Iterator[StoredMatch]:
    """The matches of a line-up, seats in order; the first move is the first seat's.

    Parameters
    ----------
    salt, store, which : as `round_robin_matches`
    """
    base, seats = line_up.matches, line_up.table.field
    played = line_up.table.played
    repetitions = played.shape[2] if which == "all" else 1
    for i in range(len(seats)):
        for j in range(i, len(seats)):
            for r in map(int, np.flatnonzero(played[i, j, :repetitions])):
                a, b = map(int, line_up.drawn[i, j, r])
                first, second = min(a, b), max(a, b)
                differ = varies(base.field[first], base.field[second], base.rules)
                numbers = tuple(range(played.shape[2])) if base.rules.reuse_instances else (r,)
                lot = Lot(first, second, numbers, differ)
                for match in _of_lot(lot, [r], base, salt, store):
                    yield StoredMatch(
                        (seats[i].name, seats[j].name),
                        (base.field[a], base.field[b]),
                        r,
                        match.moves if a <= b else match.moves[::-1],
                    )


def _of_lot(
    lot: Lot, numbers: Sequence[int], table: RoundRobin, salt: Salt, store: MatchStore
) -> Iterator[StoredMatch]:
    pair = (table.field[lot.first], table.field[lot.second])
    keys = dict(zip(lot.repetitions, lot_keys(lot, table.field, table.rules, salt), strict=True))
    moves = store.get([keys[r] for r in numbers], table.rules.turns)
    for r in numbers:
        yield StoredMatch((pair[0].name, pair[1].name), pair, r, moves[keys[r]])


_MOVES_PER_CHUNK = 400_000


def match_log(
    matches: Sequence[StoredMatch], rules: MatchRules, game: MatrixGame, *, number: int = 1
) -> GameLog:
    """The matches as a `GameLog`.

    Seats carry their name as ``player``, their strategy, their attitude where they have one, and as
    conditions ``group``, ``opponent`` and ``opponent_group``; ``noise`` is a condition of the game.

    Parameters
    ----------
    game : MatrixGame
        Whose actions, payoffs and kind of payoffs are written.
    number : int
        Of the first match: ``m0000001``.
    """
    n, turns = len(matches), rules.turns
    cube = np.stack([match.moves for match in matches]).transpose(0, 2, 1)
    ids = pd.Index([f"m{number + k:07d}" for k in range(n)])
    cooperate = game.cooperative_label
    other = next(action for action in game.actions if action != cooperate)
    sign = -1.0 if game.kind == "penalty" else 1.0
    table = sign * np.asarray(rules.payoffs)[::-1].reshape(2, 2) + 0.0
    games = pd.DataFrame(
        {
            "game_id": ids,
            "source": "tournament",
            "game": game.name,
            "payoffs": game.to_json(),
            "payoff_kind": game.kind,
            "cooperative_action": cooperate,
            "n_players": 2,
            "rounds_planned": turns,
            "rounds_played": turns,
            "horizon_known": rules.known_length,
            "repetition": [match.repetition + 1 for match in matches],
            "noise": rules.noise,
        }
    )
    value = cube.reshape(-1)
    partner = cube[:, :, ::-1].reshape(-1)
    moves = pd.DataFrame(
        {
            "game_id": pd.Categorical.from_codes(np.repeat(np.arange(n), 2 * turns), categories=ids),
            "round": np.tile(np.repeat(np.arange(1, turns + 1), 2), n),
            "step": 1,
            "seat": np.tile([1, 2], n * turns),
            "action": pd.Categorical.from_codes(
                1 - value.astype(np.int8), categories=pd.Index([cooperate, other])
            ),
            "cooperated": value.astype(bool),
            "payoff": table[value, partner],
            "status": pd.Categorical.from_codes(
                np.zeros(len(value), dtype=np.int8), categories=pd.Index(["parsed"])
            ),
        }
    )
    return GameLog(games, _seats(matches, ids), moves)


def write_match_log(
    path: str | Path,
    matches: Iterable[StoredMatch],
    rules: MatchRules,
    game: MatrixGame,
    *,
    provenance: Mapping[str, Any],
    overwrite: bool = False,
) -> int:
    """Write a log chunk by chunk, so that it may be larger than memory; returns the number of matches.

    Raises
    ------
    OutputError
        The folder cannot be written, or there are no matches.
    """
    written = 0
    with ParquetLogWriter(path, overwrite=overwrite, provenance=dict(provenance)) as writer:
        for chunk in _chunks(matches, max(1, _MOVES_PER_CHUNK // (2 * rules.turns))):
            writer.write(match_log(chunk, rules, game, number=written + 1))
            written += len(chunk)
    return written


def _chunks(matches: Iterable[StoredMatch], size: int) -> Iterator[list[StoredMatch]]:
    running = iter(matches)
    while chunk := list(islice(running, size)):
        yield chunk


def _seats(matches: Sequence[StoredMatch], ids: pd.Index) -> pd.DataFrame:
    rows: dict[str, list[Any]] = {
        name: [] for name in ("player", "strategy", "attitude", "group", "opponent", "opponent_group")
    }
    for match in matches:
        for own, other in ((0, 1), (1, 0)):
            entrant, rival = match.strategies[own], match.strategies[other]
            rows["player"].append(match.players[own])
            rows["strategy"].append(entrant.name)
            rows["attitude"].append(entrant.group if entrant.group in ATTITUDES else None)
            rows["group"].append(entrant.group or "other")
            rows["opponent"].append(match.players[other])
            rows["opponent_group"].append(rival.group or "other")
    return pd.DataFrame(
        {
            "game_id": np.repeat(ids.to_numpy(), 2),
            "seat": np.tile([1, 2], len(matches)),
            **rows,
            "focal": True,
        }
    )


_TOP = 20
"""Rows of standings that are printed."""

_STANDINGS = {
    "rank": "rank",
    "name": "name",
    "group": "group",
    "median score": "median_score",
    "interval of the mean": "interval",
    "wins": "wins",
    "cooperation": "cooperation_rate",
    "opens with C": "initial_c_rate",
}
"""Heading of what is printed -> column of `codebook.STANDINGS`, or the interval in words."""


@dataclass(frozen=True, eq=False)
class TournamentResult(Result):
    """A tournament that was played.

    Attributes
    ----------
    round_robin : RoundRobin
        Of those that stand in the standings: strategies, or agents and strategies.
    matches : RoundRobin
        Of the strategies that played; the same without agents.
    salt : Salt, of all that was drawn in the matches
    left_out : tuple of (name, reason), strategies that could not be read or passed no gate
    path : Path or None, the folder of results
    config : mapping, the resolved settings
    """

    kind = "tournament"
    noun = "a tournament"

    round_robin: RoundRobin
    matches: RoundRobin
    game: MatrixGame
    engine: str
    salt: Salt
    left_out: tuple[tuple[str, str], ...]
    seconds: float
    path: Path | None
    config: Mapping[str, Any] = field(repr=False)
    notes: tuple[str, ...] = ()

    @cached_property
    def standings(self) -> list[dict[str, Any]]:
        """Rows as `codebook.STANDINGS`."""
        import numpy as np

        from intent.arena.tournament.standings import standings

        return standings(self.round_robin, np.random.default_rng([int(self.config["seed"]), 1]))

    @cached_property
    def groups(self) -> tuple[str, ...] | None:
        """The group of each row of the table; None where results are by strategy."""
        from intent.arena.tournament.standings import groups_of

        return None if self.config["agents"] else groups_of(self.round_robin.field)

    @cached_property
    def head_to_head(self) -> dict[str, dict[str, dict[str, Any]]]:
        """``payoff`` and ``cooperation``: row -> column -> mean per turn."""
        from intent.arena.tournament.standings import head_to_head

        return head_to_head(self.round_robin, self.groups)

    @cached_property
    def intervals(self) -> dict[str, dict[str, dict[str, Any]]] | None:
        """The ends of the intervals of the cells; None by strategy."""
        if self.groups is None:
            return None
        import numpy as np

        from intent.arena.tournament.standings import head_to_head_intervals

        return head_to_head_intervals(
            self.round_robin, self.groups, np.random.default_rng([int(self.config["seed"]), 2])
        )

    @cached_property
    def head_to_head_errors(self) -> dict[str, dict[str, dict[str, Any]]]:
        """As `head_to_head`: the standard errors that the draws within matches leave in the cells."""
        from intent.arena.tournament.standings import head_to_head_errors

        return head_to_head_errors(self.round_robin, self.groups)

    @property
    def n_matches(self) -> int:
        """Matches that count: one for each pair and repetition."""
        import numpy as np

        return int(self.round_robin.matches[np.triu_indices(len(self.round_robin.field))].sum())

    def faults(self) -> list[dict[str, Any]]:
        """Who was at fault, in which way, against whom."""
        return [
            {
                "name": self.matches.field[fault.player].name,
                "kind": fault.kind,
                "reason": fault.reason,
                "against": self.matches.field[_rival(fault)].name,
            }
            for fault in self.matches.faults
        ]

    def all_left_out(self) -> list[dict[str, str]]:
        """Strategies that took no part: not readable, or disqualified."""
        from intent.arena.trial import fault_line

        out = [{"name": name, "reason": reason} for name, reason in self.left_out]
        if self.config["faults"] != "disqualify":
            return out
        first: dict[int, Fault] = {}
        for fault in self.matches.faults:
            first.setdefault(fault.player, fault)
        return out + [
            {"name": self.matches.field[player].name, "reason": fault_line(fault, self._against(fault))}
            for player, fault in sorted(first.items())
        ]

    def _against(self, fault: Fault) -> str:
        rival = _rival(fault)
        return "itself" if rival == fault.player else self.matches.field[rival].name

    def label_rows(self) -> tuple[tuple[str, ...], list[tuple[Any, ...]]] | None:
        """Header and rows of what each strategy was taken for; None where nothing was labelled."""
        if self.path is None or self.config["label"] is None or not self.n_matches:
            return None
        from intent.base.tables import read_table

        table, _ = read_table(self.path / LABEL_SHARES)
        return tuple(map(str, table.columns)), list(table.itertuples(index=False, name=None))

    def table(self) -> pd.DataFrame:
        """The standings."""
        import pandas as pd

        from intent.base import codebook

        return pd.DataFrame(self.standings, columns=[column.name for column in codebook.STANDINGS])

    def parts(self) -> Iterator[Table | str]:
        """The standings; matrices that fit a terminal; what each was taken for."""
        facts, rows = self.fields(), self.standings
        played = f"{facts['game']}, {facts['turns']:,} rounds, noise {facts['noise']:g}"
        played += f", repetitions {facts['repetitions']}"
        who = "1 strategy" if facts["n"] == 1 else f"{facts['n']} strategies"
        matches = "1 match" if facts["matches"] == 1 else f"{facts['matches']:,} matches"
        title = f"{who}, {matches} ({played}; engine {facts['engine']})"
        top = [{**row, "group": row["group"] or "–", "interval": _interval(row)} for row in rows[:_TOP]]
        lines = [[row[column] for column in _STANDINGS.values()] for row in top]
        yield Table(tuple(_STANDINGS), lines, title) if top else title
        if len(rows) > _TOP:
            yield f"then {', '.join(row['name'] for row in rows[_TOP:])}"
        if self._fits():
            for name, title in (("payoff", "Payoff per round"), ("cooperation", "Share of cooperation")):
                matrix = self.head_to_head[name]
                cells = [(row, *columns.values()) for row, columns in matrix.items()]
                yield ""
                yield Table(("", *matrix), cells, f"{title} of rows against columns")
        labels = self.label_rows()
        if labels is not None:
            yield ""
            yield Table(*labels, f"Shares of labels by {self.config['label']}")

    def warnings(self) -> Iterator[str]:
        """Also what is not printed."""
        yield from self.notes
        if len(self.round_robin.field) == 1:
            yield "one strategy alone meets itself only; --against humans gives it opponents"
        matrix = self.head_to_head.get("payoff")
        if matrix and not self._fits():
            place = "-o FOLDER writes them" if self.path is None else f"they are in {self.path}"
            yield f"head-to-head matrices of {len(matrix)} are too wide to print; {place}"

    def _fits(self) -> bool:
        """Whether a matrix of numbers such as 2.723 fits a line of a terminal, or 120 characters."""
        from shutil import get_terminal_size

        matrix = self.head_to_head.get("payoff") or ()
        width = max(map(len, matrix), default=0) + sum(2 + max(5, len(name)) for name in matrix)
        return 0 < width <= max(120, get_terminal_size().columns)

    def remarks(self) -> Iterator[str]:
        """Who was left out, what does not count, and how the matches are played again."""
        for one in self.all_left_out():
            yield f"left out: {one['name']}: {one['reason']}"
        if self.config["faults"] == "void":
            for one in self.faults():
                yield f"not counted: {one['name']} against {one['against']} ({one['kind']}: {one['reason']})"
        yield self.salt.replay

    def facts(self) -> dict[str, Any]:
        """The settings, and who played; each file of the folder says its own kind."""
        from intent.version import __version__

        return {**self.config, "engine": self.engine, "version": __version__}

    def fields(self) -> dict[str, Any]:
        """As `json_objects.JSON_OBJECTS["tournament"]`."""
        return {
            "standings": self.standings,
            "head_to_head": self.head_to_head,
            "head_to_head_errors": self.head_to_head_errors,
            "intervals": self.intervals,
            "n": int(self.round_robin.played.any(axis=(1, 2)).sum()),
            "matches": self.n_matches,
            "turns": self.round_robin.rules.turns,
            "noise": self.round_robin.rules.noise,
            "repetitions": self.config["repetitions"],
            "game": self.game.name,
            "engine": self.engine,
            "salt": self.salt.hex,
            "replay": self.salt.replay,
            "faults": self.faults(),
            "left_out": self.all_left_out(),
            "path": None if self.path is None else str(self.path),
            "seconds": round(self.seconds, 3),
            "notes": list(self.notes),
        }


def _interval(row: Mapping[str, Any]) -> str:
    if row["score_low"] is None:
        return "–"
    return f"{row['score_low']:.3f} to {row['score_high']:.3f}"


def _rival(fault: Fault) -> int:
    return fault.job.second if fault.player == fault.job.first else fault.job.first


LOGS = ("first", "all", "none")


@job(TournamentRequest)
def tournament(request: TournamentRequest) -> TournamentResult:
    """Play strategies of files against each other, and against those of the literature.

    Raises
    ------
    UsageError, UnknownNameError
        Settings that make no tournament.
    OutputError
        The folder holds something else.

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, section 4.
    """
    from time import perf_counter

    from intent.arena.field import arena_engine, path_list, set_stage
    from intent.arena.tournament.table import attitude_seats, play_line_up, play_round_robin
    from intent.logs.run_folder import own_folder
    from intent.report.figures import check_image

    began = perf_counter()
    check_image(request.image)
    _check(request)
    if request.models:
        from intent.arena.tournament.models import MODEL_REPETITIONS, MODEL_TURNS, check_models, play_models

        request = request.replace(
            turns=request.turns or MODEL_TURNS,
            repetitions=request.repetitions or MODEL_REPETITIONS,
            noise=request.noise or 0.0,
        )
    on = set_stage(request, reuse_instances=request.reuse_instances)
    field, rules = on.entries.field, on.rules
    seats = attitude_seats(field, singles=request.singles) if request.agents else ()
    folder = None
    if request.output is not None:
        folder = own_folder(request.output, kind="tournament", marks=[STORE], lock=LOCK, make=False)
    if request.models:
        check_models(field, request, rules, on.game)
    config = request.values(_RECORDED) | {
        "paths": [Path(path).name for path in path_list(request.paths)],
        "turns": rules.turns,
        "noise": rules.noise,
        "repetitions": on.repetitions,
        "game": on.game.name,
        "salt": on.salt.hex,
        "models": list(request.models),
    }
    notes = on.notes
    with (
        arena_engine(request.engine, field, request.workers, request.dask) as runs,
        stored_matches(folder) as store,
    ):
        contest = Contest(
            on.repetitions,
            on.salt,
            runs,
            store,
            added=not (request.models or request.single_matches),
            **request.values(("self_play", "faults", "update")),
        )
        line_up = None
        if seats:
            line_up = play_line_up(field, seats, rules, contest)
            table, matches = line_up.table, line_up.matches
        else:
            table = matches = play_round_robin(field, rules, contest)
        if request.models and folder is not None:
            played = play_models(table, request, on.game, folder, on.salt)
            table = matches = played.table
            notes += played.notes
        result = TournamentResult(
            round_robin=table,
            matches=matches,
            game=on.game,
            engine=runs.name,
            salt=on.salt,
            left_out=on.entries.left_out,
            notes=(*notes, *getattr(runs, "notes", ())),
            seconds=perf_counter() - began,
            path=folder,
            config=config,
        )
        if folder is not None and store is not None:
            write_files(result, folder, store, line_up, figures=request.figures, image=request.image)
    return result


_RECORDED = (
    *("paths", "against", "turns", "noise", "repetitions", "game", "self_play", "agents", "singles", "seed"),
    *("salt", "fidelity", "reuse_instances", "faults", "log", "label", "models"),
)
"""Settings that are kept with the results."""


def _check(request: TournamentRequest) -> None:
    """Refuse settings that do not go together, before any work."""
    if request.log not in LOGS:
        raise UsageError(f"--log {request.log!r}, expected one of {', '.join(LOGS)}")
    if request.label is not None:
        if request.output is None or request.log == "none":
            raise UsageError("--label needs the log of the tournament: -o FOLDER, and --log first or all")
        from intent.recognise.recogniser import load_recogniser

        load_recogniser(request.label)
    if request.singles and not request.agents:
        raise UsageError("--singles goes with --agents: without them all strategies play by themselves")
    if request.models and request.output is None:
        raise UsageError("--model needs -o FOLDER, where replies that cost money are kept")
    if request.models and request.agents:
        raise UsageError("--model and --agents do not go together: models meet the strategies one by one")


STORE = "moves.sqlite"
LOCK = "tournament.lock"
LOG = "log"
RESULT = "tournament.json"
LABELS = "labels.csv"
LABEL_SHARES = "label_shares.csv"

_OPTIONAL = (
    LABELS,
    LABEL_SHARES,
    *(f"{stem}.{ending}" for stem in ("standings", "head_to_head") for ending in IMAGES),
)
"""Files that not every tournament has."""


@contextmanager
def stored_matches(folder: Path | None, lock: str = LOCK) -> Iterator[MatchStore | None]:
    """The store of a folder, for one process at a time; None without a folder.

    The folder is made where it is absent, and scratch files of a process that was killed go.
    """
    if folder is None:
        yield None
        return
    from intent.arena.tournament.matches import MatchStore
    from intent.base.outputs import make_folder, remove_scratch
    from intent.logs.run_folder import locked

    with locked(make_folder(folder) / lock), MatchStore(folder / STORE) as store:
        remove_scratch(folder)
        yield store


def write_files(
    result: TournamentResult,
    folder: Path,
    store: MatchStore,
    line_up: LineUp | None,
    *,
    figures: bool = True,
    image: str = "png",
) -> None:
    """Write everything that a tournament leaves, in place of what an earlier one left in the folder.

    Raises
    ------
    OutputError
        A file cannot be written.
    """
    import pandas as pd

    from intent.arena.tournament.table import pair_columns
    from intent.base.outputs import json_values, write_object
    from intent.base.tables import write_table

    for name in _OPTIONAL:
        for path in (folder / name, folder / f"{name}.meta.json"):
            path.unlink(missing_ok=True)
    facts = result.facts()

    def write(table: pd.DataFrame, name: str) -> None:
        write_table(table, folder / name, {"kind": Path(name).stem, **facts}, overwrite=True)

    write(result.table(), "standings.csv")
    write(pd.DataFrame(pair_columns(result.round_robin)), "pairs.csv")
    for name, matrix in result.head_to_head.items():
        for rows, ending in ((matrix, ""), (result.head_to_head_errors[name], "_errors")):
            write(
                pd.DataFrame.from_dict(rows, orient="index").rename_axis("against").reset_index(),
                f"head_to_head_{name}{ending}.csv",
            )
    _write_log(result, folder, store, line_up)
    if result.config["label"] is not None and result.n_matches:
        _write_labels(result, folder)
    if figures:
        from intent.arena.figures import write_tournament_figures

        write_tournament_figures(
            folder,
            result.round_robin,
            standings=result.standings,
            head_to_head=result.head_to_head,
            intervals=result.intervals,
            config=result.config,
            image=image,
        )
    write_object(folder / RESULT, json_values(result.payload()), overwrite=True)


def _write_log(result: TournamentResult, folder: Path, store: MatchStore, line_up: LineUp | None) -> None:
    """The moves as a game log; that of an earlier run is removed where none is asked for."""
    import shutil

    path, which = folder / LOG, result.config["log"]
    if which == "none" or not result.n_matches:
        if (path / "log.json").is_file():
            shutil.rmtree(path)
        return
    from intent.arena.tournament.table import without_models
    from intent.version import __version__

    matches = (
        round_robin_matches(without_models(result.round_robin), result.salt, store, which)
        if line_up is None
        else line_up_matches(line_up, result.salt, store, which)
    )
    write_match_log(
        path,
        matches,
        result.round_robin.rules,
        result.game,
        provenance={
            "generator": "intent tournament",
            "version": __version__,
            "settings": dict(result.config),
        },
        overwrite=True,
    )


_MOVES = 1 << 19
"""Moves that are labelled together."""


def _write_labels(result: TournamentResult, folder: Path) -> None:
    """Labels of the log, and for each strategy the shares of what it was taken for."""
    from tempfile import TemporaryDirectory

    from intent.base.tables import parquet_parts, parquet_to_csv, write_table
    from intent.recognise.labels.label import label_to

    rules, recogniser = result.round_robin.rules, result.config["label"]
    settings = {"seed": int(result.config["seed"]), **_noise_setting(recogniser, rules.noise)}
    with TemporaryDirectory() as scratch:
        table = Path(scratch) / "labels.parquet"
        piece = max(1, _MOVES // (2 * rules.turns))
        labels = label_to(folder / LOG, table, recogniser, piece=piece, **settings)
        parquet_to_csv(table, folder / LABELS, {**labels.provenance, "summary": labels.summary})
        counts: Counter[tuple[str, str]] = Counter()
        for part in parquet_parts(table, ["strategy", "label", "status"]):
            outcome = part["label"].where(part["label"].notna(), part["status"])
            counts.update(zip(part["strategy"], outcome, strict=True))
    facts = {"kind": "label_shares", "recogniser": recogniser}
    names = [entrant.name for entrant in result.matches.field]
    write_table(_shares(counts, names), folder / LABEL_SHARES, facts, overwrite=True)


def _shares(counts: Mapping[tuple[str, str], int], names: Sequence[str]) -> pd.DataFrame:
    """One row per strategy: trajectories, then the share of each label, or status where there is none."""
    import pandas as pd

    outcomes = sorted({outcome for _, outcome in counts})
    rows = []
    for name in names:
        own = [counts.get((name, outcome), 0) for outcome in outcomes]
        if n := sum(own):
            rows.append([name, n, *(k / n for k in own)])
    return pd.DataFrame(rows, columns=["strategy", "n", *outcomes])


def _noise_setting(recogniser: str, noise: float) -> dict[str, Any]:
    from intent.recognise.bayes import BayesRecogniser
    from intent.recognise.recogniser import load_recogniser

    return {"eps": noise} if noise and isinstance(load_recogniser(recogniser), BayesRecogniser) else {}
