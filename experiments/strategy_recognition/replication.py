"""Huynh et al. on strategies of language models: stakes, public goods, recognised strategies.

References
----------
Huynh et al. 2025, Understanding LLM Agent Behaviours via Game Theory, figures 2 to 9, A2.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import intent
from intent.base.caches import cache_folder
from intent.base.errors import IntentError
from intent.base.files import read_object
from intent.base.outputs import write_object
from intent.estimate.design_units import copied_games
from intent.recognise.study.plan import digest
from intent.report.replication import Measured, Measurement, claim, players_of, unread_moves

from .pictures import STRATEGIES, figures_of_labels, figures_of_play

CITATION = "Huynh et al. 2025, Understanding LLM Agent Behaviours via Game Theory"

PLAYS: Mapping[str, Sequence[str]] = {
    "paper": ("../payoff_scaling/experiment.yaml", "../public_goods/experiment.yaml", "dilemmas.yaml"),
    "unknown_horizon": ("../payoff_scaling/unknown_horizon.yaml",),
    "small": ("../payoff_scaling/small.yaml", "../public_goods/small.yaml"),
}

VARIANTS: Mapping[str, str] = {
    "unknown_horizon": "players are not told how many rounds there are; the paper does not say if they were"
}

_larger = partial(claim, within=(-1.0, 1.0))
"""A claim about rates."""

MODELS: Mapping[str, str] = {
    "Claude 3.5 Haiku": r"claude.?3.?5.?haiku|claude.?haiku.?3.?5",
    "Claude 3.5 Sonnet": r"claude.?3.?5.?sonnet|claude.?sonnet.?3.?5",
    "Llama 3.1 405B Instruct": r"llama.?3.?1.?405b",
    "Mistral Large": r"mistral.?large",
    "GPT-4o": r"gpt.?4o(?!.?mini)",
}
"""Model of the paper -> how it is named in logs."""

THRESHOLD = 0.9
"""Of the probability of a label, for both agents of a game (section 4.3)."""


def measure(played: Sequence[Path], *, seed: int, bootstrap: int) -> Measurement:
    """Everything that the paper prints or states, from whatever of it was played.

    Parameters
    ----------
    played : paths of run folders or logs
    seed, bootstrap : int
        Not needed: intervals are those of means over games.
    """
    logs = [read(path) for path in played]
    notes: list[str] = []
    sure = SureLabels()
    cells = _cells(logs, notes, sure)
    unread = []
    for place, log in enumerate(logs):

        def otherwise(other: intent.GameLog, place: int = place) -> list[Measured]:
            return _cells([*logs[:place], other, *logs[place + 1 :]], [], sure)

        unread += [
            replace(one, size=f"{played[place].name}: {one.size}") for one in unread_moves(log, otherwise)
        ]
    shown = [log for log in logs if log.games["n_players"].max() > 2 or _one_table(log)]
    drawings = [drawn for log in shown for drawn in figures_of_play(log)]
    for log in logs:
        labels = sure.of(log, [])
        drawings += [] if labels is None else figures_of_labels(labels[1])
    made = (*cells, *_recognisers(seed))
    return Measurement(made, tuple(dict.fromkeys(notes)), exclusions=tuple(unread), drawings=tuple(drawings))


def read(path: Path) -> intent.GameLog:
    """The log of a run folder, or any that is read."""
    return intent.read_log(path / "log" if (path / "run.json").is_file() else path)


def _cells(logs: Sequence[intent.GameLog], notes: list[str], sure: SureLabels) -> list[Measured]:
    """All cells of logs; one that several give is the first's."""
    cells: dict[tuple[str, str, str], Measured] = {}
    for log in logs:
        copies = copied_games(log)
        if copies is not None:
            notes.append(copies)
        many = log.games["n_players"].max() > 2
        made = [*_public_goods(log, notes)] if many else [*_stakes(log, notes), *_labels(log, notes, sure)]
        for one in made:
            cells.setdefault(one.cell, _withheld(one, copies))
    return list(cells.values())


