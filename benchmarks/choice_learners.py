"""Are learners told from automata, and do planted parameters come back? Simulated play, code of its own.

Telling apart. Each data set is a population that plays the Prisoner's Dilemma, or a random game of two
actions, in four supergames of ten rounds with changing partners. All its subjects learn by reinforcement, by
experience-weighted attraction, or by beliefs, with parameters drawn for the population, or they are automata
(ALLC, ALLD, TFT, GRIM, WSLS in drawn shares) that tremble. Two accounts predict the moves of subjects left
out: the learning model that fits the training part best, and the mixture of automata. The account with the
smaller loss is named where the 95 % interval of the difference, clustered by subject, leaves out 0; else none
is. A line holds the share of data sets that were named right, not named, and named wrong.

Recovery (``--recovery``). Coverage of 95 % intervals, and bias in standard errors of the spread, of every
parameter: of the models of learning over simulated populations of 200 subjects and 60 rounds; of learning
over strategies over 150 subjects of ten games of six rounds; of quantal response and levels of reasoning over
150 subjects of one round each of ten random games of three actions.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from intent.estimate.choice.choices import Choices
from intent.estimate.choice.model import make_model, moves_made

Floats = NDArray[np.float64]

PD = np.array([[1.0, 5.0], [0.0, 3.0]])
RPS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
LEARNERS = ("reinforcement", "attraction", "belief")
KINDS = (*LEARNERS, "automata")
OTHERS = ("strategy-learning", "quantal", "level-k")
AUTOMATA = {
    "ALLC": ((1,), ((0, 0, 0, 0),)),
    "ALLD": ((0,), ((0, 0, 0, 0),)),
    "TFT": ((1, 0), ((0, 1, 0, 1), (0, 1, 0, 1))),
    "GRIM": ((1, 0), ((0, 1, 1, 1), (1, 1, 1, 1))),
    "WSLS": ((1, 0), ((0, 1, 1, 0), (0, 1, 1, 0))),
}
"""Whether each state cooperates, and the next state after CC, CD, DC, DD."""

Chooser = Callable[[], Floats]
Learner = Callable[[Floats, Floats], None]


class Population:
    """n subjects who state probabilities of actions and are shown what was played."""

    def __init__(self, kind: str, n: int, pays: Floats, numbers: Sequence[float]) -> None:
        self.kind, self.pays, self.x = kind, (pays - pays.min()) / np.ptp(pays), numbers
        self.a = len(pays)
        if kind == "reinforcement":
            self.q = np.tile(numbers[2] * _softmax(np.r_[0.0, numbers[3:]]), (n, 1))
        elif kind == "attraction":
            self.q, self.count = np.tile(np.r_[0.0, numbers[5:]], (n, 1)), float(numbers[4])
        else:
            self.q = np.tile(numbers[2] * _softmax(np.r_[0.0, numbers[2 + self.a :]]), (n, 1))

    def probabilities(self) -> Floats:
        """(n, A)."""
        if self.kind == "reinforcement":
            return self.q / self.q.sum(1, keepdims=True)
        if self.kind == "attraction":
            return _softmax(self.x[3] * self.q)
        belief = self.q / self.q.sum(1, keepdims=True)
        return _softmax(self.x[1] * belief @ self.pays.T + np.r_[0.0, self.x[3 : 2 + self.a]])

    def watch(self, own: NDArray[np.int8], other: NDArray[np.int8]) -> None:
        """Learn from a round."""
        mine, foregone = np.eye(self.a)[own], self.pays[:, other].T
        if self.kind == "reinforcement":
            got = (mine * foregone).sum(1, keepdims=True)
            share = np.where(mine > 0, 1 - self.x[1], self.x[1] / (self.a - 1))
            self.q = (1 - self.x[0]) * self.q + share * got
        elif self.kind == "attraction":
            phi, delta, kappa = self.x[:3]
            after = phi * (1 - kappa) * self.count + 1
            weight = delta + (1 - delta) * mine
            self.q = (phi * self.count * self.q + weight * foregone) / after
            self.count = after
        else:
            self.q = self.x[0] * self.q + np.eye(self.a)[other]


def drawn_numbers(kind: str, rng: np.random.Generator) -> list[float]:
    """Parameters of a population of two actions, in the order of the model's."""
    u = rng.uniform
    if kind == "reinforcement":
        return [u(0.02, 0.2), u(0.02, 0.15), u(0.5, 3.0), u(-0.5, 1.0)]
    if kind == "attraction":
        return [u(0.8, 0.98), u(0.1, 0.8), u(0.0, 0.8), u(2.0, 8.0), u(0.5, 2.0), u(-0.1, 0.2)]
    return [u(0.5, 0.95), u(3.0, 10.0), u(0.5, 3.0), u(0.0, 2.0), u(-0.5, 1.0)]


