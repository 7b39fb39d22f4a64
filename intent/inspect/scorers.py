"""Scores of games and what they come to, with errors clustered by game.

Scored are the seats of the model under evaluation; the others' numbers stand in the metadata. Every score is
computed from the sample's game by the function that computes it for a log: labels by `intent.recognise`,
rates by `intent.behaviour`, gamma-bench's scores by `intent.gamma`. A game that did not come to its end has
no score.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from inspect_ai.model import get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import TaskState

from intent.base.defaults import DEFAULT_RECOGNISER
from intent.base.errors import DataError, IntentError, UsageError, one_line
from intent.base.statistics import Interval, group_influence, two_way_variance
from intent.behaviour.means import Intervals, mean_interval
from intent.inspect.exchange import registered
from intent.inspect.models import player_name
from intent.inspect.play import game_of

if TYPE_CHECKING:
    import pandas as pd

    from intent.logs.gamelog import GameLog

__all__ = [
    "clustered_high",
    "clustered_low",
    "clustered_mean",
    "clustered_stderr",
    "cooperation",
    "gamma_score",
    "regret",
    "strategy",
]


def _values(scores: Sequence[SampleScore], cluster: str | None) -> tuple[np.ndarray, np.ndarray]:
    """Values of the scores and codes of their clusters; those without a value are left out."""
    known = [
        one for one in scores if isinstance(one.score.value, int | float) and math.isfinite(one.score.value)
    ]
    names: dict[Any, int] = {}
    clusters = [names.setdefault(_cluster(one, i, cluster), len(names)) for i, one in enumerate(known)]
    return np.array([float(one.score.as_float()) for one in known]), np.array(clusters, dtype=np.intp)


def _cluster(one: SampleScore, number: int, cluster: str | None) -> Any:
    if cluster is None:
        return one.sample_id if one.sample_id is not None else number
    held = one.sample_metadata or {}
    if cluster not in held:
        raise UsageError(
            f"cluster {cluster!r} is no metadata of the samples, expected one of {', '.join(held)}"
        )
    return json.dumps(held[cluster], sort_keys=True, default=str)


def standard_error(values: np.ndarray, clusters: np.ndarray) -> float:
    """Of the mean of values, clustered; NaN where there is one cluster."""
    if len(np.unique(clusters)) < 2:
        return math.nan
    influence = group_influence(values[:, None], np.zeros(len(values), dtype=np.intp), clusters)[:, 0, :]
    return float(two_way_variance(influence, np.arange(len(influence)))[0] ** 0.5)


def _interval(
    values: np.ndarray, clusters: np.ndarray, level: float, bounds: Sequence[float] | None
) -> Interval:
    """The interval of the mean, as `intent metrics` has it (`intent.behaviour.means.mean_interval`)."""
    return mean_interval(
        values,
        clusters,
        rng=np.random.default_rng(0),
        intervals=Intervals(level=level),
        bounds=None if bounds is None else (float(bounds[0]), float(bounds[1])),
    )


def _clustered_mean(cluster: str | None = None) -> Metric:
    """Mean over the games.

    Parameters
    ----------
    cluster : metadata of samples that are no independent observations where it is equal; default: the game
    """

    def compute(scores: list[SampleScore]) -> Value:
        values, _ = _values(scores, cluster)
        return float(values.mean()) if len(values) else math.nan

    return compute


def _clustered_stderr(cluster: str | None = None) -> Metric:
    """Standard error of that mean, clustered, with the correction for few clusters."""

    def compute(scores: list[SampleScore]) -> Value:
        values, clusters = _values(scores, cluster)
        return standard_error(values, clusters) if len(values) else math.nan

    return compute


def _clustered_low(
    cluster: str | None = None, level: float = 0.95, bounds: list[float] | None = None
) -> Metric:
    """Lower end of the interval of that mean.

    Parameters
    ----------
    bounds : the least and the largest possible value; the interval is then one of shares, which stays within
    them
    """

    def compute(scores: list[SampleScore]) -> Value:
        values, clusters = _values(scores, cluster)
        return _interval(values, clusters, level, bounds).low if len(values) else math.nan

    return compute


def _clustered_high(
    cluster: str | None = None, level: float = 0.95, bounds: list[float] | None = None
) -> Metric:
    """Its upper end."""

    def compute(scores: list[SampleScore]) -> Value:
        values, clusters = _values(scores, cluster)
        return _interval(values, clusters, level, bounds).high if len(values) else math.nan

    return compute


clustered_mean = registered(metric, "mean", _clustered_mean)
clustered_stderr = registered(metric, "stderr", _clustered_stderr)
clustered_low = registered(metric, "low", _clustered_low)
clustered_high = registered(metric, "high", _clustered_high)

METRICS = [clustered_mean(), clustered_stderr(), clustered_low(), clustered_high()]
SHARES = [clustered_mean(), clustered_stderr(), clustered_low(bounds=[0, 1]), clustered_high(bounds=[0, 1])]
POINTS = [
    clustered_mean(),
    clustered_stderr(),
    clustered_low(bounds=[0, 100]),
    clustered_high(bounds=[0, 100]),
]


def _game(state: TaskState) -> GameLog | Score:
    """The sample's game, or why there is none."""
    game = game_of(state)
    return Score.unscored(reason="scoring_failed", explanation=game) if isinstance(game, str) else game


