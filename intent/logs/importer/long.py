"""Long tables: a row per game, round and player, and what may stand beside a move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from intent.logs.importer.columns import Column, with_role
from intent.logs.importer.mapping import LogMapping
from intent.logs.importer.proposals import LongTable, Proposal, Reason, Shape
from intent.logs.readers.arrays import TidyTable
from intent.logs.readers.reader import Settings

__all__ = ["SHAPES"]


def _propose_long(columns: Mapping[str, Column], settings: Settings) -> Iterator[Proposal]:
    """One row per game, round and player; the other's move may stand beside."""
    every = list(columns.values())
    rounds, actions = with_role(every, "round"), with_role(every, "action")
    players = with_role(every, "player") or [
        c for c in every if c.role is None and c.name.casefold() in ("id", "pid", "sid")
    ]
    others = with_role(every, "action", "other")
    for round_ in rounds:
        for action in actions:
            if len(action.filled) < 1 or action is round_:
                continue
            chosen = {"round": round_, "action": action}
            if players:
                chosen["player"] = players[0]
            if others:
                chosen["other"] = others[0]
            partner = with_role(every, "player", "other")
            if partner:
                chosen["other_player"] = partner[0]
            payoff = with_role(every, "payoff")
            if payoff:
                chosen["payoff"] = payoff[0]
            game = [
                c for c in (*with_role(every, "match"), *with_role(every, "game")) if c not in chosen.values()
            ]
            if game:
                chosen["game_id"] = game[0]
            by = tuple(c.name for c in (*game[1:], *with_role(every, "session")))
            for column in every:
                if column.sense.exact and column not in chosen.values():
                    chosen.setdefault(_ours(column), column)
            reasons = tuple(Reason(c.name, role, "its name says so") for role, c in chosen.items())
            score = sum(2.0 if c.sense.exact else 1.0 for c in chosen.values())
            names = {role: c.name for role, c in chosen.items()}
            yield Proposal(LogMapping(shape="long", columns=names, by=by), reasons, score)


def _ours(column: Column) -> str:
    """Our name of a column whose name says it exactly."""
    sense = column.sense
    if sense.whose != "other":
        return sense.role
    return "other" if sense.role == "action" else f"other_{sense.role}"


def _lay_out_long(table: TidyTable, mapping: LogMapping) -> LongTable:
    return LongTable(table, dict(mapping.columns), mapping.by)


SHAPES = (Shape("long", "a row per game, round and player", _propose_long, _lay_out_long),)
