"""Who plays in a tournament, and under which rules: what was asked for, else what the files say.

The fields that written strategies meet: people's, the catalogue's, and names from both.

Strategies that people wrote: the eleven of the published tournament, and Gradual.

Those that the catalogue has are the catalogue's own automata under the name that the literature of
tournaments gives them. The others are automata here, or, where they count without bound, code that
the sandbox runs like any other.

References
----------
Beaufils, Delahaye & Mathieu 1996, Artificial Life V; Willis, Du, Leibo & Luck 2025, arXiv:2501.16173;
Knight et al. 2016, Journal of Open Research Software 4:e35.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.arena.entrant import Entrant
from intent.base.errors import StrategyError, UnknownNameError, UsageError
from intent.base.wording import cited
from intent.strategies.catalogue import CATALOGUE, SETS, Strategy, strategy
from intent.strategies.sets import is_set_file, strategy_set

if TYPE_CHECKING:
    from intent.arena.match import Engine, MatchRules
    from intent.arena.requests import EvolveRequest, TournamentRequest
    from intent.arena.streams import Salt
    from intent.games.game import MatrixGame


__all__ = [
    "ELEVEN",
    "HUMANS",
    "Entries",
    "Human",
    "Stage",
    "arena_engine",
    "catalogue_entrants",
    "cycler",
    "humans",
    "join_fields",
    "opponents",
    "path_list",
    "read_entries",
    "set_stage",
    "stage",
]


USUAL_TURNS = 1000
USUAL_GAME = "classic"
USUAL_REPETITIONS = 20


@dataclass(frozen=True)
class Entries:
    """A field, and who is not in it.

    Parameters
    ----------
    left_out : tuple of (name, reason)
    notes : tuple of str, on how they were read
    """

    field: tuple[Entrant, ...]
    left_out: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def read_entries(paths: Sequence[str | Path], against: str | None) -> Entries:
    """The strategies of files and folders, then the opponents that a text names.

    Raises
    ------
    UsageError
        Neither, or none of the strategies can be played.
    """
    if not paths and against is None:
        raise UsageError("no strategies: give files of strategies, or opponents such as --against humans")
    rivals = opponents(against) if against is not None else ()
    if not paths:
        return Entries(rivals)
    from intent.arena.sources.reader import read_strategies

    strategies = read_strategies(paths)
    left_out = tuple((refused.name, refused.reason) for refused in strategies.failed)
    if not strategies.entrants:
        reason = f"; the first: {left_out[0][0]}: {left_out[0][1]}" if left_out else ""
        raise UsageError(f"{', '.join(map(str, paths))}: no strategy that can be played{reason}")
    return Entries(join_fields(strategies.entrants, rivals), left_out, strategies.notes)


def stage(
    field: Sequence[Entrant],
    *,
    game: str | None = None,
    turns: int | None = None,
    noise: float | None = None,
    **settings: Any,
) -> tuple[MatrixGame, MatchRules, list[str]]:
    """The game and the rules, and notes where they differ from what strategies were written for.

    Parameters
    ----------
    game : str, optional
        Name in the catalogue of games; default: the one that the files name, else ``classic``.
    turns, noise : optional
        Default: what the files say, else 1,000 and 0.
    **settings : further fields of `MatchRules`

    Raises
    ------
    UsageError
        The files do not agree and nothing was given, or a game without a cooperative action.
    UnknownNameError
        No such game.
    """
    from intent.arena.match import MatchRules
    from intent.games.catalogue import game as find
    from intent.games.game import MatrixGame

    written = {
        "game": _stated(_catalogue_name(e.game) for e in field if e.game),
        "turns": _stated(e.turns for e in field),
        "noise": _stated(e.noise for e in field),
    }
    usual = {"game": USUAL_GAME, "turns": USUAL_TURNS, "noise": 0.0}
    requested = {"game": None if game is None else find(game).name, "turns": turns, "noise": noise}
    chosen = {name: _settle(name, requested[name], written[name], usual[name]) for name in usual}
    the_game = find(chosen["game"])
    if not isinstance(the_game, MatrixGame):
        raise UsageError(f"{the_game.name} is no symmetric game of two players")
    rules = MatchRules.of(the_game, turns=chosen["turns"], noise=chosen["noise"], **settings)
    played = {"game": the_game.name, "turns": rules.turns, "noise": rules.noise}
    notes = [
        f"some strategies were written for {name} {', '.join(map(_quote, others))}, "
        f"played with {_quote(value)}"
        for name, value in played.items()
        if (others := [v for v in written[name] if v != value])
    ]
    return the_game, rules, notes


@dataclass(frozen=True)
class Stage:
    """Who plays, under which rules, and what chance does.

    Parameters
    ----------
    repetitions : int, of each pair
    salt : Salt, of all streams
    notes : tuple of str, on entries and rules
    """

    entries: Entries
    game: MatrixGame
    rules: MatchRules
    repetitions: int
    salt: Salt
    notes: tuple[str, ...]


def set_stage(request: TournamentRequest | EvolveRequest, **rules: Any) -> Stage:
    """Everything that matches need, as somebody asked for it or as the files say.

    Parameters
    ----------
    request : its `paths` and the settings of matches
    **rules : further fields of `MatchRules`

    Raises
    ------
    UsageError, UnknownNameError
        As `read_entries` and `stage`; two strategies of one name.
    """
    from intent.arena.streams import Salt
    from intent.arena.tournament.matches import check_field

    entries = read_entries(path_list(request.paths), request.against)
    how = request.values(("game", "turns", "noise", "fidelity"))
    game, match_rules, notes = stage(entries.field, **how, **rules)
    repetitions = request.repetitions
    if repetitions is None:
        agents = bool(getattr(request, "agents", False))
        repetitions = usual_repetitions(entries.field, match_rules, agents=agents)
    salt = Salt.of_field(entries.field, request.seed) if request.salt is None else Salt.from_hex(request.salt)
    check_field(entries.field, repetitions)
    return Stage(entries, game, match_rules, repetitions, salt, (*entries.notes, *notes))


def path_list(paths: str | Path | Sequence[str | Path]) -> list[str | Path]:
    """One path or several, as several."""
    return [paths] if isinstance(paths, str | Path) else list(paths)


def usual_repetitions(field: Sequence[Entrant], rules: MatchRules, *, agents: bool) -> int:
    """20 where repetitions can differ, else 1."""
    from intent.arena.tournament.matches import varies

    differ = agents or any(varies(a, a, rules) for a in field)
    return USUAL_REPETITIONS if differ else 1


def arena_engine(name: str, field: Sequence[Entrant], workers: int | None, dask: str | None = None) -> Engine:
    """The engine of a field; automata alone need no sandbox.

    Parameters
    ----------
    dask : str, optional
        Where pairs are played in place of this machine. Each machine of the cluster makes the engine that
        this one would take; where it cannot confine, it refuses.

    Raises
    ------
    UsageError
        No such engine, or it is not available here.
    """
    from functools import partial

    from intent.arena.engines import SpreadEngine, make_engine

    if name == "auto" and all(entrant.automaton is not None for entrant in field):
        from intent.arena.engines import AutomataEngine

        return (
            AutomataEngine() if workers == 1 and dask is None else SpreadEngine(AutomataEngine, workers, dask)
        )
    if dask is None:
        return make_engine(name, workers=workers)
    with make_engine(name, workers=1) as here:
        chosen = here.name
    return SpreadEngine(partial(make_engine, chosen, workers=1), workers, dask)


def _catalogue_name(name: str) -> str:
    """The catalogue's name of a game; one that it does not have stays as it is."""
    from intent.games.catalogue import game as find

    try:
        return find(name).name
    except UnknownNameError:
        return name


