"""Reader of oTree's exports of experiments with people: all apps in a wide table or one in a long one.

An oTree export as a long table per app: a row per participant and round, columns as in an app's export.

Of an app's table: the decision, what says that time ran out, and the names of all else as conditions.

Which rounds of a group are one game: those in a row with the same participants in it.

References
----------
Chen, Schonger & Wickens 2016, oTree: An open-source platform for laboratory, online, and field experiments,
Journal of Behavioral and Experimental Finance 9, 88-97.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from intent.base import codebook
from intent.base.errors import DataError, UnknownNameError, located, of_file
from intent.base.files import beyond, bounds
from intent.logs.gamelog import GameLog, Rejects
from intent.logs.readers.arrays import TidyTable, open_table, texts
from intent.logs.readers.reader import Reader, Settings, Source
from intent.logs.readers.tidy import log_of_table

__all__ = [
    "LINE",
    "READER",
    "ROUND",
    "TIMEOUT",
    "app_tables",
    "assign_supergames",
    "condition_names",
    "decision",
    "drop_unplayed",
    "find_field",
    "is_export",
    "require_mapped",
]


ROUND = "subsession.round_number"
LINE = "line"
"""Column of the row of the export that a row comes from."""

_PERSON = "participant.code"
_WIDE = re.compile(r"(?P<app>[^.]+)\.(?P<round>[1-9]\d{0,5})\.(?P<field>(?:player|group|subsession)\..+)")
_STAMP = re.compile(r"[_ -]\d{4}-\d\d-\d\d.*|[_ ]?\(\d+\)\Z")


def is_export(columns: Iterable[str]) -> bool:
    """Whether columns are those of an oTree export, of all apps or of one."""
    names = set(columns)
    return _PERSON in names and any(name.endswith("player.id_in_group") for name in names)


_SEATED = "player.id_in_group"


def app_tables(source: Source, table: TidyTable) -> dict[str, pd.DataFrame]:
    """App -> its long table, texts all, null where empty.

    Of an export of all apps, columns ``<app>.<round>.player.<field>`` become rows; a round that a
    session does not have gives none. An export of one app is long already, its name that of the file.

    Parameters
    ----------
    source : Source
    table : TidyTable

    Returns
    -------
    dict of app -> DataFrame
        Columns ``participant.…``, ``session.…``, ``player.…``, ``group.…``, ``subsession.…`` and `LINE`.

    Raises
    ------
    DataError
        The columns are not those of an export.
    LimitError
        More cells than memory should hold.
    """
    if not is_export(table.columns):
        wanted = f"{_PERSON} and player.id_in_group, or <app>.<round>.player.id_in_group"
        raise DataError(located(source.path, f"no export of oTree, expected columns {wanted}"))
    if "player.id_in_group" in table.columns:
        return {_STAMP.sub("", source.stem) or source.stem: _frame(table.columns, range(len(table)))}
    wide: dict[str, dict[int, dict[str, str]]] = {}
    shared = {}
    for name, column in table.columns.items():
        match = _WIDE.fullmatch(name)
        if match:
            rounds = wide.setdefault(match["app"], {})
            rounds.setdefault(int(match["round"]), {})[match["field"]] = name
        elif name.startswith(("participant.", "session.")):
            shared[name] = column
    cells = sum(len(rounds) for rounds in wide.values()) * len(table) * (len(shared) + 8)
    if cells > bounds().cells:
        raise beyond(source.path, f"{cells:,} cells", "cells")
    return {app: _long(table, shared, rounds) for app, rounds in wide.items()}


def _long(
    table: TidyTable, shared: Mapping[str, pa.Array], rounds: Mapping[int, Mapping[str, str]]
) -> pd.DataFrame:
    """The rounds of an app below each other, of people who were in them."""
    names = [f for _, fields in sorted(rounds.items()) if _SEATED in fields for f in fields]
    parts: dict[str, list[pa.Array]] = {name: [] for name in (*shared, *names)}
    numbers: list[pa.Array] = []
    lines: list[pa.Array] = []
    for number, fields in sorted(rounds.items()):
        if _SEATED not in fields:
            continue
        there = pc.indices_nonzero(pc.not_equal(pc.utf8_trim_whitespace(table.columns[fields[_SEATED]]), ""))
        for name, pieces in parts.items():
            column = shared[name] if name in shared else table.columns.get(fields.get(name, ""))
            pieces.append(pa.nulls(len(there), pa.string()) if column is None else column.take(there))
        numbers.append(pa.repeat(str(number), len(there)))
        lines.append(there)
    if not numbers:
        return pd.DataFrame()
    frame = _frame({name: pa.concat_arrays(pieces) for name, pieces in parts.items()},
                   pa.concat_arrays(lines).to_pylist())  # fmt: skip
    return frame.assign(**{ROUND: texts(pa.concat_arrays(numbers))})


def _frame(columns: Mapping[str, pa.Array], lines: Iterable[int]) -> pd.DataFrame:
    return pd.DataFrame({name: texts(column) for name, column in columns.items()}).assign(
        **{LINE: list(lines)}
    )


_TWO_VALUED = ("cooperate", "cooperates", "cooperation", "decision", "choice", "action", "move", "defect")
_AMOUNTS = ("contribution", "contribute", "contributed", "investment")
_BUILT_IN = {"player.id_in_group", "player.role", "player.payoff"}
_AMOUNT = re.compile(r"-?\d{1,12}(?:\.\d{1,12})?")

TIMEOUT = re.compile(r"(?:player\.)(?:\w*_)?(?:timed?_?out)(?:_\w+)?", re.IGNORECASE)
"""Fields in which an experiment notes that it moved in the player's place, by convention of its authors."""

