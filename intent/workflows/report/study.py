"""The whole study behind a report, section by section: in general, game by game, across games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from intent.workflows.report.comparisons import Compared, caveats_of, compared, comparison_section, corrected
from intent.workflows.report.design import copied_conditions, design_blocks, going_together, shared_caveats
from intent.workflows.report.factors import in_words, varying

if TYPE_CHECKING:
    import numpy as np

    from intent.report.document import Block, Section
    from intent.workflows.report.material import Material

__all__ = ["Settings", "study"]

_DRAWN = 4
"""Comparisons of a game that have a figure."""

_FEW_GAMES = 30

_WORTH = "independent ones"
"""What a caveat on the effective number of trajectories says."""

_MOST_FITS = 500
"""Bootstrap samples of estimated shares, each of which is a fit."""


@dataclass(frozen=True)
class Settings:
    """How a study is made; as `report` explains."""

    full: bool
    by: str | Sequence[str]
    bootstrap: int
    permutations: int
    level: float
    seed: int
    most_games: int

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


def study(
    material: Material, settings: Settings, update: Callable[[int, int], None]
) -> tuple[list[Section], list[str]]:
    """All sections in order, and what a reader should be warned of.

    Raises
    ------
    UsageError
        More games than a page can show.
    UnknownNameError
        A column that does not exist.
    """
    import numpy as np

    from intent.report.document import Section
    from intent.workflows.report.findings import findings_section
    from intent.workflows.report.identified import identified_section
    from intent.workflows.report.left_out import left_out_section
    from intent.workflows.report.methods import methods_section, settings_section
    from intent.workflows.report.quality import quality_section
    from intent.workflows.report.what import run_section

    games = _games(material, settings)
    steps = len(games) * 2 + 2
    rng = np.random.default_rng(settings.seed)
    how = {**settings.intervals, "permutations": settings.permutations, "seed": settings.seed}
    found: list[Compared] = []
    for k, game in enumerate(games):
        found += compared(game.part, game.key, game.factors, sensitivity=settings.full, **how)
        update(k + 1, steps)
    several = len(games) > 1
    if several:
        found += compared(material, "games", ["game"], **how)
    found = corrected(found)
    update(len(games) + 1, steps)
    copies = copied_conditions(material)
    quality, of_quality = quality_section(material, copies)
    identified, of_labels = identified_section(material, [game.part for game in games])
    parts, clauses = [], []
    for k, (game, own) in enumerate(zip(games, rng.spawn(len(games)), strict=True)):
        mine = [c for c in found if c.key == game.key]
        section, said = _game_section(game, mine, settings, own)
        parts.append(section)
        clauses.append((game.key, _named(game.part), said, going_together(game.part, mine)))
        update(len(games) + 2 + k, steps)
    across = [
        Section("games", "Between games", (comparison_section(c, draw=True, game="all games"),))
        for c in found
        if c.key == "games"
    ]
    cautions = list(material.notes)
    n_games = material.labels["game_id"].nunique()
    if n_games < _FEW_GAMES:
        cautions.append(
            f"{n_games} games are few: intervals are wide, and what is not found may still be there."
        )
    whole = [c for c in found if c.key == "games"] or found[:1]
    worth = [line for one in whole for line in caveats_of(one) if _WORTH in line]
    first = findings_section([*of_labels, *of_quality, *copies, *worth], clauses, found, cautions)
    methods = methods_section(
        material,
        permutations=settings.permutations,
        sfem=settings.full and material.log is not None,
        main=found[0].result if found else None,
        **settings.intervals,
    )
    told = {
        "full": settings.full,
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
    sections = [first, run_section(material), quality, identified, *parts, *across, rest, methods]
    update(steps, steps)
    return [*sections, settings_section(material, told)], cautions


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
    game: _Game, found: Sequence[Compared], settings: Settings, rng: np.random.Generator
) -> tuple[Section, list[str]]:
    from intent.report.document import Section, Words
    from intent.workflows.report.estimates import estimates_section
    from intent.workflows.report.examples import examples_section
    from intent.workflows.report.play import play_section
    from intent.workflows.report.regression import regression_section
    from intent.workflows.report.shares import shares_section

    shares, said = shares_section(game.part, game.key, level=settings.level)
    blocks: list[Block] = [shares]
    main = game.factors[:1] or game.varied[:1]
    if settings.full:
        how: dict[str, Any] = {"level": settings.level, "seed": settings.seed}
        how["bootstrap"] = min(settings.bootstrap, _MOST_FITS)
        estimates, clauses = estimates_section(game.part, game.key, main, **how)
        blocks += filter(None, [estimates])
        said += clauses
    if found:
        shared = shared_caveats(found)
        parts: tuple[Block, ...] = tuple(
            comparison_section(c, draw=k < _DRAWN, game=_named(game.part), told=shared)
            for k, c in enumerate(found)
        )
        design = design_blocks(game.part, game.varied, shared)
        title = "Comparisons" if len(found) > 1 else f"Comparison by {in_words(found[0].factor)}"
        blocks.append(Section(f"{game.key}-comparisons", title, (*design, *parts)))
        if settings.full:
            blocks += filter(
                None, [regression_section(game.part, game.key, game.factors, level=settings.level)]
            )
    elif game.factors:
        blocks.append(
            Words(f"There is no comparison by {in_words(game.factors)}: the values make no groups.")
        )
    else:
        blocks.append(Words("Nothing varies between these trajectories that they could be compared by."))
    if settings.full:
        by = main[0] if main else "model"
        blocks += filter(None, [play_section(game.part, game.key, by, rng=rng, **settings.intervals)])
        blocks += filter(None, [examples_section(game.part, game.key, game.varied)])
    return Section(game.key, _named(game.part), tuple(blocks)), said


def _named(part: Material) -> str:
    return (part.game or "All games").replace("_", " ")
