"""Label a log by several recognisers, and show where they agree: a table, measures, words and files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import RecogniserError, UsageError
from intent.base.printing import Printing
from intent.base.request import (
    BOOTSTRAP,
    JSON,
    LEVEL,
    OUTPUT,
    OVERWRITE,
    SEED,
    UPDATE,
    NonNegative,
    Probability,
    argument,
    check_level,
    here,
    job,
)
from intent.base.result import Result, Table, check_output, data_line, kept_in_words
from intent.base.tables import write_table
from intent.logs.reading import KEEP_DEFAULTED, LOG, OTHERS, REJECTS, Reading
from intent.recognise.labels.request import LabelRequest
from intent.version import __version__

if TYPE_CHECKING:
    import pandas as pd

    from intent.behaviour.agreement_measures import Agreement
    from intent.estimate.design_units import DesignUnits
    from intent.logs.gamelog import GameLog
    from intent.recognise.recogniser import Recogniser


__all__ = ["AgreementRequest", "AgreementResult", "agree"]


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

    agreement: "Agreement"
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
        from intent.behaviour.agreement_figures import agreement_tables

        measured, log = self.agreement, self.request.log if self.request else "the log"
        count = f"{measured.n:,} trajectories of {measured.n_games:,} games"
        yield f"{count} in {log}, by {', '.join(measured.names)}\n"
        for title, header, rows in agreement_tables(measured):
            yield Table(header, rows, title)
            yield ""
        yield from self.sentences()

    def sentences(self) -> list[str]:
        """The result in words."""
        from intent.behaviour.agreement_figures import agreement_sentences

        return agreement_sentences(self.agreement, float(self.config["level"]))

    def remarks(self) -> Iterator[str]:
        """Rows that could not be read, and that nothing was saved."""
        if len(self.rejects):
            yield f"{len(self.rejects):,} rows could not be read"
        if self.request is not None and self.request.output is None and not self.request.json:
            yield "nothing saved; -o FILE keeps the table or a figure"

    def draw(self, target: Path, *, overwrite: bool, **how: Any) -> Path:
        """The agreement of every two recognisers; more than twenty are a `UsageError`."""
        from intent.behaviour.agreement_figures import agreement_figure

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
    that is ``ambiguous``, the play itself does not decide between the strategies that tie.

    Raises
    ------
    UsageError
        Fewer than two recognisers, one that is not shipped, or nothing to label.
    UnknownNameError
        A recogniser or column that does not exist.
    """
    import numpy as np
    import pandas as pd

    from intent.base import codebook
    from intent.behaviour.agreement_measures import agreement, majority, name_counts
    from intent.estimate.design_units import design_units
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
    made: dict[str, pd.DataFrame] = {}
    for done, (name, model) in enumerate(models.items()):
        update(done, len(models) + 1)
        made[name] = label_log(played, model, coin=False, **settings, **conditions).table()
    update(len(models), len(models) + 1)
    first = next(iter(made.values()))
    if first.empty:
        raise UsageError("no trajectory to label, expected at least one")
    exactly = _exact(strategies, models.values())
    judged = label_log(played, exactly, coin=False, **settings, **conditions).table()
    classes = tuple(map(str, against_random(exactly, request.background).classes_))
    exact, tied = judged["status"].to_numpy(dtype=object), judged["tied"].to_numpy(dtype=bool)
    named_by = {name: _names_of_rows(table, known[name]) for name, table in made.items()}
    if any(NOTHING in names for names in named_by.values()):
        classes = (*classes, NOTHING)
    place = {name: k for k, name in enumerate(classes)}
    codes = np.array([[place[name] for name in names] for names in named_by.values()], dtype=np.intp).T
    design = design_units(first, classes=classes)
    games = design.unit.codes
    measured = agreement(
        codes,
        exact,
        tied,
        games,
        tuple(models),
        classes,
        codebook.STATUSES,
        samples=request.bootstrap,
        level=request.level,
        rng=np.random.default_rng(request.seed),
    )
    counts = name_counts(codes, len(classes))
    distinct = (counts > 0).sum(axis=1)
    named = np.array([*classes, None], dtype=object)
    described = [str(column) for column in first.columns]
    described = described[: described.index("n_rounds") + 1]
    columns: dict[str, Any] = {column: first[column].array for column in described}
    for name, table in made.items():
        columns |= {
            f"best_{name}": pd.Series(named_by[name], dtype=object).replace(NOTHING, None).array,
            f"confidence_{name}": table["confidence"].array,
            f"status_{name}": table["status"].array,
        }
    columns |= {"n_distinct": distinct, "unanimous": distinct == 1, "majority": named[majority(counts)]}
    update(len(models) + 1, len(models) + 1)
    config = {
        "log": played.provenance,
        "recognisers": known,
        **settings,
        "where": {column: list(values) for column, values in (request.where or {}).items()},
        "bootstrap": request.bootstrap,
        "level": request.level,
        "version": __version__,
    }
    return AgreementResult(
        replace(measured, n_games=first["game_id"].nunique(), unit=design.unit.noun),
        pd.DataFrame({**columns, "exact_status": exact, "exact_tied": tied}),
        config,
        played.rejects,
        (*_notes(known, named_by), *_unit_notes(design)),
        request,
    )


def _unit_notes(design: "DesignUnits") -> list[str]:
    """What is independent, where that is not the game."""
    return [design.unit.line(), *design.notes] if design.unit.kind != "game" else []


def _loaded(
    recognisers: "str | Sequence[str] | Mapping[str, Recogniser]",
) -> "dict[str, Recogniser]":
    """Fitted recognisers by the name under which they are shown: the last part of a path where that tells."""
    from intent.recognise.models import resolve_names
    from intent.recognise.storage import load_recogniser

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