_PLATFORM = re.compile(
    r"participant\.(?:id_in_session|code|label|payoff|visited|time_started\w*|mturk_\w+|_.+)"
    r"|session\.(?:code|label|comment|is_demo|mturk_\w+|config\.(?:participation_fee|real_world_currency_per_point))"
    r"|participant\.(?:external_id|is_on_wait_page|prolific\w*|ip_address)"
    r"|player\.(?:id_in_group|payoff)|group\.id_in_subsession",
    re.IGNORECASE,
)
"""Bookkeeping of the platform, and identifiers of people beyond the code: no conditions."""


def find_field(table: pd.DataFrame, app: str, name: str) -> str | None:
    """The column that a user calls ``cooperate``, ``player.cooperate`` or ``pd.player.cooperate``."""
    bare = re.sub(rf"\A{re.escape(app)}\.(?:\d+\.)?", "", name)
    for level in ("", "player.", "group.", "subsession.", "participant.", "session.config.", "session."):
        candidate = f"{level}{bare}"
        if candidate in table and candidate != LINE:
            return candidate
    return None


def decision(table: pd.DataFrame, app: str, mapping: Mapping[str, str]) -> tuple[str, str] | None:
    """What the players chose, as ``("action", column)`` or ``("value", column)``; None without a decision.

    1. What the mapping says of ``action`` or ``value``.
    2. A field of the player with at most two values by one of the usual names.
    3. The only field of the player with two values.
    4. A field of numbers by one of the usual names of contributions.

    Raises
    ------
    DataError
        Several fields have two values, and no name tells which one it is.
    """
    for kind in ("action", "value"):
        if kind in mapping:
            field = find_field(table, app, mapping[kind])
            return (kind, field) if field else None
    fields = [
        c
        for c in map(str, table.columns)
        if c.startswith("player.") and c not in _BUILT_IN and not TIMEOUT.fullmatch(c)
    ]
    distinct = {c: table[c].dropna().unique() for c in fields}
    for name in _TWO_VALUED:
        for column in fields:
            if column.casefold() == f"player.{name}" and 1 <= len(distinct[column]) <= 2:
                return "action", column
    two = [column for column in fields if len(distinct[column]) == 2]
    if len(two) == 1:
        return "action", two[0]
    for name in _AMOUNTS:
        for column in fields:
            values = distinct[column]
            if column.casefold() == f"player.{name}" and len(values) and all(map(_AMOUNT.fullmatch, values)):
                return "value", column
    if two:
        listed = ", ".join(name.removeprefix("player.") for name in two[:6])
        raise DataError(f"app {app}: fields {listed} have two values each; give --map action=FIELD")
    return None


