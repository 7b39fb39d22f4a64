"""The whole study behind a report, section by section: in general, game by game, across games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from intent.workflows.report.comparisons import Compared, caveats_of, compared, comparison_section, corrected
from intent.workflows.report.design import copied_conditions, design_blocks, going_together, shared_caveats
from intent.workflows.report.factors import in_words, varying
from intent.workflows.report.findings import Played

if TYPE_CHECKING:
    import numpy as np

    from intent.analysis.findings import Finding, Findings
    from intent.report.document import Block, Section
    from intent.workflows.report.material import Material

__all__ = ["Form", "Settings", "findings_of", "study"]

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
        from intent.workflows.report.two_pages import two_pages

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
    from intent.analysis.findings import ranked
    from intent.workflows.report.findings import coin_gate, played, questions_of, with_games

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
    from intent.workflows.report.findings import FINDINGS_WORDS, findings_claims, games_section
    from intent.workflows.report.identified import identified_section
    from intent.workflows.report.left_out import left_out_section
    from intent.workflows.report.methods import methods_section, settings_section
    from intent.workflows.report.quality import quality_section
    from intent.workflows.report.what import run_section

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
    from intent.errors import UnknownNameError, UsageError
    from intent.workflows.columns import column_names

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
    from intent.workflows.report.estimates import estimates_section
    from intent.workflows.report.examples import examples_section
    from intent.workflows.report.findings import cooperation_section
    from intent.workflows.report.play import play_section
    from intent.workflows.report.regression import regression_section
    from intent.workflows.report.shares import shares_section

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
