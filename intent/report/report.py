"""From a log, a run or a table of labels to one self-contained page.

The study behind it, game by game and across games, in the order of the page; or on two pages: what was
studied, findings with figures, what limits them, how to read them. The findings, ranked, each with evidence,
figure and section; the comparisons with the caveats that limit them.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import OutputError, UnknownNameError, UsageError, shorten
from intent.base.job import Result, Table, check_bootstrap, check_level, job
from intent.base.outputs import claim, writing
from intent.base.registry import missing
from intent.base.statistics import Interval
from intent.base.tables import column_names
from intent.base.wording import as_sentence, counted, digits_of_p, in_words
from intent.comparison.findings import Cell, Finding, Findings, ranked
from intent.comparison.groups import percent
from intent.comparison.sentences import finding_sentence, points
from intent.report.full import estimates_section, examples_section, play_section, regression_section
from intent.report.material import (
    DRAWN,
    Compared,
    Material,
    Played,
    coin_gate,
    compared,
    copied_conditions,
    corrected,
    material_of,
    pages_of_games,
    played,
    questions_of,
    varying,
    with_games,
)
from intent.report.page import (
    Block,
    Claim,
    Claims,
    Listing,
    Picture,
    Section,
    Words,
    grid,
    phrase,
    picture,
    report_page,
)
from intent.report.requests import ReportRequest
from intent.report.sections import (
    games_section,
    identified_section,
    information_sections,
    left_out_section,
    methods_section,
    quality_section,
    run_section,
    settings_section,
    shares_section,
)
from intent.report.summary import draw_finding, figure_words, first_sheet, second_sheet
from intent.report.tables import (
    counted_shares,
    findings_tables,
    shortened,
    tables_folder,
    write_tables,
)
from intent.version import __version__

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.estimate.choice.completeness import Completeness


__all__ = ["ReportResult", "findings_of", "report"]

_MOST_GAMES = 20
_SUFFIXES = (".html", ".htm")

_SHOWN = 5
"""Findings that a command prints."""

_DRAWN = 4
"""Comparisons of a game that have a figure."""

_FEW_GAMES = 30

_WORTH = "independent ones"
"""What a caveat on the effective number of trajectories says."""


@dataclass(frozen=True, eq=False)
class ReportResult(Result):
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
    explained : mapping of game -> Completeness
        How much of what can be predicted of its moves the strategies explain.
    """

    kind = "report"

    path: Path
    sections: tuple[str, ...]
    n_games: int | None
    n: int
    size: int
    seconds: float
    notes: tuple[str, ...] = ()
    findings: Findings | None = None
    explained: Mapping[str, Completeness] = field(default_factory=dict)

    def fields(self) -> dict[str, Any]:
        """As `codebook.JSON_OBJECTS` describes it."""
        shown = () if self.findings is None else self.findings.shown
        findings = zip(self.sentences(), shown, strict=True)
        return {
            "path": str(self.path),
            "sections": list(self.sections),
            "n_games": self.n_games,
            "n": self.n,
            "bytes": self.size,
            "seconds": self.seconds,
            "notes": list(self.notes),
            "findings": [{"sentence": sentence, **one.to_dict()} for sentence, one in findings],
            "explained": [{"game": game, **one.facts()} for game, one in self.explained.items()],
        }

    def sentences(self) -> list[str]:
        """The findings in words, ranked."""

        shown = () if self.findings is None else self.findings.shown
        several = len({one.game for one in shown}) > 1
        return [finding_sentence(one, game=several) for one in shown]

    def parts(self) -> Iterator[Table | str]:
        """How large it is, and its first findings."""
        size = f"{self.size / 1e6:.1f} MB" if self.size >= 1e6 else f"{self.size / 1e3:.0f} kB"
        games = "" if self.n_games is None else f" of {counted(self.n_games, 'game')}"
        sections = counted(len(self.sections), "section")
        yield f"{counted(self.n, 'row')}{games}, {sections}, {size}, {self.seconds:.1f} s"
        for sentence in self.sentences()[:_SHOWN]:
            yield f"- {sentence}"

    def remarks(self) -> Iterator[str]:
        """The page."""
        yield f"wrote {self.path}"


