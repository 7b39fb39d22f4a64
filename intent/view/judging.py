"""Labels and sums of the seats of a log, and where they come from.

The judge of a log: the recogniser that is asked for, or the one that a table of labels was made by.

Why a seat was given its label, or none, in sentences; and what each of its moves says of the strategies: how
likely it was under each, and what became of the posterior.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.base.errors import IntentError, UnknownNameError
from intent.base.wording import listed
from intent.logs.gamelog import UNDECIDED, GameLog, Trajectories
from intent.recognise.labels.request import LabelRequest
from intent.recognise.recogniser import Recogniser
from intent.recognise.verdict import LabelSettings, label_table
from intent.view.detail import MoveDetail, SeatDetail

__all__ = [
    "SUMS",
    "WHY",
    "Evidence",
    "Judge",
    "Weight",
    "as_told",
    "fit_sentence",
    "focal_trajectories",
    "judge_of",
    "label_columns",
    "likeliest",
    "move_evidence",
    "reason",
    "seat_sums",
]


WHY = (
    UNDECIDED,
    "no readable move",
    "more than two players: --others any, majority or all says how to read the others",
)
"""Why a game has no labels."""

SUMS = ("moves_played", "total_payoff", "mean_payoff", "cooperation_rate", "defaulted", "missing")
"""Columns that are counted of the play of a seat."""


@dataclass(frozen=True, eq=False)
class Judge:
    """How a library labels play.

    Parameters
    ----------
    name : str
        Of the recogniser.
    recogniser : fitted Recogniser whose classes are catalogue strategies
    settings : LabelSettings
    others : {"any", "majority", "all"} or None
        With more than two players, when the others count as having cooperated; None leaves such games
        without labels.
    keep_defaulted : bool
    seed : int
        Of the test of fit of stochastic strategies: labels are those of ``intent label --seed``.
    """

    name: str
    recogniser: Recogniser
    settings: LabelSettings = field(default_factory=LabelSettings)
    others: str | None = None
    keep_defaulted: bool = False
    seed: int = 0

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the strategies."""
        return tuple(str(c) for c in self.recogniser.classes_)

    def labels(self, log: GameLog) -> pd.DataFrame:
        """Labels of a log: game_id, seat, and the computed columns of `codebook.LABELS`."""
        return self.labels_of(self.play(log))

    def play(self, log: GameLog) -> Trajectories:
        """The play that is labelled."""
        return focal_trajectories(log, self.others, keep_defaulted=self.keep_defaulted)

    def labels_of(self, X: Trajectories) -> pd.DataFrame:
        """Labels of such play."""
        return label_table(X, self.recogniser, self.settings, np.random.default_rng(self.seed))

    def why_not(self, log: GameLog, seat: int) -> str | None:
        """Why a seat of a log of one game has no label; None where it has one."""
        row = log.seats[log.seats["seat"] == seat]
        if not len(row) or not bool(row["focal"].iloc[0]):
            return "known only as the opponent of another seat"
        if not log.has_cooperation().any():
            return WHY[0] if log.games["cooperative_action"].isna().iloc[0] else WHY[1]
        if self.others is None and int(log.games["n_players"].iloc[0]) > 2:
            return WHY[2]
        return None


def focal_trajectories(log: GameLog, others: str | None, *, keep_defaulted: bool = False) -> Trajectories:
    """The play of the focal seats, with game_id and seat alone as keys.

    Games of more than two players are left out unless `others` says how to read them.
    """
    X = log.trajectories(keep_defaulted=keep_defaulted)
    assert X.keys is not None
    if X.other_share is not None:
        if others is None:
            two = log.games.loc[log.games["n_players"] == 2, "game_id"]
            X = X[X.keys["game_id"].isin(two).to_numpy()]
        X = X.read_others(others or "any")
    assert X.keys is not None
    X.keys = X.keys[["game_id", "seat"]]
    return X


