"""From a log, a run or a table of labels to one self-contained page.

The study behind it, game by game and across games, in the order of the page; or on two pages: what was
studied, findings with figures, what limits them, how to read them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.codebook import column_names
from intent.base.errors import OutputError, UnknownNameError, UsageError, shorten
from intent.base.files import claim, writing
from intent.base.request import check_bootstrap, check_level, job
from intent.base.result import Result, Table
from intent.base.wording import in_words
from intent.comparison.findings import Finding, Findings, ranked
from intent.comparison.sentences import finding_sentence
from intent.report.findings import (
    Compared,
    Played,
    caveats_of,
    coin_gate,
    compared,
    comparison_section,
    cooperation_section,
    copied_conditions,
    corrected,
    design_blocks,
    findings_claims,
    going_together,
    played,
    questions_of,
    shared_caveats,
    with_games,
)
from intent.report.material import Material, material_of, varying
from intent.report.page import Block, Listing, Section, Words, phrase, report_page
from intent.report.requests import ReportRequest
from intent.report.sections import (
    estimates_section,
    examples_section,
    games_section,
    identified_section,
    left_out_section,
    methods_section,
    play_section,
    quality_section,
    regression_section,
    run_section,
    settings_section,
    shares_section,
)
from intent.version import __version__

if TYPE_CHECKING:
    import numpy as np


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
        }

    def sentences(self) -> list[str]:
        """The findings in words, ranked."""

        shown = () if self.findings is None else self.findings.shown
        several = len({one.game for one in shown}) > 1
        return [finding_sentence(one, game=several) for one in shown]

    def parts(self) -> Iterator[Table | str]:
        """How large it is, and its first findings."""
        size = f"{self.size / 1e6:.1f} MB" if self.size >= 1e6 else f"{self.size / 1e3:.0f} kB"
        games = "" if self.n_games is None else f" of {self.n_games:,} games"
        yield f"{self.n:,} rows{games}, {len(self.sections)} sections, {size}, {self.seconds:.1f} s"
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
    check_level(request.level)
    check_bootstrap(request.bootstrap)
    study = _Study(material_of(request), request)
    sections = [*request.story, *study.sections()]
    name = study.material.name
    page = report_page(
        request.title or phrase("report.title", name=name),
        sections,
        lines=[phrase(f"report.line_{_form(request)}", name=name), phrase("report.complete")],
        foot=phrase("report.foot", version=__version__, seed=request.seed),
        contents=not request.short,
    )
    with writing(target, overwrite=request.overwrite) as draft:
        draft.write_text(page, encoding="utf8", errors="backslashreplace")
    return ReportResult(
        target,
        tuple(section.title for section in sections),
        study.material.n_games,
        len(study.material.labels),
        target.stat().st_size,
        time.perf_counter() - began,
        tuple(study.cautions),
        study.findings,
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
        comparisons: list[Compared] = []
        questions: list[Finding] = []
        games = []
        for k, (part, factors, varied) in enumerate(parts, 1):
            key = f"game-{k}"
            own = compared(part, key, factors, sensitivity=request.full, **how)
            comparisons += own
            every = tuple(dict.fromkeys([*factors, *varied]))
            questions += questions_of(part, every, () if gate else own, key, level=level, seed=seed)
            what = played(part, level=level, seed=seed) if gate is None else Played(gate, False)
            games.append(_Game(part, key, factors, varied, what))
            request.update(k, self.steps)
        if len(games) > 1 and gate is None:
            between = compared(material, "games", ["game"], **how)
            comparisons += between
            questions += [c.finding for c in between if c.finding is not None]
        findings = ranked(questions, level=level)
        self.games = tuple(games)
        self.parts = {game.part.game or "": game.part for game in games}
        request.update(len(games) + 1, self.steps)
        self.comparisons = corrected(comparisons, findings)
        self.findings = with_games(findings, self.parts)
        self.cautions = list(material.notes)
        n_games = material.n_games
        if n_games is not None and n_games < _FEW_GAMES:
            self.cautions.append(phrase("report.few", n=n_games))
        if gate is not None:
            self.cautions.append(gate)

    def sections(self) -> list[Section]:
        """In the order of the page."""
        if not self.request.short:
            return self._long()
        sections = self._two_pages()
        self.request.update(1, 1)
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
        sections = [
            Section("findings", phrase("report.findings"), tuple(first)),
            run_section(material),
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
        request.update(self.steps, self.steps)
        return sections

    def _what_is_played(self) -> Iterator[str]:
        for game in self.games:
            sentence = game.played.sentence
            if len(self.games) > 1:
                clause = f"{sentence[0].lower()}{sentence[1:]}"
                sentence = phrase("report.in_game", game=game.name, sentence=clause)
            yield sentence

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

    def _two_pages(self) -> list[Section]:
        material = self.material
        _, of_labels = identified_section(material, list(self.parts.values()))
        _, of_quality = quality_section(material, [])
        is_played = list(self._what_is_played())
        more = len(is_played) - _GAMES
        if more > 0:
            is_played[_GAMES:] = [phrase("short.more_games", n=more)]
        limits = [*self.cautions, *copied_conditions(material), *of_labels, *of_quality]
        claims = findings_claims(self.findings, self.parts, level=self.request.level, most=_MOST_FINDINGS)
        return [
            Section(
                "studied",
                phrase("short.studied"),
                (Words(_studied(material, self.parts)), Listing(tuple(is_played))),
            ),
            Section("findings", phrase("short.findings"), tuple(claims)),
            Section("limits", phrase("short.limits"), (Listing(tuple(limits[:_CAUTIONS])),)),
            Section("reading", phrase("short.reading"), (Listing(phrase.lines("short.how")),)),
        ]


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


# Of the two pages: findings and cautions that fit, games whose play is described, values that are named.
_MOST_FINDINGS, _GAMES, _CAUTIONS = 6, 6, 6
_VALUES, _NAME = 6, 30


def _studied(material: Material, games: Iterable[str]) -> str:
    """Games, rows, factors and rounds in one paragraph."""

    rounds = material.labels["n_rounds"]
    low, high = rounds.min(), rounds.max()
    factors = []
    for factor in varying(material.labels, seats=False):
        if factor in ("game", "cooperative_action"):
            continue
        values = [shorten(str(v), _NAME) for v in material.labels[factor].dropna().unique()]
        more = phrase("short.more_values", n=len(values) - _VALUES) if len(values) > _VALUES else ""
        factors.append(f"{in_words(factor)} ({', '.join(values[:_VALUES])}{more})")
    return phrase(
        "short.material",
        counted=material.counted,
        length=low if rounds.nunique() == 1 else phrase("short.length", low=low, high=high),
        games=", ".join(name.replace("_", " ") for name in games if name) or phrase("short.one_game"),
    ) + phrase("short.varied" if factors else "short.not_varied", factors="; ".join(factors))
