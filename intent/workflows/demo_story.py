"""The story of the demo, as the first section of its report: what was played, against whom, who was "
"trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog
    from intent.report.document import Block, Section

__all__ = ["OPPONENTS", "story"]

OPPONENTS = {"model": "itself", "scripted/TFT": "TFT", "scripted/ALLD": "ALLD"}
"""What the grid of the demo calls its opponents -> what the demo announces."""

_RULES = {
    "itself": "the same player in both seats",
    "TFT": "repeats the other's last move",
    "ALLD": "always defects",
}


def story(
    models: Sequence[Mapping[str, Any]],
    measured: Mapping[str, Mapping[str, Any]],
    *,
    who: str | None = None,
    log: GameLog | None = None,
    labels: pd.DataFrame | None = None,
) -> Section:
    """What was played and by whom, results by opponent, and how the trained recognisers did.

    Parameters
    ----------
    models : what `train` says of each model
    measured : name -> what `evaluate` says of it, on the generated log
    who : str, optional
        Who played.
    log : GameLog, optional
        Of that play, all seats.
    labels : DataFrame as `schema.LABELS`, optional
        Of that play.
    """
    from intent.report.document import Section

    blocks: list[Block] = []
    if who is not None and log is not None and labels is not None:
        blocks += _played(who, log, labels)
    blocks += _trained(models, measured)
    return Section("story", "The story of this demo", tuple(blocks))


def _played(who: str, log: GameLog, labels: pd.DataFrame) -> list[Block]:
    from intent.report.document import Words, grid

    moves = _moves(who, log)
    n_games = moves["game_id"].nunique()
    rows, rates = [], {}
    for name in OPPONENTS.values():
        own = moves[(moves["opponent"] == name).to_numpy()]
        if not len(own):
            continue
        rates[name] = float(own["own"].mean())
        names = set(zip(own["game_id"], own["seat"], strict=True))
        keys = zip(labels["game_id"].astype(str), labels["seat"], strict=True)
        mine = labels[[key in names for key in keys]]
        rows.append(
            (
                name,
                _RULES[name],
                own["game_id"].nunique(),
                len(own),
                _percent(rates[name]),
                _percent(float(own["other"].mean())),
                _named(mine),
            )
        )
    header = ("opponent", "which is", "games", "own moves", "it cooperated %", "opponent did %", "labels")
    text = (
        f"Step 1 let {who} play {n_games} games of the repeated Prisoner's Dilemma, against itself, "
        "against TFT "
        f"and against ALLD."
    )
    blocks: list[Block] = [Words(text), grid("Results by opponent, as announced", header, rows)]
    if len(rates) > 1:
        most, least = max(rates, key=lambda n: rates[n]), min(rates, key=lambda n: rates[n])
        blocks.append(
            Words(
                f"It cooperated most against {most} ({rates[most]:.0%} of its moves) and least against "
                f"{least} "
                f"({rates[least]:.0%}). So few games show what happened and prove nothing: the key findings "
                "say what is shown."
            )
        )
    return blocks


def _moves(who: str, log: GameLog) -> pd.DataFrame:
    """The player's known moves, with those of the other seat: game_id, seat, opponent, own, other."""
    seats = log.seats[["game_id", "seat", "model", "strategy"]].astype({"game_id": str})
    announced = log.games.set_index(log.games["game_id"].astype(str))["opponent"].map(OPPONENTS)
    seats["opponent"] = seats["game_id"].map(announced)
    name = who.removeprefix("scripted/").partition("@")[0]
    mine = (seats["model"] == who) | (seats["strategy"] == name)
    seats = seats[(mine & (~seats["strategy"].eq(seats["opponent"]).fillna(False))).to_numpy()]
    moves = log.moves[["game_id", "round", "seat", "cooperated"]].astype({"game_id": str})
    moves = moves[moves["cooperated"].notna().to_numpy()].astype({"cooperated": float})
    other = moves.rename(columns={"seat": "_seat", "cooperated": "other"})
    found = moves.rename(columns={"cooperated": "own"}).merge(
        seats[["game_id", "seat", "opponent"]], on=["game_id", "seat"]
    )
    found = found.merge(other, on=["game_id", "round"])
    return found[(found["_seat"] != found["seat"]).to_numpy()].drop(columns="_seat")


def _named(labels: pd.DataFrame) -> str:
    """How often each label was given: ``2 WSLS, 1 ambiguous``."""
    words = labels["label"].astype(object).where(labels["label"].notna(), labels["status"])
    counts = words.astype(str).str.replace("_", " ").value_counts()
    return ", ".join(f"{n} {name}" for name, n in counts.items()) or "–"


def _trained(models: Sequence[Mapping[str, Any]], measured: Mapping[str, Mapping[str, Any]]) -> list[Block]:
    from intent.report.document import Words, grid

    rows, ends = [], []
    for one in models:
        again = measured.get(str(one["name"]), {})
        rows.append(
            (
                one["name"],
                _percent(one["accuracy"], 2),
                f"± {100 * one['standard_error']:.2f}",
                _percent(one["ceiling"], 2),
                _percent(again.get("accuracy"), 2),
            )
        )
        if one["accuracy"] is not None and one["ceiling"] is not None:
            gap = 100 * (one["ceiling"] - one["accuracy"])
            near = gap <= 200 * one["standard_error"]
            ends.append(f"{one['name']} {'reaches it' if near else f'misses it by {gap:.1f} points'}")
    exact = measured.get("bayes-canonical4", {})
    if exact:
        rows.append(("bayes-canonical4, shipped", "–", "–", "–", _percent(exact.get("accuracy"), 2)))
    header = (
        "recogniser",
        "accuracy on fresh play %",
        "standard error",
        "ceiling %",
        "on the generated log %",
    )
    return [
        Words(
            "Steps 2 to 4 generated 10,000 trajectories of ALLC, ALLD, TFT and WSLS with 5 % noise, trained "
            "recognisers on them, and measured how often these name the strategy that was played. The "
            "ceiling "
            "is what the best possible rule would reach: some play is the same under two strategies, and no "
            f"method tells it apart. {_sentence(ends)}"
        ),
        grid("How the trained recognisers did", header, rows),
    ]


def _sentence(parts: Sequence[str]) -> str:
    text = "; ".join(parts)
    return f"Here {text}." if text else ""


def _percent(share: float | None, digits: int = 0) -> str:
    return "–" if share is None or share != share else f"{100 * share:.{digits}f}"
