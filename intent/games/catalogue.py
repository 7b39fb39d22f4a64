"""The named games: those of the published experiments, with citations, and the textbook ones.

The documented table of FAIRGAME's games, whose files say neither payoffs nor reward or penalty.

Counted over all rounds of the public results; what is a penalty stands in the English prompts. One
game was scored with two matrices, so that a reader has to look at the scores.

References
----------
Buscemi et al. 2025, FAIRGAME: a Framework for AI Agents Bias Recognition using Game Theory,
arXiv:2504.14325.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeAlias

from intent.base.errors import GameError, UnknownNameError, shorten
from intent.base.registry import load, point, points
from intent.base.wording import cited
from intent.games.game import GAMES, MatrixGame, PayoffKind, PublicGoods, number

__all__ = [
    "ALIASES",
    "CATALOGUE",
    "FAIRGAME_ACTIONS",
    "FAIRGAME_KINDS",
    "FAIRGAME_TABLES",
    "LIBRARIES",
    "NamedGame",
    "canonical_name",
    "game",
    "named_kind",
    "public_goods",
    "x_parameterised",
]


FAIRGAME_ACTIONS = ("OptionA", "OptionB")
"""Labels of the two actions in every language."""

FAIRGAME_KINDS: dict[str, PayoffKind] = {
    "prisoner-dilemma": "penalty",
    "snow-drift": "reward",
    "stag-hunt": "reward",
    "harmony-game": "reward",
    "battle-sexes": "reward",
}
"""Game -> what its prompts say of the numbers."""

_FAIRGAME_SYMMETRIC: dict[tuple[str, str], tuple[float, float, float, float]] = {
    ("prisoner-dilemma", "conventional"): (6, 0, 10, 2),
    ("prisoner-dilemma", "harsh"): (8, 0, 10, 5),
    ("prisoner-dilemma", "mild"): (8, 0, 10, 2),
    ("snow-drift", "conventional"): (6, 2, 10, 0),
    ("stag-hunt", "conventional"): (8, 0, 6, 4),
    ("harmony-game", "conventional"): (10, 6, 4, 2),
}
"""Own payoff by (own action, other's action): AA, AB, BA, BB."""

_BATTLES = {"10,7 and 7,10": ((10.0, 7.0), (7.0, 10.0)), "10,10 and 7,7": ((10.0, 10.0), (7.0, 7.0))}
"""Variant -> payoffs of meeting at OptionA and of meeting at OptionB; not to meet pays nothing."""


def _symmetric(game: str, payoff_type: str) -> MatrixGame:
    own = _FAIRGAME_SYMMETRIC[game, payoff_type]
    return MatrixGame.symmetric(
        game, FAIRGAME_ACTIONS, *own, FAIRGAME_KINDS[game], citation=cited("buscemi2025"), variant=payoff_type
    )


def _battle(variant: str) -> MatrixGame:
    at_a, at_b = _BATTLES[variant]
    apart = (0.0, 0.0)
    return MatrixGame(
        "battle-sexes",
        FAIRGAME_ACTIONS,
        ((at_a, apart), (apart, at_b)),
        FAIRGAME_KINDS["battle-sexes"],
        citation=cited("buscemi2025"),
        variant=variant,
    )


FAIRGAME_TABLES: dict[tuple[str, str], tuple[MatrixGame, ...]] = {
    **{key: (_symmetric(*key),) for key in _FAIRGAME_SYMMETRIC},
    ("battle-sexes", "conventional"): tuple(_battle(variant) for variant in _BATTLES),
}
"""(game, payoff type) -> the matrices it was scored with, the one of the published config first."""


LIBRARIES = "intent.game_libraries"
"""Group of entry points: the word before the colon of a game's name, as in ``openspiel:matrix_pd``, to the
function that makes the game of what follows."""

NamedGame: TypeAlias = MatrixGame | PublicGoods

CREMONINI_2025 = f"{cited('cremonini2025')}, thesis, University of Bologna, part II, 2.1.1"
POJE_2024 = cited("poje2024")
WILLIS_2025 = cited("willis2025")

_Trps = tuple[float, float, float, float]

_SYMMETRIC: tuple[tuple[str, _Trps, PayoffKind, tuple[str, str], str, str], ...] = (
    (
        "prisoner-dilemma-trps",
        (5, 3, 1, 0),
        "reward",
        ("C", "D"),
        cited("axelrod1984"),
        "the textbook payoffs, also those of the strategies written by language models",
    ),
    (
        "prisoner-dilemma-t4",
        (4, 3, 1, 0),
        "reward",
        ("C", "D"),
        WILLIS_2025,
        "a variant for strategies written by language models, with less temptation",
    ),
    (
        "prisoner-dilemma-deliberation",
        (0, 1, 3, 5),
        "penalty",
        ("OptionA", "OptionB"),
        POJE_2024,
        "the Prisoner's Dilemma of the experiments on private deliberation",
    ),
    ("dilemma", (0, 5, 10, 15), "penalty", ("Cooperate", "Defect"), CREMONINI_2025, "years in prison"),
    (
        "dilemma-points",
        (15, 10, 5, 0),
        "reward",
        ("Cooperate", "Defect"),
        CREMONINI_2025,
        "points, 15 - years",
    ),
    (
        "delight",
        (15, 10, 5, 0),
        "penalty",
        ("Cooperate", "Defect"),
        CREMONINI_2025,
        "years in prison; Cooperate dominates and harms the other, so that Defect is cooperation",
    ),
    (
        "delight-points",
        (0, 5, 10, 15),
        "reward",
        ("Cooperate", "Defect"),
        CREMONINI_2025,
        "points, 15 - years; Defect is cooperation, as in delight",
    ),
    ("confusion", (5, 0, 10, 15), "penalty", ("Cooperate", "Defect"), CREMONINI_2025, "years in prison"),
    (
        "confusion-points",
        (10, 15, 5, 0),
        "reward",
        ("Cooperate", "Defect"),
        CREMONINI_2025,
        "points, 15 - years",
    ),
    (
        "chicken",
        (7, 6, 0, 2),
        "reward",
        ("Swerve", "Dare"),
        cited("aumann1974"),
        f"the example for correlated equilibria; fits the means of {POJE_2024}, which prints no payoffs",
    ),
    (
        "chicken-t4",
        (4, 3, 0, 1),
        "reward",
        ("C", "D"),
        WILLIS_2025,
        "for strategies written by language models",
    ),
    (
        "stag-hunt-r4",
        (3, 4, 1, 0),
        "reward",
        ("C", "D"),
        WILLIS_2025,
        "for strategies written by language models",
    ),
    (
        "stag-hunt-deliberation",
        (8, 10, 5, 1),
        "reward",
        ("Stag", "Hare"),
        POJE_2024,
        "the stag hunt of the experiments on private deliberation",
    ),
    (
        "head-tail",
        (0, 1, 1, 0),
        "reward",
        ("Heads", "Tails"),
        POJE_2024,
        "both win by showing the same side; payoffs from the published means",
    ),
)
"""Name, (T, R, P, S) with the first action as C, kind, actions, citation, description."""

_FAIRGAME_NAMES = {
    "prisoner-dilemma": ("prisoner-dilemma", "conventional", 0),
    "prisoner-dilemma-harsh": ("prisoner-dilemma", "harsh", 0),
    "prisoner-dilemma-mild": ("prisoner-dilemma", "mild", 0),
    "snow-drift": ("snow-drift", "conventional", 0),
    "stag-hunt": ("stag-hunt", "conventional", 0),
    "harmony-game": ("harmony-game", "conventional", 0),
    "battle-sexes": ("battle-sexes", "conventional", 0),
    "battle-sexes-10-10": ("battle-sexes", "conventional", 1),
}
"""Name here -> game, payoff type and variant of `FAIRGAME_TABLES`."""

ALIASES: dict[str, str] = {
    "pd": "prisoner-dilemma",
    "prisoners-dilemma": "prisoner-dilemma",
    "prisoner's dilemma": "prisoner-dilemma",
    "prisoner-dilemma-conventional": "prisoner-dilemma",
    "classic": "prisoner-dilemma-trps",
    "axelrod": "prisoner-dilemma-trps",
    "prisoner": "prisoner-dilemma-t4",
    "dilemma-years": "dilemma",
    "delight-years": "delight",
    "confusion-years": "confusion",
    "prisoner's delight": "delight",
    "prisoner's confusion": "confusion",
    "snowdrift": "snow-drift",
    "snow-drift-conventional": "snow-drift",
    "hawk-dove": "chicken",
    "assurance": "stag-hunt",
    "stag": "stag-hunt-r4",
    "stag-hunt-conventional": "stag-hunt",
    "harmony": "harmony-game",
    "harmony-game-conventional": "harmony-game",
    "battle-of-the-sexes": "battle-sexes",
    "bos": "battle-sexes",
    "battle-sexes-conventional": "battle-sexes",
    "pennies": "matching-pennies",
    "heads-tails": "head-tail",
    "parameterised": "x-parameterised",
    "x-game": "x-parameterised",
    "pgg": "public-goods",
    "public-goods-game": "public-goods",
}
"""Other name -> name in the catalogue."""


def x_parameterised(x: float) -> MatrixGame:
    """The game that turns from a stag hunt into a Prisoner's Dilemma as temptation x passes 3.

    Parameters
    ----------
    x : float
        Payoff of competing with a cooperator; R, P, S are 3, 1, 0. Published values: 1, 2.9, 3.1, 10.

    References
    ----------
    Poje et al. 2024, Entropy 26:524, Table 3.
    """
    return MatrixGame.from_trps(
        f"x-parameterised({number(float(x))})",
        x,
        3,
        1,
        0,
        actions=("Cooperate", "Compete"),
        citation=f"{POJE_2024}, Table 3",
        description=f"temptation {number(float(x))} against 3 for mutual cooperation",
    )


def public_goods(factor: float, n_players: int = 3, cost: float = 10) -> PublicGoods:
    """The public goods game with a multiplication factor, by default of three players who may give 10.

    Published factors: 1.1, 2 and 2.9.
    """
    default = (factor, n_players, cost) == (2, 3, 10)
    m, c = number(float(factor)), number(float(cost))
    return PublicGoods(
        "public-goods" if default else f"public-goods({m})",
        n_players,
        cost,
        factor,
        citation=f"{cited('huynh2025')}, Table 1",
        description=f"{n_players} players give {c} or nothing; the pool times {m} is shared by all",
    )


_PARAMETRIC: dict[str, Callable[[float], NamedGame]] = {
    "x-parameterised": x_parameterised,
    "public-goods": public_goods,
}
"""Games that take one number, written as in ``x-parameterised(2.9)``."""


def _build() -> dict[str, NamedGame]:
    rows: list[NamedGame] = []
    for name, (of, payoff_type, variant) in _FAIRGAME_NAMES.items():
        rows.append(replace(FAIRGAME_TABLES[of, payoff_type][variant], name=name))
    for name, trps, kind, actions, citation, description in _SYMMETRIC:
        rows.append(
            MatrixGame.from_trps(
                name, *trps, kind=kind, actions=actions, citation=citation, description=description
            )
        )
    rows.append(
        MatrixGame(
            "battle-sexes-2-1",
            ("Opera", "Football"),
            (((2, 1), (0, 0)), ((0, 0), (1, 2))),
            "reward",
            citation=POJE_2024,
            description="payoffs from the published means",
        )
    )
    rows.append(
        MatrixGame(
            "matching-pennies",
            ("Heads", "Tails"),
            (((1, -1), (-1, 1)), ((-1, 1), (1, -1))),
            "reward",
            citation=cited("neumann1944"),
            description="seat 1 wins when the sides are the same, seat 2 when they differ",
        )
    )
    rows.extend(x_parameterised(x) for x in (1, 2.9, 3.1, 10))
    rows.extend(public_goods(factor) for factor in (2, 1.1, 2.9))
    return {row.name: row for row in sorted(rows, key=_family)}


def _family(row: NamedGame) -> int:
    """Place of the row's family in the catalogue."""
    heads = ("prisoner", "dilemma", "delight", "confusion", "snow", "chicken", "stag", "harmony", "battle")
    return next((i for i, head in enumerate(heads) if row.name.startswith(head)), len(heads))


CATALOGUE: dict[str, NamedGame] = _build()
"""Name -> game, families together."""


def game(name: str) -> NamedGame:
    """The game of a name, another name, or a parametrised name.

    Parameters
    ----------
    name : str
        Case, spaces and underscores do not matter. ``x-parameterised(2.9)`` and ``public-goods(1.1)`` set
        the parameter. ``openspiel:matrix_pd`` is a game of another library.

    Raises
    ------
    UnknownNameError
        No such game; the nearest names are suggested.
    GameError
        A parameter that is no number or makes no game, or a game of another library that is no matrix game.
    MissingExtraError
        The library is not installed.
    """
    library, colon, theirs_name = name.strip().partition(":")
    if colon and (there := point(LIBRARIES, library.casefold())) is not None:
        of_library: NamedGame = load(there)(theirs_name)
        return of_library
    head, bracket, tail = name.casefold().strip().partition("(")
    head = canonical_name(head)
    if bracket and tail.endswith(")") and head in _PARAMETRIC:
        try:
            value = float(tail[:-1])
        except ValueError:
            raise GameError(f"parameter of {shorten(name)!r}: expected a number, as in {head}(2.9)") from None
        return _PARAMETRIC[head](value)
    if head in CATALOGUE and not bracket:
        return CATALOGUE[head]
    if head in _PARAMETRIC and not bracket:
        raise GameError(f"game {shorten(name)!r} needs a number, as in {head}(2.9)")
    if not bracket and (theirs := _outside(head)) is not None:
        return theirs
    raise UnknownNameError("game", name, [*CATALOGUE, *ALIASES])


def named_kind(name: str) -> PayoffKind:
    """Whether the payoffs of a named game are rewards or penalties.

    Raises
    ------
    UnknownNameError
        The catalogue of games does not have it.

    Notes
    -----
    A family of games is asked for one of its members: no parameter changes the kind.
    """
    try:
        return game(name).kind
    except GameError:
        return game(f"{name}(2)").kind


def _outside(head: str) -> NamedGame | None:
    """The game of another package; names of games with a course are none here."""
    for name, there in points(GAMES).items():
        if canonical_name(name) == head and isinstance(theirs := load(there), MatrixGame | PublicGoods):
            return theirs
    return None


def canonical_name(name: str) -> str:
    """The catalogue's name for a name as people write it; unknown names come back folded."""
    folded = _folded(name)
    return _CANONICAL.get(folded, folded)


def _folded(name: str) -> str:
    return "-".join(name.casefold().replace("_", " ").replace("-", " ").split())


_CANONICAL = {_folded(alias): target for alias, target in ALIASES.items()}