def condition_names(table: pd.DataFrame, others: Sequence[str]) -> dict[str, str]:
    """Column -> its name as a condition, of all that are neither taken nor bookkeeping nor empty.

    ``session.config.treatment`` is ``treatment``, ``participant.arm`` ``arm``, ``player.note`` ``note``;
    those of groups and subsessions keep their names, as does the second of two alike.
    """
    reserved = {c.name for c in (*codebook.GAMES, *codebook.SEATS, *codebook.MOVES)} | {
        "app",
        "session",
        "person",
    }
    names: dict[str, str] = {}
    for column in map(str, table.columns):
        bookkeeping = "." not in column or column == ROUND or _PLATFORM.fullmatch(column)
        if bookkeeping or column in others or table[column].isna().all():
            continue
        short = re.sub(r"\A(?:session\.config|participant|player)\.", "", column)
        names[column] = column if short in reserved or short in names.values() else short
    return names


def require_mapped(tables: Mapping[str, pd.DataFrame], mapping: Mapping[str, str]) -> None:
    """Refuse a mapping to a field that no app has.

    Raises
    ------
    UnknownNameError
    """
    for ours, theirs in mapping.items():
        for name in theirs.split("+") if ours == "by" else [theirs]:
            if not any(find_field(table, app, name.strip()) for app, table in tables.items()):
                known = dict.fromkeys(str(c) for table in tables.values() for c in table.columns if c != LINE)
                raise UnknownNameError(f"field (--map {ours}=…)", name.strip(), known)


_MATCH = re.compile(
    r"(?:player|group|subsession)\.(?:match|match_number|match_id|supergame|super_game|sg|interaction|cycle)",
    re.IGNORECASE,
)
"""Fields in which an experiment numbers its matches."""


def drop_unplayed(table: pd.DataFrame, decision: str) -> tuple[pd.DataFrame, int]:
    """The games without their rounds after the last in which anybody decided, and how many rounds these are.

    oTree makes all rounds of a session before it begins: those after a game's end, or of people who never
    came, stand empty in the export.

    Parameters
    ----------
    table : DataFrame
        As `assign_supergames`.
    decision : str
        Column of what was chosen.
    """
    decided = table["round"].where(table[decision].notna(), 0)
    last = decided.groupby(table["game_id"], observed=True).transform("max")
    after = table["round"] > last
    return table[~after], int((~table[after].duplicated(["game_id", "round"])).sum())


def assign_supergames(table: pd.DataFrame) -> tuple[pd.DataFrame, str | None]:
    """The table with columns ``game_id``, ``round`` (within the game, from 1) and ``seat``.

    1. A game is a longest row of rounds in which a group has the same participants. Where the experiment
       numbers its matches (`match`, `supergame`, …), another number is another game.
    2. A participant's seat is by id_in_group in the first round of the game.

    Parameters
    ----------
    table : DataFrame
        One app; round number and id_in_group as whole numbers.

    Returns
    -------
    DataFrame, and the field that numbers the matches
    """
    session = (
        table["session.code"].fillna("") if "session.code" in table else pd.Series("", index=table.index)
    )
    group = table.get("group.id_in_subsession", "")
    match = next((c for c in map(str, table.columns) if _MATCH.fullmatch(c) and table[c].notna().all()), None)
    frame = pd.DataFrame(
        {
            "session": session,
            "round": table[ROUND].astype("int64"),
            "group": group,
            "person": table["participant.code"],
            "match": table[match] if match else "",
            "id": table["player.id_in_group"].astype("int64"),
        },
        index=table.index,
    )
    one_group = frame.sort_values("person").groupby(
        ["session", "round", "group"], dropna=False, sort=False, observed=True
    )
    members = one_group["person"].agg("\n".join).rename("members").reset_index()
    match_of = one_group["match"].first().reset_index(drop=True)
    members = members.assign(match=match_of)
    members = members.sort_values(["session", "members", "round"], kind="stable")
    same = members[["session", "members", "match"]].eq(members[["session", "members", "match"]].shift()).all(
        axis=1
    ) & members["round"].diff().eq(1)
    members["game"] = (~same).cumsum()
    first = members.groupby("game", observed=True).transform("first")
    members["first"], members["first_group"] = first["round"], first["group"]
    placed = frame.reset_index(names="at").merge(
        members[["session", "round", "group", "game", "first", "first_group"]],
        on=["session", "round", "group"],
        how="left",
    ).set_index("at")  # fmt: skip
    opening = placed[placed["round"] == placed["first"]].set_index(["game", "person"])["id"]
    opening = (
        opening[~opening.index.duplicated()]
        .groupby("game", observed=True)
        .rank(method="first")
        .astype("int64")
    )
    seats = opening.reindex(pd.MultiIndex.from_frame(placed[["game", "person"]])).to_numpy()
    name = placed["session"] + "-r" + placed["first"].astype(str) + "-g" + placed["first_group"].astype(str)
    result = table.assign(
        game_id=name.str.removeprefix("-"), round=placed["round"] - placed["first"] + 1, seat=seats
    )
    return result.sort_values([LINE, "round"], kind="stable"), match


