"""All that is known of each strategy of a set before it is used, and the page on which a person looks at it.

That is its source, and its play against a panel.
"""

from __future__ import annotations

import ast
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules, Played
from intent.arena.sandbox.normal_form import TOO_DEEP, syntax_tree
from intent.arena.streams import Salt
from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import StrategyError, located
from intent.base.outputs import writing
from intent.base.statistics import Interval, exact_share
from intent.behaviour import measures as behaviour
from intent.behaviour.measures import OUTCOMES, memory_one
from intent.logs.gamelog import Trajectories
from intent.report.page import html_page, rendered
from intent.strategies.catalogue import CATALOGUE, Strategy, strategy
from intent.strategies.likelihood import deviations

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = [
    "ITSELF",
    "PANEL",
    "CodeFacts",
    "InspectedSet",
    "Label",
    "LeftOut",
    "PanelPlay",
    "Portrait",
    "StrategyFacts",
    "code_facts",
    "inspect_strategies",
    "inspection_section",
    "nearest_strategies",
    "play_panel",
    "portrait",
    "stacked",
    "write_inspection_page",
]

_CHANCE = ("random_choice", "randint", "random", "choice")
_SCORES = ("score", "total_scores")
_LONGEST = 100_000


@dataclass(frozen=True)
class CodeFacts:
    """What was seen in the source.

    Attributes
    ----------
    builtins : name -> calls of plain names, such as ``len``
    attributes : name -> uses, whatever they are read from
    chance : method of ``self._random`` -> calls; empty where it draws nothing
    loops : int, ``for``, ``while`` and comprehensions
    nested_loops : int, the deepest loop within loops
    functions : int, functions and lambdas within
    reads_length : bool, ``self.match_attributes``
    whole_history : bool
        Whether it goes through a whole history (iteration, ``count``, ``total_scores``, a call that takes
        it), so that its time grows with the rounds. Numbers that are kept, as ``cooperations``, do not.
    remembers : names that it stores on itself
    """

    lines: int
    characters: int
    builtins: dict[str, int]
    attributes: dict[str, int]
    chance: dict[str, int]
    loops: int
    nested_loops: int
    functions: int
    reads_scores: bool
    reads_length: bool
    whole_history: bool
    remembers: tuple[str, ...]