def _withheld(one: Measured, why: str | None) -> Measured:
    return (
        one
        if why is None
        else replace(one, verdict="withheld", note=f"{one.note}; identical copies".strip("; "))
    )


def _games(log: intent.GameLog) -> pd.DataFrame:
    """One row per game and seat: conditions, who plays, share of cooperation, total payoff."""
    moves = log.moves.astype({"game_id": str})
    per = moves.groupby(["game_id", "seat"], observed=True).agg(
        cooperation=("cooperated", _mean), total=("payoff", "sum")
    )
    seats = log.seats.astype({"game_id": str}).set_index(["game_id", "seat"])[["model", "persona"]]
    games = log.games.astype({"game_id": str}).set_index("game_id")
    table = per.join(seats).reset_index()
    for name in ("language", "payoffs", "payoff_kind", "cooperative_action", "rounds_played", "game"):
        table[name] = table["game_id"].map(games[name])
    return table


def _mean(values: pd.Series[bool]) -> float:
    known = values.dropna()
    return float(known.astype(float).mean()) if len(known) else float("nan")


def _stakes(log: intent.GameLog, notes: list[str]) -> Iterator[Measured]:
    """Figures 2 and 3: penalties and choices by the scale of the payoffs."""
    table = _games(log)
    table = table[(table["payoff_kind"] == "penalty") & table["cooperation"].notna()]
    if table.empty:
        return
    largest = {text: _largest(text) for text in table["payoffs"].unique()}
    table["scale"] = table["payoffs"].map(largest) / 10.0
    table["penalty"] = table["total"] / (table["payoffs"].map(largest) * table["rounds_played"])
    if table["scale"].nunique() < 2:
        return
    pairing = table.groupby("game_id", observed=True)["persona"].agg(
        lambda p: "".join(sorted(str(x)[:1].upper() for x in p))
    )
    by_game = table.groupby("game_id", observed=True).agg(
        penalty=("penalty", "mean"),
        defection=("cooperation", lambda c: 1 - c.mean()),
        scale=("scale", "first"),
        model=("model", "first"),
        language=("language", "first"),
    )
    by_game["pairing"] = pairing
    for name, part in players_of(by_game, MODELS, ("Claude 3.5 Haiku", "GPT-4o", "Mistral Large"), notes):
        row = f"model={name}"

        def at(value: float, column: str, part: pd.DataFrame = part) -> NDArray[np.float64]:
            return np.asarray(part.loc[np.isclose(part["scale"], value), column], dtype=np.float64)

        yield _larger(
            ("Figure 2", row, "penalty at .1 above that at 1"), at(0.1, "penalty"), at(1, "penalty")
        )
        if name != "Claude 3.5 Haiku":
            alike = part[part["pairing"] == "CC"]
            yield _larger(
                ("Figure 2", f"{row}, pairing=CC", "defection in Vietnamese above English"),
                alike.loc[alike["language"].isin(["vi", "vn"]), "defection"],
                alike.loc[alike["language"] == "en", "defection"],
            )
        low, high = at(0.1, "defection"), at(10, "defection")
        if name == "GPT-4o":
            yield _larger(("Figure 3", row, "defection at .1 above that at 10"), low, high)
        if name == "Mistral Large":
            yield _larger(("Figure 3", row, "defection at 10 above that at .1"), high, low)


def _largest(payoffs: str) -> float:
    import json

    return max(float(x) for pair in json.loads(payoffs).values() for x in pair)


