"""What takes a seat in a live game: it is shown a view, may ask a language model, and decides.

Here are the agents of a game, and the scripted ones: strategies, with noise, and sequences of moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np

from intent.agents.client import Message, Reply, Settings, Tool
from intent.agents.plan import (
    BEST_REPLY,
    CONSTANT,
    CYCLE,
    EQUILIBRIUM,
    SEQUENCE,
    WRITTEN,
    GamePlan,
    PlayerName,
    parse_player,
    seat_columns,
)
from intent.base.errors import GameError, UnknownNameError, UsageError, shorten
from intent.base.registry import load, point, points
from intent.games.game import CourseGame, Game
from intent.play.match import MoveStatus, View
from intent.play.players import (
    FITTED,
    AutomatonPlayer,
    Others,
    Player,
    SequencePlayer,
    action_labels,
    named_player,
    player_library,
)
from intent.strategies.catalogue import Strategy

if TYPE_CHECKING:
    from intent.agents.prompts.prompt_set import PromptSet

__all__ = [
    "ARCHITECTURES",
    "ENTRY_POINTS",
    "TRANSFORM",
    "Agent",
    "Answer",
    "Answering",
    "Ask",
    "Decision",
    "ScriptedAgent",
    "ScriptedSeat",
    "architecture",
    "check_agents",
    "make_agents",
    "scripted_player",
]


@dataclass(frozen=True)
class Answer:
    """A reply and the name it is stored by.

    Parameters
    ----------
    reference : ``<game_id>/<round>/<seat>/<attempt>``, the key of the table of calls
    """

    reply: Reply
    reference: str


class Ask(Protocol):
    """Asks the seat's model; given to an agent for one turn by whoever drives the game.

    Calls of a turn are numbered in the order in which they are made, so that a resumed game is
    answered from the store. An agent must therefore depend on nothing but view, rng and answers.
    """

    async def __call__(
        self,
        messages: Sequence[Message],
        settings: Settings | None = None,
        *,
        purpose: str = "choose",
        tools: Sequence[Tool] = (),
    ) -> Answer:
        """The answer; None as settings means those of the seat."""
        ...


@dataclass(frozen=True)
class Decision:
    """A move, a message or an answer, and what came with it.

    Parameters
    ----------
    action : a label of the game; None where the status is missing, and for messages and answers
    status : {"parsed", "defaulted", "missing"}
    message : str or None
        Public text: the message of a message phase, or text that goes with the move, which the others see
        from the next round on. Of an answer to a comprehension question: the answer, which nobody sees.
    private_thought, reasoning : never shown to other players
    reply, prompt : references into the table of calls
    end : whether the game is to end after this round, because no reply could be read
    advice : the action that a tool or an assistant advised
    details : mapping, JSON-able
        What else the architecture records of this decision (`intent.base.codebook.DETAILS`).
    """

    action: str | None
    status: MoveStatus = "parsed"
    message: str | None = None
    private_thought: str | None = None
    reasoning: str | None = None
    reply: str | None = None
    prompt: str | None = None
    end: bool = False
    advice: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class Agent(Protocol):
    """Whoever takes a seat.

    Attributes
    ----------
    columns : mapping
        What the log's seats table says of it: model, strategy, persona and so on.
    """

    @property
    def columns(self) -> Mapping[str, Any]: ...

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The move for the round that the view asks for."""
        ...

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The message for this round's message phase; `Decision.message` None stays silent."""
        ...