def _seats(log: GameLog) -> tuple[list[int], dict[int, str]]:
    """The seats of the model under evaluation, and who has each."""
    who: dict[int, str] = {}
    for row in log.seats.to_dict("records"):
        name = next((row[c] for c in ("model", "strategy") if isinstance(row.get(c), str)), "nobody named")
        who[int(row["seat"])] = name
    main = player_name(get_model())
    return [seat for seat, name in who.items() if name == main], who


def _mean_score(per_seat: Mapping[int, float | None], log: GameLog, what: str, **more: Any) -> Score:
    """The mean over the model's seats that have a number."""
    mine, who = _seats(log)
    known = [value for seat in mine if (value := per_seat.get(seat)) is not None and math.isfinite(value)]
    metadata = {
        "game_id": str(log.games["game_id"].iloc[0]),
        "seats": {
            str(seat): {"player": name, "value": _plain(per_seat.get(seat)), "scored": seat in mine}
            for seat, name in who.items()
        },
        **more,
    }
    if not known:
        return Score.unscored(reason="scoring_failed", explanation=f"no {what}", metadata=metadata)
    shown = ", ".join(
        f"seat {seat} ({one_line(name, 60)}): {per_seat[seat]:.3g}"
        for seat, name in who.items()
        if _plain(per_seat.get(seat)) is not None
    )
    return Score(value=float(np.mean(known)), explanation=f"{what}; {shown}", metadata=metadata)