def _stated(values: Any) -> list[Any]:
    """What the strategies say, each value once."""
    return list(dict.fromkeys(value for value in values if value is not None))


def _settle(name: str, requested: Any, written: list[Any], usual: Any) -> Any:
    if requested is not None:
        return requested
    if len(written) > 1:
        values = " and ".join(map(_quote, written[:3]))
        raise UsageError(f"the strategies were written for {name} {values}; say which with --{name}")
    return written[0] if written else usual


def _quote(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Human:
    """One strategy and where it comes from.

    Parameters
    ----------
    name : str
        As in the Axelrod library.
    rule : str, in words
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
    citation=cited("li2011"),
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
    _automaton(cycler("CyclerDDC", "DDC"), cited("mittal2009")),
    _automaton(cycler("CyclerCCD", "CCD"), cited("mittal2009")),
    Human(
        "GoByMajority",
        "C unless the other has defected more often than it cooperated",
        cited("axelrod1984"),
        source=GO_BY_MAJORITY,
    ),
    _known("SuspiciousTitForTat", "DTFT"),
    _automaton(PROBER, cited("li2011")),
    _known("WinStayLoseShift", "WSLS"),
)

_OTHERS = (
    Human(
        "Gradual",
        "C; the k-th punished defection is answered by k D and then 2 C, during which it sees nothing",
        cited("beaufils1996"),
        source=GRADUAL,
    ),
)

HUMANS: dict[str, Human] = {h.name: h for h in (*_ELEVEN, *_OTHERS)}
"""By name: the eleven in the order of the published tournament, then the others."""

ELEVEN = tuple(h.name for h in _ELEVEN)
"""The field of Willis et al. 2025, which is that of Beaufils et al. without Gradual."""


def humans() -> tuple[Entrant, ...]:
    """The eleven strategies of the published tournament, in its order, group ``human``.

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, section 4.1; Beaufils, Delahaye & Mathieu 1996.
    """
    return tuple(HUMANS[name].entrant for name in ELEVEN)


def catalogue_entrants(names: str | Sequence[str | Strategy] = "all") -> tuple[Entrant, ...]:
    """Automata of the catalogue, group ``catalogue``.

    Parameters
    ----------
    names : str or sequence
        A set such as ``canonical4``, names with commas, or a list, as in `strategy_set`.

    Raises
    ------
    UnknownNameError
    StrategyError
    """
    return tuple(Entrant(s.name, automaton=s, group="catalogue", words=s.rule) for s in strategy_set(names))


def opponents(names: str) -> tuple[Entrant, ...]:
    """The opponents that a text names, each strategy once.

    A strategy that an earlier part has under another name is left out, else a field with ``Cooperator``
    and ``ALLC`` would count one strategy twice: ``humans,catalogue`` are the eleven and the twenty of the
    catalogue that are not among them.

    Parameters
    ----------
    names : str
        With commas: ``humans``, ``catalogue``, a set of the catalogue (``canonical4``), one strategy of
        the literature (``Gradual``) or of the catalogue (``GTFT(0.1)``), or a file of strategies.

    Raises
    ------
    UsageError
        No name at all.
    UnknownNameError
        The nearest names are suggested.
    StrategyError
        A parameter that is not a probability.
    """
    parts = [part.strip() for part in names.split(",") if part.strip()]
    if not parts:
        raise UsageError("no opponents named, expected such as humans,catalogue")
    chosen: dict[str, Entrant] = {}
    for part in parts:
        for entrant in _named(part):
            chosen.setdefault(entrant.digest, entrant)
    return join_fields(tuple(chosen.values()))


def join_fields(*fields: Sequence[Entrant]) -> tuple[Entrant, ...]:
    """Fields in one, with names made unique: whose name is taken gets its group behind it.

    ``TFT`` that a user wrote keeps its name, the catalogue's becomes ``TFT (catalogue)``.

    Raises
    ------
    StrategyError
        Two entrants of one field and group have the same name.
    """
    joined: dict[str, Entrant] = {}
    for field in fields:
        for entrant in field:
            name = entrant.name
            if name in joined:
                name = f"{name} ({entrant.group or entrant.origin or 'other'})"
            if name in joined:
                raise StrategyError(f"two strategies are named {name!r}, expected different names")
            joined[name] = entrant if name == entrant.name else replace(entrant, name=name)
    return tuple(joined.values())


def _of_file(path: str) -> tuple[Entrant, ...]:
    """The strategies of a file, each in the group that the file's name is."""
    from intent.arena.sources.reader import read_strategies

    strategies = read_strategies(path)
    if strategies.failed:
        first = strategies.failed[0]
        raise StrategyError(f"{first.origin or path}: {first.name}: {first.reason}")
    group = Path(path).stem
    return tuple(replace(entrant, group=entrant.group or group) for entrant in strategies.entrants)


def _named(part: str) -> tuple[Entrant, ...]:
    """Entrants of one part of the text."""
    known = {name.casefold(): human for name, human in HUMANS.items()}
    folded = part.casefold()
    if folded in ("humans", "human"):
        return humans()
    if folded == "catalogue":
        return catalogue_entrants()
    if part in SETS:
        return catalogue_entrants(part)
    if is_set_file(part):
        return _of_file(part)
    if part not in CATALOGUE and folded in known:
        return (known[folded].entrant,)
    try:
        return catalogue_entrants([strategy(part)])
    except UnknownNameError:
        every = ("humans", "catalogue", *HUMANS, *CATALOGUE, *SETS)
        raise UnknownNameError("opponent", part, every) from None
