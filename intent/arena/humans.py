"""Strategies that people wrote: the eleven of the published tournament, and Gradual.

Those that the catalogue has are the catalogue's own automata under the name that the literature of
tournaments gives them. The others are automata here, or, where they count without bound, code that
the sandbox runs like any other.

References
----------
Beaufils, Delahaye & Mathieu 1996, Artificial Life V; Willis, Du, Leibo & Luck 2025, arXiv:2501.16173;
Knight et al. 2016, Journal of Open Research Software 4:e35.
"""

from __future__ import annotations

from dataclasses import dataclass

from intent.arena.entrant import Entrant
from intent.strategies.automaton import Strategy
from intent.strategies.catalogue import CATALOGUE

__all__ = ["ELEVEN", "HUMANS", "Human", "cycler"]

_BEAUFILS = "Beaufils, Delahaye & Mathieu 1996, Artificial Life V"
_LI = "Li, Hingston & Kendall 2011, IEEE Transactions on Computational Intelligence and AI in Games 3:348"
_MITTAL = "Mittal & Deb 2009, IEEE Transactions on Evolutionary Computation 13:554"
_AXELROD = "Axelrod 1984, The Evolution of Cooperation"


@dataclass(frozen=True)
class Human:
    """One strategy and where it comes from.

    Parameters
    ----------
    name : str
        As in the Axelrod library.
    rule : str, in words
    citation : str
    automaton : Strategy, optional
    source : str
        Code, where no automaton plays it.
    catalogue : str
        The catalogue's name of the same automaton, empty where it has none.
    """

    name: str
    rule: str
    citation: str
    automaton: Strategy | None = None
    source: str = ""
    catalogue: str = ""

    @property
    def entrant(self) -> Entrant:
        """It as a player of a tournament, in the group ``human``."""
        return Entrant(self.name, self.source, self.automaton, group="human", words=self.rule, scored=False)


def cycler(name: str, moves: str) -> Strategy:
    """The automaton that repeats `moves`, as in ``"CCD"``, whatever the other does."""
    n = len(moves)
    following = tuple(((s + 1) % n,) * 4 for s in range(n))
    return Strategy(name, tuple(float(m == "C") for m in moves), following, rule=f"{', '.join(moves)}, …")


PROBER = Strategy(
    "Prober",
    (0.0, 1.0, 1.0, 1.0, 0.0, 0.0),
    ((1, 1, 1, 1), (2, 3, 2, 3), (5, 4, 5, 4), (3, 4, 3, 4), (3, 4, 3, 4), (5, 5, 5, 5)),
    citation=_LI,
    rule="D, C, C; then D for ever if the other cooperated in rounds 2 and 3, else TFT",
)
"""States: rounds 1 and 2, round 3 after a cooperation, TFT's two, exploiting."""

GO_BY_MAJORITY = """\
def strategy(self, opponent):
    if opponent.history.defections > opponent.history.cooperations:
        return axl.Action.D
    return axl.Action.C
"""

GRADUAL = """\
def strategy(self, opponent):
    if self.first_round():
        self.offences = 0
        self.punish = 0
        self.calm = 0
        return axl.Action.C
    if self.punish > 0:
        self.punish -= 1
        return axl.Action.D
    if self.calm > 0:
        self.calm -= 1
        return axl.Action.C
    if opponent.history[-1] == axl.Action.D:
        self.offences += 1
        self.punish = self.offences - 1
        self.calm = 2
        return axl.Action.D
    return axl.Action.C
"""


def _known(name: str, catalogue: str) -> Human:
    """A strategy that is an automaton of the catalogue."""
    s = CATALOGUE[catalogue]
    return Human(name, s.rule, s.citation, s, catalogue=catalogue)


def _automaton(s: Strategy, citation: str) -> Human:
    return Human(s.name, s.rule, citation, s)


_ELEVEN = (
    _known("Cooperator", "ALLC"),
    _known("Defector", "ALLD"),
    _known("Random", "RANDOM"),
    _known("TitForTat", "TFT"),
    _known("Grudger", "GRUDGER"),
    _automaton(cycler("CyclerDDC", "DDC"), _MITTAL),
    _automaton(cycler("CyclerCCD", "CCD"), _MITTAL),
    Human(
        "GoByMajority",
        "C unless the other has defected more often than it cooperated",
        _AXELROD,
        source=GO_BY_MAJORITY,
    ),
    _known("SuspiciousTitForTat", "DTFT"),
    _automaton(PROBER, _LI),
    _known("WinStayLoseShift", "WSLS"),
)

_OTHERS = (
    Human(
        "Gradual",
        "C; the k-th punished defection is answered by k D and then 2 C, during which it sees nothing",
        _BEAUFILS,
        source=GRADUAL,
    ),
)

HUMANS: dict[str, Human] = {h.name: h for h in (*_ELEVEN, *_OTHERS)}
"""By name: the eleven in the order of the published tournament, then the others."""

ELEVEN = tuple(h.name for h in _ELEVEN)
"""The field of Willis et al. 2025, which is that of Beaufils et al. without Gradual."""