def code_facts(source: str) -> CodeFacts:
    """Read the source, without running it.

    Parameters
    ----------
    source : str
        ``def strategy(self, opponent): ...``

    Raises
    ------
    StrategyError
        It is longer than 100,000 characters, or no Python.
    """
    if len(source) > _LONGEST:
        raise StrategyError(f"source of {len(source):,} characters, expected at most {_LONGEST:,}")
    try:
        tree = syntax_tree(source)
    except (SyntaxError, ValueError, *TOO_DEEP) as error:
        line = getattr(error, "lineno", None)
        raise StrategyError(located("source", f"no Python ({type(error).__name__})", line)) from None
    nodes = list(ast.walk(tree))
    attributes = Counter(n.attr for n in nodes if isinstance(n, ast.Attribute))
    calls = Counter(n.func.id for n in nodes if isinstance(n, ast.Call) and isinstance(n.func, ast.Name))
    own = {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    chance = Counter(
        n.func.attr
        for n in nodes
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr in _CHANCE
        and isinstance(n.func.value, ast.Attribute)
        and n.func.value.attr == "_random"
    )
    stored = dict.fromkeys(
        n.attr
        for n in nodes
        if isinstance(n, ast.Attribute)
        and isinstance(n.ctx, ast.Store)
        and isinstance(n.value, ast.Name)
        and n.value.id == "self"
    )
    return CodeFacts(
        lines=source.count("\n") + (not source.endswith("\n")),
        characters=len(source),
        builtins=_sorted({name: n for name, n in calls.items() if name not in own}),
        attributes=_sorted(attributes),
        chance=_sorted(chance),
        loops=sum(isinstance(n, ast.For | ast.While | ast.comprehension) for n in nodes),
        nested_loops=_depth(tree),
        functions=sum(isinstance(n, ast.FunctionDef | ast.Lambda) for n in nodes) - 1,
        reads_scores=any(attributes[name] for name in _SCORES),
        reads_length=attributes["match_attributes"] > 0,
        whole_history=any(_is_whole(n) for n in nodes),
        remembers=tuple(stored),
    )


def _sorted(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _depth(tree: ast.AST) -> int:
    """The deepest loop within loops; walked without recursion, since the source may nest deeply."""
    deepest, stack = 0, [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        depth += isinstance(node, ast.For | ast.While)
        depth += len(getattr(node, "generators", ()))
        deepest = max(deepest, depth)
        stack += [(child, depth) for child in ast.iter_child_nodes(node)]
    return deepest


def _is_whole(node: ast.AST) -> bool:
    """Whether a node counts over, or goes through, a whole history."""
    if isinstance(node, ast.Attribute):
        return node.attr in ("count", "total_scores") and isinstance(node.ctx, ast.Load) and _history(node)
    if isinstance(node, ast.For | ast.comprehension):
        return isinstance(node.iter, ast.Attribute) and node.iter.attr == "history"
    return isinstance(node, ast.Call) and any(
        isinstance(a, ast.Attribute) and a.attr == "history"
        for a in node.args
        if not (isinstance(node.func, ast.Name) and node.func.id == "len")
    )


def _history(node: ast.Attribute) -> bool:
    return node.attr == "total_scores" or (
        isinstance(node.value, ast.Attribute) and node.value.attr == "history"
    )


PANEL = ("RANDOM", "TFT", "ALLC", "ALLD")
"""Opponents that show what a strategy does in every situation, and with friend and foe."""

ITSELF = "itself"

Update = Callable[[int, int], None]


@dataclass(eq=False)
class PanelPlay:
    """The play of one strategy.

    Attributes
    ----------
    moves : opponent -> (repetitions, 2, turns) uint8, the strategy in the first place, 1 = cooperate
    faults : list of Fault, those of which it is the culprit
    seconds : float, wall time of one match against TFT with the start of the sandbox; NaN where it failed
    """

    moves: dict[str, NDArray[np.uint8]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    seconds: float = float("nan")

    @property
    def whole(self) -> bool:
        """Whether every match of it was played."""
        return not self.faults and len(self.moves) == len(PANEL) + 1


def stacked(
    played: Sequence[PanelPlay],
) -> Iterator[tuple[str, NDArray[np.int8], NDArray[np.int8], NDArray[np.intp]]]:
    """The matches of all whole plays by opponent, for work on many at once.

    Yields
    ------
    opponent : str
    own, other : (m, turns) int8
    owner : (m,) place of the strategy among `played`
    """
    for opponent in (*PANEL, ITSELF):
        parts = [(i, play.moves[opponent]) for i, play in enumerate(played) if play.whole]
        if not parts:
            continue
        moves = np.concatenate([m for _, m in parts]).astype(np.int8)
        owner = np.repeat([i for i, _ in parts], [len(m) for _, m in parts])
        yield opponent, moves[:, 0], moves[:, 1], owner


def play_panel(
    entrants: Sequence[Entrant],
    engine: Engine,
    rules: MatchRules,
    *,
    repetitions: int = 5,
    seed: int = 0,
    salt: Salt | None = None,
    update: Update = lambda done, total: None,
) -> list[PanelPlay]:
    """Play each entrant against RANDOM, TFT, ALLC, ALLD and itself.

    The streams depend on the salt, opponent and repetition only, so that two strategies which do the same in
    the same situations play the same moves, chance included.

    Parameters
    ----------
    entrants : sequence of n Entrants
    repetitions : int
        Of matches that can differ: against RANDOM always, else where the strategy or noise draws.
    salt : Salt, optional
        Default: ``Salt.of_field(entrants, seed, "inspection")``.
    update : called with (matches played or spoiled, of how many)

    Returns
    -------
    list of n PanelPlay
    """
    salt = salt or Salt.of_field(entrants, seed, "inspection")
    opponents = [Entrant(f"{name} of the panel", automaton=strategy(name)) for name in PANEL]
    whole = [*(replace(e, name=f"{i}") for i, e in enumerate(entrants)), *opponents]
    plays = [PanelPlay() for _ in entrants]
    n = len(entrants)
    total, done = n * (len(PANEL) + 2), 0
    for play in engine.play(whole, _jobs(entrants, rules, repetitions, salt), rules):
        i, j = play.job.first, play.job.second
        if isinstance(play, Played):
            plays[i].moves[PANEL[j - n] if j >= n else ITSELF] = play.moves
        elif play.player < n:
            plays[play.player].faults.append(play)
        done += 1
        update(done, total)
    tft = n + PANEL.index("TFT")
    for i, one in enumerate(plays):
        if not one.faults:
            one.seconds = _timed(whole, Job(i, tft, (salt.match("inspection", "time", 0),)), engine, rules)
        done += 1
        update(done, total)
    return plays


def _jobs(entrants: Sequence[Entrant], rules: MatchRules, repetitions: int, salt: Salt) -> Iterator[Job]:
    n = len(entrants)
    for i, entrant in enumerate(entrants):
        for k, name in enumerate((*PANEL, ITSELF)):
            differ = entrant.draws or rules.noise > 0 or name == "RANDOM"
            seeds = tuple(salt.match("inspection", name, r) for r in range(repetitions if differ else 1))
            yield Job(i, i if name == ITSELF else n + k, seeds)


def _timed(whole: Sequence[Entrant], job: Job, engine: Engine, rules: MatchRules) -> float:
    start = time.perf_counter()
    ended = list(engine.play(whole, [job], rules))
    seconds = time.perf_counter() - start
    return seconds if all(isinstance(play, Played) for play in ended) else float("nan")


Moves = NDArray[np.uint8]


@dataclass(frozen=True)
class Portrait:
    """P(cooperate) first and after each outcome, own move first, against RANDOM.

    Attributes
    ----------
    first : Interval, p0, over matches
    after : outcome (cc, cd, dc, dd) -> Interval; NaN where the outcome never came
    n : outcome -> moves that were counted
    spread : float in [0, 1]
        How much of the play the five numbers leave open: mean binomial variance of its moves over that of a
        fair coin. 0 for a strategy that looks only at the last round and draws nothing.
    """

    first: Interval
    after: Mapping[str, Interval]
    n: Mapping[str, int]
    spread: float


def portrait(moves: Moves, *, opens_alike: bool = False, level: float = 0.95) -> Portrait:
    """The memory-one portrait of matches against a player that visits all situations.

    Parameters
    ----------
    moves : (repetitions, 2, turns) uint8, the strategy in the first place
    opens_alike : bool
        Whether nothing is drawn before the first move, so that one match tells it for certain.
    level : float in (0, 1), of the exact binomial intervals; they take moves as independent given the last
        outcome, which a strategy with a longer memory breaks

    References
    ----------
    Nowak & Sigmund 1993, Nature 364:56.
    """
    own, other = (moves[:, seat].astype(np.int8) for seat in (0, 1))
    opened = own[:, 0]
    first = exact_share(int(opened.sum()), len(opened), level=level)
    if opens_alike:
        first = Interval(first.estimate, first.estimate, first.estimate)
    reactions = memory_one(own, other)
    after, counts, open_, total = {}, {}, 0.0, 0
    for name in OUTCOMES:
        counts[name] = int(reactions[name].n.sum())
        after[name] = exact_share(int(reactions[name].hits.sum()), counts[name], level=level)
        if counts[name]:
            open_ += counts[name] * 4 * after[name].estimate * (1 - after[name].estimate)
            total += counts[name]
    return Portrait(first, after, counts, open_ / total if total else float("nan"))


def nearest_strategies(
    played: Sequence[PanelPlay], strategies: Sequence[Strategy] | None = None
) -> list[list[tuple[str, float]]]:
    """Named strategies by the share of a player's moves that they would have made in its place, best first.

    Each is asked what it intends after every history that the player saw; of one that randomises, the
    likelier move counts, and either for a half where it tosses a fair coin. RANDOM is left out, as is what
    remembers hidden intentions. Opponents weigh alike, and so do their rounds.

    Parameters
    ----------
    played : sequence of n PanelPlay
    strategies : sequence of Strategy, optional; by default the catalogue

    Returns
    -------
    list of n lists of (name, share), ties: those that never randomise, then in the order of
        the catalogue; empty where a match is missing
    """
    known = [
        s
        for s in (CATALOGUE.values() if strategies is None else strategies)
        if s.observed_path and not s.is_background
    ]
    known.sort(key=lambda s: any(p not in (0.0, 1.0) for p in s.p_cooperate))
    coins = [k for k, s in enumerate(known) if 0.5 in s.p_cooperate]
    heads, tails = ([_likelier(s, coin) for s in known] for coin in (1.0, 0.0))
    shares = np.zeros((len(played), len(known)))
    for _, own, other, owner in stacked(played):
        missed = deviations(own, other, None, heads).astype(float)
        missed[:, coins] += deviations(own, other, None, [tails[k] for k in coins])
        missed[:, coins] /= 2
        agree = 1 - missed / own.shape[1]
        matches = np.bincount(owner, minlength=len(played))[:, None]
        sums = np.zeros_like(shares)
        np.add.at(sums, owner, agree)
        shares += sums / np.maximum(matches, 1) / (len(PANEL) + 1)
    nearest = []
    for play, row in zip(played, shares, strict=True):
        order = np.argsort(-row, kind="stable").tolist() if play.whole else []
        nearest.append([(known[k].name, float(row[k])) for k in order])
    return nearest


def _likelier(s: Strategy, coin: float) -> Strategy:
    """The strategy with each state playing its likelier action; `coin` where both are as likely."""
    p = tuple(1.0 if x > 0.5 else 0.0 if x < 0.5 else coin for x in s.p_cooperate)
    return Strategy(s.name, p, s.next_state, s.start, memory=s.memory)


_SLOW = 2.0
"""Seconds of a match of 1,000 rounds that are worth a warning."""


@dataclass(frozen=True)
class Label:
    """What the default recogniser says of the first match against RANDOM.

    Attributes
    ----------
    best : str, the most probable strategy
    confidence : float, its posterior
    status : confident, low_confidence, ambiguous or no_fit
    """

    best: str
    confidence: float
    status: str


@dataclass(frozen=True, eq=False)
class StrategyFacts:
    """One strategy: who it is, its code, its play.

    Attributes
    ----------
    code : CodeFacts, or None of an automaton
    faults : tuple of Fault, in matches of the panel; with one, nothing below is known
    nearest : (name, share of its moves that this one would make too), best first, at most three
    metrics : opponent -> metric -> (value, occasions); payoff among them, with matches as occasions
    seconds : float, wall time of 1,000 rounds against TFT, with the start of the sandbox
    same_play : names of others whose moves on the panel are the same, chance included
    same_code : names of others whose source is the same
    flags : what a reader should look at, in words
    """

    entrant: Entrant
    code: CodeFacts | None
    faults: tuple[Fault, ...]
    portrait: Portrait | None
    nearest: tuple[tuple[str, float], ...]
    label: Label | None
    metrics: Mapping[str, Mapping[str, tuple[float, int]]]
    seconds: float
    same_play: tuple[str, ...]
    same_code: tuple[str, ...]
    flags: tuple[str, ...]


def inspect_strategies(
    entrants: Sequence[Entrant],
    engine: Engine,
    rules: MatchRules,
    *,
    repetitions: int = 5,
    seed: int = 0,
    salt: Salt | None = None,
    recogniser: str = DEFAULT_RECOGNISER,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[StrategyFacts, ...]:
    """Play each strategy against a small panel and itself, and say what is known of it.

    Parameters
    ----------
    repetitions : int, of matches that can differ
    salt : Salt, optional, as `play_panel`
    recogniser : name of a shipped recogniser, for the label
    update : called with (matches played, of how many)
    """
    played = play_panel(entrants, engine, rules, repetitions=repetitions, seed=seed, salt=salt, update=update)
    labels = _labels(played, recogniser, seed)
    nearest, metrics = nearest_strategies(played), _metrics(played, rules)
    same_play = _alike([_fingerprint(play) for play in played], entrants)
    same_code = _alike([e.digest if e.source else None for e in entrants], entrants)
    facts = []
    for i, (entrant, play) in enumerate(zip(entrants, played, strict=True)):
        code = _code(entrant)
        seconds = play.seconds * 1000 / rules.turns
        facts.append(
            StrategyFacts(
                entrant,
                code,
                tuple(play.faults),
                _portrait(entrant, play, rules),
                tuple(nearest[i][:3]),
                labels.get(i),
                metrics[i],
                seconds,
                same_play[i],
                same_code[i],
                tuple(_flags(entrant, code, play, seconds, rules)),
            )
        )
    return tuple(facts)


def _code(entrant: Entrant) -> CodeFacts | None:
    try:
        return code_facts(entrant.source) if entrant.source else None
    except StrategyError:
        return None


def _portrait(entrant: Entrant, play: PanelPlay, rules: MatchRules) -> Portrait | None:
    if not play.whole:
        return None
    return portrait(play.moves["RANDOM"], opens_alike=not (entrant.draws or rules.noise))


def _metrics(played: Sequence[PanelPlay], rules: MatchRules) -> list[dict[str, dict[str, tuple[float, int]]]]:
    """Behaviour of each strategy against each opponent, all repetitions taken together."""
    measured: list[dict[str, dict[str, tuple[float, int]]]] = [{} for _ in played]
    n = len(played)
    for opponent, own, other, owner in stacked(played):
        ratios = {name: metric(own, other) for name, metric in behaviour.METRICS.items()}
        counted = {
            name: [np.bincount(owner, weights=part, minlength=n) for part in (ratio.hits, ratio.occasions)]
            for name, ratio in ratios.items()
        }
        payoffs = np.asarray(rules.payoffs)[3 - 2 * own - other].mean(axis=1)
        matches = np.bincount(owner, minlength=n)
        means = np.bincount(owner, weights=payoffs, minlength=n) / np.maximum(matches, 1)
        for i in np.unique(owner).tolist():
            row = {
                name: (float(hits[i] / occasions[i]) if occasions[i] else 0.0, int(occasions[i]))
                for name, (hits, occasions) in counted.items()
            }
            measured[i][opponent] = {**row, "payoff": (float(means[i]), int(matches[i]))}
    return measured


def _labels(played: Sequence[PanelPlay], recogniser: str, seed: int) -> dict[int, Label]:
    from intent.recognise.bayes import against_random
    from intent.recognise.recogniser import load_recogniser
    from intent.recognise.verdict import LabelSettings, label_table

    at = [i for i, play in enumerate(played) if play.whole]
    if not at:
        return {}
    first = np.stack([played[i].moves["RANDOM"][0] for i in at]).astype(np.int8)
    X = Trajectories(first[:, 0], first[:, 1])
    table = label_table(
        X, against_random(load_recogniser(recogniser)), LabelSettings(), np.random.default_rng(seed)
    )
    rows = zip(at, table["best"], table["confidence"], table["status"], strict=True)
    return {i: Label(str(best), float(sure), str(status)) for i, best, sure, status in rows}


def _fingerprint(play: PanelPlay) -> object:
    if not play.whole:
        return None
    return tuple((name, moves[:, 0].tobytes()) for name, moves in sorted(play.moves.items()))


def _alike(keys: Sequence[object], entrants: Sequence[Entrant]) -> list[tuple[str, ...]]:
    """For each entrant the names of the others with the same key; None is like nothing."""
    by_key: dict[object, list[int]] = {}
    for i, key in enumerate(keys):
        if key is not None:
            by_key.setdefault(key, []).append(i)
    return [
        () if key is None else tuple(entrants[j].name for j in by_key[key] if j != i)
        for i, key in enumerate(keys)
    ]


def _flags(
    entrant: Entrant, code: CodeFacts | None, play: PanelPlay, seconds: float, rules: MatchRules
) -> list[str]:
    flags = [f"{fault.kind} in the sandbox: {fault.reason}" for fault in play.faults[:1]]
    if code is not None:
        if code.chance:
            flags.append("draws random numbers")
        if code.reads_scores:
            flags.append("reads scores")
        if code.reads_length:
            flags.append("reads the length of the match")
        if code.nested_loops > 1:
            flags.append(f"loops within loops, {code.nested_loops} deep")
    if seconds > _SLOW:
        flags.append(f"slow: {seconds:.1f} s for 1,000 rounds")
    if entrant.noise is not None and (entrant.noise > 0) != (rules.noise > 0):
        flags.append(f"written for noise {entrant.noise:g}, inspected at {rules.noise:g}")
    return flags


_OUTCOMES = ("cc", "cd", "dc", "dd")
_FEW = 5
"""Occasions up to which a rate is shown with their number."""

_WORDS = 20_000
"""Characters of words that are shown."""

_COLUMNS = (
    ("name", False),
    ("group", False),
    ("p first", True),
    *((f"p {o.upper()}", True) for o in _OUTCOMES),
    *((f"C v {name}", True) for name in (*PANEL, ITSELF)),
    ("nearest", False),
    ("share", True),
    ("label", False),
    ("s / 1,000", True),
    ("flags", True),
)


class LeftOut(Protocol):
    """A strategy that could not be played."""

    @property
    def name(self) -> str: ...
    @property
    def reason(self) -> str: ...
    @property
    def origin(self) -> str: ...


@dataclass(frozen=True)
class InspectedSet:
    """Strategies that belong together.

    Attributes
    ----------
    name : str, of the set; empty where there is only one
    """

    name: str
    facts: Sequence[StrategyFacts]
    failed: Sequence[LeftOut] = ()


def write_inspection_page(
    path: str | Path,
    sets: Sequence[InspectedSet],
    *,
    title: str = "Strategies before use",
    lines: Sequence[str] = (),
    overwrite: bool = False,
) -> Path:
    """Write one self-contained HTML file.

    Parameters
    ----------
    lines : sequence of str
        What a reader should know first: rules of the matches, engine, seed.

    Raises
    ------
    OutputError
        The path exists and may not be replaced, or cannot be written.
    """
    head = rendered("head.html", title=title, lines=list(lines), sets=[one.name for one in sets])
    body = head
    for number, one in enumerate(sets, 1):
        body += inspection_section(one, number)
    text = html_page(title, body)
    with writing(path, overwrite=overwrite) as draft:
        draft.write_text(text, encoding="utf8", errors="backslashreplace")
    return Path(path)


def inspection_section(one_set: InspectedSet, number: int = 1) -> Markup:
    """The part of a page that shows a set: a table to sort, then one strategy after the other.

    Parameters
    ----------
    number : int
        Of the set on the page; addresses within it are made from it.
    """
    facts, failed = one_set.facts, one_set.failed
    rows = [_row(one, f"strategy-{number}-{k}") for k, one in enumerate(facts, 1)]
    faulty = sum(bool(one.faults) for one in facts)
    doubles = sum(bool(one.same_play) for one in facts)
    summary = (
        f"{len(facts)} strategies passed the gate; {faulty} of them failed in the sandbox, and {doubles} "
        f"play the panel move for move as another does. {len(failed)} did not pass."
    )
    return rendered(
        "inspection.html",
        name=one_set.name,
        place=number,
        summary=summary,
        failed=list(failed),
        columns=_COLUMNS,
        strategies=rows,
    )


def _row(one: StrategyFacts, anchor: str) -> dict[str, Any]:
    entrant, drawn = one.entrant, one.portrait
    bars = [] if drawn is None else list(_bars(one))
    values = [None] * 5 if drawn is None else [b["p"] if b["known"] else None for b in bars]
    opponents = [name for name in (*PANEL, ITSELF) if name in one.metrics]
    measured = list(one.metrics[opponents[0]]) if opponents else []
    metrics = [
        (name.replace("_", " "), [_cell(*one.metrics[opponent][name]) for opponent in opponents])
        for name in measured
    ]
    near = one.nearest[0] if one.nearest else ("–", None)
    return {
        "anchor": anchor,
        "name": entrant.name,
        "group": entrant.group or "",
        "about": "; ".join(_about(one)),
        "bars": bars,
        "portrait_values": values,
        "portrait_words": "" if drawn is None else _in_words(one),
        "cooperation": [
            one.metrics[name]["cooperation_rate"][0] if name in one.metrics else None
            for name in (*PANEL, ITSELF)
        ],
        "nearest_name": near[0],
        "nearest_share": near[1],
        "label": "–" if one.label is None else _label(one),
        "seconds": one.seconds,
        "flags": list(one.flags),
        "faulty": bool(one.faults),
        "safety": list(_safety(one)),
        "same": _same(one),
        "opponents": opponents,
        "metrics": metrics,
        "words": entrant.words[:_WORDS],
        "source": entrant.source,
    }


def _bars(one: StrategyFacts) -> Iterator[dict[str, Any]]:
    assert one.portrait is not None
    drawn = one.portrait
    matches = one.metrics["RANDOM"]["payoff"][1]
    pairs = [("first", drawn.first, matches)]
    pairs += [(o.upper(), drawn.after[o], drawn.n[o]) for o in _OUTCOMES]
    for name, share, n in pairs:
        yield {
            "name": name,
            "known": n > 0,
            "p": share.estimate,
            "low": share.low,
            "high": share.high,
            "n": n,
        }


def _in_words(one: StrategyFacts) -> str:
    assert one.portrait is not None
    near = ", ".join(f"{name} ({share:.0%})" for name, share in one.nearest)
    left = one.portrait.spread
    return (
        f"Bars: share of cooperation, lines: exact 95 % intervals. The last round leaves {left:.0%} of the "
        f"variance of its moves open (of a coin: 100 %). Moves over the panel as {near}. "
        f"First match against RANDOM: {_label(one)}."
    )


def _label(one: StrategyFacts) -> str:
    if one.label is None:
        return "–"
    return f"{one.label.best}, {one.label.status.replace('_', ' ')} ({one.label.confidence:.2f})"


def _about(one: StrategyFacts) -> Iterator[str]:
    entrant = one.entrant
    if entrant.group:
        yield entrant.group
    if entrant.origin:
        yield f"from {entrant.origin}"
    if entrant.game:
        yield f"written for {entrant.game}"
    if entrant.turns is not None:
        yield f"{entrant.turns} rounds"
    if entrant.noise is not None:
        yield f"noise {entrant.noise:g}"


def _safety(one: StrategyFacts) -> Iterator[str]:
    if one.code is not None:
        code = one.code
        yield f"{code.lines} lines, {code.characters:,} characters"
        yield f"calls {_counted(code.builtins)}"
        yield f"attributes {_counted(code.attributes)}"
        yield f"random numbers: {_counted(code.chance)}"
        deep = f", at most {code.nested_loops} within each other" if code.loops else ""
        yield f"{code.loops} loops{deep}; {code.functions} inner functions"
        yield f"remembers {', '.join(code.remembers) or 'nothing of its own'}"
        yield f"goes through whole histories: {_yes(code.whole_history)}"
        yield f"reads scores: {_yes(code.reads_scores)}; the length of the match: {_yes(code.reads_length)}"
    if one.seconds == one.seconds:
        yield f"about {one.seconds:.3f} s for 1,000 rounds, the start of the sandbox included"
    for fault in one.faults:
        at = "" if fault.turn is None else f" in round {fault.turn + 1}"
        yield f"fault ({fault.kind}){at}: {fault.reason}"


def _same(one: StrategyFacts) -> str:
    parts = [
        f"{what} as {', '.join(names[:8])}{', …' if len(names) > 8 else ''}"
        for what, names in (("Same source", one.same_code), ("Same moves on the panel", one.same_play))
        if names
    ]
    return "; ".join(parts)


def _cell(value: float, n: int) -> str:
    if n == 0:
        return "– (0)"
    return f"{value:.2f} ({n})" if n <= _FEW else f"{value:.2f}"


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}×" for name, n in counts.items()) or "none"


def _yes(value: bool) -> str:
    return "yes" if value else "no"
