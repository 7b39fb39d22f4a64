"""Strategies written in Python as automata: declarations are read, functions learned from their play.

A likelihood needs a table. A function that draws nothing and is not told how long the match is answers every
history with one move, so that its table, if it has one, can be found by asking: it plays in the sandbox
against moves, and after slips of its own, that are chosen for it. States are told apart by what follows them,
and each counterexample in further random play adds a question (Angluin 1987; Rivest & Schapire 1993). What
has no table of `MOST_LEARNED` states is refused, and stays what a tournament can play.

References
----------
Angluin 1987, Information and Computation 75:87; Rivest & Schapire 1993, Information and Computation 103:299.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.arena.engines import make_engine
from intent.arena.entrant import Entrant
from intent.arena.match import Engine, Fault, Job, MatchRules
from intent.arena.sources.reader import DECLARED, FileStrategy, declared_values, strategies_in
from intent.arena.streams import MatchStreams
from intent.base.errors import DataError, StrategyError, located, one_line
from intent.base.files import bounds, file_text
from intent.base.settings import Document
from intent.strategies.catalogue import OUTCOMES, Strategy, outcome_code, state_names, strategy

__all__ = ["MOST_LEARNED", "learned", "read_python"]

MOST_LEARNED = 64
"""States that a learned automaton may have."""

_TOO_MANY = f"it plays like no automaton of {MOST_LEARNED} states or fewer"

_CHECKED = ((400, 50), (100, 400))
"""Words that the automaton is compared with the code on: how many, of how many rounds."""

_BENTS = (0.0, 0.02, 0.2, 0.5, 0.8, 1.0)
"""Probability of a slip, and of the other's cooperation, over a stretch of them."""

_NOISE = 0.25
"""Any noise: which moves are flipped is said for every match."""

_MOST_MOVES = 1_000_000
"""Rounds that learning one function may take."""

_DEPTH = 2
"""Rounds that states are told apart by before any counterexample."""

Word = tuple[int, ...]
"""What happens round by round: 2 * (own move slips) + (the other cooperates)."""


def read_python(path: Path) -> Document:
    """The strategies of a Python file as a file of values has them; nothing of it runs outside the sandbox.

    The list `DECLARED`, of literals, where there is one; else every class and function that plays.

    Parameters
    ----------
    path : Path

    Raises
    ------
    DataError
        A file that is not readable, holds no strategy, or one without a table, with its line and the reason.
    """
    text = file_text(path, bounds().settings_bytes, "a file of strategies")
    try:
        items, _ = strategies_in(text, Path(path.name))
        declared = declared_values(text, path.name)
    except StrategyError as error:
        raise DataError(f"{path.name}: {error}") from None
    by_name = {item.name: item for item in items}
    chosen: list[Any] = [item.name for item in items] if declared is None else [v for v, _ in declared]
    if not chosen:
        raise DataError(f"{path.name}: no strategy, expected a list {DECLARED} or functions (self, opponent)")
    entries, lines = [], dict[tuple[str, ...], str]()
    for i, value in enumerate(chosen):
        item = by_name.get(value) if isinstance(value, str) else None
        entries.append(value if item is None else _entry(item))
        at = "" if item is None else item.origin
        if declared is not None:
            at = located(path.name, "", declared[i][1]).rstrip(": ")
        if at:
            lines["strategies", str(i)] = at
    return Document({"strategies": entries}, lines)


def _entry(item: FileStrategy) -> dict[str, Any]:
    """The values of a function's automaton.

    Raises
    ------
    DataError
        It has none.
    """
    if item.entrant is None:
        raise DataError(f"{item.origin}: {item.name}: {item.reason}")
    entrant = item.entrant
    try:
        automaton = learned(entrant)
    except StrategyError as error:
        raise DataError(
            f"{item.origin}: {item.name} has no table, which labels and play of automata need: {error}; "
            "intent tournament plays it as code"
        ) from None
    names = state_names(automaton)
    states = {
        names[s]: {"cooperate": p, **dict(zip(OUTCOMES, (names[t] for t in row), strict=True))}
        for s, (p, row) in enumerate(zip(automaton.p_cooperate, automaton.next_state, strict=True))
    }
    rule = one_line(entrant.words, 300) if entrant.words else ""
    about = (
        f"learned from its code ({automaton.n_states} states, equal in {_checked_rounds():,} random rounds)"
    )
    return {
        "name": item.name,
        "states": states,
        "start": names[automaton.start],
        "rule": f"{rule} [{about}]" if rule else about,
    }