def played(kind: str, n: int, pays: Floats, rng: np.random.Generator) -> tuple[Choices, list[float]]:
    """A population's play: four supergames of ten rounds, partners drawn anew for each (n is even)."""
    numbers = [] if kind == "automata" else drawn_numbers(kind, rng)
    who = None if kind == "automata" else Population(kind, n, pays, numbers)
    shares, tremble = rng.dirichlet(np.full(len(AUTOMATA), 1.5)), rng.uniform(0.03, 0.12)
    names = rng.choice(list(AUTOMATA), n, p=shares)
    own, other = np.zeros((2, 4, n, 10), dtype=np.int8)
    for game in range(4):
        order = rng.permutation(n)
        partner = np.empty(n, dtype=int)
        partner[order[::2]], partner[order[1::2]] = order[1::2], order[::2]
        state = np.zeros(n, dtype=int)
        for t in range(10):
            if who is None:
                intends = np.array([AUTOMATA[s][0][z] for s, z in zip(names, state, strict=True)])
                moves = (intends ^ (rng.random(n) < tremble)).astype(np.int8)
            else:
                moves = (rng.random(n) < who.probabilities()[:, 1]).astype(np.int8)
            theirs = moves[partner]
            own[game, :, t], other[game, :, t] = moves, theirs
            if who is None:
                after = 3 - 2 * moves - theirs
                state = np.array([AUTOMATA[s][1][z][o] for s, z, o in zip(names, state, after, strict=True)])
            else:
                who.watch(moves, theirs)
    return _choices(own.transpose(1, 0, 2), other.transpose(1, 0, 2), pays), numbers


def _choices(own: NDArray[np.int8], other: NDArray[np.int8], pays: Floats) -> Choices:
    """(n, games, rounds) of moves as choices, the games of a subject one after the other."""
    n, games, rounds = own.shape
    own, other = own.reshape(-1, rounds), other.reshape(-1, rounds)
    names = ("defect", "cooperate") if len(pays) == 2 else ("r", "p", "s")
    of = np.zeros(n * games, dtype=np.intp)
    return Choices(
        own, other, own.copy(), names, np.arange(n * games) // games, payoffs=pays[None], payoff_of=of
    )


def verdict(X: Choices, rng: np.random.Generator, folds: int = 2) -> tuple[str, float, float]:
    """Which account wins on subjects left out: name or "none", difference in nats per move, half width."""
    from scipy.stats import t as student

    subjects = np.unique(X.subject)
    fold = rng.permutation(len(subjects)) % folds
    of = fold[np.searchsorted(subjects, X.subject)]
    gain = np.zeros(len(X))
    for k in range(folds):
        train, test = X[of != k], X[of == k]
        learners = [make_model(name, n_starts=1).fit(train) for name in LEARNERS]
        best = max(learners, key=lambda m: m.log_likelihood_)  # type: ignore[attr-defined]
        automata = make_model("automata").fit(train)
        logs = [np.log(moves_made(m.next_move(test), test)).sum(1) for m in (best, automata)]
        gain[of == k] = logs[0] - logs[1]
    totals = np.array([gain[X.subject == s].sum() for s in subjects])
    moves = X.n_moves / len(subjects)
    mean, error = totals.mean() / moves, totals.std(ddof=1) / np.sqrt(len(totals)) / moves
    half = float(student.ppf(0.975, len(totals) - 1)) * error
    name = "none" if abs(mean) <= half else "learning" if mean > 0 else "automata"
    return name, float(mean), float(half)