def _public_goods(log: intent.GameLog, notes: list[str]) -> Iterator[Measured]:
    """Figures 4 to 6: cooperation by factor, mismatch by round and by personas."""
    import json

    table = _games(log)
    table["factor"] = table["payoffs"].map(lambda text: float(json.loads(text).get("factor", "nan")))
    by_game = table.groupby("game_id", observed=True).agg(
        cooperation=("cooperation", "mean"),
        factor=("factor", "first"),
        model=("model", "first"),
        language=("language", "first"),
        n_personas=("persona", "nunique"),
        persona=("persona", "first"),
    )
    moves = log.moves.astype({"game_id": str}).dropna(subset="cooperated")
    of_three = (
        moves.groupby(["game_id", "round"], observed=True)["cooperated"].agg(["sum", "size"]).astype(float)
    )
    mismatch = 1 - np.maximum(of_three["sum"], of_three["size"] - of_three["sum"]) / of_three["size"]
    rounds = mismatch.unstack()
    by_game["mismatch"] = rounds.mean(axis=1)
    by_game["fall"] = rounds[rounds.columns.min()] - rounds[rounds.columns.max()]
    alike = by_game["n_personas"] == 1
    for name, part in players_of(by_game, MODELS, ("Claude 3.5 Haiku", "Mistral Large", "GPT-4o"), notes):
        row, same = f"model={name}", alike.reindex(part.index)
        for code in ("en", "vi"):
            spoken = part["language"].replace({"vn": "vi"}) == code
            here = part[spoken]
            yield _larger(
                ("Figure 4", f"{row}, language={code}", "cooperation at r = 2.9 above r = 1.1"),
                here.loc[np.isclose(here["factor"], 2.9), "cooperation"],
                here.loc[np.isclose(here["factor"], 1.1), "cooperation"],
            )
            selfish = part.loc[spoken & same & (part["persona"] == "selfish"), "cooperation"] * 100
            if len(selfish):
                se = float(selfish.std(ddof=1)) / len(selfish) ** 0.5 if len(selfish) > 1 else None
                yield Measured(
                    "Figure 6a",
                    f"{row}, language={code}",
                    "cooperation of selfish groups",
                    float(selfish.mean()),
                    se=se,
                    n=len(selfish),
                )
        yield _larger(("Figure 5a", row, "mismatch in round 1 above round 10"), part["fall"])
        yield _larger(
            ("Figure 5b", row, "mismatch of cooperative above selfish groups"),
            part.loc[same & (part["persona"] == "cooperative"), "mismatch"],
            part.loc[same & (part["persona"] == "selfish"), "mismatch"],
        )
        if name == "GPT-4o":
            kind = part[same & (part["persona"] == "cooperative")]
            yield _larger(
                ("Figure 6b", row, "cooperation of cooperative groups in English above Vietnamese"),
                kind.loc[kind["language"] == "en", "cooperation"],
                kind.loc[kind["language"].isin(["vi", "vn"]), "cooperation"],
            )


class SureLabels:
    """The labels of logs, each made once: cells, pictures and cells of the other logs ask for them."""

    def __init__(self) -> None:
        self._made: list[tuple[intent.GameLog, tuple[pd.DataFrame, pd.DataFrame] | None, list[str]]] = []

    def of(self, log: intent.GameLog, notes: list[str]) -> tuple[pd.DataFrame, pd.DataFrame] | None:
        """As `_sure_labels`; adds to the notes what is to be said of them."""
        for known, labels, said in self._made:
            if known is log:
                notes += said
                return labels
        own: list[str] = []
        made = _sure_labels(log, own)
        self._made.append((log, made, own))
        notes += own
        return made


