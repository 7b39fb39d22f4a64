"""Describe games: payoffs, class of the dilemma, cooperative and dominant actions, equilibria."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from intent.base.errors import UnknownNameError, UsageError, shorten
from intent.base.wording import cited
from intent.games.catalogue import ALIASES, CATALOGUE, NamedGame, canonical_name, game, x_parameterised
from intent.games.equilibria import Dominance, dominant_actions, pure_equilibria
from intent.games.game import Game, MatrixGame, PayoffKind, PublicGoods, course_names

__all__ = [
    "DILEMMAS",
    "Dilemma",
    "NamedGame",
    "choose_game",
    "classify",
    "custom_game",
    "describe_game",
    "game_facts",
    "list_games",
    "payoff_rows",
]


@dataclass(frozen=True)
class Dilemma:
    """A class of games.

    Parameters
    ----------
    name : str
    relation : str
        What makes a game one of them, on utilities (penalties with the sign changed).
    citation : str
    """

    name: str
    relation: str
    citation: str


_ROWS = (
    Dilemma("prisoner's dilemma", "T > R > P > S", cited("rapoport1965")),
    Dilemma("weak prisoner's dilemma", "T > R > P = S", cited("nowak1992spatial")),
    Dilemma("snowdrift (chicken)", "T > R ≥ S > P", cited("rapoport1966chicken")),
    Dilemma("stag hunt", "R > T ≥ P > S", cited("skyrms2004")),
    Dilemma("harmony", "R ≥ T and S ≥ P, not both equal: cooperation dominates", cited("robinson2005")),
    Dilemma(
        "deadlock",
        "T > R and P > S, but P ≥ R: mutual defection is no worse than mutual cooperation",
        cited("robinson2005"),
    ),
    Dilemma(
        "asymmetric dilemma",
        "each player has a cooperative action, but their payoffs are ordered differently",
        cited("rapoport1966taxonomy"),
    ),
    Dilemma(
        "matching pennies",
        "strictly competitive, without a pure equilibrium",
        cited("neumann1944"),
    ),
    Dilemma(
        "strictly competitive (zero-sum)",
        "what one prefers the other dislikes; a pure equilibrium",
        cited("aumann1961"),
    ),
    Dilemma(
        "battle of the sexes",
        "two equilibria, each the favourite of one player; no action is cooperation",
        cited("luce1957"),
    ),
    Dilemma(
        "coordination",
        "two equilibria that the players do not rank differently; no action is cooperation",
        cited("schelling1960"),
    ),
    Dilemma(
        "cyclic",
        "no pure equilibrium, not strictly competitive",
        cited("rapoport1966taxonomy"),
    ),
    Dilemma(
        "no conflict",
        "an equilibrium is best for both players; no action is cooperation",
        cited("rapoport1966taxonomy"),
    ),
    Dilemma(
        "public goods dilemma",
        "1 < factor < players: giving serves all and costs the giver",
        cited("dawes1980"),
    ),
    Dilemma("other", "none of the named orders, often because payoffs are tied", cited("tanimoto2007")),
)

DILEMMAS: dict[str, Dilemma] = {row.name: row for row in _ROWS}
"""Name -> class. T, R, P, S are a player's utilities for defecting on a cooperator, mutual
cooperation, mutual defection and cooperating with a defector, with cooperation as derived by the game."""

_Signs = tuple[int, int]

_BY_TEMPTATION_AND_FEAR: dict[_Signs, str] = {
    (-1, -1): "harmony",
    (-1, 0): "harmony",
    (0, -1): "harmony",
    (1, -1): "snowdrift (chicken)",
    (-1, 1): "stag hunt",
}
"""Signs of T - R (temptation) and P - S (fear) -> class; where both tempt, P decides (`_of_player`)."""


def classify(game: Game) -> Dilemma:
    """The class of a game, unchanged by names, order of actions and seats, and positive scaling.

    1. Strictly competitive games are told apart by whether they have a pure equilibrium.
    2. Where both players have a cooperative action, the order of each player's T, R, P, S gives a
       class [1]_; different orders make the dilemma asymmetric.
    3. Otherwise the pure equilibria decide.

    References
    ----------
    .. [1] Tanimoto & Sagara 2007, BioSystems 90:105 (signs of T - R and P - S).
    """
    if isinstance(game, PublicGoods):
        return DILEMMAS[_of_public_goods(game)]
    if isinstance(game, MatrixGame):
        return DILEMMAS[_of_matrix(game)]
    return DILEMMAS["other"]


def _of_public_goods(game: PublicGoods) -> str:
    if game.factor == game.n_players:
        return "other"
    if game.factor > game.n_players:
        return "harmony"
    return "public goods dilemma" if game.factor > 1 else "deadlock"


def _of_matrix(game: MatrixGame) -> str:
    cells = [cell for row in game.utilities for cell in row]
    equilibria = pure_equilibria(game)
    if _strictly_competitive(cells):
        return "strictly competitive (zero-sum)" if equilibria else "matching pennies"
    players = [_of_player(game, seat) for seat in (1, 2)]
    if None not in players:
        return str(players[0]) if players[0] == players[1] else "asymmetric dilemma"
    if not equilibria:
        return "cyclic"
    values = [_utilities(game, *profile) for profile in equilibria]
    if len(values) == 2 and all(a != b for a, b in zip(*equilibria, strict=True)):
        (first, second), (third, fourth) = values
        return "battle of the sexes" if (first - third) * (second - fourth) < 0 else "coordination"
    if any(u == max(c[0] for c in cells) and v == max(c[1] for c in cells) for u, v in values):
        return "no conflict"
    return "other"


def _utilities(game: MatrixGame, first: str, second: str) -> tuple[float, float]:
    return game.utilities[game.actions.index(first)][game.actions.index(second)]


def _strictly_competitive(cells: list[tuple[float, float]]) -> bool:
    """Whether the players order the outcomes in opposite ways, at least two of them not equal."""
    pairs = [(_sign(a[0], b[0]), _sign(a[1], b[1])) for a in cells for b in cells]
    return all(mine == -theirs for mine, theirs in pairs) and any(mine for mine, _ in pairs)


def _of_player(game: MatrixGame, seat: int) -> str | None:
    """The class of the symmetric game that the player seems to play, None without roles of the actions."""
    cooperate = (game.cooperative_action(1), game.cooperative_action(2))
    if cooperate[0] is None or cooperate[1] is None:
        return None
    c = [game.actions.index(action) for action in cooperate if action is not None]
    mine, other = (c[0], c[1]) if seat == 1 else (c[1], c[0])

    def own(my_action: int, other_action: int) -> float:
        row, column = (my_action, other_action) if seat == 1 else (other_action, my_action)
        return game.utilities[row][column][seat - 1]

    r, s, t, p = own(mine, other), own(mine, 1 - other), own(1 - mine, other), own(1 - mine, 1 - other)
    temptation, fear = _sign(t, r), _sign(p, s)
    if (temptation, fear) == (1, 1):
        return "prisoner's dilemma" if r > p else "deadlock"
    if (temptation, fear) == (1, 0) and r > p:
        return "weak prisoner's dilemma"
    return _BY_TEMPTATION_AND_FEAR.get((temptation, fear), "other")


def _sign(a: float, b: float) -> int:
    return (a > b) - (a < b)


def list_games(*, brief: bool = False) -> list[dict[str, Any]]:
    """All named games, each as `describe_game`, in catalogue order; brief: without what takes a solver."""
    return [_outline(g) if brief else describe_game(g) for g in CATALOGUE.values()]


def describe_game(g: NamedGame) -> dict[str, Any]:
    """What is to be known of a game, as plain values.

    Returns
    -------
    dict
        name, kind, actions, payoffs (joint action -> payoffs by seat, or parameters), class,
        cooperative_action (None where undecidable), dominant (per seat the action and whether it is
        strict, or None) and equilibria (joint actions); of a game of two players also mixed (probabilities
        of the first action by seat, None without nashpy), pareto, focal and correlated (the best one, joint
        action -> probability), which are None for more players.
    """
    return _outline(g) | _equilibria(g)


def _equilibria(g: NamedGame) -> dict[str, Any]:
    if not isinstance(g, MatrixGame):
        return dict.fromkeys(("mixed", "pareto", "focal", "correlated"))
    from intent.games.equilibria import mixed_equilibria, solutions

    solved, mixed = solutions(g), mixed_equilibria(g)
    return {
        "mixed": None if mixed is None else [[e.first[0], e.second[0]] for e in mixed],
        "pareto": [list(joint) for joint in solved.pareto],
        "focal": next((list(joint) for joint in solved.focal), None),
        "correlated": {",".join(joint): p for joint, p in solved.correlated},
    }


def _outline(g: NamedGame) -> dict[str, Any]:
    return {
        "name": g.name,
        "kind": g.kind,
        "actions": list(g.actions),
        "payoffs": json.loads(g.to_json()),
        "class": classify(g).name,
        "cooperative_action": g.cooperative_label,
        "dominant": [_dominance(dominant) for dominant in dominant_actions(g)],
        "equilibria": [list(profile) for profile in pure_equilibria(g)],
    }


def _dominance(dominant: Dominance | None) -> dict[str, Any] | None:
    return None if dominant is None else {"action": dominant.action, "strict": dominant.strict}


def choose_game(name: str, *, x: float | None = None, scale: float | None = None) -> NamedGame:
    """A named game, with its parameter and scale.

    Parameters
    ----------
    name : str
    x : float, optional
        Temptation of the x-parameterised game.
    scale : float, optional
        What every payoff is multiplied by.

    Raises
    ------
    UsageError
        No such game, a value of x for another game, or a scale for a public goods game.
    """
    if x is None:
        chosen = _known(name)
    elif canonical_name(name) == "x-parameterised":
        chosen = x_parameterised(x)
    else:
        raise UsageError(f"--x {x:g} for {shorten(name)!r}, expected the game x-parameterised")
    return chosen if scale is None else _scaled(chosen, scale)


def _known(name: str) -> NamedGame:
    try:
        return game(name)
    except UnknownNameError:
        raise UnknownNameError("game", name, [*CATALOGUE, *ALIASES, *course_names()]) from None


def custom_game(payoffs: str, kind: str, *, scale: float | None = None) -> MatrixGame:
    """A game from numbers.

    Parameters
    ----------
    payoffs : str
        Four numbers T,R,P,S of a symmetric game with actions C and D, or eight: the payoffs of seats 1
        and 2 at CC, CD, DC, DD in turn.
    kind : str, "reward" or "penalty"
    scale : float, optional

    Raises
    ------
    UsageError
        Something else than four or eight numbers, or an unknown kind.
    """
    if kind not in ("reward", "penalty"):
        raise UsageError(f"payoff kind {shorten(kind)!r}, expected reward or penalty")
    of_kind: PayoffKind = "reward" if kind == "reward" else "penalty"
    try:
        numbers = [float(part) for part in payoffs.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) == 4:
        t, r, p, s = numbers
        matrix = MatrixGame.from_trps("custom", t, r, p, s, of_kind)
    elif len(numbers) == 8:
        cells = list(zip(numbers[::2], numbers[1::2], strict=True))
        matrix = MatrixGame("custom", ("C", "D"), ((cells[0], cells[1]), (cells[2], cells[3])), of_kind)
    else:
        raise UsageError(
            f"--payoffs {shorten(payoffs)!r}, expected T,R,P,S or eight numbers, two each of CC, CD, DC, DD"
        )
    return matrix if scale is None else matrix.scaled(scale)


def _scaled(g: NamedGame, scale: float) -> NamedGame:
    if isinstance(g, PublicGoods):
        raise UsageError(
            f"--scale {scale:g} for {g.name}, expected a game with two players and a payoff table"
        )
    return g.scaled(scale)


def payoff_rows(g: NamedGame) -> tuple[list[str], list[list[object]]]:
    """The payoffs as a table to print: header and rows.

    Two players: a row per action of seat 1 and a column per action of seat 2, ``own, other`` in the
    cells. More: a row per number of contributors.
    """
    if isinstance(g, MatrixGame):
        header = ["seat 1 \\ seat 2", *g.actions]
        return header, [[a, *(_cell(g.payoff((a, b))) for b in g.actions)] for a in g.actions]
    give, keep = g.actions
    rows: list[list[object]] = []
    for k in range(g.n_players + 1):
        pays = g.payoff((give,) * k + (keep,) * (g.n_players - k))
        rows.append([k, _number(pays[0]) if k else None, _number(pays[-1]) if k < g.n_players else None])
    return [f"{give} chosen by", f"payoff of {give}", f"payoff of {keep}"], rows


def game_facts(g: NamedGame) -> list[tuple[str, str]]:
    """What `describe_game` tells, and the texts of the game, as lines to print: (what, text)."""
    row, dilemma = describe_game(g), classify(g)
    dominant = [
        f"seat {seat}: {action['action']}" + ("" if action["strict"] else " (weakly)")
        for seat, action in enumerate(row["dominant"], start=1)
        if action
    ]
    facts = [
        ("class", f"{dilemma.name}: {dilemma.relation} ({dilemma.citation})"),
        (
            "cooperation",
            row["cooperative_action"] or "undecidable, no action serves the other whatever they do",
        ),
        ("dominant", ", ".join(dominant) or "none"),
        (
            "equilibria",
            "; ".join(", ".join(profile) for profile in row["equilibria"]) or "none in pure strategies",
        ),
        *_solutions(row),
        ("about", g.description),
        ("source", g.citation),
    ]
    return [(what, text) for what, text in facts if text]


def _solutions(row: dict[str, Any]) -> list[tuple[str, str]]:
    """The other kinds of equilibrium, in words; nothing for more than two players."""
    if row["pareto"] is None:
        return []
    first = row["actions"][0]
    mixed = "; ".join(f"{first} with {p:.4g} by seat 1, {q:.4g} by seat 2" for p, q in row["mixed"] or [])
    if row["mixed"] is None:
        mixed = "needs nashpy: pip install 'strategy-intent[games]'"
    lottery = "; ".join(f"{joint.replace(',', ', ')} with {p:.4g}" for joint, p in row["correlated"].items())
    return [
        ("mixed", mixed or "none"),
        ("Pareto", "; ".join(", ".join(profile) for profile in row["pareto"])),
        ("focal", ", ".join(row["focal"] or []) or "none stands out"),
        ("correlated", f"{lottery} (the best for both together)"),
    ]


def _cell(pays: tuple[float, ...]) -> str:
    return ", ".join(_number(value) for value in pays)


def _number(value: float) -> str:
    return f"{value:.12g}"