def _checked_rounds() -> int:
    return sum(n * rounds for n, rounds in _CHECKED)


@lru_cache(maxsize=256)
def learned(entrant: Entrant) -> Strategy:
    """The automaton of written code.

    Parameters
    ----------
    entrant : Entrant, with source code that the gate let in

    Returns
    -------
    Strategy
        The fewest states that play as the code did.

    Raises
    ------
    StrategyError
        The code draws random numbers, asks for the length of the match, fails, or plays like no automaton of
        at most `MOST_LEARNED` states.
    UsageError
        Nothing here can confine code.
    """
    if entrant.automaton is not None:
        return entrant.automaton
    if entrant.draws:
        raise StrategyError("it draws random numbers, of which play shows samples alone")
    if "match_attributes" in entrant.source:
        raise StrategyError("it asks for the length of the match")
    with make_engine("auto", workers=1) as engine:
        return _Learner(entrant, engine).automaton()


@dataclass(frozen=True)
class _Slips(MatchStreams):
    """Streams of a match in which it is said whose moves slip."""

    rows: tuple[NDArray[np.bool_], ...] = field(default=(), compare=False)

    def flips(self, seat: int, turns: int, noise: float) -> NDArray[np.bool_]:
        """(turns,) as they were said."""
        return self.rows[seat]