@job(ReportRequest)
def report(request: ReportRequest) -> ReportResult:
    """Write a report: one HTML file that needs nothing else; same source and seed, same page.

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

    if request.full and request.short:
        raise UsageError("--full and --short, expected one of them")
    began = time.perf_counter()
    target = _checked(request)
    folder = tables_folder(target, overwrite=request.overwrite)
    check_level(request.level)
    check_bootstrap(request.bootstrap)
    pages = {} if request.bundle is None else pages_of_games(request.bundle, target)
    study = _Study(replace(material_of(request), pages=pages), request)
    sheets, appendix = study.sheets(), study.appendix()
    sections = [*(one for sheet in sheets for one in sheet), *request.story, *appendix]
    shown, cells = shortened(appendix, folder.name)
    _, every = shortened([*request.story, *(one for sheet in sheets for one in sheet)], folder.name)
    name = study.material.name
    page = report_page(
        request.title or phrase("report.title", name=name),
        shown,
        lines=[
            phrase(f"report.line_{_form(request)}", name=name),
            phrase("report.complete"),
            phrase("tables.beside", folder=folder.name),
        ],
        foot=phrase("report.foot", version=__version__, seed=request.seed),
        contents=not request.short,
        sheets=sheets,
        story=request.story,
    )
    with writing(target, overwrite=request.overwrite) as draft:
        draft.write_text(page, encoding="utf8", errors="backslashreplace")
    write_tables(folder, study.tables(), [*every, *cells], study.facts(), overwrite=request.overwrite)
    return ReportResult(
        target,
        tuple(section.title for section in sections),
        study.material.n_games,
        len(study.material.labels),
        target.stat().st_size,
        time.perf_counter() - began,
        tuple(study.cautions),
        study.findings,
        {g.name: g.played.explained for g in study.games if g.played.explained is not None},
    )


def findings_of(request: ReportRequest) -> Findings:
    """The findings of a report, without the report."""
    return _Study(material_of(request), request).findings


def _form(request: ReportRequest) -> str:
    return "full" if request.full else "short" if request.short else "default"


def _checked(request: ReportRequest) -> Path:
    target, source = Path(request.path), request.input_path()
    if target.suffix.lower() not in _SUFFIXES:
        raise OutputError(f"cannot write {target}: suffix {target.suffix!r}, expected .html")
    if source is not None and target.exists() and source.exists() and target.samefile(source):
        raise OutputError(f"cannot write {target}: it is what is read")
    return claim(target, overwrite=request.overwrite)


@dataclass(frozen=True, eq=False)
class _Game:
    """One game: its part, its address, the factors that it is compared by, all that vary; and its results."""

    part: Material
    key: str
    factors: tuple[str, ...]
    varied: tuple[str, ...]
    played: Played

    @property
    def name(self) -> str:
        return (self.part.game or phrase("report.all_games")).replace("_", " ")


class _Study:
    """All that is computed before anything is written, and the sections made of it."""

    def __init__(self, material: Material, request: ReportRequest) -> None:
        self.material, self.request = material, request
        level, seed = request.level, request.seed
        parts = _parts(material, request)
        self.steps = len(parts) * 2 + 2
        how = request.values(("bootstrap", "permutations", "level", "seed"))
        gate = coin_gate(material, level=level)
        without = ""
        if request.explained and gate is None:
            from intent.estimate.choice.completeness import CEILING

            if (lack := missing(*CEILING)) is not None:
                without = phrase("report.not_explained", lack=lack)
        comparisons: list[Compared] = []
        questions: list[Finding] = []
        games = []
        for k, (part, factors, varied) in enumerate(parts, 1):
            key = f"game-{k}"
            own = compared(part, key, factors, sensitivity=request.full, **how)
            comparisons += own
            every = tuple(dict.fromkeys([*factors, *varied]))
            questions += questions_of(part, every, () if gate else own, key, level=level, seed=seed)
            what = Played(gate or "", False)
            if gate is None:
                what = played(part, level=level, seed=seed, explained=not without and request.explained)
            games.append(_Game(part, key, factors, varied, what))
            request.update(k, self.steps)
        if len(games) > 1 and gate is None:
            between = compared(material, "games", ["game"], **how)
            comparisons += between
            questions += [c.finding for c in between if c.finding is not None]
        findings = ranked(questions, level=level)
        self.games = tuple(games)
        self.rows: dict[str, pd.DataFrame] = {}
        self.parts = {game.part.game or "": game.part for game in games}
        request.update(len(games) + 1, self.steps)
        self.comparisons = corrected(comparisons, findings)
        self.findings = with_games(findings, self.parts)
        self.cautions = [*material.notes, *([without] if without else [])]
        n_games = material.n_games
        if n_games is not None and n_games < _FEW_GAMES:
            are = "is" if n_games == 1 else "are"
            self.cautions.append(phrase("report.few", games=counted(n_games, "game"), are=are))
        if gate is not None:
            self.cautions.append(gate)

    def sheets(self) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
        """The summary, as two printed pages."""
        material = self.material
        _, of_labels = identified_section(material, [game.part for game in self.games])
        _, of_quality = quality_section(material, [])
        together = (line for g in self.games for line in going_together(g.part, self._of(g.key)))
        limits = (*self.cautions, *of_labels, *copied_conditions(material), *together, *of_quality)
        games = [(game.name, game.part, game.played) for game in self.games]
        level = self.request.level
        return (
            first_sheet(material, self.findings, games, self.comparisons, level=level),
            second_sheet(
                self.findings,
                tuple(dict.fromkeys(limits)),
                level=level,
                several=len(games) > 1,
                appendix=not self.request.short,
            ),
        )

    def tables(self) -> dict[str, pd.DataFrame]:
        """What is written beside the page, by the names of the files."""
        games = [(game.part, game.played) for game in self.games]
        shares = counted_shares(games, self.comparisons, level=self.request.level)
        return {**findings_tables(self.findings, several=len(games) > 1), "shares": shares, **self.rows}

    def facts(self) -> dict[str, Any]:
        """How the tables came about."""
        settings = self.request.values(("bootstrap", "permutations", "level", "seed"))
        log = self.material.provenance.get("log")
        about = dict(log) if isinstance(log, Mapping) else {}
        return {
            "kind": "report",
            "source": self.material.name,
            "sha256": about.get("sha256"),
            "version": __version__,
            **settings,
        }

    def appendix(self) -> list[Section]:
        """Everything, in the order of the page; nothing of the short form."""
        sections = [] if self.request.short else self._long()
        self.request.update(self.steps, self.steps)
        return sections

    def _of(self, key: str) -> list[Compared]:
        return [c for c in self.comparisons if c.key == key]

    def _long(self) -> list[Section]:
        import numpy as np

        material, request, games = self.material, self.request, self.games
        copies = copied_conditions(material)
        quality, of_quality = quality_section(material, copies)
        identified, of_labels = identified_section(material, [game.part for game in games])
        rngs = np.random.default_rng(request.seed).spawn(len(games))
        parts, together = [], []
        for k, (game, rng) in enumerate(zip(games, rngs, strict=True)):
            parts.append(self._game_section(game, rng))
            together += going_together(game.part, self._of(game.key))
            request.update(len(games) + 2 + k, self.steps)
        between = self._of("games")
        whole = between or self.comparisons[:1]
        worth = [line for one in whole for line in caveats_of(one) if _WORTH in line]
        varied = {game.part.game or "": game.varied for game in games}
        behind, strips = games_section(self.findings, self.parts, varied)
        data = (*of_labels, *of_quality, *copies, *worth, *dict.fromkeys(together))
        first: list[Block] = [
            *findings_claims(self.findings, self.parts, level=request.level, strips=strips),
            Words(phrase("report.questions"), "quiet"),
            Section("findings-play", phrase("report.play"), (Listing(tuple(self._what_is_played())),)),
            Section("findings-data", phrase("report.data"), (Listing(data),)),
            Words(phrase("report.labels_only_say"), "quiet"),
        ]
        if self.cautions:
            first.append(Listing(tuple(self.cautions), "caution"))
        nothing = phrase("report.nothing")
        factors = (f"{g.name}: {', '.join(g.factors) or nothing}" for g in games)
        settings = request.values(("bootstrap", "permutations", "level", "seed"))
        return [
            Section("findings", phrase("report.findings"), tuple(first)),
            run_section(material),
            *information_sections(material),
            quality,
            identified,
            *parts,
            *(
                Section(
                    "games",
                    phrase("report.between"),
                    (comparison_section(c, draw=True, game=phrase("comparison.all_games")),),
                )
                for c in between
            ),
            *([behind] if behind is not None else []),
            left_out_section(
                [(g.name, g.part, g.factors, [c.factor for c in self._of(g.key)]) for g in games],
                full=request.full,
            ),
            methods_section(
                material,
                permutations=request.permutations,
                n_questions=self.findings.n,
                regression=request.full,
                main=self.comparisons[0].result if self.comparisons else None,
                **request.values(("bootstrap", "level")),
            ),
            settings_section(material, {"form": _form(request), "by": "; ".join(factors), **settings}),
        ]

    def _what_is_played(self) -> Iterator[str]:
        for game in self.games:
            sentence = game.played.sentence
            if len(self.games) > 1:
                clause = f"{sentence[0].lower()}{sentence[1:]}"
                sentence = phrase("report.in_game", game=game.name, sentence=clause)
            explained = game.played.explained
            yield sentence if explained is None else f"{sentence} {explained.sentence()}"

    def _game_section(self, game: _Game, rng: np.random.Generator) -> Section:
        request, part, key, factors = self.request, game.part, game.key, game.factors
        level, comparisons = request.level, self._of(key)
        every = (*self.findings.shown, *self.findings.open, *self.findings.silent)
        blocks: list[Block | None] = [
            shares_section(part, key, game.played, level=level),
            cooperation_section(part, key, every, level=level),
        ]
        if comparisons:
            shared = shared_caveats(comparisons)
            sections = (
                comparison_section(c, draw=k < _DRAWN, game=game.name, before=shared)
                for k, c in enumerate(comparisons)
            )
            title = phrase("report.comparisons")
            if len(comparisons) == 1:
                title = phrase("report.comparison", factor=in_words(comparisons[0].factor))
            design = design_blocks(part, game.varied, shared)
            blocks.append(Section(f"{key}-comparisons", title, (*design, *sections)))
        elif factors:
            blocks.append(Words(phrase("report.no_groups", factors=in_words(factors))))
        else:
            blocks.append(Words(phrase("report.nothing_varies")))
        if request.full:
            main = factors[:1] or game.varied[:1]
            by = main[0] if main else "model"
            blocks += [
                estimates_section(part, key, main, level=level, seed=request.seed),
                regression_section(part, key, factors, level=level),
                play_section(part, key, by, rng=rng, **request.values(("bootstrap", "level"))),
                examples_section(part, key, game.varied),
            ]
        return Section(key, game.name, tuple(block for block in blocks if block is not None))


def _parts(
    material: Material, request: ReportRequest
) -> list[tuple[Material, tuple[str, ...], tuple[str, ...]]]:
    """The part of each game, the factors that it is compared by, and all that vary."""

    columns = column_names(request.by, material.labels.columns)
    for name in columns:
        if name not in material.labels.columns:
            raise UnknownNameError("column", name, map(str, material.labels.columns))
    parts = []
    for part in material.by_game():
        varied = varying(part.labels)
        own = tuple(c for c in columns if part.labels[c].nunique(dropna=False) > 1)
        parts.append((part, own if columns else varied if request.full else varied[:1], varied))
    if len(parts) > _MOST_GAMES:
        raise UsageError(
            f"{len(parts)} games are too many for a report, expected at most {_MOST_GAMES} (--where game=…)"
        )
    return parts


_HINT = re.compile(r"[;:]? (?:\((?:see )?|see |consider |give )--[^;:)]*\)?")
_ROWS = re.compile(r"^([\d,]+) rows are")
_LETTERS = 500
"""Of a caveat: names in it may be of any length."""

_MANY = 20
"""Groups up to which a figure is drawn."""

_OF_MOVES = ("defaulted %", "missing %", "refused %")
_THIN = 0.8
_PAIRS = 3
"""Pairs of factors that a sentence names."""


def comparison_section(one: Compared, *, draw: bool, game: str, before: Sequence[str] = ()) -> Section:
    """One comparison: the verdict in words, the shares, and caveats but for those that stood `before`."""
    from intent.comparison.figures import draw_bars
    from intent.comparison.groups import comparison_rows

    comparison, factor = one.result.comparison, in_words(one.factor)
    level = comparison.level
    blocks: list[Block] = [Words(verdict(one))]
    header, rows = comparison_rows(comparison)
    # the shares of bad moves stand behind those of strategies, which a narrow screen then shows first
    order = sorted(range(len(header)), key=lambda k: header[k] in _OF_MOVES)
    names, rows = [_heading(header[k]) for k in order], [[row[k] for k in order] for row in rows]
    shares = grid(phrase("comparison.shares", factor=factor, level=level), [factor, *names[1:]], rows)
    if draw and 2 <= len(comparison.groups) <= _MANY:
        caption = phrase("comparison.figure", factor=factor, level=level, unit=comparison.unit)
        title = phrase("comparison.figure_title", factor=factor, game=game)
        description = phrase("comparison.figure_described", verdict=verdict(one))
        folded = replace(shares, folded=True)
        blocks.append(picture(lambda: draw_bars(comparison), title, description, caption, folded))
    else:
        blocks.append(shares)
    paper = " ".join(one.result.paper_sentences())
    if paper and one.differs:
        blocks.append(Words(phrase("comparison.paper", sentences=paper), "quiet"))
    for title, (columns, cells) in one.result.tables():
        if cells:
            blocks.append(grid(title, *_row_named(columns, cells), folded=True))
    if caveats := [caveat for caveat in caveats_of(one) if caveat not in before]:
        blocks.append(Listing(tuple(caveats), "caution"))
    return Section(one.address, phrase("comparison.title", factor=factor), tuple(blocks))


def _heading(name: object) -> str:
    """An outcome as a sentence has it; all other headings as they are."""
    return {"no_fit": "no fit", "low_confidence": "low confidence"}.get(str(name), str(name))


def _row_named(
    names: Sequence[str], rows: Sequence[Sequence[object]]
) -> tuple[list[str], list[list[object]]]:
    """What names a row in one column, a setting with its value; outcomes as a sentence has them."""
    names = [*map(_heading, names)]
    if names[:2] != ["setting", "value"]:
        return names, [[_heading(row[0]), *row[1:]] for row in rows]
    return ["setting", *names[2:]], [[f"{row[0]} {row[1]}".strip(), *row[2:]] for row in rows]


def verdict(one: Compared) -> str:
    """What the deciding test says, as a sentence."""
    factor, headline, finding = in_words(one.factor), one.headline, one.finding
    if headline is None or one.p_adjusted is None:
        return phrase("verdict.no_test", factor=factor)
    draws = one.result.config["permutations"]
    least = draws and headline.p <= 1 / (int(draws) + 1) + 1e-12
    ratio = headline.test == "likelihood_ratio"
    largest = ""
    if finding is not None and finding.levels:
        which = "widest" if one.differs else "widest_of_none"
        largest = phrase(f"verdict.{which}", names=" or ".join(finding.outcome), range=_range(finding))
        if one.differs and not finding.nearest > 0:
            largest += phrase("verdict.widest_holds_zero")
    return phrase(
        "verdict.sentence",
        head=phrase("verdict.differ" if one.differs else "verdict.no_evidence"),
        factor=factor,
        question=f" {headline.question}" if headline.question else "",
        test=phrase("verdict.likelihood_ratio") if ratio else headline.test,
        unit=headline.unit,
        p=_p(one.p_adjusted),
        family=phrase("verdict.corrected", n=one.family, alone=_p(headline.p)) if one.family > 1 else "",
        least=phrase("verdict.least", draws=int(draws)) if least else "",
        largest=largest,
    )


def _p(p: float) -> str:
    return "< 0.0001" if p < 1e-4 else f"= {p:.2g}"


def _range(finding: Finding) -> str:
    ends = "" if finding.low != finding.low else f" [{points(finding.low)}, {points(finding.high)}]"
    return f"{points(finding.estimate)} points{ends}"


def caveats_of(one: Compared) -> list[str]:
    """What limits a comparison, in sentences."""
    comparison = one.result.comparison
    # without hints at options of another command
    plain = (_ROWS.sub(r"\1 trajectories are", _HINT.sub("", str(note))) for note in one.result.notes)
    caveats = [as_sentence(shorten(line, _LETTERS)) for line in plain]
    caveats = list(dict.fromkeys(caveats))
    n, worth = sum(g.n for g in comparison.groups), sum(g.n_effective for g in comparison.groups)
    if worth < _THIN * n and not any("independent ones" in line for line in caveats):
        caveats.append(phrase("caveat.worth", n=n, worth=worth, unit=comparison.unit))
    if one.differs:
        caveats.append(phrase("caveat.difference", factor=in_words(one.factor)))
    return caveats


def shared_caveats(comparisons: Sequence[Compared]) -> list[str]:
    """Caveats of all comparisons of a game."""
    each = [caveats_of(one) for one in comparisons]
    return [line for line in each[0] if all(line in other for other in each[1:])]


def design_blocks(part: Material, varied: Sequence[str], shared: Sequence[str]) -> list[Block]:
    """Which factors cannot be told apart, and which combinations were never played."""
    from intent.comparison.data import confounds_of

    lines = (
        shorten(line.replace(" (see --within)", ""), _LETTERS) for line in confounds_of(part.labels, varied)
    )
    sentences = (*(as_sentence(line) for line in lines if "agent_name" not in line), *shared)
    return [Listing(sentences, "caution")] if sentences else []


def going_together(part: Material, comparisons: Sequence[Compared]) -> list[str]:
    """Which factors that make a difference do not vary apart."""
    from intent.comparison.data import confounds

    factors = [one.factor for one in comparisons if one.differs]
    pairs = [in_words([one.factor, one.other]) for one in confounds(part.labels, factors)]
    if not pairs:
        return []
    more = phrase("data.more_pairs", n=len(pairs) - _PAIRS) if len(pairs) > _PAIRS else ""
    return [phrase("data.going_together", pairs="; ".join(pairs[:_PAIRS]), more=more)]


def findings_claims(
    findings: Findings,
    parts: Mapping[str, Material],
    *,
    level: float,
    strips: Mapping[tuple[str, str], str] | None = None,
) -> list[Block]:
    """The ranked findings with figures and links, and what is open or not shown.

    Parameters
    ----------
    findings : Findings
    parts : name of a game -> its part
    level : float in (0, 1)
    strips : mapping of (game, game_id) -> address, optional
        Games that the page shows.
    """
    from intent.comparison.sentences import open_sentence, silent_sentence

    if not findings.n:
        return [Words(phrase("claims.nothing_varies"))]
    several = len(parts) > 1
    shown = findings.shown
    blocks: list[Block] = []
    if shown:
        claims = (
            _claim(one, findings, k, level=level, several=several, strips=strips)
            for k, one in enumerate(shown)
        )
        blocks.append(Claims(tuple(claims)))
    else:
        blocks.append(Words(phrase("claims.none", n=findings.n)))
    for text in (open_sentence(findings), silent_sentence(findings, several_games=several)):
        blocks += [Words(text)] if text else []
    return blocks


def _claim(
    one: Finding,
    findings: Findings,
    place: int,
    *,
    level: float,
    several: bool,
    strips: Mapping[tuple[str, str], str] | None,
) -> Claim:
    from intent.comparison.sentences import about, finding_sentence, remarks

    text = finding_sentence(one, game=several)
    evidence = f"{about(one, findings.n, level=level)} {remarks(one, findings.shown[:place])}".strip()
    links = []
    if strips is not None:
        links = [(one.key, phrase("claims.comparison_link"))] if one.key else []
        for game in one.games:
            if address := strips.get((one.game, game)):
                links.append((address, phrase("claims.game_link", game=game)))
    return Claim(text, evidence, tuple(links), _figure(one, text, level, place) if place < DRAWN else None)


def _figure(one: Finding, text: str, level: float, place: int) -> Picture:
    caption = figure_words(one, level)
    number = place + 1
    header = (*map(in_words, one.factors), phrase(f"finding.column_{one.kind}"), "n")
    rows = [(*map(str, c.values), _percent(c), c.n) for c in one.cells]
    numbers = grid(
        phrase("finding.numbers", number=number), header, rows, heads=len(one.factors), folded=True
    )
    name = phrase("finding.name", number=number, caption=caption)
    return picture(lambda: draw_finding(one), name, text, caption, numbers)


def _percent(cell: Cell) -> str:
    return percent(Interval(cell.estimate, cell.low, cell.high))


def cooperation_section(
    part: Material, key: str, questions: Iterable[Finding], *, level: float
) -> Section | None:
    """How often each level cooperates, and what every question on cooperation says; None without moves."""
    own = [one for one in questions if one.kind != "share" and one.game == (part.game or "")]
    if not own:
        return None
    cells = [
        (f"{in_words(one.factors[0])} {cell.values[0]}", cell.n, _percent(cell))
        for one in own
        if one.kind == "rate"
        for cell in one.cells
    ]
    tests = []
    for one in own:
        ends = "–" if one.low != one.low else f"{points(one.low)} to {points(one.high)}"
        name, levels = in_words(one.factors[0]), " against ".join(map(str, one.levels))
        if one.kind == "interaction":
            name = f"{in_words(one.factors[1])} by {name}"
            levels = f"{levels}, {one.effects[0].level} against {one.effects[-1].level}"
        tests.append((name, levels, points(one.estimate), ends, digits_of_p(one.p_adjusted), one.counted))
    header = [name.format(level=level) for name in phrase.lines("cooperation.header")]
    caption = phrase("cooperation.caption", level=level)
    return Section(
        f"{key}-cooperation",
        phrase("cooperation.title"),
        (
            Words(phrase("cooperation.about")),
            grid(caption, phrase.lines("cooperation.groups_header"), cells),
            grid(phrase("cooperation.questions"), header, tests, heads=2, folded=len(tests) > 12),
        ),
    )