def _labels(log: intent.GameLog, notes: list[str], sure: SureLabels) -> Iterator[Measured]:
    """Figures 8, 9 and A2: labels where both agents' are sure; those of the rules count beside them."""
    made = sure.of(log, notes)
    if made is None:
        return
    every, labels = made
    first = labels[labels["seat"] == 1]
    printed: Mapping[str, Sequence[str]] = {
        "Claude 3.5 Sonnet": ("ALLC", "WSLS"),
        "Llama 3.1 405B Instruct": ("WSLS",),
        "Mistral Large": ("TFT", "ALLC", "WSLS", "ALLD"),
        "GPT-4o": ("WSLS", "ALLC", "ALLD"),
    }
    for name, part in players_of(first, MODELS, tuple(printed), notes):
        ungated = _hybrid(every[every["model"].isin(part["model"])])
        for strategy in printed[name]:
            one = _share(("Figure 8", f"model={name}", strategy), part[strategy], part["labels"])
            said = f"{100 * ungated[strategy]:.1f} of all play, with labels of the rules where unsure"
            yield replace(one, note=said)
    spoken = first["language"].replace({"cn": "zh", "vn": "vi"})
    shares = first[["ALLC", "ALLD", "TFT", "WSLS"]].div(first["labels"], axis=0)
    if (spoken == "ar").any() and (spoken != "ar").any():
        arabic = spoken == "ar"
        yield _larger(
            ("Figure 9", "model=all", "ALLD in Arabic above the other languages"),
            shares.loc[arabic, "ALLD"],
            shares.loc[~arabic, "ALLD"],
        )
        yield _larger(
            ("Figure 9", "model=all", "ALLC in the other languages above Arabic"),
            shares.loc[~arabic, "ALLC"],
            shares.loc[arabic, "ALLC"],
        )
        adaptive = spoken.isin(["en", "zh"])
        yield _larger(
            ("Figure 9", "model=all", "WSLS in English and Chinese above the others"),
            shares.loc[adaptive, "WSLS"],
            shares.loc[~adaptive, "WSLS"],
        )
    pairs = labels.assign(share=labels["ALLD"] / labels["labels"]).pivot_table(
        index="game_id", columns="seat", values="share", aggfunc="first", observed=True
    )
    if {1, 2} <= set(pairs.columns):
        yield _larger(("Figure A2", "model=all", "ALLD of agent 1 above agent 2"), pairs[1] - pairs[2])


def _sure_labels(log: intent.GameLog, notes: list[str]) -> tuple[pd.DataFrame, pd.DataFrame] | None:
    """Labels of all first agents, and those of games in which both agents' are sure; None without any."""
    if log.games["n_players"].max() > 2:
        return None
    dilemmas = [str(g) for g in log.games.loc[[_dilemma(p) for p in log.games["payoffs"]], "game_id"]]
    kept = log.where({"game_id": dilemmas}) if len(dilemmas) < len(log.games) else log
    if not len(kept.games) or (kept.games["payoffs"].map(_largest).nunique() > 1 and _scaled(kept)):
        return None
    labels = intent.label(kept, recogniser="lstm-canonical4", background=False)
    labels["game_id"] = labels["game_id"].astype(str)
    sure = labels.groupby("game_id", observed=True)["confidence"].transform("min") > THRESHOLD
    n_all, n_sure = labels["game_id"].nunique(), labels.loc[sure, "game_id"].nunique()
    notes.append(
        f"labels: {n_sure:,} of {n_all:,} games have both agents above {THRESHOLD:g}, as the paper kept"
    )
    every, labels = labels[labels["seat"] == 1], labels[sure].copy()
    if labels.empty:
        return None
    sets = [set(rules) | {best} for rules, best in zip(labels["rule_labels"], labels["best"], strict=True)]
    for name in STRATEGIES:
        labels[name] = [float(name in names) for names in sets]
    labels["labels"] = [float(len(names & set(STRATEGIES))) for names in sets]
    return every, labels


def _hybrid(labels: pd.DataFrame) -> Mapping[str, float]:
    """Shares without the gate: the network's label where it is sure, else all labels of the rules."""
    counts = dict.fromkeys(("ALLC", "ALLD", "TFT", "WSLS"), 0)
    for best, confidence, rules in zip(
        labels["best"], labels["confidence"], labels["rule_labels"], strict=True
    ):
        for name in [best] if confidence > THRESHOLD else rules:
            counts[name] += 1
    total = sum(counts.values()) or 1
    return {name: n / total for name, n in counts.items()}


def _dilemma(payoffs: str) -> bool:
    """Whether the paper's recogniser is meant for such a game: a Prisoner's Dilemma of two."""
    import json

    table = json.loads(payoffs)
    if len(table) != 4 or any(not isinstance(v, list) for v in table.values()):
        return False
    a, b = sorted({key.split(",")[0] for key in table})
    own = {key: value[0] for key, value in table.items()}
    orders = [
        (own[f"{d},{c}"], own[f"{c},{c}"], own[f"{d},{d}"], own[f"{c},{d}"]) for c, d in ((a, b), (b, a))
    ]
    return any(t > r > p > s or t < r < p < s for t, r, p, s in orders)


