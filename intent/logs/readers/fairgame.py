"""Reader of FAIRGAME results: one row per game, play in cells that hold Python lists.

References
----------
Buscemi et al. 2025, FAIRGAME: a Framework for AI Agents Bias Recognition using Game Theory,
arXiv:2504.14325.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from intent.errors import DataError, of_file
from intent.logs.delimited import Delimited, read_delimited
from intent.logs.gamelog import GameLog
from intent.logs.readers.actions import settle
from intent.logs.readers.cells import by_value, texts, truths, typed, whole_numbers
from intent.logs.readers.fairgame_games import Decision, Group, decide
from intent.logs.readers.fairgame_own import (
    column_values,
    defaulted,
    further_agent_columns,
    is_own,
    own_ids,
    own_repetition,
)
from intent.logs.readers.fairgame_play import Parsed, parse_play, reject_row
from intent.logs.readers.fairgame_told import TOLD_COLUMNS, Told
from intent.logs.readers.list_cells import parse_texts
from intent.logs.readers.play import Play, moves_table
from intent.logs.readers.reader import Reader, Settings, Source
from intent.logs.readers.stages import cooperative_codes, unused_game
from intent.logs.rejects import Rejects
from intent.logs.tables import TEXT

__all__ = ["READER"]

_AGENT_COLUMNS = {
    "llm": "model",
    "personality": "persona",
    "name": "agent_name",
    "knows_opponent_with_prob": "opponent_persona_probability",
}
_NO_PERSONA = "None"
"""What FAIRGAME calls the persona of a player without one."""

_LISTS = ("strategies", "scores", "messages", "statuses")
_FIXED = ("game_id", "language", "n_rounds_is_known", "max_rounds", "played_rounds", "game")


def recognises(source: Source, settings: Settings) -> bool:
    """Whether the columns are FAIRGAME's."""
    return {"agent1_strategies", "agent1_scores"} <= set(source.columns)


def read(source: Source, settings: Settings) -> GameLog:
    """The games of a results file; rows that cannot be read go to the rejects."""
    rejects = Rejects(source.path, strict=settings.strict)
    table = read_delimited(source.text, rejects)
    parts = parse_play(table, rejects)
    labels = parts[0].play.labels if parts else ()
    if parts:
        settings = settle(settings, labels)
    groups, of_row = _groups(table)
    peers = _peers(table)
    notes: dict[str, None] = dict.fromkeys(unused_game(settings.game, [group.game for group in groups]))
    logs = []
    for part in parts:
        try:
            decision = decide(part.play, groups, of_row[part.rows], peers[part.rows], settings)
        except DataError as error:
            raise of_file(source.path, error) from None
        for game, reason in decision.wrong.items():
            reject_row(table, rejects, int(part.rows[game]), reason)
        kept = np.array([i for i in range(len(part.rows)) if i not in decision.wrong], dtype=np.intp)
        if len(kept):
            for stage in decision.stages:
                if stage.note:
                    notes[f"{stage.name or 'game'}: {stage.note}"] = None
            logs.append(_tables(source, table, part, decision, kept, notes))
    rejected = rejects.table(sum(len(games) for games, _, _ in logs))
    games = pd.concat([log[0] for log in logs]).sort_values("_row", kind="stable")
    if "known" in table.columns and "n_rounds_is_known" in table.columns:
        notes["column known is not read: n_rounds_is_known says the same, row by row"] = None
    return GameLog(
        _numbered(games),
        pd.concat([log[1] for log in logs]),
        _stacked([log[2] for log in logs]),
        provenance={"notes": list(notes)},
        rejects=rejected,
    )


