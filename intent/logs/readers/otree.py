"""Reader of oTree's exports of experiments with people: all apps in a wide table or one in a long one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa

from intent.errors import DataError, UnknownNameError, located, of_file
from intent.logs.gamelog import GameLog
from intent.logs.readers.otree_fields import TIMEOUT, condition_names, decision, find_field, require_mapped
from intent.logs.readers.otree_games import assign_supergames, drop_unplayed
from intent.logs.readers.otree_tables import LINE, ROUND, app_tables, is_export
from intent.logs.readers.reader import Reader, Settings, Source
from intent.logs.readers.tidy import log_of_table
from intent.logs.readers.tidy_table import TidyTable, open_table
from intent.logs.rejects import Rejects

__all__ = ["READER"]

_TRUE = ("1", "true", "yes")
_MONEY = r"\A[$€£¥]?\s*(-?\d[\d.]*)\s*(?:points?|[$€£¥])?\Z"


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
        for app, found in tables.items():
            part = _rows(app, _numbered(found, export, rejects), settings, notes)
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
    rows = pd.concat(parts, ignore_index=True)
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
    return log_of_table(source, table, columns, plain, rejects, notes)


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
    found = decision(table, app, settings.mapping)
    if found is None:
        notes.append(f"app {app} is left out: no field of its players is a decision")
        return None
    kind, column = found
    table, match = assign_supergames(table)
    table, unplayed = drop_unplayed(table, column)
    alone = table.groupby("game_id")["participant.code"].transform("nunique") == 1
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
    taken = [column, *timeouts, *filter(None, mapped.values())]
    data |= {name: table[theirs] for theirs, name in condition_names(table, taken).items()}
    rows = pd.DataFrame(data)
    notes.append(_told(app, column, match, rows, unplayed))
    return rows


def _amounts(column: pd.Series[str]) -> pd.Series[str]:
    """Numbers without the sign of a currency; other texts as they are."""
    return column.str.strip().str.replace(_MONEY, r"\1", regex=True)


def _told(app: str, column: str, match: str | None, rows: pd.DataFrame, unplayed: int) -> str:
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
