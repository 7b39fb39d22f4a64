"""The thesis on agent architectures: its tables, figures, strategies and hypotheses, from any log.

References
----------
Cremonini 2025, The Agent's Dilemma, chapters 2 and 3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from intent.base.errors import UsageError
from intent.estimate.counts import count_moves
from intent.games.equilibria import dominant_actions
from intent.games.game import stage
from intent.logs.gamelog import Trajectories
from intent.report.results import Collected
from intent.strategies.catalogue import Strategy
from intent.version import __version__

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog


__all__ = ["incentives", "matches", "metric_table", "of_models", "states_needed", "write_results"]


def write_results(
    log: GameLog,
    folder: Path,
    *,
    seed: int = 0,
    bootstrap: int = 2000,
    image: str = "png",
    overwrite: bool = False,
) -> Collected:
    """Write every table and figure of the thesis.

    Games are told apart by their payoffs (dilemma, delight, confusion), not by name; seats that a strategy
    plays are opponents, never subjects.

    Parameters
    ----------
    log : GameLog
    folder : Path
    seed : int
    bootstrap : int
        Samples of intervals and tests, which resample and permute whole games.
    image : {"png", "svg", "pdf"}
    overwrite : bool

    Raises
    ------
    UsageError
        No language model of two-player games with a cooperative action.
    OutputError
        A file is there and may not be replaced, or cannot be written.
    """
    from intent.estimate.design_units import copied_games
    from intent.report.figures import log_facts

    from .tables import write_figures, write_importances, write_tables

    played = of_models(log)
    facts = {**log_facts(log, None), "seed": seed, "bootstrap": bootstrap, "version": __version__}
    made = Collected("agent_architectures", folder, facts, image, overwrite)
    table = metric_table(made, played, seed)
    streams = [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(4)]
    write_tables(made, played, table, bootstrap=bootstrap, rng=streams[0])
    write_figures(made, table, bootstrap=bootstrap, rng=streams[1])
    made.attempt("sfem", partial(_sfem, made, played, table, seed))
    write_importances(made, table, seed=seed)
    _hypotheses(made, table, bootstrap, streams[2])
    made.note(copied_games(played))
    return made


def of_models(log: GameLog) -> GameLog:
    """The log of two-player games with only its subjects as focal seats."""
    from intent.logs.gamelog import GameLog, subjects

    seats = log.seats
    two = set(log.games.loc[log.games["n_players"] == 2, "game_id"])
    subject = subjects(seats.assign(focal=seats["focal"] & seats["game_id"].isin(two)))
    if not (seats["model"].notna() | seats["strategy"].isna())[subject].any():
        raise UsageError("no seat of a language model in a game of two players, expected some")
    subjects_only = GameLog(
        log.games,
        seats.assign(focal=subject),
        log.moves,
        log.questions,
        provenance=log.provenance,
        rejects=log.rejects,
    )
    return subjects_only.where({"game_id": sorted(set(seats.loc[subject, "game_id"]))})


def metric_table(made: Collected, log: GameLog, seed: int) -> pd.DataFrame:
    """The metrics of every trajectory, with what the payoffs ask for and the states that the play needs."""
    from intent.behaviour.metrics import metrics
    from intent.strategies.sets import strategy_set

    measured = metrics(log, bootstrap=1, seed=seed)
    for line in measured.notes:
        made.note(line)
    table = measured.table.copy()
    if table.empty:
        raise UsageError("no game with a cooperative action, expected some")
    for column, value in (("model", "(none)"), ("architecture", "plain"), ("attitude", None), ("game", None)):
        if column not in table:
            table[column] = pd.Series([value] * len(table), dtype=object)
    table["model"] = table["model"].astype(object).where(table["model"].notna(), "(none)")
    table["architecture"] = table["architecture"].astype(object).where(table["architecture"].notna(), "plain")
    table["rounds"] = table["rounds"].where(table["rounds"].notna(), table["n_rounds"])
    table["incentive"] = table["game_id"].astype(str).map(incentives(log))
    X: Trajectories = log.trajectories()
    assert X.keys is not None
    states = pd.Series(
        states_needed(X, strategy_set("rr20")),
        index=pd.MultiIndex.from_frame(X.keys[["game_id", "seat"]].astype({"game_id": str})),
    )
    places = pd.MultiIndex.from_arrays([table["game_id"].astype(str), table["seat"]])
    table["states"] = np.asarray(states.reindex(places), dtype=float)
    return table


def _sfem(made: Collected, log: GameLog, table: pd.DataFrame, seed: int) -> None:
    """Best of the twenty strategies per architecture and model on dilemmas, beside the thesis's."""
    from intent.estimate.sfem import sfem

    from .tables import sfem_of

    dilemmas = sorted(set(table.loc[table["incentive"] == "dilemma", "game_id"].astype(str)))
    if not dilemmas:
        raise UsageError("the log holds no dilemma")
    by = [c for c in ("architecture", "model") if c in log.trajectories().keys]  # type: ignore[operator]
    fits = sfem(
        log, "rr20", by=by, subject=("game_id", "seat"), where={"game_id": dilemmas}, test=False, seed=seed
    )
    rows = []
    for group in fits.to_dict()["groups"]:
        who = {"architecture": "plain", "model": "(none)", **group["group"]}
        best, match = sfem_of(who["architecture"], str(who["model"])) or (None, None)
        shares = {f"share_{name}": share["estimate"] for name, share in group["shares"].items()}
        rows.append(
            {
                **who,
                "n_games": group["n_subjects"],
                "best": group["best"],
                "match": group["match"],
                "published_best": best,
                "published_match": match,
                "tremble": group["tremble"],
                **shares,
            }
        )
    made.add_table(
        "sfem",
        pd.DataFrame(rows).sort_values(["architecture", "model"], ignore_index=True),
        "Strategies (rr20, intended memory) on dilemmas: best single one, its match, shares over games",
        "Tables 3.5, 3.8",
    )


