"""Reader of long tables: one row per game, round and player, in columns of any name."""

from __future__ import annotations

from collections.abc import Sequence

from intent.errors import DataError, located, nearest, of_file, shorten
from intent.logs.gamelog import GameLog
from intent.logs.readers.mapping import resolve
from intent.logs.readers.reader import Reader, Settings, Source
from intent.logs.readers.stages import unused_game
from intent.logs.readers.tidy_games import assign_games, name_games
from intent.logs.readers.tidy_moves import labels_of, moves_table, spread_moves
from intent.logs.readers.tidy_parts import game_table, place_conditions, seat_table
from intent.logs.readers.tidy_player import guess_player
from intent.logs.readers.tidy_rows import typed_rows
from intent.logs.readers.tidy_stage import decide_stages
from intent.logs.readers.tidy_table import TidyTable, open_table
from intent.logs.rejects import Rejects

__all__ = ["READER", "log_of_table"]


def recognises(source: Source, settings: Settings) -> bool:
    """Whether there are columns for the round and the action, by the mapping or by their names."""
    columns = source.columns
    if settings.mapping:
        return bool(columns)
    return bool(columns) and {"round", "action"} <= resolve({}, columns, source.path).keys()


def read(source: Source, settings: Settings) -> GameLog:
    """The games of a long table; rows that cannot be read go to the rejects."""
    rejects = Rejects(source.path, strict=settings.strict)
    table = open_table(source, rejects)
    return log_of_table(source, table, _columns(source, table, settings), settings, rejects)


def log_of_table(
    source: Source,
    table: TidyTable,
    columns: dict[str, str],
    settings: Settings,
    rejects: Rejects,
    notes: Sequence[str] = (),
) -> GameLog:
    """The games of a long table, however it came about.

    Parameters
    ----------
    source : Source
    table : TidyTable
    columns : dict of ours -> theirs
        With round, and action or value; other columns of the table are conditions.
    settings : Settings
    rejects : Rejects
        Gets the rows that cannot be read.
    notes : sequence of str
        What is known of the log already.

    Raises
    ------
    DataError
        Not one row can be read, or nothing tells what the actions are.
    """
    notes = list(notes)
    try:
        rows, settings = typed_rows(table, columns, settings, rejects, notes)
    except DataError as error:
        raise of_file(source.path, error) from None
    if rows.empty:
        rejects.table(0)
    by = [name.strip() for name in settings.mapping.get("by", "").split("+") if name.strip()]
    try:
        rows = assign_games(rows, by, table, rejects)
        labels = labels_of(rows)
        moves = spread_moves(rows)
        stages, wrong = decide_stages(rows, moves, labels, settings)
    except DataError as error:
        raise of_file(source.path, error) from None
    for row in dict.fromkeys(moves.loc[wrong, "row"].tolist()):
        reason = "payoffs contradict those of the other rounds with these actions"
        rejects.add(table.line(row), reason, table.text(row))
    moves = moves.drop(index=wrong).reset_index(drop=True)
    rejected = rejects.table(len(moves))

    heads = rows.groupby("_game", sort=True).head(1).set_index("_game")
    ids = name_games(heads)
    placed = place_conditions(rows, [c for c in rows.columns if c.startswith("+")])
    notes += unused_game(settings.game, heads["_name"].astype(object).where(heads["_name"].notna(), None))
    notes += dict.fromkeys(stage.note for stage in stages.values() if stage.note)
    return GameLog(
        game_table(source, heads, ids, stages, moves, placed["games"]),
        seat_table(rows, moves, ids, placed["seats"]),
        moves_table(moves, rows, ids, stages, labels, placed["moves"]),
        provenance={"notes": notes, "columns": columns},
        rejects=rejected,
    )


def _columns(source: Source, table: TidyTable, settings: Settings) -> dict[str, str]:
    """Ours -> theirs."""
    names = tuple(table.columns)
    columns = resolve(settings.mapping, names, source.path)
    for needed in ("round", "action"):
        if needed not in columns and not (needed == "action" and "value" in columns):
            near = nearest(needed, names)
            hint = f" (perhaps {near[0]!r})" if near else ""
            have = shorten(", ".join(names), 400)
            reason = f"no column is known to be the {needed}{hint}; give --map {needed}=NAME, of {have}"
            raise DataError(located(source.path, reason))
    player = guess_player(table, columns)
    return {**columns, "player": player} if player else columns


READER = Reader(
    "tidy",
    "one row per game, round and player with columns for round and action (or --map round=…,action=…)",
    recognises,
    read,
)