def rates(kind: str, game: str, n: int, repetitions: int, seed: int) -> dict[str, Any]:
    """Shares of data sets named right, not at all, wrong."""
    truth, names, gains = "automata" if kind == "automata" else "learning", [], []
    for i in range(repetitions):
        rng = np.random.default_rng([seed, i, n, KINDS.index(kind), len(game)])
        pays = PD if game == "dilemma" else rng.random((2, 2))
        name, gain, _ = verdict(played(kind, n, pays, rng)[0], rng)
        names.append(name)
        gains.append(gain)
    right, none = names.count(truth) / repetitions, names.count("none") / repetitions
    return {
        "kind": kind,
        "game": game,
        "subjects": n,
        "data_sets": repetitions,
        "right": right,
        "abstained": none,
        "wrong": (repetitions - names.count(truth) - names.count("none")) / repetitions,
        "gain": float(np.mean(gains)),
    }


TRUTH: dict[tuple[str, int], list[float]] = {
    ("reinforcement", 2): [0.1, 0.15, 2.0, 0.4],
    ("attraction", 2): [0.95, 0.4, 0.2, 6.0, 0.5, 0.1],
    ("belief", 2): [0.8, 6.0, 2.0, 1.0, -0.4],
    ("reinforcement", 3): [0.1, 0.15, 2.0, 0.4, -0.4],
    ("attraction", 3): [0.95, 0.4, 0.2, 6.0, 0.5, 0.1, -0.1],
    ("belief", 3): [0.8, 6.0, 2.0, 0.3, -0.3, -0.4, 0.5],
}


def against_drift(kind: str, n: int, rounds: int, actions: int, rng: np.random.Generator) -> Choices:
    """Subjects of planted parameters against players whose inclinations drift, so that all is learnable."""
    pays = PD if actions == 2 else RPS
    who = Population(kind, n, pays, TRUTH[kind, actions])
    own, other = np.zeros((2, n, 1, rounds), dtype=np.int8)
    leaning = rng.standard_normal((n, actions))
    for t in range(rounds):
        leaning = 0.9 * leaning + 0.8 * rng.standard_normal((n, actions))
        moves, theirs = _drawn(who.probabilities(), rng), _drawn(_softmax(leaning), rng)
        own[:, 0, t], other[:, 0, t] = moves, theirs
        who.watch(moves, theirs)
    return _choices(own, other, pays)


STRATEGIES = ("ALLD", "ALLC", "TFT", "RANDOM")
LEARNING = [0.1, 0.8, 0.4, 3.0, 0.3, -0.4, 0.2]
"""Tremble, phi, delta, lambda, initial log odds of the last three to the first."""


def intends(name: str, state: int) -> float:
    """Probability that a strategy means to cooperate."""
    return 0.5 if name == "RANDOM" else float(AUTOMATA[name][0][state])


def goes(name: str, state: int, mine: int, theirs: int) -> int:
    """Its next state."""
    return 0 if name == "RANDOM" else AUTOMATA[name][1][state][3 - 2 * mine - theirs]


def likelihoods(own: Sequence[int], other: Sequence[int], tremble: float) -> Floats:
    """(K,) of a game under each strategy, which sum to one."""
    out = np.ones(len(STRATEGIES))
    for k, name in enumerate(STRATEGIES):
        state = 0
        for mine, theirs in zip(own, other, strict=True):
            p = intends(name, state)
            q = p * (1 - tremble) + (1 - p) * tremble
            out[k] *= q if mine else 1 - q
            state = goes(name, state, mine, theirs)
    return np.asarray(out / out.sum())


def meeting(a: str, b: str, rounds: int, pays: Floats) -> float:
    """Mean payoff of a against b over every way that coins may fall."""
    total, nodes = 0.0, [(1.0, 0, 0)]
    for _ in range(rounds):
        after: dict[tuple[int, int], float] = {}
        for weight, i, j in nodes:
            for mine in (0, 1):
                for theirs in (0, 1):
                    p, q = intends(a, i), intends(b, j)
                    chance = weight * (p if mine else 1 - p) * (q if theirs else 1 - q)
                    total += chance * pays[mine, theirs]
                    to = (goes(a, i, mine, theirs), goes(b, j, theirs, mine))
                    after[to] = after.get(to, 0.0) + chance
        nodes = [(weight, *to) for to, weight in after.items() if weight]
    return total / rounds