def _groups(table: Delimited) -> tuple[list[Group], NDArray[np.intp]]:
    """What each row claims to be."""
    game = next((c for c in ("game", "meta_game") if c in table.columns), None)
    columns: dict[str, Any] = {
        "game": texts(table.columns[game]) if game else None,
        "payoff_type": texts(table.columns["payoff_type"]) if "payoff_type" in table.columns else None,
        "scale": None,
    }
    if "meta_payoff_scale" in table.columns:
        scale = typed(table.columns["meta_payoff_scale"])
        columns["scale"] = pd.to_numeric(scale, errors="coerce").astype(float)
    own = is_own(table)
    columns |= {name: texts(table.columns[name]) for name in TOLD_COLUMNS if own}
    frame = pd.DataFrame({k: v for k, v in columns.items() if v is not None}, index=range(len(table)))
    if frame.empty:
        return [Group(None, None)], np.zeros(len(table), dtype=np.intp)
    codes = frame.groupby(list(frame.columns), dropna=False, sort=False).ngroup().to_numpy()
    firsts = frame.iloc[np.unique(codes, return_index=True)[1]]
    groups = []
    for record in firsts.to_dict("records"):
        kept = {k: v for k, v in record.items() if not pd.isna(v)}
        scale = kept.get("scale", 1.0)
        told = Told(*(kept.get(name) for name in TOLD_COLUMNS)) if own else None
        groups.append(Group(kept.get("game"), kept.get("payoff_type"), scale if scale > 0 else 1.0, told))
    return groups, codes.astype(np.intp)


def _peers(table: Delimited) -> NDArray[np.intp]:
    """(n,), one number for each set of models in order."""
    columns = [c for c in table.columns if re.fullmatch(r"agent\d+_llm", c)]
    if not columns:
        return np.zeros(len(table), dtype=np.intp)
    frame = pd.DataFrame({c: texts(table.columns[c]) for c in columns})
    return frame.groupby(columns, dropna=False, sort=False).ngroup().to_numpy().astype(np.intp)


