"""Label a log by several recognisers, and show where they agree: a table, measures, words, files.

How far recognisers name the same strategies, where they differ, on which play, and agreement beyond chance:
Fleiss' kappa of several raters, Cohen's of two.

Chance-corrected agreement is (P - P_e) / (1 - P_e), with P the agreement seen and P_e that of raters who name
at random as often as they do.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import RecogniserError, UsageError
from intent.base.job import (
    BOOTSTRAP,
    JSON,
    LEVEL,
    OUTPUT,
    OVERWRITE,
    SEED,
    UPDATE,
    NonNegative,
    Printing,
    Probability,
    Result,
    Table,
    argument,
    check_level,
    check_output,
    data_line,
    here,
    job,
    kept_in_words,
)
from intent.base.statistics import PERCENTILES, Interval, bootstrap_means, interval_words, share_intervals
from intent.base.tables import write_table
from intent.figures.style import Drawing, canvas, colour_bar, column_ticks, text_map, wrapped
from intent.logs.reading import KEEP_DEFAULTED, KEEP_SCRIPTED, LOG, OTHERS, REJECTS, Reading
from intent.recognise.labels.request import LabelRequest
from intent.version import __version__

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from intent.estimate.design_units import DesignUnits
    from intent.logs.gamelog import GameLog
    from intent.recognise.recogniser import Recogniser

__all__ = [
    "Agreement",
    "AgreementRequest",
    "AgreementResult",
    "Pair",
    "StatusAgreement",
    "agree",
    "agreement",
    "agreement_figure",
    "agreement_sentences",
    "agreement_tables",
    "cohen_kappa",
    "draw_agreement",
    "fleiss_interval",
    "fleiss_kappa",
    "majority",
    "name_counts",
]


def fleiss_kappa(counts: NDArray[np.float64]) -> float:
    """Fleiss' kappa: agreement of R raters on n rows beyond that of raters who name by the common shares.

    kappa = (P - P_e) / (1 - P_e), P = mean_i (sum_k n_ik² - R) / (R (R - 1)), P_e = sum_k (mean_i n_ik / R)²

    Parameters
    ----------
    counts : (n, K) float, raters that give each name; rows sum to R >= 2

    Returns
    -------
    float, NaN where there are no rows or all raters always say the same one name

    References
    ----------
    Fleiss 1971, Psychological Bulletin 76:378, eqs. 1-7.
    """
    if not len(counts):
        return float("nan")
    return float(_kappa(_terms(counts).mean(axis=0)[None, :])[0])


def fleiss_interval(
    counts: NDArray[np.float64],
    games: NDArray[np.intp],
    *,
    samples: int,
    level: float,
    rng: np.random.Generator,
) -> Interval:
    """Fleiss' kappa with a percentile interval that resamples whole games.

    Kappa is a function of means over rows (of the agreement and of each name's share), so that the
    bootstrap means give its bootstrap values. Resamples in which kappa is undefined are left out.

    Parameters
    ----------
    counts : (n, K) float, as `fleiss_kappa`
    games : (n,) int
    level : float in (0, 1)
    """
    estimate = fleiss_kappa(counts)
    if len(np.unique(games)) < 2:
        return Interval(estimate, np.nan, np.nan)
    drawn = _kappa(bootstrap_means(_terms(counts), games, samples, rng))
    drawn = drawn[np.isfinite(drawn)]
    if not len(drawn) or not np.isfinite(estimate):
        return Interval(estimate, np.nan, np.nan)
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(estimate, min(float(low), estimate), max(float(high), estimate))


def cohen_kappa(table: NDArray[np.float64]) -> float:
    """Cohen's kappa of two raters: agreement beyond that of raters who name by their own shares.

    Parameters
    ----------
    table : (K, K) float, rows with each pair of names, the first rater's down

    Returns
    -------
    float, NaN where there are no rows or both always say the same one name

    References
    ----------
    Cohen 1960, Educational and Psychological Measurement 20:37.
    """
    n = table.sum()
    if not n:
        return float("nan")
    alike = np.trace(table) / n
    chance = float(table.sum(axis=0) @ table.sum(axis=1)) / n**2
    return float("nan") if 1 - chance < 1e-12 else float((alike - chance) / (1 - chance))


def _terms(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """(n, 1 + K), agreement within each row and share of each name, of which kappa needs the means."""
    raters = counts.sum(axis=1, keepdims=True)
    pairs = ((counts**2).sum(axis=1, keepdims=True) - raters) / (raters * (raters - 1))
    return np.concatenate([pairs, counts / raters], axis=1)


def _kappa(means: NDArray[np.float64]) -> NDArray[np.float64]:
    alike, chance = means[:, 0], (means[:, 1:] ** 2).sum(axis=1)
    certain = 1 - chance < 1e-12
    kappa: NDArray[np.float64] = np.where(
        certain, np.nan, (alike - chance) / np.where(certain, 1, 1 - chance)
    )
    return kappa


Codes = NDArray[np.intp]


@dataclass(frozen=True)
class Pair:
    """How two raters agree.

    Parameters
    ----------
    a, b : int
        The raters.
    agreement : float
        Share of rows that both name alike.
    kappa : float
        Cohen's (NaN where both always say the same one name).
    differ : tuple of (int, int, int)
        Name by a, name by b, rows: those that differ, most frequent first.
    """

    a: int
    b: int
    agreement: float
    kappa: float
    differ: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class StatusAgreement:
    """Agreement on the rows of one status.

    Parameters
    ----------
    disagree : int
        Rows that are not named alike by all.
    share : float
        Of all rows that are not named alike (NaN where there are none).
    kappa : float
        Fleiss'.
    """

    status: str
    n: int
    disagree: int
    share: float
    kappa: float


@dataclass(frozen=True)
class Agreement:
    """How several raters agree on n rows.

    Parameters
    ----------
    names : tuple of R str
        The raters.
    classes : tuple of K str
        What any of them can say.
    unanimous : Interval
        Share of rows that all name alike.
    majority : float
        Share of rows that more than half name alike.
    distinct : tuple of int
        Rows with 1, 2, … different names.
    kappa : Interval
        Fleiss'.
    pairs : tuple of Pair
    by_status : tuple of StatusAgreement
    untied : Interval
        Share that all name alike, of the rows that one strategy explains best (NaN where there are none).
    n_untied : int
        Such rows.
    tied_share : float
        Of all rows that are not named alike, those on which strategies tie (NaN where there are none).
    unit : str, plural of what the intervals resample
    """

    names: tuple[str, ...]
    classes: tuple[str, ...]
    n: int
    n_games: int
    unanimous: Interval
    majority: float
    distinct: tuple[int, ...]
    kappa: Interval
    pairs: tuple[Pair, ...]
    by_status: tuple[StatusAgreement, ...]
    untied: Interval
    n_untied: int
    tied_share: float
    unit: str = "games"


@dataclass(frozen=True, eq=False)
class Ratings:
    """What each rater calls each row.

    Parameters
    ----------
    codes : (n, R) int, name that each rater gives to each row, of K
    status : (n,) str, by which rows are divided
    tied : (n,) bool, whether several strategies explain the row equally well
    games : (n,) int, cluster of each row, resampled as a whole
    names : R raters
    classes : K names
    """

    codes: Codes
    status: NDArray[np.object_]
    tied: NDArray[np.bool_]
    games: Codes
    names: tuple[str, ...]
    classes: tuple[str, ...]

    def rows(self, rows: NDArray[np.bool_]) -> "Ratings":
        """Some of the rows."""
        return replace(
            self,
            codes=self.codes[rows],
            status=self.status[rows],
            tied=self.tied[rows],
            games=self.games[rows],
        )


def agreement(
    ratings: Ratings, statuses: Sequence[str], *, samples: int, level: float, rng: np.random.Generator
) -> Agreement:
    """All measures of agreement at once.

    Parameters
    ----------
    statuses : those to divide by, in order
    samples : int, bootstrap samples
    level : float in (0, 1)
    """
    codes, games, tied, classes = ratings.codes, ratings.games, ratings.tied, ratings.classes
    counts = name_counts(codes, len(classes))
    distinct = (counts > 0).sum(axis=1)
    alike = distinct == 1
    unanimous, untied = (_share(alike[rows], games[rows], level) for rows in (np.ones_like(alike), ~tied))
    apart_all = max(int((~alike).sum()), 1)
    parts = []
    for name in statuses:
        rows = ratings.status == name
        apart = int((rows & ~alike).sum())
        share = np.nan if alike.all() else apart / apart_all
        parts.append(StatusAgreement(name, int(rows.sum()), apart, share, fleiss_kappa(counts[rows])))
    raters = range(codes.shape[1])
    return Agreement(
        ratings.names,
        classes,
        len(codes),
        len(np.unique(games)),
        unanimous,
        float((majority(counts) >= 0).mean()),
        tuple(np.bincount(distinct, minlength=codes.shape[1] + 1)[1:].tolist()),
        fleiss_interval(counts, games, samples=samples, level=level, rng=rng),
        tuple(_pair(codes, a, b, len(classes)) for a in raters for b in raters if a < b),
        tuple(parts),
        untied,
        int((~tied).sum()),
        float("nan") if alike.all() else int((tied & ~alike).sum()) / apart_all,
    )


def _share(hits: NDArray[np.bool_], games: Codes, level: float) -> Interval:
    if not len(hits):
        return Interval(np.nan, np.nan, np.nan)
    (interval,) = share_intervals(hits[:, None].astype(float), games, level=level)
    return interval


def name_counts(codes: Codes, k: int) -> NDArray[np.float64]:
    """(n, K), raters that give each name to each row, of (n, R) codes."""
    counts = np.zeros((len(codes), k))
    for rater in codes.T:
        counts[np.arange(len(codes)), rater] += 1
    return counts


def majority(counts: NDArray[np.float64]) -> Codes:
    """(n,), the name that more than half of the raters give, -1 where there is none."""
    most: Codes = counts.argmax(axis=1)
    most[counts.max(axis=1) * 2 <= counts.sum(axis=1)] = -1
    return most


def _pair(codes: Codes, a: int, b: int, k: int) -> Pair:
    table = np.bincount(codes[:, a] * k + codes[:, b], minlength=k * k).reshape(k, k)
    off = [(int(i), int(j), int(table[i, j])) for i, j in np.argwhere(table) if i != j]
    off.sort(key=lambda cell: (-cell[2], cell[:2]))
    alike = float(np.trace(table) / max(table.sum(), 1))
    return Pair(a, b, alike, cohen_kappa(table.astype(float)), tuple(off))


_MOST_DIFFERENCES = 3

NamedTable = tuple[str, list[str], list[list[object]]]


def agreement_tables(agreement: Agreement) -> list[NamedTable]:
    """Title, header and rows: pairs of recognisers, then rows by the status of the exact posterior."""
    pairs: list[list[object]] = []
    for pair in agreement.pairs:
        most = ", ".join(
            f"{agreement.classes[i]}/{agreement.classes[j]} {count:,}"
            for i, j, count in pair.differ[:_MOST_DIFFERENCES]
        )
        pairs.append(
            [
                agreement.names[pair.a],
                agreement.names[pair.b],
                f"{pair.agreement:.1%}",
                _number(pair.kappa),
                most + (", …" if len(pair.differ) > _MOST_DIFFERENCES else ""),
            ]
        )
    statuses: list[list[object]] = [
        [
            part.status,
            f"{part.n:,}",
            f"{part.disagree:,}",
            f"{part.disagree / part.n:.1%}" if part.n else "–",
            "–" if math.isnan(part.share) else f"{part.share:.1%}",
            _number(part.kappa),
        ]
        for part in reversed(agreement.by_status)
    ]
    return [
        ("Pairs", ["a", "b", "alike", "Cohen kappa", "most frequent differences (a/b)"], pairs),
        (
            "By what the exact posterior says of the play",
            ["status", "n", "not unanimous", "of these rows", "of all disagreement", "Fleiss kappa"],
            statuses,
        ),
    ]


def agreement_sentences(agreement: Agreement, level: float) -> list[str]:
    """The result in a few lines."""
    kappa = agreement.kappa
    spread = f" ({kappa.low:.3f} to {kappa.high:.3f})" if not math.isnan(kappa.low) else ""
    value = "undefined: all always say the same" if math.isnan(kappa.estimate) else f"{kappa.estimate:.3f}"
    lines = [
        f"unanimous {_with_ends(agreement.unanimous)}, a majority {agreement.majority:.1%}; "
        f"Fleiss' kappa {value}{spread}; {interval_words(level, PERCENTILES, agreement.unit)}"
    ]
    if agreement.n_untied < agreement.n and not math.isnan(agreement.tied_share):
        several = 1 - agreement.n_untied / agreement.n
        lines.append(
            f"{agreement.tied_share:.0%} of the disagreement falls on the {several:.0%} of the trajectories "
            "that several strategies explain equally well"
        )
    if agreement.n_untied:
        lines.append(
            f"of the other {agreement.n_untied:,}, {_with_ends(agreement.untied)} are named alike by all"
        )
    return lines


def _with_ends(share: Interval) -> str:
    ends = "" if math.isnan(share.low) else f" ({share.low:.1%} to {share.high:.1%})"
    return f"{share.estimate:.1%}{ends}"


def _number(kappa: float) -> str:
    return "–" if math.isnan(kappa) else f"{kappa:.3f}"


_MOST = 20
_LETTERS = 13


def agreement_figure(agreement: Agreement, level: float = 0.95) -> Drawing:
    """The agreement of every two recognisers; `level` is that of the intervals.

    Raises
    ------
    UsageError
        More than twenty recognisers.
    """
    if len(agreement.names) > _MOST:
        raise UsageError(
            f"{len(agreement.names)} recognisers are too many for a figure, expected at most {_MOST}"
        )
    lines = [
        f"{agreement.n:,} trajectories of {agreement.n_games:,} games. Large: share of the trajectories "
        "whose most probable strategy is the same (%); small: Cohen's kappa, the agreement beyond chance.",
        *(f"{line[0].upper()}{line[1:]}." for line in agreement_sentences(agreement, level)),
    ]
    return Drawing("Agreement between recognisers", lambda: draw_agreement(agreement), lines)


def draw_agreement(agreement: Agreement) -> "Figure":
    """A square map with the recognisers in the order given; its diagonal is left empty."""
    size = len(agreement.names)
    alike, kappa = np.full((2, size, size), np.nan)
    for pair in agreement.pairs:
        alike[[pair.a, pair.b], [pair.b, pair.a]] = pair.agreement
        kappa[[pair.a, pair.b], [pair.b, pair.a]] = pair.kappa
    texts = [["" for _ in row] for row in alike]
    for (i, j), share in np.ndenumerate(alike):
        if not math.isnan(share):
            texts[i][j] = f"{share * 100:.1f}\n" + ("–" if math.isnan(kappa[i, j]) else f"{kappa[i, j]:.2f}")
    ticks, slant, depth = column_ticks(list(agreement.names), _LETTERS)
    figure, axes = canvas(max(6.4, 3.4 + 1.25 * size), 2.6 + depth + 0.75 * size)
    image = text_map(axes, alike, texts, sizes=(11, 8), places=(0.1, 0.25), vmin=0, vmax=1)
    axes.set_xticks(range(size), ticks, **slant)
    axes.set_yticks(range(size), [wrapped(name) for name in agreement.names])
    colour_bar(figure, image, axes, "named alike (%)", percent=True)
    return figure


_OF_ONE = ("eps", "eps_by", "eps_prior", "prior", "workers", "dask", "hybrid", "per", "conformal")
"""Settings that belong to one recogniser."""

_LABEL: Any = LabelRequest.settings

_RECOGNISERS = argument("Names, separated by commas, or fitted recognisers by name.", words=str)


class AgreementRequest(Reading, Printing, function="intent.behaviour.agreement.agree", progress="labelling"):
    """Label every agent of a log by several recognisers, and say where they agree."""

    log: "GameLog | str | Path" = LOG
    recognisers: "str | Sequence[str] | Mapping[str, Recogniser]" = _RECOGNISERS
    background: bool = _LABEL["background"]
    threshold: Probability = _LABEL["threshold"]
    alpha: Probability = _LABEL["alpha"]
    others: str | None = OTHERS
    keep_defaulted: bool = KEEP_DEFAULTED
    keep_scripted: bool = KEEP_SCRIPTED
    reading = here(Reading)
    bootstrap: int = replace(BOOTSTRAP, detail="Of the independent units, for the intervals.")
    level: float = LEVEL
    seed: NonNegative = SEED
    update: Callable[[int, int], None] = UPDATE
    rejects: Path | None = REJECTS
    output: Path | None = OUTPUT
    printing = here(Printing)
    overwrite: bool = OVERWRITE
    json: bool = JSON

    @classmethod
    def of_labels(cls, request: LabelRequest) -> "AgreementRequest":
        """What a request for labels asks for that names several recognisers.

        Raises
        ------
        UsageError
            Settings that belong to one recogniser.
        """
        if unused := [f"--{name.replace('_', '-')}" for name in request.changed(_OF_ONE)]:
            single = f"{', '.join(unused)} belongs to a single recogniser"
            raise UsageError(f"{single}, but -r names {request.recogniser}")
        shared = request.values(name for name in cls.settings if name in request.settings)
        return cls(recognisers=str(request.recogniser), **shared)

    def claim_outputs(self) -> None:
        """Refuse outputs that cannot be written.

        Raises
        ------
        OutputError
        """
        if self.output is not None:
            check_output(self.output, overwrite=self.overwrite, origin=self.input_path())
        LabelRequest(log=self.log, rejects=self.rejects, overwrite=self.overwrite).claim_tables()

    def write_outputs(self, result: "AgreementResult") -> list[Path]:
        """The table or figure, and the rejected rows."""
        rejects = result.write_rejects(self.rejects, overwrite=self.overwrite)
        return [*super().write_outputs(result), *([] if rejects is None else [rejects])]


@dataclass(frozen=True, eq=False)
class AgreementResult(Result):
    """Labels by several recognisers, and how they agree.

    Attributes
    ----------
    rows : DataFrame
        The columns that describe the trajectory; for every recogniser ``best_<NAME>``, ``confidence_<NAME>``
        and ``status_<NAME>``; then n_distinct (different names), unanimous, majority (the name that more
        than half give, or null), exact_status and exact_tied (by the exact posterior).
    config : mapping
        The resolved settings, version and origin of the log, JSON-able; kept in every file written.
    notes : tuple of str
        What a reader should be warned of.
    rejects : DataFrame as `codebook.REJECTS`
    request : AgreementRequest, where it came of one
    """

    agreement: Agreement
    rows: "pd.DataFrame"
    config: Mapping[str, Any]
    rejects: "pd.DataFrame"
    notes: tuple[str, ...] = ()
    request: AgreementRequest | None = None

    kind = "agreement"

    def __repr__(self) -> str:
        return f"<AgreementResult: {', '.join(self.agreement.names)}; n = {self.agreement.n:,}>"

    def fields(self) -> Mapping[str, Any]:
        """The object of ``intent label -r A,B --json``, as `json_objects.JSON_OBJECTS["agreement"]`."""
        agreement = self.agreement
        pairs = [
            {
                "a": agreement.names[pair.a],
                "b": agreement.names[pair.b],
                "agreement": pair.agreement,
                "kappa": pair.kappa,
                "differ": [
                    {"a": agreement.classes[i], "b": agreement.classes[j], "n": count}
                    for i, j, count in pair.differ
                ],
            }
            for pair in agreement.pairs
        ]
        by_status = {
            part.status: {
                "n": part.n,
                "disagree": part.disagree,
                "share_of_disagreement": part.share,
                "fleiss_kappa": part.kappa,
            }
            for part in agreement.by_status
        }
        return {
            "n": agreement.n,
            "n_games": agreement.n_games,
            "recognisers": list(agreement.names),
            "classes": list(agreement.classes),
            "unanimous": asdict(agreement.unanimous),
            "untied": {
                "n": agreement.n_untied,
                "unanimous": asdict(agreement.untied),
                "share_of_disagreement_on_ties": agreement.tied_share,
            },
            "majority": agreement.majority,
            "distinct": {str(i): count for i, count in enumerate(agreement.distinct, 1)},
            "fleiss_kappa": asdict(agreement.kappa),
            "pairs": pairs,
            "by_status": by_status,
            "notes": list(self.notes),
        }

    def table(self) -> "pd.DataFrame":
        """One row per trajectory."""
        return self.rows

    def parts(self) -> Iterator[Table | str]:
        """How many were labelled, pairs, where they differ, and the result in words."""
        measured, log = self.agreement, self.request.log if self.request else "the log"
        count = f"{measured.n:,} trajectories of {measured.n_games:,} games"
        yield f"{count} in {log}, by {', '.join(measured.names)}\n"
        for title, header, rows in agreement_tables(measured):
            yield Table(header, rows, title)
            yield ""
        yield from self.sentences()

    def sentences(self) -> list[str]:
        """The result in words."""
        return agreement_sentences(self.agreement, float(self.config["level"]))

    def remarks(self) -> Iterator[str]:
        """Rows that could not be read, and that nothing was saved."""
        from intent.logs.chunks import notes_of_rejects

        yield from notes_of_rejects(self.rejects)
        if self.request is not None and self.request.output is None and not self.request.json:
            yield "nothing saved; -o FILE keeps the table or a figure"

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """The agreement of every two recognisers; more than twenty are a `UsageError`."""
        log = self.config["log"] or {}
        source = Path(str(log["source"])).name if log.get("source") else None
        return agreement_figure(self.agreement, float(self.config["level"])).write(
            target,
            remarks=(*self.notes, data_line(source, *kept_in_words(self.config["where"]))),
            description=self.description(),
            overwrite=overwrite,
        )

    def write_rejects(self, path: Path | None, *, overwrite: bool = False) -> Path | None:
        """List the rows of the log that could not be read; None where there are none or no path."""
        if path is None or not len(self.rejects):
            return None
        return write_table(self.rejects, path, {"kind": "rejects"}, overwrite=overwrite)


NOTHING = "none"
"""What a recogniser says whose posterior is the same for all classes, as that of rules where none applies."""


@job(AgreementRequest)
def agree(request: AgreementRequest) -> AgreementResult:
    """Label a log by several recognisers, and measure how they agree on the most probable strategy.

    Each recogniser names its `best` strategy of every trajectory (or RANDOM, where that competes), sure or
    not; one whose posterior is the same for all classes of its own names none, which counts as a name of its
    own. Disagreement is divided by the
    status that the exact posterior gives (`bayes`, over the strategies that any of them can name): where
    that is ``ambiguous``, the play itself does not decide between the strategies that tie. Seats that a
    strategy plays beside models or people are labelled too, but agreement is that on subjects.

    Raises
    ------
    UsageError
        Fewer than two recognisers, one that is not shipped, or nothing to label.
    UnknownNameError
        A recogniser or column that does not exist.
    """
    from intent.base import codebook
    from intent.estimate.design_units import design_units
    from intent.logs.chunks import NOT_COUNTED, only_subjects
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.recognise.bayes import against_random
    from intent.recognise.labels.label import label_log
    from intent.recognise.recogniser import ordered_classes

    check_level(request.level)
    models = _loaded(request.recognisers)
    log = request.log
    played = log if isinstance(log, GameLog) else read_log(log, **request.file_reading())
    settings = request.values(("threshold", "alpha", "others", "keep_defaulted", "seed", "background"))
    update, conditions = request.update, request.values(("where",))
    known = {name: [str(c) for c in model.classes_] for name, model in models.items()}
    strategies = tuple(ordered_classes([c for own in known.values() for c in own]).tolist())
    tables: dict[str, pd.DataFrame] = {}
    for number, (name, model) in enumerate(models.items()):
        update(number, len(models) + 1)
        tables[name] = label_log(played, model, coin=False, **settings, **conditions).table()
    update(len(models), len(models) + 1)
    first = next(iter(tables.values()))
    if first.empty:
        raise UsageError("no trajectory to label, expected at least one")
    exactly = _exact(strategies, models.values())
    judged = label_log(played, exactly, coin=False, **settings, **conditions).table()
    classes = tuple(map(str, against_random(exactly, request.background).classes_))
    names_by = {name: _names_of_rows(table, known[name]) for name, table in tables.items()}
    if any(NOTHING in names for names in names_by.values()):
        classes = (*classes, NOTHING)
    place = {name: k for k, name in enumerate(classes)}
    counted, left_out = np.ones(len(first), dtype=bool), list[str]()
    if not request.keep_scripted:
        counted, left_out = only_subjects(first, NOT_COUNTED)
    design = design_units(first[counted].reset_index(drop=True), classes=classes)
    units = np.zeros(len(first), dtype=np.intp)
    units[counted] = design.unit.codes
    ratings = Ratings(
        np.array([[place[name] for name in names] for names in names_by.values()], dtype=np.intp).T,
        judged["status"].to_numpy(dtype=object),
        judged["tied"].to_numpy(dtype=bool),
        units,
        tuple(models),
        classes,
    )
    measured = agreement(
        ratings.rows(counted),
        codebook.STATUSES,
        samples=request.bootstrap,
        level=request.level,
        rng=np.random.default_rng(request.seed),
    )
    update(len(models) + 1, len(models) + 1)
    config = {
        "log": played.provenance,
        "recognisers": known,
        **settings,
        "where": {column: list(values) for column, values in (request.where or {}).items()},
        **request.values(("keep_scripted", "bootstrap", "level")),
        "version": __version__,
    }
    of_subjects = {name: list(compress(names, counted)) for name, names in names_by.items()}
    return AgreementResult(
        replace(measured, n_games=first.loc[counted, "game_id"].nunique(), unit=design.unit.noun),
        _table(ratings, tables, names_by),
        config,
        played.rejects,
        (*left_out, *_notes(known, of_subjects), *_unit_notes(design)),
        request,
    )


def _table(
    ratings: Ratings, tables: "Mapping[str, pd.DataFrame]", names_by: Mapping[str, Sequence[str]]
) -> "pd.DataFrame":
    """A row for each trajectory: what each recogniser says of it, and how far they agree."""
    import pandas as pd

    first = next(iter(tables.values()))
    described = [str(column) for column in first.columns]
    described = described[: described.index("n_rounds") + 1]
    columns: dict[str, Any] = {column: first[column].array for column in described}
    for name, table in tables.items():
        columns |= {
            f"best_{name}": pd.Series(names_by[name], dtype=object).replace(NOTHING, None).array,
            f"confidence_{name}": table["confidence"].array,
            f"status_{name}": table["status"].array,
        }
    counts = name_counts(ratings.codes, len(ratings.classes))
    distinct = (counts > 0).sum(axis=1)
    columns |= {
        "n_distinct": distinct,
        "unanimous": distinct == 1,
        "majority": np.array([*ratings.classes, None], dtype=object)[majority(counts)],
        "exact_status": ratings.status,
        "exact_tied": ratings.tied,
    }
    return pd.DataFrame(columns)


def _unit_notes(design: "DesignUnits") -> list[str]:
    """What is independent, where that is not the game."""
    return [design.unit.line(), *design.notes] if design.unit.kind != "game" else []


def _loaded(
    recognisers: "str | Sequence[str] | Mapping[str, Recogniser]",
) -> "dict[str, Recogniser]":
    """Fitted recognisers by the name under which they are shown: the last part of a path where that tells."""
    from intent.recognise.models import resolve_names
    from intent.recognise.recogniser import load_recogniser

    if isinstance(recognisers, Mapping):
        if len(recognisers) < 2:
            raise UsageError(f"got {len(recognisers)} recogniser to compare, expected at least two")
        return dict(recognisers)
    names = resolve_names(recognisers)
    short = [Path(name).resolve().name if Path(name).is_dir() else name for name in names]
    shown = short if len(set(short)) == len(short) else names
    return {label: load_recogniser(name) for label, name in zip(shown, names, strict=True)}


def _names_of_rows(table: "pd.DataFrame", classes: Sequence[str]) -> list[str]:
    """The name that a recogniser of these classes gives to each row of its labels."""
    own = table[[f"p_{name}" for name in classes]]
    flat = own.max(axis=1) - own.min(axis=1) <= 1e-9
    return [str(name) for name in table["best"].mask(flat, NOTHING)]


def _exact(classes: Sequence[str], models: "Iterable[Recogniser]") -> "Recogniser":
    """The exact posterior over all classes; what names of one's own mean, the recognisers know."""
    from intent.base.errors import IntentError
    from intent.recognise.bayes import BayesRecogniser
    from intent.strategies.catalogue import named_set
    from intent.strategies.sets import facts_of, strategies_in

    try:
        own = [s for model in models for s in strategies_in(facts_of(getattr(model, "strategies_", ())))]
        return BayesRecogniser(named_set(classes, own)).fit()
    except IntentError as error:
        raise RecogniserError(f"agreement needs classes that are strategies: {error}") from None


def _notes(known: Mapping[str, Sequence[str]], named_by: Mapping[str, Sequence[str]]) -> list[str]:
    """Which recogniser cannot say what others can, and which says nothing of some trajectories."""
    union = dict.fromkeys(c for own in known.values() for c in own)
    lacking = {name: [c for c in union if c not in own] for name, own in known.items()}
    notes = [
        f"{name} cannot say {', '.join(missing)}, which others can: there it disagrees by construction"
        for name, missing in lacking.items()
        if missing
    ]
    silent = {name: sum(word == NOTHING for word in words) for name, words in named_by.items()}
    return notes + [
        f"{name} names none for {count:,} trajectories: all its classes are equally probable there"
        for name, count in silent.items()
        if count
    ]