def strategy_learners(n: int, games: int, rounds: int, rng: np.random.Generator) -> Choices:
    """Subjects who learn over strategies, against strategies that tremble."""
    tremble, phi, delta, weight = LEARNING[:4]
    pays, k = PD / 5, len(STRATEGIES)
    would = np.array([[meeting(a, b, rounds, pays) for b in STRATEGIES] for a in STRATEGIES])
    own, other = np.zeros((2, n, games, rounds), dtype=np.int8)
    for i in range(n):
        odds, learned = np.array([0.0, *LEARNING[4:]]), np.zeros(k)
        for g in range(games):
            pair = (
                STRATEGIES[rng.choice(k, p=_softmax(odds + weight * learned))],
                STRATEGIES[rng.integers(k)],
            )
            state = [0, 0]
            for t in range(rounds):
                move = [
                    int((rng.random() < intends(s, z)) ^ (rng.random() < tremble))
                    for s, z in zip(pair, state, strict=True)
                ]
                own[i, g, t], other[i, g, t] = move
                state = [goes(pair[0], state[0], *move), goes(pair[1], state[1], *move[::-1])]
            mine, theirs = own[i, g].tolist(), other[i, g].tolist()
            r, b = likelihoods(mine, theirs, tremble), likelihoods(theirs, mine, tremble)
            learned = phi * learned + r * pays[mine, theirs].mean() + (1 - r) * delta * (would @ b)
            odds = phi * odds
    return _choices(own, other, PD)


SHARES = [0.15, 0.4, 0.25, 0.2]


def one_shot(kind: str, n: int, rng: np.random.Generator) -> tuple[Choices, float]:
    """Subjects of one round of each of ten random games of three actions; and lambda."""
    precision = 5.0
    own, other = rng.random((2, 10, 3, 3))
    pays = [(t - t.min(axis=(1, 2), keepdims=True)) / np.ptp(own, axis=(1, 2)).max() for t in (own, other)]
    level = rng.choice(4, n, p=SHARES)
    moves = np.zeros((n, 10), dtype=np.int8)
    for g in range(10):
        mine, theirs = pays[0][g], pays[1][g]
        if kind == "quantal":
            p, q = np.full((2, 3), 1 / 3)
            for step in np.linspace(0, precision, 400):  # slowly up from chance, as the branch goes
                for _ in range(60):
                    p, q = (
                        p + 0.3 * (_softmax(step * mine @ q) - p),
                        q + 0.3 * (_softmax(step * p @ theirs) - q),
                    )
            chances = np.tile(p, (n, 1))
        else:
            views, best, rival = [np.zeros(3)], np.full(3, 1 / 3), np.full(3, 1 / 3)
            for _ in range(3):
                views.append(mine @ rival)
                best, rival = np.eye(3)[(mine @ rival).argmax()], np.eye(3)[(best @ theirs).argmax()]
            chances = _softmax(precision * np.array(views))[level]
        moves[:, g] = _drawn(chances, rng)
    flat = moves.reshape(-1, 1)
    X = Choices(
        flat,
        np.zeros_like(flat),
        flat.copy(),
        ("a", "b", "c"),
        np.repeat(np.arange(n), 10),
        payoffs=own,
        payoff_of=np.tile(np.arange(10), n),
        other_payoffs=other,
    )
    return X, precision


def drawn_data(kind: str, actions: int, n: int, rng: np.random.Generator) -> tuple[Choices, list[float]]:
    """A data set, and the numbers planted in it."""
    if kind in LEARNERS:
        return against_drift(kind, n, 60, actions, rng), TRUTH[kind, actions]
    if kind == "strategy-learning":
        return strategy_learners(150, 10, 6, rng), LEARNING
    X, precision = one_shot(kind, 150, rng)
    return X, [precision] if kind == "quantal" else [precision, *SHARES]