_TRUE = ("1", "true", "yes")
_FALSE = ("0", "false", "no")
_MONEY = r"\A[$€£¥]?\s*(-?\d[\d.]*)\s*(?:points?|[$€£¥])?$"


def recognises(source: Source, settings: Settings) -> bool:
    """Whether the columns are those of an export."""
    return source.kind in ("text", "parquet") and is_export(source.columns)


def read(source: Source, settings: Settings) -> GameLog:
    """The games of all apps with a decision; rows that cannot be read go to the rejects."""
    rejects = Rejects(source.path, strict=settings.strict)
    export = open_table(source, rejects)
    tables = app_tables(source, export)
    notes: list[str] = []
    parts = []
    try:
        require_mapped(tables, settings.mapping)
        for app, rows_of_app in tables.items():
            part = _rows(app, _numbered(rows_of_app, export, rejects), settings, notes)
            if part is not None and len(part):
                parts.append(part)
    except UnknownNameError as error:
        raise DataError(located(source.path, str(error))) from None
    except DataError as error:
        raise of_file(source.path, error) from None
    if not parts:
        rejects.table(0)
        listed = ", ".join(tables)
        reason = f"no app of {listed} has a decision of players; give --map action=FIELD or value=FIELD"
        raise DataError(located(source.path, reason))
    rows = pd.concat(parts, ignore_index=True).drop(columns="_field")
    lines = rows.pop(LINE).to_numpy()
    known = {
        "game_id",
        "game",
        "player",
        "round",
        "seat",
        "action",
        "value",
        "payoff",
        "status",
        "architecture",
    }
    columns = {
        name: name for name in rows.columns if name in known or (name in settings.mapping and name != "by")
    }
    table = TidyTable(
        {str(name): pa.array(rows[name].fillna("").astype(str).tolist(), pa.string()) for name in rows},
        lambda row: export.line(int(lines[row])),
        lambda row: export.text(int(lines[row])),
    )
    if settings.payoff_kind is None and settings.cooperate is None:
        settings = replace(settings, payoff_kind="reward")
        notes.append("payoffs are taken for rewards, as oTree pays them out; --payoff-kind penalty says else")
    by = {key: value for key, value in settings.mapping.items() if key == "by"}
    plain = replace(settings, mapping=by, game=None)  # the rows have the game's name
    before = deepcopy(rejects)
    log = log_of_table(source, table, columns, plain, rejects, notes)
    by_name = {_cooperation_by_name(part["_field"].iloc[0], part["action"]) for part in parts}
    if (
        len(by_name) != 1
        or None in by_name
        or plain.cooperate
        or log.games["cooperative_action"].notna().any()
    ):
        return log
    (label,) = by_name
    notes.append(f"{label} is cooperation by the name of the field: payoffs do not tell")
    return log_of_table(source, table, columns, replace(plain, cooperate=label), before, notes)


def _cooperation_by_name(field: str, actions: pd.Series[str]) -> str | None:
    """The action that a field called after cooperation says is cooperation; None where it says nothing."""
    word = field.rpartition(".")[2].casefold()
    labels = {str(a).casefold(): str(a) for a in actions.dropna().unique() if a != ""}
    words = _TRUE if word.startswith("coop") else _FALSE if word.startswith("defect") else ()
    fitting = [labels[text] for text in words if text in labels]
    known = labels.keys() <= {*_TRUE, *_FALSE}
    return fitting[0] if len(fitting) == 1 and known and len(labels) == 2 else None