def _hypotheses(made: Collected, table: pd.DataFrame, bootstrap: int, rng: np.random.Generator) -> None:
    """Judge HT1-3 and HD1-3, and write them with their parts."""
    from intent.comparison.differences import Trial

    from .hypotheses import in_words, judge

    judged = judge(table, Trial(rng, samples=bootstrap))
    rows, lines = [], ["# Hypotheses", ""]
    for one in judged:
        about = one.hypothesis
        facts: dict[str, Any] = {"hypothesis": about.name, "claim": about.claim, "criterion": about.criterion}
        facts |= {"verdict": one.verdict, "evidence": one.evidence, "published": about.published}
        facts["beside"] = (
            {"verdict": one.verdict_beside, "evidence": in_words(one.beside)} if one.beside else None
        )
        made.verdicts.append(facts)
        common = {k: facts[k] for k in ("hypothesis", "verdict", "published", "claim", "criterion")}
        for decides, parts in ((True, one.parts), (False, one.beside)):
            for part in parts:
                numbers = {k: getattr(part, k) for k in ("what", "estimate", "low", "high", "p", "status")}
                n_games = " and ".join(map(str, part.n))
                rows.append({**common, "decides": decides, **numbers, "n_games": n_games})
        lines += [
            f"## {about.name}: {one.verdict} (thesis: {about.published})",
            "",
            f"{about.claim}.",
            "",
            f"Criterion: {about.criterion}.",
            "",
            *[f"- {part.words()}" for part in one.parts],
            *(
                ["", f"Beside it, deciding nothing (by themselves: {one.verdict_beside}):", ""]
                if one.beside
                else []
            ),
            *[f"- {part.words()}" for part in one.beside],
            "",
        ]
    lines += [
        "Supported: every part holds with its whole 95 % interval over games (and its permutation test); not "
        "supported: a part lies wholly on the other side, corrected for the number of parts; else undecided."
    ]
    made.add_table(
        "hypotheses", pd.DataFrame(rows), "Hypotheses and the parts of their criteria", "Section 4.4"
    )
    made.add_text("hypotheses", "Hypotheses in words", lines, "Section 4.4")


