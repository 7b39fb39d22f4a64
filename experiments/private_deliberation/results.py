"""The tables, figures and verdicts of the study of private deliberation, from a log of such games."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from intent.base.errors import DataError
from intent.base.files import bounds, file_bytes, json_value
from intent.report.results import Collected
from intent.version import __version__

from .play import INFERRED, ITERATIONS, Play, in_words, panel_of, read_play
from .tables import cooperation, deceptions, equilibria, histories, lengths, perceptions, published, utilities

if TYPE_CHECKING:
    from intent.base.statistics import Interval
    from intent.logs.gamelog import GameLog


__all__ = ["write_results"]


def add_verdicts(play: Play, out: Collected, sampling: Path) -> None:
    """H1, H2 and the comparisons of agents, each with its evidence; what cannot be told is left out.

    A claim is supported where a 95 % interval over games lies wholly on its side, not supported where it
    lies wholly on the other, undecided otherwise and wherever there are fewer than `verdicts.LEAST` games.
    Models are judged apart.
    """
    _h1(out, sampling)
    _h2(play, out)
    _better(play, out)
    _over_x(play, out)


def _h1(out: Collected, folder: Path) -> None:
    file = folder / "sampling.json"
    if not file.is_file():
        out.skip(
            "H1", f"no {folder.name}/sampling.json among the results (intent sampling -o FOLDER/sampling)"
        )
        return
    try:
        sampled = json_value(file_bytes(file, bounds().object_bytes))
        answers = {str(d["distribution"]): d["compatible"] for d in sampled["distributions"]}
        model, verdict = str(sampled["model"]), str(sampled["verdict"])
    except (DataError, ValueError, KeyError, TypeError, RecursionError):
        out.skip("H1", f"{folder.name}/sampling.json is not what intent sampling writes")
        return
    judged = {"all compatible": "supported", "undecided": "undecided"}.get(verdict, "not supported")
    words = {True: "passes", False: "fails", None: "too few numbers"}
    evidence = "; ".join(f"{name} {words.get(answer, 'unknown')}" for name, answer in answers.items())
    criterion = "no test of what was sampled rejects the distribution asked for"
    _add(out, "H1", f"{model} can sample from a distribution", criterion, judged, evidence, "not supported")


def _h2(play: Play, out: Collected) -> None:
    from .tables import perceived_types, type_recognition

    types = play.keyed(perceived_types(play.log))
    both = types[types["agents"] == "private v public"]
    if not len(both):
        out.skip("H2", "no answers on the type of the opponent from games of a private and a public agent")
        return
    for name, part in _by_model(both, play):
        table = type_recognition(part, [], **play.how).set_index("measure")
        row = table.to_dict("index")["accuracy"]
        private = table["estimate"].get("said_private", float("nan"))
        evidence = (
            f"accuracy {_shown(row)} of {row['n']:.0f} answers in {row['n_games']:.0f} games; "
            f"{private:.0%} of those read say private"
        )
        claim = f"{name}players tell a private from a public opponent better than a fair coin"
        criterion = "the interval of the accuracy, unread answers counting as wrong, lies above 50 %"
        side = _side(float(row["low"]) - 0.5, float(row["high"]) - 0.5, int(row["n_games"]))
        _add(out, "H2", claim, criterion, side, evidence, "not supported")


def _better(play: Play, out: Collected) -> None:
    """The private agent against its opponent, game by game."""
    table = play.fixed
    for values, part in play.groups(table):
        pair = str(values["agents"]).split(" v ")
        if "private" not in pair or pair[0] == pair[1]:
            continue
        other = next(agent for agent in pair if agent != "private")
        advantage = _advantage(part, other, play)
        if advantage is None:
            continue
        name = ", ".join(str(in_words(k, v)) for k, v in values.items() if k != "agents")
        unit = f"{advantage.estimate:.3g} ({advantage.low:.3g} to {advantage.high:.3g})"
        n_games = part["game_id"].nunique()
        claim = f"{name}: the private agent does better than {other}"
        evidence = f"mean advantage per iteration {unit}, in utilities, {n_games} games"
        criterion = "the interval of the mean difference of utilities lies above 0"
        published_verdict: str | None = (
            "not supported" if other == "TFT" or "head-tail" in name else "supported"
        )
        if not panel_of(str(values["game"]), str(values["agents"]), values.get("iterations", ITERATIONS)):
            published_verdict = None
        _add(
            out,
            "performance",
            claim,
            criterion,
            _side(advantage.low, advantage.high, n_games),
            evidence,
            published_verdict,
        )


def _advantage(part: pd.DataFrame, other: str, play: Play) -> Interval | None:
    """Mean over rounds of the private agent's utility less the other's."""
    from intent.base.statistics import cluster_bootstrap

    keys = ["game_id", "round"]
    mine, theirs = (part[part["agent"] == who].set_index(keys)["payoff"] for who in ("private", other))
    gain = (mine - theirs).dropna()
    if not len(gain):
        return None
    if (part["payoff_kind"] == "penalty").all():
        gain = -gain
    clusters = pd.factorize(gain.index.get_level_values("game_id"))[0]
    how = play.intervals
    return cluster_bootstrap(
        gain.to_numpy(dtype=float)[:, None], clusters, samples=how.samples, level=how.level, rng=play.rng
    )[0]


def _over_x(play: Play, out: Collected) -> None:
    """Cooperation falls from the least to the largest x."""
    moves = play.over_x[play.over_x["focal"]]
    values = sorted(moves["x"].dropna().unique())
    if len(values) < 2:
        out.skip("cooperation over x", "fewer than two values of x were played")
        return
    from intent.behaviour.means import cell_means
    from intent.comparison.differences import Trial, contrast, verdict_of

    for name, part in _by_model(moves, play):
        table = cell_means(part, ["x"], "cooperated", bounds=(0.0, 1.0), **play.how).set_index("x")
        shares = "; ".join(f"x = {x:g}: {_shown(table.loc[x])}" for x in values if x in table.index)
        games = part.groupby(["game_id", "x", "agents"], as_index=False, observed=True)["cooperated"].mean()
        games["agents"] = games["agents"].astype("category").cat.codes.astype(int)
        one, other = (games[games["x"] == x] for x in (values[0], values[-1]))
        difference = contrast(
            "difference",
            one["cooperated"].to_numpy(dtype=float),
            other["cooperated"].to_numpy(dtype=float),
            (one["agents"].to_numpy(), other["agents"].to_numpy()),
            1,
            Trial(play.rng, samples=play.intervals.samples, level=play.intervals.level),
        )
        claim = f"{name}models cooperate less at x = {values[-1]:g} than at x = {values[0]:g}"
        criterion = (
            "the interval of the difference of cooperation lies above 0, and so says a permutation of games "
            "within pairings"
        )
        evidence = f"{shares}; {difference.words()}"
        _add(out, "sensitivity", claim, criterion, verdict_of([difference]), evidence, "supported")


def _by_model(table: pd.DataFrame, play: Play) -> Iterator[tuple[str, pd.DataFrame]]:
    """The rows of each model (of each pair of models) and its name, empty where there is only one."""
    if "asked" not in play.by:
        yield "", table
        return
    for name, part in table.groupby("asked", sort=True, observed=True):
        yield f"{name}: ", part


def _side(low: float, high: float, n_games: int) -> str:
    """The verdict on a quantity that the claim says is positive."""
    from intent.comparison.differences import LEAST

    if n_games < LEAST:
        return "undecided"
    if low > 0:
        return "supported"
    return "not supported" if high < 0 else "undecided"


def _shown(row: Any) -> str:
    return f"{row['estimate']:.0%} ({row['low']:.0%} to {row['high']:.0%})"


def _add(
    out: Collected,
    hypothesis: str,
    claim: str,
    criterion: str,
    verdict: str,
    evidence: str,
    published_verdict: str | None,
) -> None:
    out.verdicts.append(
        {
            "hypothesis": hypothesis,
            "claim": claim,
            "criterion": criterion,
            "verdict": verdict,
            "evidence": evidence,
            "published": published_verdict,
            "beside": None,
        }
    )


SAMPLING = "sampling"
"""Folder within the results in which `intent sampling` may have left its own: hypothesis H1."""


def write_results(
    log: GameLog,
    folder: str | Path,
    *,
    seed: int = 0,
    bootstrap: int = 2000,
    image: str = "png",
    overwrite: bool = False,
) -> Collected:
    """Every table and figure of the study that the log can give.

    Parameters
    ----------
    log : GameLog
        Of one or several of ``experiments/private_deliberation``.
    folder : path
        Where files go. What ``intent sampling`` left in its folder ``sampling`` is taken up as H1.
    seed, bootstrap : int
    image : {"png", "svg", "pdf"}
    overwrite : bool

    References
    ----------
    Poje et al. 2024, Entropy 26:524.
    """
    from intent.estimate.design_units import copied_games
    from intent.report.figures import log_facts

    play = read_play(log, seed=seed, bootstrap=bootstrap)
    facts = {**log_facts(log, None), "seed": seed, "bootstrap": bootstrap, "version": __version__}
    out = Collected("private_deliberation", Path(folder), facts, image, overwrite)
    parts = (histories, perceptions, lengths, utilities, published, equilibria, cooperation, deceptions)
    for part in parts:
        out.attempt(part.__name__, partial(part, play, out))
    out.attempt("verdicts", partial(add_verdicts, play, out, Path(folder) / SAMPLING))
    out.note(copied_games(log))
    for game in dict.fromkeys(play.table["game"]):
        if game in INFERRED:
            out.note(f"{game}: {INFERRED[game]}")
    return out
