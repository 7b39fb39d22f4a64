"""A game put together for a page: moves, texts, calls, and what they say of the strategies.

The seats of a game: their labels, and what the moves say round by round.

What play says round by round: the posterior after each, and the moves that a strategy would not make.

The calls behind the moves of a game: what was asked, and the replies.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base import codebook
from intent.logs.gamelog import GameLog, Trajectories
from intent.recognise.bayes import class_strategies
from intent.recognise.recogniser import Recogniser
from intent.strategies.catalogue import Strategy
from intent.strategies.likelihood import forward_path
from intent.view.detail import (
    CallText,
    GameDetail,
    Keep,
    MoveDetail,
    QuestionDetail,
    RoundDetail,
    SeatDetail,
    Text,
    TextKeeper,
    cells,
    plain,
    short_text,
)
from intent.view.judging import Judge, focal_trajectories

__all__ = [
    "MOST_POINTS",
    "PrefixPosterior",
    "calls_by_move",
    "game_detail",
    "move_probabilities",
    "prefix_posterior",
    "seat_details",
    "sent_messages",
]


Floats = NDArray[np.float64]

MOST_POINTS = 401
"""Most numbers of rounds after which a posterior is computed."""

_LEAST_POINTS, _WORK = 51, 2_000_000
"""Fewest numbers of rounds in a very long game; rounds that are scored for one game beyond these."""

_CELLS = 1 << 22
_TREMBLE = 1e-9
"""So small a noise that a probability is the one without, and play goes on after an impossible move."""


@dataclass(frozen=True, eq=False)
class PrefixPosterior:
    """The posterior after more and more rounds.

    Attributes
    ----------
    after : (P,) numbers of rounds, 0 first and T last
    proba : (P, K)
    """

    after: NDArray[np.intp]
    proba: Floats


def prefix_posterior(
    X: Trajectories, recogniser: Recogniser, between: tuple[int, int] | None = None
) -> tuple[PrefixPosterior, ...]:
    """The posterior of each trajectory after 0, 1, ..., T rounds, evenly spread ones if there are many.

    Row t is ``recogniser.predict_proba`` of the first t rounds, so the last is that of the label. All are
    asked for at once: in a long game it is the rounds that cost, and not how many histories are scored.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    recogniser : fitted Recogniser
    between : (first, last) numbers of rounds, optional
        Only after so many; play that comes later costs nothing.

    Returns
    -------
    tuple of n PrefixPosterior
    """
    if between is not None:
        X = X.truncated(between[1])
    horizon = X.shape[1]
    afters = [_points(mask, 0 if between is None else between[0]) for mask in X.mask]
    after, whose = np.concatenate(afters), np.repeat(np.arange(len(X)), [len(one) for one in afters])
    step = max(1, _CELLS // max(horizon, 1))
    parts = []
    for a in range(0, len(after), step):
        rows = whose[a : a + step]
        earlier = np.arange(horizon) < after[a : a + step, None]
        shortened = Trajectories(
            np.where(earlier, X.own[rows], np.int8(-1)),
            np.where(earlier, X.other[rows], np.int8(-1)),
            decided=None if X.decided is None else X.decided[rows],
            evidence=None if X.evidence_mask is None else earlier & X.evidence[rows],
            implementation_error=None if X.implementation_error is None else X.implementation_error[rows],
        )
        parts.append(recogniser.predict_proba(shortened))
    proba = np.split(np.concatenate(parts), np.cumsum([len(one) for one in afters])[:-1])
    return tuple(PrefixPosterior(*one) for one in zip(afters, proba, strict=True))


def _points(mask: NDArray[np.bool_], first: int) -> NDArray[np.intp]:
    """Numbers of rounds, from a first one on, after which the posterior of a trajectory is asked for."""
    last = int(np.flatnonzero(mask).max(initial=-1)) + 1
    first = min(first, last)
    points = min(last - first + 1, MOST_POINTS, max(_LEAST_POINTS, _WORK // max(last, 1)))
    return np.unique(np.linspace(first, last, points).round().astype(np.intp))


def move_probabilities(X: Trajectories, strategies: Sequence[Strategy]) -> Floats:
    """Probability of each decision under each strategy without noise, given all that was played before.

    P(own_t | own_1..t-1, other_1..t-1, k) = exp(l_t - l_{t-1}), the steps of the forward pass. Where the path
    of states is known it is the chance of the move in its state: 1 or 0 for a deterministic strategy, and the
    zeros are the moves that contradict it. After such a move the strategy goes on from what was played.

    Parameters
    ----------
    X : Trajectories of shape (n, T)
    strategies : sequence of K Strategy

    Returns
    -------
    (n, T, K), NaN where the own move is unknown or no evidence
    """
    n, horizon = X.shape
    out = np.full((n, horizon, len(strategies)), np.nan)
    known = (X.own >= 0) & (X.other >= 0)
    before = np.logical_and.accumulate(known, axis=1)[:, :-1]
    direct = np.logical_not(((X.own[:, 1:] >= 0) & ~before).any(axis=1))
    visible = [k for k, s in enumerate(strategies) if s.observed_path]
    if direct.any() and visible:
        on_path = np.full((int(direct.sum()), horizon, len(strategies)), np.nan)
        on_path[:, :, visible] = _on_path(X[direct], [strategies[k] for k in visible])
        out[direct] = on_path
    for k, strategy in enumerate(strategies):
        rows = np.flatnonzero(~direct) if k in visible else np.arange(n)
        if len(rows):
            out[rows, :, k] = _summed_out(X[rows], strategy)
    out[~X.evidence] = np.nan
    return out


def _on_path(X: Trajectories, strategies: Sequence[Strategy]) -> Floats:
    """The chance of each move where all that was played before is known, all strategies side by side."""
    n, horizon = X.shape
    width, kinds = max(s.n_states for s in strategies), np.arange(len(strategies))
    p, nxt = np.zeros((len(strategies), width)), np.zeros((len(strategies), width, 4), dtype=np.intp)
    for k, strategy in enumerate(strategies):
        p[k, : strategy.n_states], nxt[k, : strategy.n_states] = strategy.arrays()
    state = np.tile(np.array([s.start for s in strategies]), (n, 1))
    own, other = np.maximum(X.own, 0).astype(np.intp), np.maximum(X.other, 0).astype(np.intp)
    chance = np.empty((n, horizon, len(strategies)))
    for t in range(horizon):
        chance[:, t] = p[kinds, state]
        state = nxt[kinds, state, (3 - 2 * own[:, t] - other[:, t])[:, None]]
    return np.where(X.decisions[:, :, None] == 1, chance, 1 - chance)


def _summed_out(X: Trajectories, strategy: Strategy) -> Floats:
    """The chance of each move where earlier moves or intentions are unknown, (n, T)."""
    noise = np.array([_TREMBLE])
    path = forward_path(X.own, X.other, X.evidence_mask, strategy, noise, decided=X.decided)[:, :, 0]
    chance = np.exp(np.diff(path, axis=1, prepend=0.0))
    return np.where(chance < 2 * _TREMBLE, 0.0, np.minimum(np.round(chance, 6), 1.0))


_LONGEST_PLAY = 2_000
"""Rounds of a game beyond which its moves are not held against strategies, nor its posterior shown whole."""


def seat_details(
    log: GameLog,
    moves: pd.DataFrame,
    judge: Judge,
    strategies: Sequence[Strategy],
    labels: Sequence[Mapping[Any, Any]],
    shown: tuple[int, int],
) -> tuple[SeatDetail, ...]:
    """All seats of a game, in order.

    Parameters
    ----------
    log : GameLog of that game
    moves : its moves, in order
    judge : Judge
    strategies : further Strategy to hold the play against
    labels : rows of labels, those of other seats aside
    shown : (first, last) round
        The posterior of a very long game is that of these rounds.
    """
    X = focal_trajectories(log, judge.others, keep_defaulted=judge.keep_defaulted)
    assert X.keys is not None
    rows = {int(s): i for i, s in enumerate(X.keys["seat"].tolist())}
    own = class_strategies(judge.recogniser)
    against = (*own, *(s for s in strategies if s.name not in {o.name for o in own}))
    is_long = X.shape[1] > _LONGEST_PLAY
    chances = move_probabilities(X, against) if len(X) and not is_long else None
    between = (shown[0] - 1, shown[1]) if is_long else None
    posteriors = prefix_posterior(X, judge.recogniser, between) if len(X) else ()
    predicted = judge.recogniser.chances(X) if len(X) and not is_long else None
    label_of = {int(row["seat"]): row for row in labels}
    details = []
    for record in log.seats.to_dict("records"):
        seat = int(record["seat"])
        mine = moves[moves["seat"] == seat]
        paid = mine["payoff"].astype("float64").dropna()
        at = rows.get(seat)
        details.append(
            SeatDetail(
                seat=seat,
                columns=cells(record, ("game_id", "seat", "focal")),
                focal=bool(record["focal"]),
                label=_label(label_of.get(seat)),
                why=judge.why_not(log, seat),
                total=float(paid.sum()) if len(paid) else None,
                moves=_letters(mine, int(moves["round"].max()) if len(moves) else 0),
                predicted=() if at is None or predicted is None else _known(predicted[at]),
                **({} if at is None else _evidence(posteriors[at], at, judge, against, chances)),
            )
        )
    return tuple(sorted(details, key=lambda d: d.seat))


def _evidence(
    posterior: PrefixPosterior, at: int, judge: Judge, against: Sequence[Strategy], chances: Any
) -> dict[str, Any]:
    evidence = {
        "classes": judge.classes,
        "posterior_after": tuple(posterior.after.tolist()),
        "posterior": tuple(tuple(row) for row in posterior.proba.tolist()),
    }
    if chances is None:
        return evidence
    probability, contradictions = {}, {}
    for k, strategy in enumerate(against):
        probability[strategy.name] = column = _known(chances[at, :, k])
        contradictions[strategy.name] = tuple(t for t, p in enumerate(column, start=1) if p == 0)
    return {
        **evidence,
        "strategies": tuple(s.name for s in against),
        "move_probability": probability,
        "contradictions": contradictions,
    }


def _known(values: Floats) -> tuple[float | None, ...]:
    """Numbers, None for NaN."""
    return tuple(None if p != p else p for p in values.tolist())


def _letters(moves: pd.DataFrame, n_rounds: int) -> str:
    """A letter for each round, as `SeatDetail` has them."""
    cooperated = moves["cooperated"].to_numpy(dtype=float, na_value=np.nan)
    signs = np.where(moves["action"].isna(), ".", "·")
    signs = np.where(np.isnan(cooperated), signs, np.where(cooperated == 1, "C", "D"))
    signs = np.where(moves["status"] == "defaulted", np.char.lower(signs), signs)
    known = signs != "."
    letters = np.full(n_rounds, ".")
    rounds, first = np.unique(moves["round"].to_numpy(dtype=np.intp)[known], return_index=True)
    letters[rounds - 1] = signs[known][first]
    return "".join(letters.tolist())


def _label(row: Mapping[Any, Any] | None) -> dict[str, Any] | None:
    """The computed columns of a label."""
    if row is None:
        return None
    names = [c.name for c in codebook.LABELS if c.name not in ("game_id", "seat")]
    chosen = [n for n in row if n in names or str(n).startswith(codebook.PROBABILITY_PREFIX)]
    return {name: _listed(row[name]) for name in chosen}


def _listed(cell: Any) -> Any:
    return [str(short_text(x)) for x in cell] if isinstance(cell, list | tuple | np.ndarray) else plain(cell)


_MOST_MESSAGES = 200


def calls_by_move(table: pd.DataFrame | None, cut: Keep) -> dict[tuple[int, int], tuple[CallText, ...]]:
    """The calls of each round and seat.

    Parameters
    ----------
    table : DataFrame as `codebook.CALLS`, or None
    cut : what cuts a text, as `TextKeeper`
    """
    calls_of: dict[tuple[int, int], list[CallText]] = defaultdict(list)
    for row in [] if table is None else table.to_dict("records"):
        number, seat, attempt = int(row["round"]), int(row["seat"]), int(row["attempt"])
        at = f"call/{number}/{seat}/{attempt}"
        prompt = [
            (role, text)
            for i, (role, content) in enumerate(sent_messages(row["body"]))
            if (text := cut(content, f"{at}/prompt/{i}")) is not None
        ]
        reply = cut(row["text"] if isinstance(row["text"], str) else "", f"{at}/reply")
        assert reply is not None
        calls_of[number, seat].append(
            CallText(
                attempt,
                str(short_text(row["purpose"])),
                short_text(row["model"]),
                tuple(prompt),
                reply,
                cut(row["reasoning"], f"{at}/reasoning"),
                _call_note(row),
                tuple(_tools(row["tool_calls"], at, cut)),
                cut(row["body"] or None, f"{at}/body"),
            )
        )
    return {key: tuple(calls) for key, calls in calls_of.items()}


def sent_messages(body: object) -> list[tuple[str, str]]:
    """Role and content of the messages of a request; the body itself where it holds none."""
    text = body if isinstance(body, str) else ""
    try:
        sent = json.loads(text)
        messages = sent["messages"] if isinstance(sent, dict) else None
    except (ValueError, RecursionError, KeyError):
        messages = None
    if not isinstance(messages, list):
        return [("request", text)] if text else []
    parts = []
    for one in messages[:_MOST_MESSAGES]:
        if not isinstance(one, dict):
            continue
        role, content = str(short_text(one.get("role")) or "message"), one.get("content")
        called = _called(one.get("tool_calls"))
        if content is not None or not called:
            parts.append((role, _content(content)))
        parts += [(f"{role} calls tool {name}", arguments) for name, arguments in called]
    return parts


def _content(content: object) -> str:
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


_MOST_TOOLS = 20


def _tools(calls: object, at: str, cut: Keep) -> Iterator[tuple[str, Text]]:
    """The tools that a reply calls, of the column ``tool_calls``; as one text where it cannot be read."""
    if not isinstance(calls, str) or not calls:
        return
    try:
        pairs = _called(json.loads(calls))
    except (ValueError, RecursionError):
        pairs = []
    for i, (name, arguments) in enumerate(pairs or [("", calls)]):
        text = cut(arguments, f"{at}/tool/{i}")
        assert text is not None
        yield name, text


def _called(calls: object) -> list[tuple[str, str]]:
    """Name and arguments of calls of tools, in the form of any endpoint."""
    pairs = []
    for one in calls[:_MOST_TOOLS] if isinstance(calls, list) else ():
        inner = one.get("function", one) if isinstance(one, dict) else None
        if isinstance(inner, dict):
            arguments = inner.get("arguments", inner.get("input", ""))
            pairs.append((str(short_text(inner.get("name")) or ""), _content(arguments)))
    return pairs


def _call_note(row: Mapping[Any, Any]) -> str | None:
    parts = []
    if plain(row["cached"]):
        parts.append("from the cache")
    tries = plain(row["tries"])
    if tries is not None and tries > 1:
        parts.append(f"{tries} requests")
    for name in ("prompt_tokens", "completion_tokens"):
        n = plain(row[name])
        if n is not None:
            parts.append(f"{n} {name.replace('_', ' ')}")
    if short_text(row["finish_reason"]) is not None:
        parts.append(f"ended by {short_text(row['finish_reason'])}")
    return ", ".join(parts) or None


def game_detail(
    log: GameLog,
    judge: Judge,
    strategies: Sequence[Strategy],
    labels: Sequence[Mapping[Any, Any]] | None,
    calls: pd.DataFrame | None = None,
    *,
    first: int = 1,
    most: int = 500,
    keep: Keep | None = None,
    state: tuple[str | None, str | None] = (None, None),
) -> GameDetail:
    """One game.

    Parameters
    ----------
    log : GameLog of that game
    judge : Judge
    strategies : further Strategy to hold the play against
    labels : sequence of mapping, or None
        Rows of a table of labels for this game; None has the judge make them.
    calls : DataFrame as `codebook.CALLS`, of the rounds that are shown
    first, most : int
        Rounds to show.
    keep : callable, by default `TextKeeper`
    state : of a game of a run, and what set it aside
    """
    cut = keep or TextKeeper()
    game = log.games.iloc[0]
    moves = log.moves.sort_values(["round", "step", "seat"], kind="stable")
    n_rounds = int(moves["round"].max()) if len(moves) else 0
    shown = moves[moves["round"].between(first, first + most - 1)]
    totals = _totals(moves, shown.index)
    rows = judge.labels(log).to_dict("records") if labels is None else labels
    return GameDetail(
        game_id=str(game["game_id"]),
        columns=cells(game, ("game_id", "payoffs")),
        payoffs=short_text(game["payoffs"], 100_000),
        seats=seat_details(log, moves, judge, strategies, rows, (first, first + most - 1)),
        rounds=_rounds(shown, totals, calls_by_move(calls, cut), _questions(log.questions, cut), cut),
        first=first,
        n_rounds=n_rounds,
        state=state[0],
        error=None if state[1] is None else short_text(state[1], 1_000),
    )


def _totals(moves: pd.DataFrame, shown: pd.Index[Any]) -> dict[Any, float | None]:
    """Sum of the payoffs of each seat, up to and with each row that is shown."""
    paid = moves["payoff"].astype("float64")
    sums = (
        paid.fillna(0.0)
        .groupby(moves["seat"], observed=True)
        .cumsum()
        .where(paid.groupby(moves["seat"], observed=True).transform("count") > 0)
    )
    return {row: None if pd.isna(v) else float(v) for row, v in sums.loc[shown].items()}


def _rounds(
    moves: pd.DataFrame,
    totals: Mapping[Any, float | None],
    calls: Mapping[tuple[int, int], tuple[CallText, ...]],
    questions: Mapping[int, tuple[QuestionDetail, ...]],
    cut: Keep,
) -> tuple[RoundDetail, ...]:
    rounds: dict[int, list[MoveDetail]] = defaultdict(list)
    shown: set[tuple[int, int]] = set()
    names = list(moves.columns)
    for index, values in zip(moves.index, moves.itertuples(index=False, name=None), strict=True):
        row = dict(zip(names, values, strict=True))
        number, step, seat = int(row["round"]), int(row["step"]), int(row["seat"])

        def text(field: str, row: dict[str, Any] = row, at: str = f"{number}/{step}/{seat}") -> Text | None:
            return cut(row.get(field), f"{at}/{field}")

        key = (number, seat)
        facts, turns = _recorded(row.get("details"), f"{number}/{step}/{seat}", cut)
        stored = _stored(row.get("reply"), key) or _stored(row.get("prompt"), key)
        rounds[number].append(
            MoveDetail(
                seat=seat,
                step=step,
                action=short_text(row["action"]),
                value=plain(row["value"]),
                cooperated=plain(row["cooperated"]),
                payoff=plain(row["payoff"]),
                total=totals[index],
                status=str(row["status"]),
                message=text("message"),
                private_thought=text("private_thought"),
                reasoning=text("reasoning"),
                details=None if facts or turns else text("details"),
                advice=short_text(row.get("advice")),
                reply=None if stored else text("reply"),
                prompt=None if stored else text("prompt"),
                calls=() if key in shown else calls.get(key, ()),
                facts=facts,
                turns=turns,
                stored=None if key in calls else stored,
            )
        )
        shown.add(key)
    return tuple(RoundDetail(n, tuple(moves_of), questions.get(n, ())) for n, moves_of in rounds.items())


_MOST_FACTS, _MOST_TURNS = 30, 200


def _recorded(
    details: object, at: str, cut: Keep
) -> tuple[tuple[tuple[str, str], ...], tuple[tuple[str, Text], ...]]:
    """What an architecture recorded: short facts by name, and the turns of a conversation.

    Nothing of a text that is no JSON object of such facts: it is shown as it stands.
    """
    try:
        record = json.loads(details) if isinstance(details, str) else None
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict) or len(record) > _MOST_FACTS:
        return (), ()
    spoken = record.pop("transcript", [])
    turns = []
    for i, one in enumerate(spoken[:_MOST_TURNS] if isinstance(spoken, list) else ()):
        words = one.get("text") if isinstance(one, dict) else None
        if (text := cut(words, f"{at}/turn/{i}")) is not None:
            turns.append((str(short_text(one.get("speaker")) or "somebody"), text))
    values = {str(name): _in_words(value) for name, value in record.items() if value is not None}
    if any(len(value) > _LONGEST_FACT for value in values.values()) or (spoken and not turns):
        return (), ()
    facts = ((str(short_text(name)), str(short_text(value, _LONGEST_FACT))) for name, value in values.items())
    return tuple(facts), tuple(turns)


_LONGEST_FACT = 400


def _in_words(value: object, depth: int = 0) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | dict) and depth > 2:
        return "…"
    if isinstance(value, list):
        return ", ".join(_in_words(inner, depth + 1) for inner in value)
    if isinstance(value, dict):
        return ", ".join(f"{name} {_in_words(inner, depth + 1)}" for name, inner in value.items())
    return str(value)


def _stored(text: object, of: tuple[int, int]) -> str | None:
    """A reference to a stored call of this round and seat; None for other texts."""
    number, seat = of
    is_place = isinstance(text, str) and re.fullmatch(rf"\S{{1,300}}/{number}/{seat}/\d{{1,7}}", text)
    return short_text(text) if is_place else None


def _questions(table: pd.DataFrame | None, cut: Keep) -> dict[int, tuple[QuestionDetail, ...]]:
    answers: dict[int, list[QuestionDetail]] = defaultdict(list)
    if table is None:
        return {}
    for place, row in enumerate(table.to_dict("records")):
        number, seat = int(row["round"]), int(row["seat"])
        answers[number].append(
            QuestionDetail(
                seat,
                str(short_text(row["question"])),
                cut(row["answer"], f"{number}/question/{place}"),
                short_text(row["parsed"]),
                short_text(row["expected"]),
                plain(row["correct"]),
            )
        )
    return {number: tuple(rows) for number, rows in answers.items()}