def label_columns(classes: tuple[str, ...]) -> dict[str, str]:
    """Name -> kind of the columns that a library takes from labels."""
    kinds = {"strings": "list", "string": "text", "int": "whole", "float": "number", "bool": "bool"}
    columns = {
        c.name: kinds[c.kind] for c in codebook.LABELS if c.name not in ("game_id", "seat") and not c.optional
    }
    return {**columns, **{codebook.PROBABILITY_PREFIX + name: "number" for name in classes}}


def seat_sums(log: GameLog) -> pd.DataFrame:
    """Payoffs, cooperation and unread moves of every seat: game_id, seat and `SUMS`."""
    moves, seats = log.moves, log.seats
    places = pd.Index(log.games["game_id"])
    width = int(seats["seat"].max()) + 1 if len(seats) else 1
    game = np.asarray(moves["game_id"].cat.codes, dtype=np.intp)
    key = game * width + moves["seat"].to_numpy(dtype=np.intp)
    row = places.get_indexer(pd.Index(seats["game_id"])) * width + seats["seat"].to_numpy(dtype=np.intp)

    def total(weights: NDArray[Any]) -> NDArray[np.float64]:
        counted: NDArray[np.float64] = np.bincount(key, weights, minlength=len(places) * width)[row]
        return counted

    payoff = moves["payoff"].to_numpy(dtype=float, na_value=np.nan)
    cooperated = moves["cooperated"].to_numpy(dtype=float, na_value=np.nan)
    paid, known = total(~np.isnan(payoff)), total(~np.isnan(cooperated))
    with np.errstate(invalid="ignore", divide="ignore"):
        sums = np.where(paid > 0, total(np.nan_to_num(payoff)), np.nan)
        return pd.DataFrame(
            {
                "game_id": seats["game_id"],
                "seat": seats["seat"],
                "moves_played": total(np.ones(len(moves))),
                "total_payoff": sums,
                "mean_payoff": sums / paid,
                "cooperation_rate": np.where(known > 0, total(np.nan_to_num(cooperated)) / known, np.nan),
                "defaulted": total((moves["status"] == "defaulted").to_numpy(dtype=float)),
                "missing": total((moves["status"] == "missing").to_numpy(dtype=float)),
            }
        )


def judge_of(
    recogniser: str,
    provenance: Mapping[str, Any] | None = None,
    *,
    others: str | None = None,
    classes: tuple[str, ...] = (),
) -> tuple[Judge, list[str]]:
    """The judge of a log, or the one that a table of labels says it was made by, and what is odd about it.

    Parameters
    ----------
    recogniser : name of a shipped one, or folder of a saved one
    provenance : of a table of labels, optional
    others : as `Judge`
    classes : strategies of the table's columns

    Raises
    ------
    UnknownNameError, RecogniserError
        No such recogniser (of a log: a table's may be gone).
    """
    from intent.recognise.bayes import against_random, was_without_random
    from intent.recognise.recogniser import load_recogniser

    if provenance is None:
        return Judge(recogniser, against_random(load_recogniser(recogniser)), others=others), []
    called = str(provenance.get("recogniser"))
    notes: list[str] = []
    try:
        alone = load_recogniser(called)
        rivals = (alone, against_random(alone))
        model = next((m for m in rivals if tuple(map(str, m.classes_)) == classes), None)
        if model is None:
            raise UnknownNameError("recogniser", called, [])
    except (IntentError, OSError):
        model, notes = _stand_in(classes, recogniser)
    model, more = as_told(model, provenance)
    notes += filter(None, [was_without_random([f"p_{name}" for name in classes], provenance)])
    settings = LabelSettings(
        threshold=_probability(provenance.get("threshold"), LabelRequest.threshold),
        alpha=_probability(provenance.get("alpha"), LabelRequest.alpha),
    )
    said_others = provenance.get("others")
    how = others or (said_others if said_others in ("any", "majority", "all") else None)
    keep = provenance.get("keep_defaulted") is True
    return Judge(called, model, settings, how, keep), [*notes, *more]