def matches(X: Trajectories, strategies: Sequence[Strategy]) -> NDArray[np.float64]:
    """Share of own moves that each strategy would have made, (n, K); NaN without moves.

    A strategy runs on the other's actual moves; whether its own past is its output or what was really played,
    its `memory` says (intended: its output). A move that it leaves open counts a half.

    Parameters
    ----------
    X : n trajectories
    strategies : K Strategy

    References
    ----------
    Romero & Rosokha 2018, European Economic Review 104:185 (its own output as its past).
    """
    counts = count_moves(X, np.arange(len(X)), strategies)
    agree = np.select([counts.p > 0.5, counts.p == 0.5], [1.0, 0.5], 0.0) * counts.moves
    shares = np.full((len(X), len(strategies)), np.nan)
    for k in range(len(strategies)):
        total = counts.moves[:, counts.columns(k)].sum(axis=1)
        np.divide(agree[:, counts.columns(k)].sum(axis=1), total, out=shares[:, k], where=total > 0)
    return shares


def states_needed(X: Trajectories, strategies: Sequence[Strategy]) -> NDArray[np.float64]:
    """(n,) states of the simplest among the strategies that match a trajectory best; NaN without moves.

    Play that always cooperates or always defects needs one state, Tit for Tat two, Grim after two defections
    three. Ties go to the smaller automaton, as what a simple one explains is no evidence of a complex one.

    Parameters
    ----------
    X : n trajectories
    strategies : K Strategy
    """
    shares = matches(X, strategies)
    sizes = np.array([len(s.p_cooperate) for s in strategies], dtype=float)
    known: NDArray[np.bool_] = np.asarray(np.isfinite(shares).any(axis=1))
    best = np.nanmax(np.where(known[:, None], shares, 0.0), axis=1)
    tied = np.where(shares >= best[:, None] - 1e-9, sizes, np.inf).min(axis=1)
    return np.where(known, tied, np.nan)


INCENTIVES: Mapping[str, str] = {"defect": "dilemma", "cooperate": "delight", "neither": "confusion"}
"""Dominant action -> what the thesis calls such a game."""


def incentives(log: GameLog) -> dict[str, str]:
    """Game identifier -> ``dilemma``, ``delight`` or ``confusion``, from the payoffs and not the name.

    A game is a dilemma where seat 1 gains by defection whatever the other does, a delight where it gains by
    cooperation, a confusion where neither action dominates. Games without payoffs or without a cooperative
    action, and those of more than two players, are left out.

    References
    ----------
    Cremonini 2025, The Agent's Dilemma, section 2.1.1.
    """
    games = log.games
    columns = ("payoffs", "payoff_kind", "cooperative_action")
    known: dict[tuple[str, ...], str | None] = {}
    kinds = {}
    for game_id, n_players, *facts in zip(
        games["game_id"], games["n_players"], *(games[c] for c in columns), strict=True
    ):
        if n_players != 2 or any(not isinstance(fact, str) for fact in facts):
            continue
        key = tuple(facts)
        if key not in known:
            known[key] = _incentive(*key)
        kind = known[key]
        if kind is not None:
            kinds[str(game_id)] = kind
    return kinds


def _incentive(payoffs: str, kind: str, cooperative: str) -> str | None:
    game = stage(payoffs, kind)
    if game is None or cooperative not in game.actions:
        return None
    dominant = dominant_actions(game)[0]
    if dominant is None:
        return INCENTIVES["neither"]
    return INCENTIVES["cooperate" if dominant.action == cooperative else "defect"]
