"""From a log, a run or a table of labels to one self-contained page.

The report: what is known of a log, a run or a table of labels, on one page.

The whole study behind a report, section by section: in general, game by game, across games.

The report on two pages: what was studied, findings with figures, what limits them, how to read them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from intent.base.errors import OutputError, UsageError, shorten
from intent.base.wording import in_words
from intent.estimate.intervals import check_bootstrap, check_level
from intent.report.comparisons import (
    Compared,
    caveats_of,
    compared,
    comparison_section,
    copied_conditions,
    corrected,
    design_blocks,
    going_together,
    shared_caveats,
)
from intent.report.findings import Played
from intent.report.material import varying

if TYPE_CHECKING:
    import numpy as np

    from intent.comparison.findings import Finding, Findings
    from intent.logs.gamelog import GameLog
    from intent.report.document import Block, Section
    from intent.report.material import Material


__all__ = ["Form", "ReportResult", "Settings", "findings_of", "report", "study", "two_pages"]


_MOST_GAMES = 20
_SUFFIXES = (".html", ".htm")

_FORMS = {"default": "Report", "short": "Two pages", "full": "Full report"}
_LONGER = {
    "default": "; intent report --full adds every factor, a regression, sensitivity, play and example games",
    "short": "; intent report has the comparisons behind them, and --full all of them",
    "full": "",
}


@dataclass(frozen=True)
class ReportResult:
    """What was written.

    Parameters
    ----------
    path : Path
    sections : tuple of str
        Titles, in order.
    n_games, n : int
        Games and trajectories that it is on.
    size : int, bytes
    seconds : float
    notes : tuple of str
        What a reader should be warned of.
    findings : Findings, optional
        Differences, ranked, and the questions without one.
    """

    path: Path
    sections: tuple[str, ...]
    n_games: int | None
    n: int
    size: int
    seconds: float
    notes: tuple[str, ...] = ()
    findings: Findings | None = None

    def to_dict(self) -> dict[str, Any]:
        """The object of ``intent report --json``, as `codebook.JSON_OBJECTS` describes it."""
        return {
            "path": str(self.path),
            "sections": list(self.sections),
            "n_games": self.n_games,
            "n": self.n,
            "bytes": self.size,
            "seconds": self.seconds,
            "notes": list(self.notes),
            "findings": self._findings(),
        }

    def sentences(self) -> list[str]:
        """The findings in words, ranked."""
        from intent.comparison.sentences import finding_sentence

        shown = () if self.findings is None else self.findings.shown
        several = len({one.game for one in shown}) > 1
        return [finding_sentence(one, game=several) for one in shown]

    def _findings(self) -> list[dict[str, Any]]:
        shown = () if self.findings is None else self.findings.shown
        return [
            {"sentence": sentence, **one.to_dict()}
            for sentence, one in zip(self.sentences(), shown, strict=True)
        ]


def report(
    source: GameLog | str | Path,
    path: str | Path = "report.html",
    *,
    full: bool = False,
    short: bool = False,
    by: str | Sequence[str] = (),
    title: str | None = None,
    recogniser: str | None = None,
    where: Mapping[str, Sequence[str]] | None = None,
    others: str | None = None,
    keep_defaulted: bool = False,
    bootstrap: int = 1000,
    permutations: int = 5000,
    level: float = 0.95,
    seed: int = 0,
    overwrite: bool = False,
    update: Callable[[int, int], None] = lambda done, total: None,
    story: Sequence[Section] = (),
    **reading: Any,
) -> ReportResult:
    """Write a report: one HTML file that needs nothing else.

    Parameters
    ----------
    source : GameLog, or the path of a log, of the folder of a run, or of a table of labels
    path : path, .html
    full : bool
        Shares compared by every factor that varies, a regression, sensitivity, figures of play and example
        games too; else findings, quality, identifiability, shares and the main comparison.
    short : bool
        Two printed pages: what was studied, the findings with figures, what limits them, how to read them.
    by : columns to compare by; default those that vary (the first of them where not `full`)
    title : str, optional
    recogniser, where, others, keep_defaulted, **reading
        As `label_log`, for a log.
    bootstrap, permutations, level : as `compare`
    seed : int
        Same source and seed, same page.
    overwrite : bool
    update : called with (steps done, in all)
    story : sections that stand before all others

    Raises
    ------
    OutputError
        The path has another suffix, exists, is what is read, or cannot be written.
    UsageError
        A setting that cannot be, or nothing to report on.
    UnknownNameError
        A column or recogniser that does not exist.
    DataError
        The source cannot be read.
    """
    import time

    from intent.base.output import writing
    from intent.report.material import material_of
    from intent.report.page import report_page
    from intent.version import __version__

    if full and short:
        raise UsageError("--full and --short, expected one of them")
    began = time.perf_counter()
    target = _checked(path, source, overwrite=overwrite)
    check_level(level)
    check_bootstrap(bootstrap)
    material = material_of(
        source,
        recogniser,
        where=where,
        others=others,
        keep_defaulted=keep_defaulted,
        seed=seed,
        **reading,
    )
    form: Form = "full" if full else "short" if short else "default"
    settings = Settings(form, by, bootstrap, permutations, level, seed, _MOST_GAMES)
    sections, notes, findings = study(material, settings, update, story)
    lines = [
        f"{_FORMS[form]} on {material.name}{_LONGER[form]}.",
        "This file is complete: it loads nothing, runs nothing and sends nothing.",
    ]
    page = report_page(
        title or f"Strategies in {material.name}",
        sections,
        lines=lines,
        foot=f"Made with intent {__version__}, seed {seed}.",
        contents=not short,
    )
    with writing(target, overwrite=overwrite) as draft:
        draft.write_text(page, encoding="utf8", errors="backslashreplace")
    return ReportResult(
        target,
        tuple(section.title for section in sections),
        material.n_games,
        len(material.labels),
        target.stat().st_size,
        time.perf_counter() - began,
        tuple(notes),
        findings,
    )


def _checked(path: str | Path, source: object, *, overwrite: bool) -> Path:
    from intent.base.output import claim

    target = Path(path)
    if target.suffix.lower() not in _SUFFIXES:
        raise OutputError(f"cannot write {target}: suffix {target.suffix!r}, expected .html")
    if (
        isinstance(source, str | Path)
        and target.exists()
        and Path(source).exists()
        and target.samefile(source)
    ):
        raise OutputError(f"cannot write {target}: it is what is read")
    return claim(target, overwrite=overwrite)


_DRAWN = 4
"""Comparisons of a game that have a figure."""

_FEW_GAMES = 30

_WORTH = "independent ones"
"""What a caveat on the effective number of trajectories says."""

Form = Literal["default", "short", "full"]


@dataclass(frozen=True)
class Settings:
    """How a study is made; as `report` explains."""

    form: Form
    by: str | Sequence[str]
    bootstrap: int
    permutations: int
    level: float
    seed: int
    most_games: int

    @property
    def full(self) -> bool:
        """Whether every factor is compared, with all that is slow."""
        return self.form == "full"

    @property
    def intervals(self) -> dict[str, Any]:
        """Keywords of what has intervals."""
        return {"bootstrap": self.bootstrap, "level": self.level}


@dataclass(frozen=True, eq=False)
class _Game:
    part: Material
    key: str
    factors: tuple[str, ...]
    varied: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class _Results:
    """All that is computed before anything is written."""

    games: tuple[_Game, ...]
    found: tuple[Compared, ...]
    findings: Findings
    played: tuple[Played, ...]
    gate: str | None

    @property
    def parts(self) -> dict[str, Material]:
        """The part of each game, by its name."""
        return {game.part.game or "": game.part for game in self.games}


def study(
    material: Material,
    settings: Settings,
    update: Callable[[int, int], None],
    story: Sequence[Section] = (),
) -> tuple[list[Section], list[str], Findings]:
    """All sections in order, what a reader should be warned of, and the findings.

    Parameters
    ----------
    material : Material
    settings : Settings
    update : called with (steps done, in all)
    story : sections that stand before all others

    Raises
    ------
    UsageError
        More games than a page can show.
    UnknownNameError
        A column that does not exist.
    """
    games = _games(material, settings)
    results = _results(material, games, settings, update)
    cautions = list(material.notes)
    n_games = material.n_games
    if n_games is not None and n_games < _FEW_GAMES:
        cautions.append(
            f"{n_games} games are few: intervals are wide, and what is not found may still be there."
        )
    if results.gate is not None:
        cautions.append(results.gate)
    if settings.form == "short":
        sections = two_pages(
            material,
            results.parts,
            results.findings,
            results.played,
            cautions=[*cautions, *copied_conditions(material)],
            level=settings.level,
        )
        update(1, 1)
        return [*story, *sections], cautions, results.findings
    sections = _sections(material, results, settings, cautions, update)
    return [*story, *sections], cautions, results.findings


def findings_of(material: Material, settings: Settings) -> Findings:
    """The findings of a report, without the report."""
    return _results(material, _games(material, settings), settings, lambda done, total: None).findings


def _results(
    material: Material, games: list[_Game], settings: Settings, update: Callable[[int, int], None]
) -> _Results:
    from intent.comparison.findings import ranked
    from intent.report.findings import coin_gate, played, questions_of, with_games

    steps = len(games) * 2 + 2
    how = {**settings.intervals, "permutations": settings.permutations, "seed": settings.seed}
    gate = coin_gate(material, level=settings.level)
    found: list[Compared] = []
    questions: list[Finding] = []
    what = []
    for k, game in enumerate(games):
        own = compared(game.part, game.key, game.factors, sensitivity=settings.full, **how)
        found += own
        factors = tuple(dict.fromkeys([*game.factors, *game.varied]))
        questions += questions_of(
            game.part, factors, () if gate else own, game.key, level=settings.level, seed=settings.seed
        )
        what.append(
            played(game.part, level=settings.level, seed=settings.seed)
            if gate is None
            else Played(gate, False)
        )
        update(k + 1, steps)
    if len(games) > 1 and gate is None:
        between = compared(material, "games", ["game"], **how)
        found += between
        questions += [c.finding for c in between if c.finding is not None]
    findings = ranked(questions, level=settings.level)
    parts = {game.part.game or "": game.part for game in games}
    update(len(games) + 1, steps)
    return _Results(
        tuple(games), tuple(corrected(found, findings)), with_games(findings, parts), tuple(what), gate
    )


def _sections(
    material: Material,
    results: _Results,
    settings: Settings,
    cautions: list[str],
    update: Callable[[int, int], None],
) -> list[Section]:
    import numpy as np

    from intent.report.document import Listing, Section, Words
    from intent.report.examples import identified_section
    from intent.report.findings import FINDINGS_WORDS, findings_claims, games_section
    from intent.report.methods import left_out_section, methods_section, quality_section, settings_section
    from intent.report.play import run_section

    games, found = results.games, results.found
    steps = len(games) * 2 + 2
    rng = np.random.default_rng(settings.seed)
    copies = copied_conditions(material)
    quality, of_quality = quality_section(material, copies)
    identified, of_labels = identified_section(material, [game.part for game in games])
    parts, together = [], []
    for k, (game, own) in enumerate(zip(games, rng.spawn(len(games)), strict=True)):
        mine = [c for c in found if c.key == game.key]
        parts.append(_game_section(game, mine, results, k, settings, own))
        together += going_together(game.part, mine)
        update(len(games) + 2 + k, steps)
    across = [
        Section("games", "Between games", (comparison_section(c, draw=True, game="all games"),))
        for c in found
        if c.key == "games"
    ]
    whole = [c for c in found if c.key == "games"] or list(found[:1])
    worth = [line for one in whole for line in caveats_of(one) if _WORTH in line]
    behind, strips = games_section(
        results.findings, results.parts, {g.part.game or "": g.varied for g in games}
    )
    several = len(games) > 1
    what = tuple(
        f"In {_named(game.part)}: {one.sentence[0].lower()}{one.sentence[1:]}" if several else one.sentence
        for game, one in zip(games, results.played, strict=True)
    )
    first: list[Block] = [
        *findings_claims(results.findings, results.parts, level=settings.level, strips=strips),
        Words(FINDINGS_WORDS, "quiet"),
        Section("findings-play", "What is played", (Listing(what),)),
        Section(
            "findings-data",
            "What the data can tell",
            (Listing((*of_labels, *of_quality, *copies, *worth, *dict.fromkeys(map(_sentence, together)))),),
        ),
        Words(
            "A label says which known strategy the moves are most like. It does not say why they were made, "
            "and a difference between groups is no proof that what names them is its cause.",
            "quiet",
        ),
    ]
    if cautions:
        first.append(Listing(tuple(cautions), "caution"))
    methods = methods_section(
        material,
        permutations=settings.permutations,
        n_questions=results.findings.n,
        regression=settings.full,
        main=found[0].result if found else None,
        **settings.intervals,
    )
    told = {
        "form": settings.form,
        "by": "; ".join(f"{_named(g.part)}: {', '.join(g.factors) or 'nothing varies'}" for g in games),
        "bootstrap": settings.bootstrap,
        "permutations": settings.permutations,
        "level": settings.level,
        "seed": settings.seed,
    }
    rest = left_out_section(
        [(_named(g.part), g.part, g.factors, [c.factor for c in found if c.key == g.key]) for g in games],
        full=settings.full,
    )
    sections = [
        Section("findings", "Key findings", tuple(first)),
        run_section(material),
        quality,
        identified,
        *parts,
        *across,
        *([behind] if behind is not None else []),
        rest,
        methods,
    ]
    update(steps, steps)
    return [*sections, settings_section(material, told)]


def _games(material: Material, settings: Settings) -> list[_Game]:
    from intent.base.codebook import column_names
    from intent.base.errors import UnknownNameError, UsageError

    asked = column_names(settings.by, material.labels.columns)
    for name in asked:
        if name not in material.labels.columns:
            raise UnknownNameError("column", name, map(str, material.labels.columns))
    found = []
    for k, part in enumerate(material.by_game(), 1):
        varied = varying(part.labels)
        own = tuple(c for c in asked if part.labels[c].nunique(dropna=False) > 1)
        factors = own if asked else varied if settings.full else varied[:1]
        found.append(_Game(part, f"game-{k}", factors, varied))
    if len(found) > settings.most_games:
        raise UsageError(
            f"{len(found)} games are too many for a report, expected at most {settings.most_games} (--where "
            "game=…)"
        )
    return found


def _game_section(
    game: _Game,
    found: Sequence[Compared],
    results: _Results,
    place: int,
    settings: Settings,
    rng: np.random.Generator,
) -> Section:
    from intent.report.document import Section, Words
    from intent.report.estimates import estimates_section, regression_section, shares_section
    from intent.report.examples import examples_section
    from intent.report.findings import cooperation_section
    from intent.report.play import play_section

    level = settings.level
    every = (*results.findings.shown, *results.findings.open, *results.findings.silent)
    blocks: list[Block] = [shares_section(game.part, game.key, results.played[place], level=level)]
    blocks += filter(None, [cooperation_section(game.part, game.key, every, level=level)])
    main = game.factors[:1] or game.varied[:1]
    if found:
        shared = shared_caveats(found)
        parts: tuple[Block, ...] = tuple(
            comparison_section(c, draw=k < _DRAWN, game=_named(game.part), told=shared)
            for k, c in enumerate(found)
        )
        design = design_blocks(game.part, game.varied, shared)
        title = "Comparisons" if len(found) > 1 else f"Comparison by {in_words(found[0].factor)}"
        blocks.append(Section(f"{game.key}-comparisons", title, (*design, *parts)))
    elif game.factors:
        blocks.append(
            Words(f"There is no comparison by {in_words(game.factors)}: the values make no groups.")
        )
    else:
        blocks.append(Words("Nothing varies between these trajectories that they could be compared by."))
    if settings.full:
        by = main[0] if main else "model"
        blocks += filter(
            None, [estimates_section(game.part, game.key, main, level=level, seed=settings.seed)]
        )
        blocks += filter(None, [regression_section(game.part, game.key, game.factors, level=level)])
        blocks += filter(None, [play_section(game.part, game.key, by, rng=rng, **settings.intervals)])
        blocks += filter(None, [examples_section(game.part, game.key, game.varied)])
    return Section(game.key, _named(game.part), tuple(blocks))


def _named(part: Material) -> str:
    return (part.game or "All games").replace("_", " ")


def _sentence(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}."


_MOST = 6
"""Findings that fit."""

_GAMES = 6
"""Games whose play is told."""

_VALUES, _NAME = 6, 30
_CAUTIONS = 6

_HOW = (
    "Points are percentage points; brackets hold the interval that the data allow, wide enough for the "
    "choice of what is shown. What is not shown may still be there: few games show only large differences.",
    "p says how often chance alone would give such a difference, corrected for all questions asked.",
    "ALLC always cooperates, ALLD never does, TFT repeats the other's last move, WSLS keeps its move after a "
    "good outcome and changes it after a bad one; RANDOM is play that no strategy of the set explains.",
    "A difference between groups is no proof that what names them is its cause: groups are compared as they "
    "are.",
)


def two_pages(
    material: Material,
    parts: Mapping[str, Material],
    findings: Findings,
    what: Sequence[Played],
    *,
    cautions: Sequence[str],
    level: float,
) -> list[Section]:
    """The four sections.

    Parameters
    ----------
    material : Material
    parts : name of a game -> its part
    findings : Findings
    what : what is played, by game
    cautions : what limits all of it
    level : float in (0, 1)
    """
    from intent.report.document import Listing, Section, Words
    from intent.report.examples import identified_section
    from intent.report.findings import findings_claims
    from intent.report.methods import quality_section

    _, of_labels = identified_section(material, list(parts.values()))
    _, of_quality = quality_section(material, [])
    several = len(parts) > 1
    more = len(what) - _GAMES
    is_played = tuple(
        f"In {name.replace('_', ' ')}: {one.sentence[0].lower()}{one.sentence[1:]}"
        if several
        else one.sentence
        for name, one in list(zip(parts, what, strict=True))[:_GAMES]
    )
    if more > 0:
        is_played += (f"{more} more games are in the longer report.",)
    limits = [*cautions, *of_labels, *of_quality]
    return [
        Section("studied", "What was studied", (Words(_studied(material, parts)), Listing(is_played))),
        Section("findings", "Findings", tuple(findings_claims(findings, parts, level=level, most=_MOST))),
        Section("limits", "What limits them", (Listing(tuple(limits[:_CAUTIONS])),)),
        Section("reading", "How to read this", (Listing(_HOW),)),
    ]


def _studied(material: Material, parts: Mapping[str, Material]) -> str:
    """Games, rows, factors and rounds in one paragraph."""
    rounds = material.labels["n_rounds"]
    length = f"{rounds.min()}" if rounds.nunique() == 1 else f"{rounds.min()} to {rounds.max()}"
    games = ", ".join(name.replace("_", " ") for name in parts if name) or "one game"
    text = f"{material.counted} with {length} known moves each: {games}."
    told = []
    for factor in varying(material.labels, seats=False):
        if factor in ("game", "cooperative_action"):
            continue
        values = [shorten(str(v), _NAME) for v in material.labels[factor].dropna().unique()]
        more = f" and {len(values) - _VALUES} more" if len(values) > _VALUES else ""
        told.append(f"{in_words(factor)} ({', '.join(values[:_VALUES])}{more})")
    return f"{text} What varied: {'; '.join(told)}." if told else f"{text} Nothing varied between them."