def _plain(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(value)


def _others(log: GameLog) -> Literal["majority"] | None:
    """How several others are read as one."""
    return "majority" if int(log.games["n_players"].iloc[0]) > 2 else None


def cooperation_of(log: GameLog) -> dict[int, float | None]:
    """Rate of cooperation by seat, as `intent metrics` has it: defaulted and missing moves do not count."""
    from intent.behaviour.metrics import metrics

    table = metrics(log, others=_others(log)).table
    return {
        int(seat): float(rate) for seat, rate in zip(table["seat"], table["cooperation_rate"], strict=True)
    }


def _of_game(measure: Callable[[GameLog], Score]) -> Scorer:
    """A scorer of the game that was played; a game that cannot be measured has no score, and says why."""

    async def score(state: TaskState, target: Target) -> Score:
        log = _game(state)
        if isinstance(log, Score):
            return log
        try:
            return measure(log)
        except IntentError as error:
            return Score.unscored(reason="scoring_failed", explanation=one_line(error))

    return score


def _cooperation() -> Scorer:
    """How often the model cooperated, of its moves that could be read."""

    return _of_game(lambda log: _mean_score(cooperation_of(log), log, "share of own moves that cooperate"))


def labels_of(log: GameLog, recogniser: str) -> pd.DataFrame:
    """Labels of the seats of a game, as `intent label` gives them."""
    from intent.recognise.labels.label import label

    table: pd.DataFrame = label(log, recogniser=recogniser, others=_others(log))
    return table


_P = "p_"


def _strategy(recogniser: str = DEFAULT_RECOGNISER) -> Scorer:
    """The posterior over strategies, mean over the model's seats; what ties and what does not fit is said.

    Parameters
    ----------
    recogniser : a shipped one, or the folder of a saved one, as `intent label -r` takes it
    """
    from intent.recognise.recogniser import load_recogniser

    load_recogniser(recogniser)  # one that there is not is an error before anybody plays

    def posterior(log: GameLog) -> Score:
        table = labels_of(log, recogniser)
        mine, who = _seats(log)
        records: list[dict[str, Any]] = [
            {str(k): v for k, v in row.items()} for row in table.to_dict("records")
        ]
        rows = [row for row in records if int(row["seat"]) in mine]
        if not rows:
            return Score.unscored(
                reason="scoring_failed", explanation="no label: the game has no cooperative action"
            )
        names = [name for name in table.columns if name.startswith(_P)]
        value: dict[str, float] = {
            name.removeprefix(_P): float(np.mean([r[name] for r in rows])) for name in names
        }
        statuses = ("confident", "low_confidence", "ambiguous", "no_fit")
        value |= {name: float(np.mean([row["status"] == name for row in rows])) for name in statuses}
        answer = ", ".join(
            str(row["label"]) if row["status"] == "confident" else str(row["status"]) for row in rows
        )
        return Score(
            value=value,
            answer=answer,
            explanation="\n".join(_sentence(row, who) for row in rows),
            metadata={
                "game_id": str(log.games["game_id"].iloc[0]),
                "recogniser": recogniser,
                "seats": {str(row["seat"]): _fields(row, names) for row in rows},
            },
        )

    return _of_game(posterior)


_SHOWN = (
    "label",
    "best",
    "tied",
    "tied_with",
    "confidence",
    "consistent",
    "n_deviations",
    "fit_p",
    "status",
    "n_rounds",
)


def _fields(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """A label as JSON."""
    shown = {name: row[name] for name in (*_SHOWN, *names) if name in row}
    fields: dict[str, Any] = json.loads(json.dumps(shown, default=_json))
    return {name: None if isinstance(v, float) and not math.isfinite(v) else v for name, v in fields.items()}


def _json(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray | tuple | set):
        return list(value)
    return None if value is None or value is not value else str(value)


def _sentence(row: Mapping[str, Any], who: Mapping[int, str]) -> str:
    """What the play of a seat is, and how sure that is."""
    seat = int(row["seat"])
    head = f"seat {seat} ({one_line(who[seat], 60)}), {row['n_rounds']} rounds: "
    if row["status"] == "no_fit":
        return f"{head}no strategy fits (p of fit {row['fit_p']:.2g}; nearest {row['best']})"
    if row["status"] == "ambiguous":
        return f"{head}{row['best']} and {row['tied_with']} explain the play equally well"
    sure = f"{row['best']} with posterior {row['confidence']:.0%}"
    return f"{head}{sure}" + ("" if row["status"] == "confident" else ", which is not enough to be sure")


def regrets_of(log: GameLog) -> dict[int, float | None]:
    """Mean regret per move by seat, in units of payoff; of gamma-bench as ``intent bench gamma analyse``."""
    from intent.behaviour.payoffs import stage_regrets
    from intent.gamma.bench.decisions import regret_table

    table = stage_regrets(log)
    if not len(table):
        table = regret_table(log)
        table = table[table["status"].astype(str) == "parsed"]
    means = table.groupby("seat", observed=True)["regret"].mean()
    return {int(seat): float(mean) for seat, mean in zip(means.index, means, strict=True)}


def _regret() -> Scorer:
    """What the best reply to the others' moves of the round would have paid more, per move.

    References
    ----------
    Foster & Vohra (1999), Games and Economic Behavior 29:7 (regret in repeated games).
    """

    return _of_game(lambda log: _mean_score(regrets_of(log), log, "mean regret per move"))


def _gamma_score(scoring: str = "code") -> Scorer:
    """The score of a table of gamma-bench, 0 to 100.

    Parameters
    ----------
    scoring : ``code`` as the published numbers were computed, ``paper`` as the paper writes it
    """
    from intent.gamma.bench.scores import check_scoring, score_log

    known = check_scoring(scoring)

    def table_score(log: GameLog) -> Score:
        rows = score_log(log, scoring=known)
        if not rows:
            return Score.unscored(reason="scoring_failed", explanation="no game of gamma-bench")
        row = rows[0]
        if isinstance(row, DataError):
            raise row
        note = f"; {row.note}" if row.note else ""
        return Score(
            value=float(row.score),
            explanation=f"{row.game}, setting {row.setting}: {row.score:.1f} ({row.scoring}), "
            f"{row.rounds} rounds{note}",
            metadata={
                "game_id": row.game_id,
                "game": row.game,
                "setting": row.setting,
                "scoring": row.scoring,
                "other": _plain(row.other),
                "seats": None if row.seats is None else list(row.seats),
            },
        )

    return _of_game(table_score)


cooperation = registered(scorer, "cooperation", _cooperation, metrics=SHARES)
strategy = registered(scorer, "strategy", _strategy, metrics={"*": SHARES})
regret = registered(scorer, "regret", _regret, metrics=METRICS)
gamma_score = registered(scorer, "gamma_score", _gamma_score, metrics=POINTS)