@runtime_checkable
class Answering(Protocol):
    """An agent that comprehension questions can be put to: one that asks a language model."""

    async def answer(self, question: str, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The answer to a question, as `Decision.message`; `view` is that of the round to come."""
        ...


ARCHITECTURES: dict[str, str] = {
    "plain": "intent.agents.architectures.base:PlainAgent",
    "chain_of_thought": "intent.agents.architectures.base:ChainOfThoughtAgent",
    "tool": "intent.agents.architectures.tool:ToolAgent",
    "debate": "intent.agents.architectures.debate:DebateAgent",
    "private": "intent.agents.architectures.deliberation:PrivateAgent",
    "public": "intent.agents.architectures.deliberation:PublicAgent",
    "informed": "intent.agents.architectures.informed:InformedAgent",
}
"""Name -> ``module:Class`` of an agent that asks a language model: ``Class(plan, seat, prompt_set)``."""

ENTRY_POINTS = "intent.agents"
"""Group of entry points by which other packages add architectures."""


def make_agents(plan: GamePlan, prompts: Mapping[str, PromptSet]) -> tuple[Agent, ...]:
    """The agents of a game, by seat.

    Parameters
    ----------
    prompts : mapping of name -> PromptSet
        Those of the run; the plan's own is needed where a language model plays.

    Raises
    ------
    UnknownNameError
        A strategy, an architecture or a prompt set that is not there.
    IntentError
        What an agent refuses to play.
    """
    return tuple(_agent(plan, seat, prompts) for seat in range(1, len(plan.seats) + 1))


def check_agents(plans: Iterable[GamePlan], prompts: Mapping[str, PromptSet]) -> None:
    """Make the agents of every different game, and let them go again.

    What an architecture refuses (an option, an attitude, a game) is so said before the first call. Games
    that differ in repetition, seed, identifier and columns alone are alike.

    Parameters
    ----------
    prompts : mapping of name -> PromptSet

    Raises
    ------
    IntentError
        As `intent.agents.plan.make_agents`.
    """
    keys: set[str] = set()
    for plan in plans:
        like = plan.model_dump_json(exclude={"game_id", "repetition", "seed", "columns"})
        if like not in keys:
            keys.add(like)
            make_agents(plan, prompts)


_SEATS = {
    ("scripted", False): "intent.agents.agent:ScriptedAgent",
    ("scripted", True): "intent.agents.table:ScriptedTableAgent",
    ("human", False): "intent.agents.human:HumanAgent",
    ("human", True): "intent.agents.table:HumanTableAgent",
}
"""Kind of player, and whether it sits at the table of a game with a course -> its agent."""

TABLE_AGENT = "intent.agents.table:TableAgent"
"""Who asks a language model there."""

TRANSFORM = "transform"
"""Option, of any architecture, that changes its prompts (`intent.agents.transforms`); also the column of the
seats table that says how."""


def _agent(plan: GamePlan, seat: int, prompts: Mapping[str, PromptSet]) -> Agent:
    mine, shown = plan.seats[seat - 1], prompts.get(plan.prompts)
    at_table = isinstance(plan.stage(), CourseGame)
    agent: Agent
    if mine.kind != "model":
        read = (shown,) if mine.kind == "human" and at_table else ()
        agent = resolve_name(_SEATS[mine.kind, at_table])(plan, seat, *read)
        return agent
    if shown is None:
        raise UnknownNameError("prompt set", plan.prompts, prompts)

    def of_model(plan: GamePlan) -> Agent:
        name = plan.seats[seat - 1].architecture
        ours = at_table and (name in ARCHITECTURES or point(ENTRY_POINTS, name) is None)
        agent: Agent = (resolve_name(TABLE_AGENT) if ours else architecture(name))(plan, seat, shown)
        return agent

    if TRANSFORM not in mine.options:
        return of_model(plan)
    agent = resolve_name("intent.agents.transforms:transformed_agent")(plan, seat, of_model)
    return agent


@cache
def architecture(name: str) -> Callable[..., Any]:
    """The class of an architecture.

    Raises
    ------
    UnknownNameError
    """
    if name in ARCHITECTURES:
        ours: Callable[..., Any] = resolve_name(ARCHITECTURES[name])
        return ours
    there = point(ENTRY_POINTS, name)
    if there is None:
        raise UnknownNameError("architecture", name, [*ARCHITECTURES, *points(ENTRY_POINTS)])
    theirs: Callable[..., Any] = load(there)
    return theirs


class ScriptedSeat:
    """Plays what its player does; never asks anything, never speaks.

    Parameters
    ----------
    columns : mapping, of the seats table
    """

    def __init__(self, player: Player, columns: Mapping[str, Any]) -> None:
        self._player, self._columns = player, columns

    @property
    def columns(self) -> Mapping[str, Any]:
        """What the seats table of the log says of the player."""
        return self._columns

    async def choose(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """The player's move."""
        return Decision(self._player.act(view, rng))

    async def speak(self, view: View, ask: Ask, rng: np.random.Generator) -> Decision:
        """Silence."""
        return Decision(None)


OTHERS: Others = "majority"
"""How several others are read as one where the plan does not say."""


class ScriptedAgent(ScriptedSeat):
    """Plays a strategy; never asks anything, never speaks.

    C and D are the game's cooperative action and the other one. Where the payoffs leave open which
    action is cooperation (battle of the sexes), the game's first action stands in for C, which the
    log's seats table says in its column ``plays_as_c``. With more than two players the others are read as
    one: `SeatPlan.others`, else the majority; the column ``others`` says which.

    Raises
    ------
    UnknownNameError, UsageError, StrategyError, GameError, MissingExtraError
        As `scripted_player`.
    """

    def __init__(self, plan: GamePlan, seat: int) -> None:
        mine, game = plan.seats[seat - 1], plan.stage()
        name = parse_player(mine.player, mine.own)
        player = scripted_player(name, game, seat, mine.others, mine.own)
        columns: dict[str, Any] = {**seat_columns(mine), "architecture": "scripted", "strategy": name.name}
        if name.name.startswith(FITTED):
            columns["strategy"] = FITTED + Path(name.name.removeprefix(FITTED)).name
        if name.eps:
            columns["eps"] = name.eps
        if game.cooperative_label is None:
            columns["plays_as_c"] = _stand_in(game)
        if isinstance(player, AutomatonPlayer) and player.strategy.n_states > 1:
            columns.update({"others": player.others} if player.others else {})
        super().__init__(player, columns)


def scripted_player(
    name: PlayerName,
    game: Game,
    seat: int,
    others: Others | None = None,
    own: tuple[Strategy, ...] = (),
) -> Player:
    """The synchronous player of a name.

    Parameters
    ----------
    name : PlayerName, of kind scripted
    seat : int, from 1
    others : {"any", "majority", "all"}, optional
    own : tuple of Strategy
        Strategies of the user's own that the name may mean.

    Raises
    ------
    UsageError
        A sequence of neither C and D nor labels of the game; a player of the games of gamma-bench.
    UnknownNameError, MissingExtraError
        A player of another library that is not there, or the library is not.
    GameError
        A player of another library, or a fitted model, in a game of more than two players.
    """
    stand_in = _stand_in(game)
    if name.name in (EQUILIBRIUM, BEST_REPLY):
        raise UsageError(
            f"player scripted/{name.name} plays the games of gamma-bench, not {game.name}; "
            "expected a strategy such as scripted/TFT"
        )
    if name.name.startswith((SEQUENCE, CONSTANT, CYCLE)):
        return SequencePlayer(_moves(name.name, game, seat), name.eps, repeat=True)
    if name.name.startswith(WRITTEN):
        return _Written(name.name)
    if player_library(name.name) is not None and game.n_players != 2:
        who = "a fitted model" if name.name.startswith(FITTED) else name.name
        raise GameError(f"{who} plays two-player games, {game.name} has {game.n_players}")
    several = (others or OTHERS) if game.n_players > 2 else None
    return named_player(name.name, name.eps, stand_in, others=several, own=own)


class _Written:
    """Stands for written code until the arena, which can confine it, takes the seat."""

    def __init__(self, name: str) -> None:
        self.name = name

    def act(self, view: View, rng: np.random.Generator) -> str:
        """Refuses.

        Raises
        ------
        UsageError
        """
        raise UsageError(f"{shorten(self.name)} is code that intent tournament confines; play it from there")


def _stand_in(game: Game) -> str | None:
    """The first action, where the payoffs leave open which one is cooperation."""
    return game.actions[0] if game.cooperative_label is None else None


def _moves(name: str, game: Game, seat: int) -> tuple[str, ...]:
    """The labels of a sequence; letters C and D mean cooperation and defection."""
    head, _, text = name.partition(":")
    letters = text.upper().replace(",", "").replace(" ", "") if head == "cycle" else text.upper()
    if not set(letters) - {"C", "D"} and (head != "constant" or len(letters) == 1):
        labels = dict(zip("CD", action_labels(game, seat, _stand_in(game)), strict=True))
        return tuple(labels[letter] for letter in letters)
    moves = (text,) if head == "constant" else tuple(label.strip() for label in text.split(","))
    stray = next((label for label in moves if label not in game.actions), None)
    if stray is not None:
        known = ", ".join(game.actions)
        raise UsageError(
            f"player scripted/{shorten(name)}: {shorten(stray)!r}, expected letters C and D or labels {known}"
        )
    return moves