def _one_table(log: intent.GameLog) -> bool:
    """Whether all games are dilemmas of one table at several scales, as figures 2 and 3 show them."""
    return all(_dilemma(p) for p in log.games["payoffs"].unique()) and _scaled(log)


def _scaled(log: intent.GameLog) -> bool:
    """Whether the payoffs are one table at several scales (section 3.1), which has no labels in the paper."""
    import json

    tables = [np.array([v[0] for v in json.loads(p).values()], float) for p in log.games["payoffs"].unique()]
    return all(np.allclose(t / t.max(), tables[0] / tables[0].max()) for t in tables)


def _share(cell: tuple[str, str, str], hits: pd.Series[float], labels: pd.Series[float]) -> Measured:
    """Percent of all labels that are one strategy's: a ratio of sums, with its linearised error."""
    n, total = len(hits), float(labels.sum())
    share = float(hits.sum()) / total
    residual = (hits - share * labels).to_numpy(dtype=float)
    se = float(np.sqrt(np.sum(residual**2) * n / max(n - 1, 1))) / total
    return Measured(*cell, value=100 * share, se=100 * se, n=n)


_TRAINED: Mapping[str, tuple[str, str, str, Mapping[str, object]]] = {
    "logistic regression": ("paper-eps0", "logistic", "0", {"encoding": "moves", "max_iter": 3000}),
    "random forest": ("paper-eps0", "forest", "0", {"encoding": "moves"}),
    "LSTM": ("paper-eps005", "lstm", "0.05", {}),
}
"""Classifier -> data, kind, noise, parameters: 10,000 games of ten rounds against a coin (section 3.2.1)."""


def _recognisers(seed: int) -> Iterator[Measured]:
    """Figure 7: accuracy on 4,000 new games, trained and tested with the same noise."""
    for called, how in _TRAINED.items():
        row, n = f"classifier={called}, noise={how[2]}", _TESTED
        share = _accuracy(how, seed)
        if called == "LSTM":
            se = (share * (1 - share) / n) ** 0.5
            yield Measured("Figure 7", row, "accuracy", share, se=se, n=n)
        else:
            right = np.arange(n) < round(share * n)
            yield claim(("Figure 7", row, "accuracy above .9"), right - 0.9, within=(-0.9, 0.1))


_TESTED = 4000
"""Games that a classifier is tested on."""


def _accuracy(how: tuple[str, str, str, Mapping[str, object]], seed: int) -> float:
    """Share of the games that a classifier names rightly; what was trained once is kept for the next call.

    The key is all that decides it: data, kind, parameters, seed, the code of the rooms that train and play,
    and the libraries. A number that is kept lies among the user's files that can be had again
    (`intent.base.caches.cache_folder`).
    """
    data, kind, noise, parameters = how
    key = digest([data, kind, noise, dict(parameters), seed, _TESTED, _code(), _libraries()])
    place = cache_folder() / "replications" / f"{key}.json"
    if place.is_file():
        with suppress(IntentError, KeyError, TypeError, ValueError):
            return float(read_object(place, "an accuracy", longest=1000)["accuracy"])
    fitted = intent.train(data, [kind], parameters=dict(parameters))["fitted"][kind]
    test = intent.generate(
        "canonical4", n=_TESTED, eps=float(noise), opponent="random", rounds=10, seed=seed + 7
    )
    X = test.trajectories()
    assert X.keys is not None
    share = float(np.mean(fitted.predict(X) == X.keys["strategy"].to_numpy()))
    with suppress(OSError, IntentError):  # no place to keep it in: it is trained again
        place.parent.mkdir(parents=True, exist_ok=True)
        write_object(place, {"accuracy": share}, overwrite=True)
    return share


def _code() -> str:
    """The source of what trains, generates and predicts, as one number."""
    package = Path(intent.__file__).parent
    rooms = ("strategies", "play", "recognise")
    files = sorted(path for room in rooms for path in (package / room).rglob("*.py"))
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _libraries() -> list[str]:
    names = ("numpy", "scipy", "scikit-learn", "torch")
    there = []
    for name in names:
        with suppress(PackageNotFoundError):
            there.append(f"{name} {version(name)}")
    return there
