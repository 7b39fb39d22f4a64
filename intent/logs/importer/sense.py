"""Readings that make no sense, whoever proposed them: what is absurd, and what would help."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import DataError, UnknownNameError, located, shorten
from intent.games.game import MatrixGame, PayoffKind
from intent.logs.gamelog import GameLog
from intent.logs.importer.columns import COOPERATIVE_WORDS, Column, sense_of
from intent.logs.readers.arrays import first_rows, numbered
from intent.logs.readers.reader import Settings

__all__ = ["absurd_columns", "absurdities", "check_sense", "declared_against"]

_GROUP = 20
"""Most players of a game of two actions before it is taken for several games under one number."""

_LABELS = 20
"""Most different cells of a column of actions before it is taken for texts or amounts."""

_SOME = 6
"""Fewest rows that tell anything."""

_MANY = 20
"""Fewest rows after which it is no chance that they agree."""

_OFTEN = 0.25
"""Share of rows beyond which contradictions are no mistakes of single rows."""

_HEAD = 1000
"""Rows that are compared before all are."""

_TWINS = (
    ("round", "payoff"),
    ("round", "seat"),
    ("round", "player"),
    ("seat", "payoff"),
    ("player", "payoff"),
)
"""Pairs of roles that no column fills both."""


def check_sense(log: GameLog, file: Path, settings: Settings) -> None:
    """Refuse a log that cannot be what it was read as.

    Raises
    ------
    DataError
        The first of `absurdities`.
    """
    for line in absurdities(log, settings):
        raise DataError(located(file, line))


def absurdities(log: GameLog, settings: Settings) -> Iterator[str]:
    """What about a log cannot be, and what would help; one line each."""
    yield from _crowds(log)
    yield from _groups(log)
    yield from _second_rows(log)
    yield from _rounds(log)
    if log.moves["value"].isna().all() and (log.games["n_players"] == 2).all():
        yield from _payoffs(log, settings)
        yield from _against_names(log, settings)
        yield from _another_game(log, settings)


def _crowds(log: GameLog) -> Iterator[str]:
    """Games of two actions with so many players that their numbers must repeat between sessions."""
    many = log.games["n_players"]
    if (many > _GROUP).any() and log.moves["value"].isna().all():
        at = int(many.to_numpy().argmax())
        n, name = int(many.iloc[at]), log.games["game_id"].iloc[at]
        yield (
            f"game {name} has {n:,} players: numbers of games repeat between sessions or pairs; "
            "give --map by=SESSION, or --map other_player=PARTNER"
        )


def _groups(log: GameLog) -> Iterator[str]:
    """Games of more than two players whose seats a further column divides into pairs."""
    many = log.games.loc[log.games["n_players"] > 2, "game_id"]
    if many.empty or log.moves["value"].notna().any():
        return
    seats = log.seats[log.seats["game_id"].isin(many)]
    for column in log.seat_conditions:
        if sense_of(column).role not in ("match", "session") or seats[column].isna().any():
            continue
        sizes = seats.groupby(["game_id", column], observed=True).size()
        if len(sizes) and (sizes == 2).all():
            n = int(log.games["n_players"].max())
            yield (
                f"a game has {n:,} players, and two of each {column}: numbers of games repeat; "
                f"give --map by={column} for games told apart by it, too"
            )


def _second_rows(log: GameLog) -> Iterator[str]:
    """Most rows stand for a player and round of which there is a row already."""
    again = int(log.rejects["reason"].astype(str).str.contains("second", regex=False).sum())
    if again > max(_SOME, int(log.moves["action"].notna().sum())):
        yield (
            f"{again:,} rows are a second one for a player and round: several games have one number, give "
            "--map game_id=NAME or by=NAME for a column that tells games apart"
        )


def _theirs(log: GameLog, role: str) -> str:
    """The column of the file that was read as one of ours."""
    columns = log.provenance.get("columns")
    return str(columns.get(role, role)) if isinstance(columns, Mapping) else role


def _rounds(log: GameLog) -> Iterator[str]:
    """Numbers that are no rounds: every game has one although they run on, or few of very many."""
    moves = log.moves
    there = (moves["action"].notna() | moves["value"].notna()).to_numpy()
    game, number = moves["game_id"].cat.codes.to_numpy(), moves["round"].to_numpy(dtype=np.int64)
    if not there.all():
        game, number = game[there], number[there]
    if not len(game):
        return
    fresh = np.ones(len(game), dtype=bool)
    fresh[1:] = (game[1:] != game[:-1]) | (number[1:] != number[:-1])
    n = int(game.max()) + 1
    played = np.bincount(game[fresh], minlength=n)
    last = np.zeros(n, dtype=np.int64)
    np.maximum.at(last, game, number)
    there = played > 0
    played, last = played[there], last[there]
    if len(played) >= 3 and (played == 1).all() and 2 * (last > 1).sum() > len(last):
        yield (
            f"each of {len(played):,} games has one round, although rounds run to {int(last.max()):,}: "
            f"column {_theirs(log, 'game_id')} is another one in every round; give --map game_id=NAME for a "
            "column that is the same in all rounds of a game"
        )
    elif (last > 3 * played + 10).mean() > 0.5:
        at = int((last - played).argmax())
        yield (
            f"a game has {played[at]:,} rounds, and the last one is number {last[at]:,}: column "
            f"{_theirs(log, 'round')} numbers something else; give --map round=NAME"
        )


def _payoffs(log: GameLog, settings: Settings) -> Iterator[str]:
    """Payoffs that the moves do not bring: numbers of rows, totals, running sums, or anything else."""
    if log.games["payoffs"].notna().any() or log.moves["action"].nunique() != 2:
        return
    moves = log.moves[["game_id", "round", "seat", "action", "payoff"]]
    moves = moves[moves["payoff"].notna() & moves["action"].notna()]
    if len(moves) < _SOME:
        return
    name = _theirs(log, "payoff")
    payoff = moves["payoff"].to_numpy(dtype=float)
    place = moves["game_id"].cat.codes.to_numpy().astype(np.intp) * 2 + moves["seat"].to_numpy().astype(
        np.intp
    )
    order = np.lexsort((moves["round"].to_numpy(), place))
    payoff, place = payoff[order], place[order]
    action = moves["action"].cat.codes.to_numpy()[order]
    same = np.diff(place) == 0
    step, turned = np.diff(payoff)[same], np.diff(action)[same] != 0
    help_ = "give --map payoff=NAME for what a round brings"
    if len(payoff) >= 2 * _SOME and len(np.unique(payoff)) == len(payoff):
        yield f"column {name} is another number in every row, and no payoff: {help_}"
    elif turned.sum() >= 3 and not step.any():
        yield f"column {name} is the same in all rounds of a player and game, as a total is: {help_}"
    elif len(step) >= _MANY and step.any() and ((step >= 0).all() or (step <= 0).all()):
        yield (
            f"column {name} only grows from round to round, as a running sum does: {help_}, or --map "
            f"total={name} if it is one"
        )
    elif not settings.cooperate and _is_unexplained(log):
        yield (
            f"{name} does not follow from both moves: the same moves bring different payoffs; {help_}, "
            "--map by=NAME for a column within which they follow, or --cooperate ACTION if they do not"
        )


def _is_unexplained(log: GameLog) -> bool:
    notes = log.provenance.get("notes", ())
    return bool(log.games["cooperative_action"].isna().all()) and any(
        str(note).endswith("the scores do not follow from the joint actions") for note in notes
    )


def _kind(log: GameLog) -> PayoffKind | None:
    kinds = log.games["payoff_kind"].dropna().unique().tolist()
    if len(kinds) != 1:
        return None
    return "penalty" if kinds[0] == "penalty" else "reward"


_OPPOSITE = {"reward": "penalty", "penalty": "reward"}


def _is_declared(log: GameLog, settings: Settings) -> bool:
    """Whether the user or a column says which action is cooperation."""
    columns = log.provenance.get("columns")
    return bool(settings.cooperate) or (isinstance(columns, Mapping) and "cooperative_action" in columns)


def _actions(log: GameLog) -> list[str]:
    """The actions that were played."""
    return [str(action) for action in log.moves["action"].dropna().unique().tolist()]


def _against_names(log: GameLog, settings: Settings) -> Iterator[str]:
    """Payoffs that make the action called defection cooperation."""
    kind = _kind(log)
    if kind is None or _is_declared(log, settings) or log.games["game"].notna().any():
        return
    called = {a.casefold(): a for a in log.games["cooperative_action"].dropna().astype(str).unique()}
    labels = {a.casefold(): a for a in _actions(log)}
    for word, counterpart in COOPERATIVE_WORDS.items():
        if counterpart in called and word in labels and word not in called:
            yield (
                f"payoffs of kind {kind} make {called[counterpart]} cooperation and {labels[word]} "
                f"defection, against their names: give --payoff-kind {_OPPOSITE[kind]}, or --cooperate "
                f"{called[counterpart]} if that is meant"
            )


def _another_game(log: GameLog, settings: Settings) -> Iterator[str]:
    """Scores taken for rewards or penalties only since a named game has such, whose payoffs they are not."""
    columns = log.provenance.get("columns")
    stated = isinstance(columns, Mapping) and "payoff_kind" in columns
    if not settings.game or settings.payoff_kind or stated or _is_declared(log, settings):
        return
    from intent.games.catalogue import CATALOGUE, canonical_name

    try:
        name = canonical_name(settings.game)
    except UnknownNameError:
        return
    if {
        a.casefold() for a in log.games["cooperative_action"].dropna().astype(str)
    } & COOPERATIVE_WORDS.keys():
        return
    named = CATALOGUE.get(name)
    if not isinstance(named, MatrixGame) or not log.games["game"].isin([settings.game, name]).any():
        return
    variants = [g for g in CATALOGUE.values() if isinstance(g, MatrixGame) and g.citation == named.citation]
    known = [g for g in variants if g.kind == named.kind and g.name.startswith(name)]
    for text in log.games["payoffs"].dropna().astype(str).unique()[:_MANY].tolist():
        table = json.loads(text)
        if len(table) != 4 or any(_alike(table, g) for g in known):
            continue
        shown = ", ".join(f"{cell}: {pays[0]:g}" for cell, pays in table.items())
        yield (
            f"scores ({shown}) are not those of {name}, whose payoffs are of kind {named.kind}, so that the "
            "name does not tell what they are: give --payoff-kind reward or penalty"
        )
        return


def _alike(table: Mapping[str, Any], game: MatrixGame) -> bool:
    """Whether payoffs are those of a game, whatever the actions are called."""
    theirs = np.array([list(map(float, pays)) for pays in table.values()]).reshape(2, 2, 2)
    ours = np.array(game.payoffs, dtype=float)
    return any(np.array_equal(turned, ours) for turned in (theirs, theirs[::-1, ::-1]))


def declared_against(log: GameLog, settings: Settings) -> list[str]:
    """A note where the action that the user declares cooperation is defection by the payoffs or by name."""
    if not settings.cooperate:
        return []
    declared = set(log.games["cooperative_action"].dropna().astype(str).unique().tolist())
    labels = {a.casefold(): a for a in _actions(log)}
    kind = _kind(log)
    if len(declared) != 1:
        return []
    (own,) = declared
    for text in log.games["payoffs"].dropna().astype(str).unique()[:_MANY].tolist() if kind else []:
        table = json.loads(text)
        first, *_, last = table
        actions = (first.split(",")[0], last.split(",")[-1])
        if len(table) != 4 or "," in actions[0] + actions[1]:
            continue
        cells = [(float(a), float(b)) for a, b in table.values()]
        stage = MatrixGame("unnamed", actions, ((cells[0], cells[1]), (cells[2], cells[3])), kind or "reward")
        by_payoffs = stage.cooperative_label
        if by_payoffs is not None and by_payoffs != own and "|" not in by_payoffs:
            return [
                f"{own} counts as cooperation, as declared; payoffs of kind {kind} make {by_payoffs} "
                "cooperation"
            ]
    for word, counterpart in COOPERATIVE_WORDS.items():
        if own.casefold() == counterpart and word in labels:
            return [f"{own} counts as cooperation, as declared, against its name"]
    return []


def absurd_columns(
    ours: Mapping[str, Column], n: int, settings: Settings, by: Sequence[Column] = ()
) -> Iterator[str]:
    """What cannot be about the columns of a long table that were taken for ours; one line each.

    Parameters
    ----------
    ours : mapping of our name -> column
    n : int
        Rows.
    settings : Settings
    by : sequence of columns
        Further ones that tell games apart.
    """
    if n < _SOME:
        return
    yield from _twins(ours)
    yield from _labels(ours, n, settings)
    yield from _players(ours, n, by)
    yield from _partners(ours, n)
    yield from _of_other(ours, n)


def _codes(ours: Mapping[str, Column], roles: tuple[str, ...]) -> NDArray[np.intp] | None:
    """(n,) number of the combination of what columns hold; None where there is none of them."""
    keys = [ours[role].codes for role in roles if role in ours]
    return numbered(keys).astype(np.intp) if keys else None


def _twins(ours: Mapping[str, Column]) -> Iterator[str]:
    for one, two in _TWINS:
        if one not in ours or two not in ours or len(ours[one].filled) < 3:
            continue
        if not np.array_equal(ours[one].head(_HEAD), ours[two].head(_HEAD), equal_nan=True):
            continue
        first, second = ours[one].numbers, ours[two].numbers
        if first is not None and second is not None and np.array_equal(first, second, equal_nan=True):
            yield (
                f"columns {ours[one].name} and {ours[two].name} are the same in all rows, and cannot be "
                f"{one} and {two}: give --map {two}=NAME"
            )


def _labels(ours: Mapping[str, Column], n: int, settings: Settings) -> Iterator[str]:
    """Actions that are texts or amounts; decisions that never vary."""
    if "action" not in ours:
        return
    action = ours["action"]
    many = len(action.labels)
    if many > _LABELS and ":" not in (settings.cooperate or ""):
        shown = shorten(", ".join(action.filled[:3]), 60)
        amounts = ", or --map value=NAME if they are amounts" if action.numbers is not None else ""
        yield (
            f"column {action.name} holds {many:,} different cells ({shown}, "
            f"…), expected two actions: give --map action=NAME{amounts}"
        )
    decided = ours.get("decided")
    if (
        decided is not None
        and many == 2
        and len(decided.filled) == 1
        and len(decided.values) == 1
        and n >= _MANY
    ):
        yield (
            f"column {decided.name} is {shorten(decided.filled[0])} in all rows, whatever was played: "
            "no decision, give --map decided=NAME"
        )


def _players(ours: Mapping[str, Column], n: int, by: Sequence[Column] = ()) -> Iterator[str]:
    """Players that are numbers of rows, or one for all; rounds that never change."""
    round_ = ours.get("round")
    player = ours.get("player")
    if player is not None and round_ is not None and len(round_.filled) > 1:
        if len(player.filled) == n:
            yield f"column {player.name} is another one in every row, and no player: give --map player=NAME"
        elif len(player.filled) == 1 and not {"seat", "other", "other_player"} & ours.keys():
            yield (
                f"column {player.name} is {shorten(player.filled[0])} in all rows, expected a name for each "
                "player: give --map player=NAME, seat=NAME, or seat=order if one plays against itself and "
                "the two rows of a round stand in the order of the seats"
            )
    if (
        round_ is not None
        and len(round_.filled) == n
        and {"player", "seat"} & ours.keys()
        and "other" not in ours
    ):
        yield f"column {round_.name} is another one in every row, and no round: give --map round=NAME"
    if round_ is not None and len(round_.filled) == 1:
        places = _codes(ours, ("game_id", "game", "player", "seat", "other_player", "run", "repetition"))
        if places is not None and by:
            places = numbered([places, *(column.codes for column in by)]).astype(np.intp)
        if places is not None and n > 1.5 * (int(places.max()) + 1):
            yield (
                f"column {round_.name} is {shorten(round_.filled[0])} in all rows, although players have "
                "several in a game: give --map round=NAME"
            )


def _partners(ours: Mapping[str, Column], n: int) -> Iterator[str]:
    """Partners that do not mention their partners back, where only they would say what the other did."""
    if not {"player", "other_player"} <= ours.keys() or "other" in ours:
        return
    player, partner = ours["player"], ours["other_player"]
    pool = {"": -1}
    own, met = (
        np.array([pool.setdefault(v, len(pool) - 1) for v in c.values], dtype=np.int64)[c.codes]
        for c in (player, partner)
    )
    size = len(pool)
    pairs = np.unique((own * size + met)[(own >= 0) & (met >= 0)])
    if not len(pairs):
        return
    own, met = pairs // size, pairs % size
    if (own == met).all():
        yield (
            f"every player of column {player.name} is its own {partner.name}: give --map other_player=NAME "
            "for the one it met, or --map other=NAME for the other's move"
        )
        return
    mirrored = np.isin(met * size + own, pairs)
    if 2 * mirrored.sum() < len(pairs):
        names = [*pool][1:]
        a, b = min((names[i], names[j]) for i, j in zip(own[~mirrored], met[~mirrored], strict=True))
        yield (
            f"{a} has {b} for {partner.name}, and {b} has no row with {a}; so for {(~mirrored).sum():,} "
            f"of {len(pairs):,}: give --map other_player=NAME, or --map other=NAME for the other's move"
        )


def _of_other(ours: Mapping[str, Column], n: int) -> Iterator[str]:
    """The other's move is the own one throughout, or not what the other player's own row says."""
    if not {"action", "other"} <= ours.keys() or len(ours["action"].labels) != 2 or n < _MANY:
        return
    action, other = ours["action"], ours["other"]
    place: dict[str, int] = {"": -1}
    own, theirs = (
        np.array([place.setdefault(v.casefold(), len(place)) for v in c.values], dtype=np.intp)[c.codes]
        for c in (action, other)
    )
    known = (own >= 0) & (theirs >= 0)
    if known.sum() >= _MANY and (own[known] == theirs[known]).all():
        yield (
            f"columns {action.name} and {_shown(other)} are the same in all rows: nobody's move is told "
            "twice, give --map other=NAME for the move of the other player"
        )
        return
    game = _codes(ours, ("game_id", "game", "run", "repetition"))
    if game is None or not {"player", "round"} <= ours.keys():
        return
    at = numbered([game, ours["round"].codes])
    if (np.bincount(at) != 2).any() or int(game.max()) < 2:
        return
    last = np.empty(n // 2, dtype=np.intp)
    last[at] = np.arange(n)
    pairs = np.stack([first_rows(at, n // 2), last], axis=1)
    both = known[pairs].all(axis=1)
    wrong = (own[pairs] != theirs[pairs[:, ::-1]]).any(axis=1) & both
    if both.sum() and wrong.sum() > _OFTEN * both.sum():
        yield (
            f"{_shown(other)} is not what the other player of the game did, by its own row, in "
            f"{wrong.sum():,} of {both.sum():,} rounds: give --map other=NAME, or --map game_id=NAME"
        )


def _shown(column: Column) -> str:
    return "the other's move" if column.name.startswith("_") else f"column {column.name}"
