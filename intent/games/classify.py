"""Which dilemma a game is, from the order of its payoffs."""

from __future__ import annotations

from dataclasses import dataclass

from intent.games.equilibria import pure_equilibria
from intent.games.game import Game
from intent.games.matrix import MatrixGame
from intent.games.public_goods import PublicGoods

__all__ = ["DILEMMAS", "Dilemma", "classify"]


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


_TANIMOTO = "Tanimoto & Sagara 2007, BioSystems 90:105"
_ROBINSON = "Robinson & Goforth 2005, The Topology of the 2x2 Games"

_ROWS = (
    Dilemma("prisoner's dilemma", "T > R > P > S", "Rapoport & Chammah 1965, Prisoner's Dilemma"),
    Dilemma("weak prisoner's dilemma", "T > R > P = S", "Nowak & May 1992, Nature 359:826"),
    Dilemma(
        "snowdrift (chicken)", "T > R ≥ S > P", "Rapoport & Chammah 1966, American Behavioral Scientist 10:10"
    ),
    Dilemma("stag hunt", "R > T ≥ P > S", "Skyrms 2004, The Stag Hunt and the Evolution of Social Structure"),
    Dilemma("harmony", "R ≥ T and S ≥ P, not both equal: cooperation dominates", _ROBINSON),
    Dilemma(
        "deadlock",
        "T > R and P > S, but P ≥ R: mutual defection is no worse than mutual cooperation",
        _ROBINSON,
    ),
    Dilemma(
        "asymmetric dilemma",
        "each player has a cooperative action, but their payoffs are ordered differently",
        "Rapoport & Guyer 1966, General Systems 11:203",
    ),
    Dilemma(
        "matching pennies",
        "strictly competitive, without a pure equilibrium",
        "von Neumann & Morgenstern 1944, Theory of Games and Economic Behavior",
    ),
    Dilemma(
        "strictly competitive (zero-sum)",
        "what one prefers the other dislikes; a pure equilibrium",
        "Aumann 1961, Journal of the SIAM 9:544",
    ),
    Dilemma(
        "battle of the sexes",
        "two equilibria, each the favourite of one player; no action is cooperation",
        "Luce & Raiffa 1957, Games and Decisions",
    ),
    Dilemma(
        "coordination",
        "two equilibria that the players do not rank differently; no action is cooperation",
        "Schelling 1960, The Strategy of Conflict",
    ),
    Dilemma(
        "cyclic",
        "no pure equilibrium, not strictly competitive",
        "Rapoport & Guyer 1966, General Systems 11:203",
    ),
    Dilemma(
        "no conflict",
        "an equilibrium is best for both players; no action is cooperation",
        "Rapoport & Guyer 1966, General Systems 11:203",
    ),
    Dilemma(
        "public goods dilemma",
        "1 < factor < players: giving serves all and costs the giver",
        "Dawes 1980, Annual Review of Psychology 31:169",
    ),
    Dilemma("other", "none of the named orders, often because payoffs are tied", _TANIMOTO),
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