def _numbered(table: pd.DataFrame, export: TidyTable, rejects: Rejects) -> pd.DataFrame:
    """The rows that say who sat where in which round."""
    if not len(table):
        return table
    good = table["participant.code"].notna()
    reasons = np.where(good, "", "participant.code is empty, expected the code of a participant")
    for column in (ROUND, "player.id_in_group"):
        if column not in table:
            raise DataError(f"no column {column}")
        whole = table[column].str.fullmatch(r"[1-9]\d{0,5}").fillna(False).astype(bool)
        shown = table[column].fillna("").astype(object)
        wrong = (~whole & (reasons == "")).to_numpy()
        for at in np.flatnonzero(wrong):
            reasons = reasons.astype(object)
            reasons[at] = f"{column} is {shown.iloc[at][:40]!r}, expected a whole number from 1"
        good &= whole
    for line, reason in zip(table.loc[~good, LINE], reasons[~good.to_numpy()], strict=True):
        rejects.add(export.line(line), str(reason), export.text(line))
    return table[good]


def _rows(app: str, table: pd.DataFrame, settings: Settings, notes: list[str]) -> pd.DataFrame | None:
    """An app's rows under our names, with its conditions; None where it has no decision."""
    if not len(table):
        return None
    chosen = decision(table, app, settings.mapping)
    if chosen is None:
        notes.append(f"app {app} is left out: no field of its players is a decision")
        return None
    kind, column = chosen
    table, match = assign_supergames(table)
    table, unplayed = drop_unplayed(table, column)
    alone = table.groupby("game_id", observed=True)["participant.code"].transform("nunique") == 1
    if "other" not in settings.mapping and alone.any():
        notes.append(f"app {app}: {table.loc[alone, 'game_id'].nunique():,} games of one player are left out")
        table = table[~alone]
    if not len(table):
        return None
    timeouts = [c for c in map(str, table.columns) if TIMEOUT.fullmatch(c)]
    ran_out = table[timeouts].apply(lambda c: c.str.casefold().isin(_TRUE)).any(axis=1)
    bots = table.get("participant._is_bot", pd.Series("", index=table.index)).fillna("").str.casefold()
    other = {"action": column} if kind == "action" else {"value": column}
    mapped = {k: find_field(table, app, v) for k, v in settings.mapping.items() if k != "by"}
    data = {
        LINE: table[LINE],
        "game_id": f"{app}-" + table["game_id"],
        "game": settings.game or app,
        "player": table["participant.code"],
        "round": table["round"],
        "seat": table["seat"],
        "action": _amounts(table[column]) if kind == "action" else "",
        "value": _amounts(table[column]) if kind == "value" else "",
        "payoff": _amounts(table["player.payoff"]) if "player.payoff" in table else "",
        "status": ran_out.map({True: "defaulted", False: ""}).where(table[column].notna(), ""),
        "architecture": bots.isin(_TRUE).map({True: "bot", False: "human"}),
        **{ours: table[theirs] for ours, theirs in mapped.items() if theirs and ours not in other},
        "app": app,
    }
    if "session.code" in table:
        data["session"] = table["session.code"]
    others = [column, *timeouts, *filter(None, mapped.values())]
    data |= {name: table[theirs] for theirs, name in condition_names(table, others).items()}
    rows = pd.DataFrame(data)
    rows["_field"] = column
    notes.append(_app_note(app, column, match, rows, unplayed))
    return rows


def _amounts(column: pd.Series[str]) -> pd.Series[str]:
    """Numbers without the sign of a currency; other texts as they are."""
    return column.str.strip().str.replace(_MONEY, r"\1", regex=True)


def _app_note(app: str, column: str, match: str | None, rows: pd.DataFrame, unplayed: int) -> str:
    """What was read of an app, for the notes of the log."""
    by = f"{match} numbers the matches" if match else "a game is a row of rounds with the same participants"
    bots = rows.loc[rows["architecture"] == "bot", "player"].nunique()
    late = int((rows["status"] == "defaulted").sum())
    parts = [f"app {app}: {column} is what was chosen, {by}"]
    parts += [f"{unplayed:,} rounds that nobody played are left out"] if unplayed else []
    parts += [f"{bots:,} participants are oTree's bots"] if bots else []
    parts += [f"{late:,} moves were made by a time-out"] if late else []
    return "; ".join(parts)


READER = Reader(
    "otree",
    "oTree's export: participant.code and player.id_in_group (one app) or <app>.<round>.player.id_in_group",
    recognises,
    read,
)
