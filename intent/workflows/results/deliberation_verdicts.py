"""What the log says on the claims of the study of private deliberation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.workflows.results.collected import Collected
from intent.workflows.results.deliberation_play import Play

if TYPE_CHECKING:
    import pandas as pd

    from intent.analysis.bootstrap import Interval

__all__ = ["add_verdicts"]

_LIMIT = 16 * 1024**2


def add_verdicts(play: Play, out: Collected, sampling: Path) -> None:
    """H1, H2 and the comparisons of agents, each with its evidence; what cannot be told is left out.

    A claim is supported where a 95 % interval over games lies wholly on its side, not supported where it
    lies wholly on the other, undecided otherwise.

    Parameters
    ----------
    play : Play
    out : Collected
    sampling : Path
        Folder of `intent sampling`.
    """
    _h1(out, sampling)
    _h2(play, out)
    _better(play, out)
    _over_x(play, out)


def _h1(out: Collected, folder: Path) -> None:
    file = folder / "sampling.json"
    if not file.is_file() or file.stat().st_size > _LIMIT:
        out.skip(
            "H1", f"no {folder.name}/sampling.json among the results (intent sampling -o FOLDER/sampling)"
        )
        return
    try:
        found = json.loads(file.read_text("utf8"))
        answers = {str(d["distribution"]): d["compatible"] for d in found["distributions"]}
        model, verdict = str(found["model"]), str(found["verdict"])
    except (ValueError, KeyError, TypeError, OSError, RecursionError):
        out.skip("H1", f"{folder.name}/sampling.json is not what intent sampling writes")
        return
    said = {"all compatible": "supported", "undecided": "undecided"}.get(verdict, "not supported")
    words = {True: "passes", False: "fails", None: "too few numbers"}
    evidence = "; ".join(f"{name} {words.get(answer, 'unknown')}" for name, answer in answers.items())
    _add(out, "H1", f"{model} can sample from a distribution", said, evidence, "not supported")


def _h2(play: Play, out: Collected) -> None:
    from intent.analysis.opponent_types import perceived_types, type_recognition

    types = play.keyed(perceived_types(play.log))
    both = types[types["agents"] == "private v public"]
    if not len(both):
        out.skip("H2", "no answers on the type of the opponent from games of a private and a public agent")
        return
    table = type_recognition(both, [], **play.how).set_index("measure")
    row = table.to_dict("index")["accuracy"]
    said = table["estimate"].get("said_private", float("nan"))
    evidence = f"accuracy {_shown(row)} of {row['n']:.0f} answers; {said:.0%} of those read say private"
    claim = "players tell a private from a public opponent better than a fair coin"
    side = _side(float(row["low"]) - 0.5, float(row["high"]) - 0.5)
    _add(out, "H2", claim, side, evidence, "not supported")


def _better(play: Play, out: Collected) -> None:
    """The private agent against its opponent, game by game."""
    table = play.fixed
    for values, part in play.groups(table):
        pair = str(values["agents"]).split(" v ")
        if "private" not in pair or pair[0] == pair[1]:
            continue
        other = next(agent for agent in pair if agent != "private")
        found = _advantage(part, other, play)
        if found is None:
            continue
        name = ", ".join(str(v) for k, v in values.items() if k != "agents")
        unit = f"{found.estimate:.3g} ({found.low:.3g} to {found.high:.3g})"
        claim = f"{name}: the private agent does better than {other}"
        evidence = f"mean advantage per iteration {unit}, in utilities"
        told = "not supported" if other == "TFT" or "head-tail" in name else "supported"
        _add(out, "performance", claim, _side(found.low, found.high), evidence, told)


def _advantage(part: pd.DataFrame, other: str, play: Play) -> Interval | None:
    """Mean over rounds of the private agent's utility less the other's."""
    import pandas as pd

    from intent.analysis.bootstrap import cluster_bootstrap

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
    from intent.analysis.means import cell_means

    table = cell_means(moves, ["x"], "cooperated", bounds=(0.0, 1.0), **play.how).set_index("x")
    first, last = table.loc[values[0]], table.loc[values[-1]]
    evidence = "; ".join(f"x = {x:g}: {_shown(table.loc[x])}" for x in values)
    side = _side(float(first["low"] - last["high"]), float(first["high"] - last["low"]))
    claim = f"models cooperate less at x = {values[-1]:g} than at x = {values[0]:g}"
    _add(out, "sensitivity", claim, side, evidence, "supported")


def _side(low: float, high: float) -> str:
    """The verdict on a quantity that the claim says is positive."""
    if low > 0:
        return "supported"
    return "not supported" if high < 0 else "undecided"


def _shown(row: Any) -> str:
    return f"{row['estimate']:.0%} ({row['low']:.0%} to {row['high']:.0%})"


def _add(out: Collected, hypothesis: str, claim: str, verdict: str, evidence: str, told: str) -> None:
    out.verdicts.append(
        {
            "hypothesis": hypothesis,
            "claim": claim,
            "verdict": verdict,
            "evidence": evidence,
            "published": told,
        }
    )
