"""Are learners told from automata, and do planted parameters come back? Simulated play, code of its own.

Telling apart. Each data set is a population that plays the Prisoner's Dilemma, or a random game of two
actions, in four supergames of ten rounds with changing partners. All its subjects learn by reinforcement, by
experience-weighted attraction, or by beliefs, with parameters drawn for the population, or they are automata
(ALLC, ALLD, TFT, GRIM, WSLS in drawn shares) that tremble. Two accounts predict the moves of subjects left
out: the learning model that fits the training part best, and the mixture of automata. The account with the
smaller loss is named where the 95 % interval of the difference, clustered by subject, leaves out 0; else none
is. A line holds the share of data sets that were named right, not named, and named wrong.

Recovery (``--recovery``). Coverage of 95 % intervals, and bias in standard errors of the spread, of every
parameter of the models of learning, over simulated populations of 200 subjects and 60 rounds.
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
        "wrong": round(1 - right - none, 6),
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


def recovery(
    kind: str, actions: int, repetitions: int, seed: int, *, n: int = 200, errors: str = "subject"
) -> list[dict[str, Any]]:
    """Bias and coverage of each parameter; intervals of those sought by logarithm are of the logarithm."""
    truth = np.array(TRUTH[kind, actions])
    values = np.full((repetitions, len(truth)), np.nan)
    errs = values.copy()
    for i in range(repetitions):
        rng = np.random.default_rng([seed, i, actions, KINDS.index(kind)])
        model = make_model(kind, n_starts=1, errors=errors).fit(against_drift(kind, n, 60, actions, rng))
        rows = model.parameters()
        values[i] = [p.value for p in rows]
        errs[i] = [np.nan if p.se is None else p.se for p in rows]
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
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
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
        for kind in args.kinds:
            for actions in args.actions if kind != "automata" else ():
                for line in recovery(kind, actions, repetitions, args.seed, errors=args.errors):
                    show(line)
    else:
        repetitions = args.repetitions or (40 if args.full else 2)
        for kind in args.kinds:
            for game in ("dilemma", "random game"):
                for n in args.sizes:
                    show(rates(kind, game, n, repetitions, args.seed))
    if args.json:
        sys.stdout.write(json.dumps(lines) + "\n")


if __name__ == "__main__":
    main()
