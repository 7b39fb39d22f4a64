"""What a replication shows beside its numbers: the paper's figures in their order, exchanges of players."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from intent.base.wording import Sentences
from intent.report.page import Picture, Section, Strip, StripSeat, Words, picture

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.report.results import Drawn

__all__ = ["exchange", "exchange_section", "figures_section"]

_PICTURES = 40
"""Figures on a page; the others are files beside it."""

_ROUNDS = 2
"""Rounds of an exchange, as papers print them."""

_LETTERS = 2_000
"""Characters of one text of an exchange."""

_TEXTS = ("reasoning", "private_thought", "advice", "message")
"""Columns of moves that hold what was written, in the order in which it comes about."""

phrase = Sentences("intent.report")


def figures_section(drawings: Sequence[Drawn], left_out: Sequence[str] = ()) -> list[Section]:
    """The figures that repeat one of the paper's, in the paper's order, with what could not be made.

    Parameters
    ----------
    drawings : figures of a study
    left_out : of those that this play cannot give, name and reason
    """
    own = sorted((one for one in drawings if one.published), key=lambda one: one.place)
    if not own:
        return []
    more = len(own) - _PICTURES
    words = [*left_out, *([phrase("replication.more_pictures", n=more)] if more > 0 else [])]
    about = Words(phrase("replication.pictures_about", skipped="; ".join(words)).strip(), "quiet")
    return [Section("figures", phrase("replication.pictures"), (about, *_pictures(own[:_PICTURES])))]


def _pictures(drawings: Sequence[Drawn]) -> Iterator[Picture]:
    for number, one in enumerate(drawings, start=1):
        name = f"{one.published[0].upper()}{one.published[1:]}"
        caption = " ".join([f"{name}: {one.title}.", *filter(None, one.lines)])
        yield picture(one.draw, f"{number}. {name}: {one.title}", caption, caption, None)


def exchange_section(strips: Sequence[Strip]) -> tuple[Section, ...]:
    """The section of exchanges; none without any."""
    if not strips:
        return ()
    about = Words(phrase("replication.exchange_about", rounds=_ROUNDS), "quiet")
    return (Section("exchange", phrase("replication.exchange"), (about, *strips)),)


def exchange(log: GameLog, game_id: str, name: str, about: str = "") -> Strip:
    """The first rounds of a game as papers print them: what each player thinks and writes, chooses and gets.

    Parameters
    ----------
    log : GameLog
    game_id : str
    name : of the exchange, such as the figure of the paper that it corresponds to
    about : what is to be known of it
    """
    seats = log.seats[log.seats["game_id"].astype(str) == game_id].sort_values("seat")
    moves = log.moves[log.moves["game_id"].astype(str) == game_id].sort_values(["round", "seat", "step"])
    rounds = [int(n) for n in sorted(moves["round"].unique())[:_ROUNDS]]
    moves = moves[moves["round"].isin(rounds)]
    named = {int(row["seat"]): _name(row) for row in seats.to_dict("records")}
    players = []
    for seat, called in named.items():
        own = moves[moves["seat"] == seat].drop_duplicates("round", keep="last").set_index("round")
        players.append(
            StripSeat(
                name=called,
                verdict="",
                moves=tuple(_text(own["action"].get(n)) or "?" for n in rounds),
                payoffs=tuple(_number(own["payoff"].get(n)) for n in rounds),
            )
        )
    texts = []
    for row in moves.to_dict("records"):
        for column in _TEXTS:
            if text := _text(row.get(column)):
                texts.append((_place(row, named, phrase(f"exchange.{column}")), _cut(text)))
        choice = phrase("exchange.choice", action=_text(row["action"]) or "?", payoff=_number(row["payoff"]))
        texts.append((_place(row, named, phrase("exchange.chooses")), choice))
    return Strip(name, about, tuple(rounds), tuple(players), tuple(texts))


def _place(row: dict[Any, Any], named: Mapping[int, str], kind: str) -> str:
    return phrase("exchange.place", round=row["round"], who=named[int(row["seat"])], kind=kind)


def _name(seat: dict[Any, Any]) -> str:
    facts = [seat.get(c) for c in ("architecture", "attitude", "persona", "model", "strategy")]
    words = [str(fact) for fact in facts if _text(fact)]
    return f"seat {seat['seat']}" + (f" ({', '.join(words)})" if words else "")


def _text(value: object) -> str:
    return "" if value is None or value != value else str(value).strip()


def _number(value: Any) -> str:
    return "–" if value is None or value != value else f"{float(value):g}"


def _cut(text: str) -> str:
    return text if len(text) <= _LETTERS else text[:_LETTERS] + phrase("examples.letters", n=len(text))