class _Learner:
    """Asks code what it plays after words, and makes states of the answers.

    Attributes
    ----------
    suffixes : list of Word, by which states are told apart
    answers : word -> whether the code means to cooperate after it
    """

    def __init__(self, entrant: Entrant, engine: Engine) -> None:
        partner = Entrant("\x1fpartner", automaton=strategy("ALLC"))
        self._field, self._engine = (entrant, partner), engine
        self._moves = 0
        self.answers: dict[Word, bool] = {}
        self.suffixes: list[Word] = [()]
        for length in range(1, _DEPTH + 1):
            self.suffixes += _words(length)

    def automaton(self) -> Strategy:
        """States and their table, refined until random play agrees with them.

        Raises
        ------
        StrategyError
        """
        rng = np.random.default_rng(0)
        tests = [_random_words(n, rounds, rng) for n, rounds in _CHECKED]
        observed = [self._play(words) for words in tests]
        while True:
            access, table = self._hypothesis()
            intends = np.array([self.answers[word] for word in access])
            worst: Word | None = None
            for words, moves in zip(tests, observed, strict=True):
                state = np.zeros(len(words), dtype=np.intp)
                for t in range(moves.shape[1]):
                    wrong = np.flatnonzero(intends[state] != moves[:, t])
                    if len(wrong) and (worst is None or t < len(worst)):
                        worst = tuple(int(a) for a in words[wrong[0], :t])
                        break
                    if t < words.shape[1]:
                        state = table[state, words[:, t]]
            if worst is None:
                return _strategy(intends, table)
            self._refine(worst, access, table)

    def _hypothesis(self) -> tuple[list[Word], NDArray[np.intp]]:
        """Shortest words that lead to each state, and the next states (S, 4)."""
        access: list[Word] = [()]
        states = {self._signatures([()])[0]: 0}
        rows: list[list[int]] = []
        done = 0
        while done < len(access):
            front = access[done:]
            after = [(*word, a) for word in front for a in range(4)]
            for word, signature in zip(after, self._signatures(after), strict=True):
                if signature not in states:
                    if len(access) >= MOST_LEARNED:
                        raise StrategyError(_TOO_MANY)
                    states[signature] = len(access)
                    access.append(word)
                if word[-1] == 0:
                    rows.append([])
                rows[-1].append(states[signature])
            done += len(front)
        return access, np.array(rows, dtype=np.intp)

    def _signatures(self, words: Sequence[Word]) -> list[tuple[bool, ...]]:
        """What the code means to do after each word and every suffix."""
        self._ask(word + suffix for word in words for suffix in self.suffixes)
        return [tuple(self.answers[word + suffix] for suffix in self.suffixes) for word in words]

    def _refine(self, word: Word, access: Sequence[Word], table: NDArray[np.intp]) -> None:
        """Add the suffix that tells two words of one state apart (Rivest & Schapire 1993, section 4.3).

        Its own suffixes come with it, so that what counts far is seen to have many states at once.
        """
        path = [0]
        for a in word:
            path.append(int(table[path[-1], a]))
        words = [access[s] + word[i:] for i, s in enumerate(path)]
        self._ask(words)
        answers = [self.answers[w] for w in words]
        i = next(i for i in range(len(word)) if answers[i] != answers[i + 1])
        suffix = word[i + 1 :]
        if suffix in self.suffixes:
            raise StrategyError("it does not answer the same history with the same move")
        if len(suffix) > 2 * MOST_LEARNED:  # states of that few are told apart by half of it
            raise StrategyError(_TOO_MANY)
        known = set(self.suffixes)
        self.suffixes += [suffix[k:] for k in range(len(suffix)) if suffix[k:] not in known]

    def _ask(self, words: Iterable[Word]) -> None:
        """Let the code answer what is not known yet, the words of about one length together."""
        unknown = sorted({word for word in words if word not in self.answers}, key=len)
        while unknown:
            longest = len(unknown[-1])
            batch = [word for word in unknown if 2 * len(word) >= longest]
            unknown = unknown[: len(unknown) - len(batch)]
            padded = np.array([word + (1,) * (longest - len(word)) for word in batch], dtype=np.int8)
            moves = self._play(padded.reshape(len(batch), longest))
            for word, row in zip(batch, moves, strict=True):
                self.answers[word] = bool(row[len(word)])

    def _play(self, words: NDArray[np.int8]) -> NDArray[np.bool_]:
        """What the code means to do in each of rounds 1 .. L + 1, (n, L + 1), while words (n, L) happen."""
        n, length = words.shape
        self._moves += n * (length + 1)
        if self._moves > _MOST_MOVES:
            raise StrategyError(_TOO_MANY)
        slips = np.zeros((n, length + 1), dtype=bool)
        others = np.zeros((n, length + 1), dtype=bool)
        slips[:, :length], others[:, :length] = words >= 2, words % 2 == 0
        rules = MatchRules(turns=length + 1, noise=_NOISE, known_length=False, fidelity="clean")
        step = max(1, 2_000_000 // (length + 1))
        parts = []
        for first in range(0, n, step):
            rows = range(first, min(first + step, n))
            seeds = tuple(_Slips(b"\0" * 32, (slips[i], others[i])) for i in rows)
            for ended in self._engine.play(self._field, [Job(0, 1, seeds)], rules):
                if isinstance(ended, Fault):
                    where = f" in round {ended.turn + 1}" if ended.turn is not None else ""
                    raise StrategyError(f"it fails{where} ({one_line(ended.reason, 120)})")
                parts.append(ended.moves[:, 0, :].astype(bool) ^ slips[rows.start : rows.stop])
        return np.concatenate(parts)


def _words(length: int) -> list[Word]:
    """All words of a length."""
    return [tuple(i >> 2 * k & 3 for k in range(length)) for i in range(4**length)]


def _random_words(n: int, rounds: int, rng: np.random.Generator) -> NDArray[np.int8]:
    """Words (n, rounds) in stretches, each of its own bent: who counts is led far away and back again."""
    words = np.empty((n, rounds), dtype=np.int8)
    for i in range(n):
        cuts = np.sort(rng.integers(0, rounds, size=int(rng.integers(0, 4))))
        stretch = np.searchsorted(cuts, np.arange(rounds), side="right")
        slip, bent = (rng.choice(_BENTS, size=len(cuts) + 1)[stretch] for _ in range(2))
        if i % 2:
            slip = np.minimum(slip, _BENTS[1])
        words[i] = 2 * (rng.random(rounds) < slip) + (rng.random(rounds) < bent)
    return words


def _strategy(intends: NDArray[np.bool_], table: NDArray[np.intp]) -> Strategy:
    """The automaton on realised moves."""
    rows = []
    for s, cooperates in enumerate(intends.tolist()):
        row = [0, 0, 0, 0]
        for word in range(4):
            slips, other = divmod(word, 2)
            row[outcome_code(int(cooperates) ^ slips, other)] = int(table[s, word])
        rows.append((row[0], row[1], row[2], row[3]))
    return Strategy("learned", tuple(float(c) for c in intends.tolist()), tuple(rows))