def _tables(
    source: Source,
    table: Delimited,
    part: Parsed,
    decision: Decision,
    kept: NDArray[np.intp],
    notes: dict[str, None],
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Games, seats and moves of the games of one number of players."""
    rows, play = part.rows[kept], part.play.games(kept)
    lines = table.lines
    width = len(str(int(lines[-1])))
    stem = source.stem
    given = own_ids(table)
    minted = [f"{stem}-{line:0{width}d}" for line in lines[rows].tolist()]
    ids = pd.Index(minted if given is None else given.iloc[rows], dtype=TEXT)
    which, stages = decision.which[kept], decision.stages
    n, seats = play.n_games, play.n_seats

    def column(name: str) -> pa.Array | None:
        return table.columns[name].take(pa.array(rows)) if name in table.columns else None

    def of_stage(field: str) -> pd.Series[str]:
        pool = pd.array([getattr(stage, field) for stage in stages], dtype=TEXT)
        return pd.Series(pool.take(which))

    games: dict[str, Any] = {
        "game_id": ids,
        "source": pd.array([source.path.name], dtype=TEXT).take(np.zeros(n, int)),
    }
    games |= {"game": of_stage("name"), "payoffs": of_stage("payoffs"), "payoff_kind": of_stage("kind")}
    games |= {
        "cooperative_action": of_stage("label"),
        "n_players": np.full(n, seats),
        "rounds_played": play.lengths,
    }
    planned, known, language = column("max_rounds"), column("n_rounds_is_known"), column("language")
    if planned is not None:
        number, missing = whole_numbers(planned)
        games["rounds_planned"] = pd.arrays.IntegerArray(number, missing)
    if known is not None:
        games["horizon_known"] = truths(known)[0]
    if language is not None:
        games["language"] = texts(language)
    if "game_id" in table.columns and given is None:
        games["source_game_id"] = texts(table.columns["game_id"].take(pa.array(rows)))
    skip = {*_FIXED, *({"known"} if known is not None else ())}
    restored = {*TOLD_COLUMNS, "source"} if is_own(table) else set()
    for name in table.columns:
        if name not in skip | restored and not re.match(r"agent\d+_", name):
            games[name if name not in games else f"source_{name}"] = column_values(
                name, table.columns[name].take(pa.array(rows))
            )
    if restored and "source" in table.columns:
        games["source"] = texts(table.columns["source"].take(pa.array(rows)))
    games["_row"] = rows
    counted = own_repetition(table)
    if counted is not None:
        games["_repetition"] = counted[rows]
    for suffix in ("llm", "personality", "knows_opponent_with_prob"):
        for i in range(1, seats + 1):
            if f"agent{i}_{suffix}" in table.columns:
                games[f"_{suffix}_{i}"] = by_value(table.columns[f"agent{i}_{suffix}"])[0][rows]

    by_seat = (np.arange(seats) * n + np.arange(n)[:, None]).ravel()
    players: dict[str, Any] = {
        "game_id": ids.take(np.repeat(np.arange(n), seats)),
        "seat": np.tile(np.arange(1, seats + 1), n),
        "focal": np.ones(n * seats, dtype=bool),
    }
    for suffix, name in _AGENT_COLUMNS.items():
        cells = [column(f"agent{i}_{suffix}") for i in range(1, seats + 1)]
        if all(cell is not None for cell in cells):
            stacked = pa.concat_arrays(cells).take(pa.array(by_seat))
            players[name] = texts(stacked) if suffix != "knows_opponent_with_prob" else typed(stacked)
    if "persona" in players:
        players["persona"] = players["persona"].mask(players["persona"] == _NO_PERSONA)
    for name in further_agent_columns(table, seats, {*_AGENT_COLUMNS, *_LISTS}):
        stacked = pa.concat_arrays(
            [table.columns[f"agent{i}_{name}"].take(pa.array(rows)) for i in range(1, seats + 1)]
        )
        players[name] = column_values(name, stacked.take(pa.array(by_seat)))
    moves = moves_table(play, ids, cooperative_codes(stages, play.labels)[which])
    marked = defaulted(table, rows, play).ravel()
    if marked.any():
        status = moves["status"].cat.add_categories(["defaulted"])
        moves["status"] = status.mask(marked, "defaulted")
    messages = _messages(table, rows, play, notes)
    if messages is not None:
        moves["message"] = messages
    return pd.DataFrame(games), pd.DataFrame(players), moves


def _messages(
    table: Delimited, rows: NDArray[np.intp], play: Play, notes: dict[str, None]
) -> pd.Series[str] | None:
    """The message of every move, None where the file has none or an empty text."""
    names = [f"agent{i}_messages" for i in range(1, play.n_seats + 1)]
    if not all(name in table.columns for name in names):
        return None
    cells = [parse_texts(table.columns[name].take(pa.array(rows)), strip=False) for name in names]
    if all((c.lengths <= 0).all() and not c.errors for c in cells):
        return None
    messages = np.full(play.actions.shape, None, dtype=object)
    for seat, column in enumerate(cells):
        fits = column.lengths == play.lengths
        odd = int((~fits & ((column.lengths > 0) | (column.lengths < 0))).sum())
        if odd:
            notes[f"{names[seat]}: {odd} cells are no list of one text per round and are left out"] = None
        games = np.flatnonzero(fits)
        pool = np.array([*(label or None for label in column.labels), None], dtype=object)
        messages[np.isin(play.game, games), seat] = pool[column.flat(games).astype(np.intp)]
    return pd.Series(messages.ravel(), dtype=TEXT)


def _numbered(games: pd.DataFrame) -> pd.DataFrame:
    """The games with the number of the repeat within identical conditions, without helping columns."""
    keys = [c for c in games.columns if c not in ("game_id", "source_game_id", "rounds_played", "_row")]
    number = games.groupby(keys, dropna=False, sort=False).cumcount().to_numpy() + 1
    plain = games.drop(columns=[c for c in games.columns if c.startswith("_")])
    return plain.assign(repetition=games.get("_repetition", number))


def _stacked(moves: list[pd.DataFrame]) -> pd.DataFrame:
    """The moves of all parts, categories joined."""
    if len(moves) == 1:
        return moves[0]
    plain = [
        part.assign(game_id=part["game_id"].astype(TEXT), action=part["action"].astype(TEXT))
        for part in moves
    ]
    joined = pd.concat(plain, ignore_index=True)
    return joined.assign(action=joined["action"].astype("category"))


READER = Reader(
    "fairgame",
    "columns agent1_strategies and agent1_scores, one row per game",
    recognises,
    read,
)