def recovery(
    kind: str, actions: int, repetitions: int, seed: int, *, n: int = 200, errors: str = "subject"
) -> list[dict[str, Any]]:
    """Bias and coverage of each parameter; intervals of those sought by logarithm are of the logarithm."""
    settings: dict[str, Any] = {} if kind == "quantal" else {"n_starts": 1}
    if kind in LEARNERS:
        settings["errors"] = errors
    name = f"{kind}:{','.join(STRATEGIES[:3])}" if kind == "strategy-learning" else kind
    of_sets, errors_of_sets = [], []
    for i in range(repetitions):
        rng = np.random.default_rng([seed, i, actions, (*KINDS, *OTHERS).index(kind)])
        X, planted = drawn_data(kind, actions, n, rng)
        rows = make_model(name, **settings).fit(X).parameters()
        of_sets.append([p.value for p in rows])
        errors_of_sets.append([np.nan if p.se is None else p.se for p in rows])
    values, errs, truth = np.array(of_sets), np.array(errors_of_sets), np.array(planted)
    logs = np.array([p.unit in ("spans", "per span", "rounds") and p.of == "" for p in rows])
    out = []
    for j, row in enumerate(rows):
        x, t = values[:, j], truth[j]
        if logs[j]:
            gap, error = np.log(x / t), errs[:, j] / x
        else:
            gap, error = x - t, errs[:, j]
        known = np.isfinite(error)
        out.append(
            {
                "model": kind,
                "actions": actions,
                "parameter": f"{row.name} {row.of}".strip(),
                "truth": float(t),
                "replications": repetitions,
                "bias": float(gap.mean() / gap.std(ddof=1)),
                "coverage": float((np.abs(gap[known]) <= 1.96 * error[known]).mean()),
                "without_error": float(1 - known.mean()),
            }
        )
    return out


def _drawn(p: Floats, rng: np.random.Generator) -> NDArray[np.int8]:
    below = rng.random((len(p), 1)) > np.cumsum(p, axis=1)[:, :-1]
    return below.sum(1).astype(np.int8)


def _softmax(x: Floats) -> Floats:
    weights = np.exp(x - x.max(-1, keepdims=True))
    out: Floats = weights / weights.sum(-1, keepdims=True)
    return out


def main(arguments: Sequence[str] | None = None) -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="40 data sets a line, 500 replications")
    parser.add_argument("--recovery", action="store_true", help="coverage of parameters instead")
    parser.add_argument("--repetitions", type=int, help="data sets or replications")
    parser.add_argument("--sizes", type=int, nargs="+", default=[16, 60], help="subjects, even numbers")
    parser.add_argument("--kinds", nargs="+", choices=(*KINDS, *OTHERS))
    parser.add_argument("--actions", type=int, nargs="+", choices=(2, 3), default=[2, 3])
    parser.add_argument("--errors", choices=("subject", "information"), default="subject")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args(arguments)
    lines: list[dict[str, Any]] = []

    def show(line: dict[str, Any]) -> None:
        lines.append(line)
        if not args.json:
            cells = (f"{v:.3f}" if isinstance(v, float) else str(v) for v in line.values())
            sys.stdout.write("  ".join(f"{c:>14}" for c in cells) + "\n")
            sys.stdout.flush()

    if args.recovery:
        repetitions = args.repetitions or (500 if args.full else 20)
        for kind in (k for k in args.kinds or (*LEARNERS, *OTHERS) if k != "automata"):
            for actions in (
                args.actions if kind in LEARNERS else (2,) if kind == "strategy-learning" else (3,)
            ):
                for line in recovery(kind, actions, repetitions, args.seed, errors=args.errors):
                    show(line)
    else:
        repetitions = args.repetitions or (40 if args.full else 2)
        for kind in (k for k in args.kinds or KINDS if k in KINDS):
            for game in ("dilemma", "random game"):
                for n in args.sizes:
                    show(rates(kind, game, n, repetitions, args.seed))
    if args.json:
        sys.stdout.write(json.dumps(lines) + "\n")


if __name__ == "__main__":
    main()