def _stand_in(classes: tuple[str, ...], recogniser: str) -> tuple[Recogniser, list[str]]:
    """A recogniser in place of one that cannot be had."""
    from intent.recognise.bayes import BayesRecogniser, against_random
    from intent.recognise.recogniser import load_recogniser

    gone = "the recogniser of the labels is not here: round by round,"
    try:
        return BayesRecogniser(",".join(classes)).fit(), [f"{gone} the exact posterior at eps .05 is shown"]
    except IntentError:
        return against_random(load_recogniser(recogniser)), [f"{gone} {recogniser} is shown"]


def as_told(model: Recogniser, provenance: Mapping[str, Any]) -> tuple[Recogniser, list[str]]:
    """A Bayes recogniser at the noise and prior that labels were made with; what it cannot be told.

    Parameters
    ----------
    model : fitted Recogniser
    provenance : of a table of labels, which nobody vouches for
    """
    from intent.recognise.bayes import BayesRecogniser

    if not isinstance(model, BayesRecogniser):
        return model, []
    eps, prior, parameters = (provenance.get(name) for name in ("eps", "prior", "parameters"))
    spread = parameters.get("eps_prior") if isinstance(parameters, Mapping) else None
    how: dict[str, Any] = {"eps": eps if eps == "integrate" or isinstance(eps, float | int) else model.eps_}
    how["prior"] = (
        prior[""] if isinstance(prior, Mapping) and isinstance(prior.get(""), Mapping) else model.prior_
    )
    if isinstance(spread, list | tuple) and all(isinstance(x, float | int) for x in spread):
        how["eps_prior"] = tuple(spread)
    grouped = any(isinstance(x, Mapping) and "" not in x for x in (eps, prior))
    notes = (
        ["labels were made group by group: round by round, one noise and prior are shown"] if grouped else []
    )
    try:
        return BayesRecogniser(model.strategies_, **how).fit(), notes
    except (IntentError, TypeError, ValueError):
        return model, ["the settings of the labels cannot be read: the recogniser's own are shown"]


def _probability(value: object, otherwise: float) -> float:
    return float(value) if isinstance(value, float | int) and 0 <= value <= 1 else otherwise


COIN = "RANDOM"
"""The class that stands for no strategy."""


def likeliest(label: Mapping[str, Any]) -> Any:
    """The best strategy of a label; where others explain the play equally well, all of them."""
    best, others = label.get("best"), label.get("tied_with") or ()
    if best is None or label.get("status") != "ambiguous":
        return best
    return tuple(dict.fromkeys([str(best), *map(str, others)]))


def reason(label: Mapping[str, Any]) -> str:
    """Why this status, from a row of the labels.

    Examples
    --------
    >>> reason({"status": "ambiguous", "best": "ALLC", "tied_with": ["GRIM", "TFT"], "confidence": 0.33})
    'No label: ALLC, GRIM and TFT explain these moves equally well, and which of them is named would be a \
convention.'
    """
    status, best = label.get("status"), label.get("best")
    sure = number(label.get("confidence"))
    if status == "confident":
        return f"{best}: its posterior probability is {sure}, no other strategy comes near, and it fits."
    if status == "ambiguous":
        tied = [str(best), *(str(name) for name in label.get("tied_with") or () if name != best)]
        names = listed(tied) if len(tied) > 1 else f"{best} and another strategy"
        return (
            f"No label: {names} explain these moves equally well, "
            "and which of them is named would be a convention."
        )
    if status == "no_fit" and best == COIN:
        n = label.get("n_rounds")
        whole = f", log-likelihood {number(n * math.log(0.5))}" if isinstance(n, int) else ""
        return (
            f"No label: a coin explains these moves best (RANDOM: posterior probability {sure}, "
            f"0.50 per move{whole})."
        )
    if status == "no_fit":
        against = moves(label.get("n_deviations"))
        chance = number(label.get("fit_p"))
        return (
            f"No label: even the most probable strategy, {best}, would hardly play like this "
            f"({against} that it never makes without noise; "
            f"play at least as unlikely has probability {chance})."
        )
    if status == "low_confidence":
        return (
            f"No label: the most probable strategy is {best}, but its posterior probability is only {sure}."
        )
    return "No label."


def fit_sentence(label: Mapping[str, Any]) -> str:
    """Which strategies make every move of the play without noise."""
    names = [str(name) for name in label.get("consistent") or ()]
    if not names and label.get("best") == COIN:
        return "No strategy of the set makes all these moves without noise."
    if not names:
        return f"No strategy of the set makes all these moves without noise; {label.get('best')} misses " + (
            f"{moves(label.get('n_deviations'))}."
        )
    verb = "makes" if len(names) == 1 else "make"
    return f"{listed(names)} {verb} every one of these moves without noise."


def moves(n: object) -> str:
    """``1 move``, ``3 moves``."""
    if not isinstance(n, int):
        return "some moves"
    return f"{n} move{'' if n == 1 else 's'}"


def number(value: object, digits: int = 2) -> str:
    """A number for people; a probability near 0 or 1 never as 0 or 1."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if not isinstance(value, float) or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == int(value) and abs(value) < 1e15:
        return number(int(value))
    if 0 < value < 10.0**-digits:
        return "< 0.0001" if value < 10.0**-4 else f"{value:.1g}"
    if 1 - 10.0**-digits < value < 1:
        return f"> {1 - 10.0**-digits:g}"
    value = round(value, 12)  # equal numbers that were summed in different orders look equal
    return f"{value:.{digits}f}" if abs(value) < 1000 else f"{value:,.0f}"


_EQUAL = 1e-9
_STILL = 0.005
"""Changes of a probability below it are no news."""


@dataclass(frozen=True)
class Weight:
    """A strategy at one move.

    Parameters
    ----------
    name : str
    chance : float or None
        Probability of the move under it without noise; None where it was not computed or is no evidence.
    before, after : float
        Posterior probability without and with the move.
    """

    name: str
    chance: float | None
    before: float
    after: float

    @property
    def change(self) -> float:
        """By how much the posterior went up."""
        return self.after - self.before


@dataclass(frozen=True)
class Evidence:
    """What a round says of one seat.

    Parameters
    ----------
    seat : int
    between : (int, int)
        Rounds seen before and after; more than one apart where the posterior of a long game has gaps.
    weights : tuple of Weight, the most probable afterwards first
    leaders : tuple of str
        The most probable strategies afterwards; several where they tie.
    shift : bool
        Whether these are others than before.
    sentence : str
    """

    seat: int
    between: tuple[int, int]
    weights: tuple[Weight, ...]
    leaders: tuple[str, ...]
    shift: bool
    sentence: str

    @property
    def brief(self) -> str:
        """The leading strategy and its posterior in few words: ``ALLD 0.75 → 0.87``."""
        first = self.weights[0]
        return f"{', '.join(self.leaders)} {number(first.before)} → {number(first.after)}"


def move_evidence(seat: SeatDetail, round_number: int, move: MoveDetail | None) -> Evidence | None:
    """What the round says of a seat; None where there is no posterior before and after it.

    Parameters
    ----------
    seat : SeatDetail
    round_number : int, from 1
    move : MoveDetail or None
        The move of the seat in that round.
    """
    points = seat.posterior_after
    i, j = bisect_right(points, round_number - 1) - 1, bisect_left(points, round_number)
    if i < 0 or j >= len(points):
        return None
    chances = seat.move_probability or {}
    weights = [
        Weight(name, _at(chances.get(name, ()), round_number), before, after)
        for name, before, after in zip(seat.classes, seat.posterior[i], seat.posterior[j], strict=True)
    ]
    before, after = (_leaders([(w.name, getattr(w, when)) for w in weights]) for when in ("before", "after"))
    expected = _at(seat.predicted, round_number)
    ordered = sorted(weights, key=lambda w: (-round(w.after, 9), -w.before))
    sentences = [
        _move(move, weights, "in the first round" if round_number == 1 else "after such a past"),
        _gap(points[i], points[j]),
        _posterior(weights, before, after),
        "" if expected is None else f"The recogniser expected this move with probability {number(expected)}.",
    ]
    return Evidence(
        seat.seat,
        (points[i], points[j]),
        tuple(ordered),
        after,
        after != before,
        " ".join(filter(None, sentences)),
    )


def _at(values: Sequence[float | None], round_number: int) -> float | None:
    return values[round_number - 1] if 0 < round_number <= len(values) else None


def _leaders(shares: Sequence[tuple[str, float]]) -> tuple[str, ...]:
    top = max(share for _, share in shares)
    return tuple(name for name, share in shares if top - share < _EQUAL)


def _move(move: MoveDetail | None, weights: Sequence[Weight], when: str) -> str:
    """Which strategies make the move, given what was played before."""
    known = [w for w in weights if w.chance is not None]
    if not known:
        status = "missing" if move is None else move.status
        if status == "missing":
            return "No move was read, so this round is no evidence."
        if status == "defaulted":
            return "The move is a default for a reply that could not be read, so it is no evidence."
        return ""
    does = "Cooperating" if move is None or move.cooperated else "Defecting"
    always = [w.name for w in known if w.chance == 1]
    never = [w.name for w in known if w.chance == 0]
    parts = [f"what {listed(always)} {_verb('do', always)} {when}"] if always else []
    if never:
        parts.append(f"what {listed(never)} never {_verb('do', never)}")
    chances: dict[float, list[str]] = {}
    for w in known:
        if w.chance is not None and 0 < w.chance < 1:
            chances.setdefault(round(w.chance, 6), []).append(w.name)
    parts += [
        f"what {listed(names)} {_verb('do', names)} with probability {number(p)}"
        for p, names in sorted(chances.items(), reverse=True)
    ]
    return f"{does} here is {listed(parts)}."


def _verb(verb: str, names: Sequence[str]) -> str:
    return {"do": "does", "stay": "stays", "are": "is", "lose": "loses"}[verb] if len(names) == 1 else verb


def _gap(before: int, after: int) -> str:
    return "" if after - before == 1 else f"The posterior is known after rounds {before} and {after}."


def _posterior(weights: Sequence[Weight], before: tuple[str, ...], after: tuple[str, ...]) -> str:
    """How the posterior moved."""
    by_name = {w.name: w for w in weights}
    if max(abs(w.change) for w in weights) < _STILL:
        first = by_name[after[0]]
        return f"The posterior hardly moves: {_standing(after, first)}."
    first, mentioned = by_name[after[0]], {*after}
    if after == before:
        moved = f"{_each(after)}from {number(first.before)} to {number(first.after)}"
        sentence = f"{listed(after)} {_verb('stay', after)} {_most(after)}, {moved}"
    else:
        sentence = (
            f"{listed(after)} {_verb('are', after)} now {_most(after)}, "
            f"{_each(after)}from {number(first.before)} to {number(first.after)}"
        )
        if len(before) == len(weights):
            sentence = f"All were equally probable before; {sentence}"
        elif gone := [name for name in before if name not in after]:
            mentioned |= {*gone}
            last = by_name[gone[0]]
            sentence += f"; {listed(gone)} before, from {number(last.before)} to {number(last.after)}"
    most = min(weights, key=lambda w: w.change)
    if most.change <= -_STILL and most.name not in mentioned:
        sentence += f"; {most.name} loses most, from {number(most.before)} to {number(most.after)}"
    return sentence + "."


def _standing(leaders: tuple[str, ...], first: Weight) -> str:
    return f"{listed(leaders)} {_verb('stay', leaders)} {_most(leaders)}, at {number(first.after)}"


def _most(leaders: tuple[str, ...]) -> str:
    return "the most probable" if len(leaders) == 1 else "tied as the most probable"


def _each(names: Sequence[str]) -> str:
    return "each " if len(names) > 1 else ""
