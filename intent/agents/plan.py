"""The plan of one game: everything that decides how it is played, as typed JSON-able values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer

from intent.agents.client import Settings
from intent.base.errors import GameError, UnknownNameError, UsageError, shorten
from intent.base.registry import points
from intent.games.game import CourseGame, MatrixGame, PayoffKind, PublicGoods, game_from_json
from intent.play.match import Communication, Horizon
from intent.play.players import FITTED, PLAYERS, player_library
from intent.recognise.recogniser import is_saved
from intent.strategies.catalogue import CATALOGUE, Noise, Strategy, strategy
from intent.strategies.sets import read_tables

__all__ = [
    "ASKED",
    "ATTITUDES",
    "BEST_REPLY",
    "CONSTANT",
    "CYCLE",
    "EQUILIBRIUM",
    "HUMAN",
    "RANDOM",
    "SCRIPTED",
    "SEQUENCE",
    "TABLE_PLAYERS",
    "TOLD",
    "WRITTEN",
    "Communication",
    "GamePlan",
    "PlayerName",
    "ReplyRules",
    "SeatPlan",
    "check_attitude",
    "name_and_noise",
    "parse_player",
    "player_kind",
    "saved_folder",
    "seat_columns",
]


PlayerKind = Literal["scripted", "human", "model"]

SCRIPTED = "scripted/"
SEQUENCE = "sequence:"
CONSTANT = "constant:"
CYCLE = "cycle:"
EQUILIBRIUM = "equilibrium"
BEST_REPLY = "best-reply"
RANDOM = "RANDOM"
WRITTEN = "written:"
ASKED = "asked:"
HUMAN = "human"

TEXT_CLIENTS = ("uniform", "first", "last", "heeds", "agreeable", "erratic", "says:", ASKED)
"""Names after ``scripted/`` that stand for a language model's fake, which is asked by prompts."""

TABLE_PLAYERS = (CONSTANT + "ACTION", CYCLE + "ACTION,ACTION", EQUILIBRIUM, BEST_REPLY, RANDOM)
"""Names after ``scripted/`` that play the games of gamma-bench."""


@dataclass(frozen=True)
class PlayerName:
    """A name, understood.

    Parameters
    ----------
    kind : {"scripted", "human", "model"}
    name : the strategy's canonical name, with ``axelrod:``, ``sequence:`` or the like where it has that;
    ``human``;
        or the whole name of the model
    eps : float in [0, .5)
        Probability per move that the intended move is flipped, or, in games of more than two actions, that
        a uniform legal one is played.
    """

    kind: PlayerKind
    name: str
    eps: float = 0.0


def player_kind(text: str) -> PlayerKind:
    """What a name is of: a strategy (also one that is not known here), somebody, or a language model.

    Raises
    ------
    UsageError
        An empty name.
    """
    plain = text.strip()
    if not plain:
        raise UsageError("a player without a name, expected a model, scripted/STRATEGY or human")
    if plain == HUMAN:
        return "human"
    rest = plain.removeprefix(SCRIPTED)
    asked_by_prompts = rest in TEXT_CLIENTS or rest.startswith(("says:", ASKED))
    return "model" if rest == plain or asked_by_prompts else "scripted"


@lru_cache(maxsize=1024)
def parse_player(text: str, own: tuple[Strategy, ...] = ()) -> PlayerName:
    """What a name means.

    Parameters
    ----------
    text : str
    own : tuple of Strategy
        Strategies of the user's own, whose names ``scripted/NAME`` may be.

    Notes
    -----

    ==============================  ==========================================================
    ``scripted/TFT``                a strategy of the catalogue, or a synonym
    ``scripted/TFT@0.05``           the same, each move flipped with probability .05
    ``scripted/GTFT(0.1)``          with its parameter
    ``scripted/axelrod:Adaptive``   a strategy of the Axelrod library
    ``scripted/openspiel:NAME``     a bot that OpenSpiel registers, such as ``openspiel:uniform_random``
    ``scripted/sequence:CDDC``      these moves, again from the first in longer games
    ``scripted/sequence:J,F``       the same with labels of the game
    ``scripted/constant:91``        this action every time
    ``scripted/cycle:0,50,100``     one of these after the other
    ``scripted/equilibrium``        equilibrium play, in games of gamma-bench
    ``scripted/best-reply``         the best reply to the last round, there too
    ``scripted/written:NAME``       written code, in games of ``intent tournament``
    ``scripted/FOLDER``             a model of choice that ``intent fit`` saved, or a recogniser's population
    ``human``                       somebody at the terminal
    anything else                   a language model, also ``scripted/uniform`` and its like
    ==============================  ==========================================================

    Raises
    ------
    UnknownNameError
        No such strategy; the nearest names are suggested. Names of other libraries are looked up when the
        player is made, since importing them takes seconds.
    StrategyError, UsageError
        Noise or a parameter that is none, an empty name or sequence.
    """
    plain, kind = text.strip(), player_kind(text)
    if kind != "scripted":
        return PlayerName(kind, plain)
    name, noise = name_and_noise(plain)
    return PlayerName(
        "scripted", _canonical(name.strip(), plain, own), _eps(noise[1:] if noise else "0", plain)
    )


def name_and_noise(player: str, folder: Path | None = None) -> tuple[str, str]:
    """What stands after ``scripted/`` before the noise, and the noise with its ``@``.

    Without noise the second is empty. A folder of a saved model may have an ``@`` in its own name.

    Parameters
    ----------
    player : str
    folder : Path, optional
        Where relative paths begin; default: the folder of the process.
    """
    rest = player.strip().removeprefix(SCRIPTED)
    name, at, noise = rest.rpartition("@")
    if not at or is_saved(rest if folder is None else folder / rest):
        return rest, ""
    return name, at + noise


def saved_folder(player: str, folder: Path | None = None) -> str | None:
    """The path in the name of a player that a saved model plays; None of other players.

    Parameters
    ----------
    player, folder : as `name_and_noise`
    """
    path = name_and_noise(player, folder)[0]
    return path if path and is_saved(path if folder is None else folder / path) else None


def _canonical(name: str, text: str, own: tuple[Strategy, ...]) -> str:
    if name in (EQUILIBRIUM, BEST_REPLY):
        return name
    if is_saved(name):
        return FITTED + name
    if name.startswith(("./", "../", "/")):
        raise UsageError(
            f"player {shorten(text)!r}: {shorten(name)} is no saved model, expected a folder of intent fit"
        )
    if name.startswith((SEQUENCE, WRITTEN, CONSTANT, CYCLE)) or player_library(name) is not None:
        head, _, tail = name.partition(":")
        if not tail.strip(" ,"):
            expected = _EXAMPLES.get(head, f"a name such as {head}:NAME")
            raise UsageError(f"player {shorten(text)!r} ends after {head}:, expected {expected}")
        return f"{head}:{tail.strip()}"
    try:
        return strategy(name, own).name
    except UnknownNameError:
        known = [
            *(s.name for s in own),
            *CATALOGUE,
            *TEXT_CLIENTS,
            *(f"{library}:" for library in points(PLAYERS)),
            SEQUENCE,
            CONSTANT,
            CYCLE,
            EQUILIBRIUM,
            BEST_REPLY,
        ]
        raise UnknownNameError("strategy", name, known) from None


_EXAMPLES = {
    "axelrod": "a name such as axelrod:Adaptive",
    "openspiel": "a bot such as openspiel:uniform_random",
    "fitted": "a folder of intent fit",
    "sequence": "moves such as sequence:CDDC",
    "constant": "an action such as constant:91",
    "cycle": "actions such as cycle:0,50,100",
    "written": "a name such as written:Aggressive_3",
}


def _eps(text: str, player: str) -> float:
    try:
        eps = float(text)
    except ValueError:
        raise UsageError(
            f"player {shorten(player)!r}: noise {shorten(text)!r}, expected a probability below .5"
        ) from None
    return Noise(eps).own


class _Plan(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class ReplyRules(_Plan):
    """How replies are read, and what happens to one that cannot be.

    Attributes
    ----------
    retries : how often an unreadable reply is asked for again
    then : after the last one: no move, the default action, or the end of the game
    default : str, action of ``then: default``
    remind : whether the next request shows the unreadable reply and repeats what is expected; false sends
        the same prompt again, as FAIRGAME does
    """

    parser: Literal["strict", "json", "fairgame"] = "strict"
    retries: int = Field(default=2, ge=0, le=100)
    then: Literal["missing", "default", "end"] = "missing"
    default: str | None = None
    remind: bool = False


class SeatPlan(_Plan):
    """Who takes a seat.

    Attributes
    ----------
    player : a model (``openai/gpt-4o``, ``local/smollm2-135m``), ``scripted/TFT`` (a strategy, noise as
        ``scripted/TFT@0.05``; ``scripted/axelrod:NAME``, ``scripted/sequence:CDDC``) or ``human``
    name : what prompts call the player
    persona : name of the persona, or free text; what the log says
    persona_text : the persona as the prompt words it; None takes the prompt set's wording of `persona`, or
        `persona` itself where it has none
    opponent_persona_probability : float in [0, 100], per cent
        What others are told of the chance that this player has its persona (0: nothing), as in FAIRGAME.
    others : how a scripted player reads more than one other
    options : settings of the architecture, which checks them
    settings : Settings, of every call for this seat
    columns : further columns of the seats table
    table : table of a scripted strategy that is the user's own, as `strategy_tables` writes it
    """

    player: str
    name: str
    persona: str | None = None
    persona_text: str | None = None
    opponent_persona_probability: float = Field(default=0, ge=0, le=100)
    others: Literal["any", "majority", "all"] | None = None
    architecture: str = "plain"
    options: dict[str, Any] = Field(default_factory=dict)
    attitude: str | None = None
    settings: Settings = Settings()
    columns: dict[str, Any] = Field(default_factory=dict)
    table: dict[str, Any] | None = None

    @model_serializer(mode="wrap")
    def _without_table(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """As it was before there were tables, where there is none."""
        values: dict[str, Any] = handler(self)
        if self.table is None:
            values.pop("table", None)
        return values

    @property
    def own(self) -> tuple[Strategy, ...]:
        """The strategy of the table, where there is one."""
        return () if self.table is None else read_tables([self.table])

    @property
    def kind(self) -> PlayerKind:
        """What the player is: scripted, human or model."""
        return parse_player(self.player, self.own).kind


TOLD = ("past", "round_told", "count_told", "outcomes_first", "goal", "title", "reflect", "rules_in")
"""Settings of what prompts tell that the first plans did not have."""


class GamePlan(_Plan):
    """How one game is played; the seed and this decide all but what language models answer.

    Attributes
    ----------
    game, payoffs, payoff_kind : str
        Name, payoffs as `Game.to_json` writes them, reward or penalty.
    rounds, horizon_known, continuation
        As `intent.play.match.Horizon`.
    stop : tuple of joint actions that end the game
    implementation_error : float in [0, .5)
        Probability that a move is played as the opposite of what was chosen.
    communication : {"none", "sequential", "simultaneous"}
    language : code of the prompt set's language
    prompts : name of the prompt set within the run
    framing : cover story: ``plain``, ``prison``, ``business``
    memory : int, optional
        Past rounds that a player is shown; None is all.
    totals : whether a player is told no totals, those of the rounds shown or those of all rounds
    past : whether past rounds show what each chose and got, or what each chose
    round_told : whether a request for a choice says which round it is
    count_told : whether the past is headed by how many rounds have been played, where all are shown
    cooperate : the action that counts as cooperation, in place of the one that the payoffs make so
    questions : tuple of str
        Comprehension questions that models are asked after every round (`intent.behaviour.questions`).
    listed_first : the action that prompts list first; None is the game's own order
    outcomes_first : the action whose outcomes prompts list first; None is the order of the options
    named_first : whose payoff or choice prompts name first
    goal : what prompts name as the goal: the own payoff, or also to end better than the other
    title : what prompts call the game; None is nothing
    reflect : whether requests for a choice or an answer ask to think first
    rules_in : the message in which the rules stand: that of the request, or the system's
    seats : tuple of SeatPlan, by seat
    seed : of scripted players, the horizon and the calls of this game
    columns : condition columns of the games table
    """

    game_id: str
    game: str
    payoffs: str
    payoff_kind: PayoffKind
    rounds: int = Field(ge=1)
    horizon_known: bool = True
    continuation: Annotated[float, Field(ge=0, lt=1)] | None = None
    stop: tuple[tuple[str, ...], ...] = ()
    implementation_error: float = Field(default=0.0, ge=0, lt=0.5)
    communication: Communication = "none"
    language: str = "en"
    prompts: str = "intent"
    framing: str = "plain"
    memory: Annotated[int, Field(ge=0)] | None = None
    totals: Literal["none", "shown", "all"] = "shown"
    past: Literal["payoffs", "choices"] = "payoffs"
    round_told: bool = True
    count_told: bool = False
    cooperate: str | None = None
    questions: tuple[str, ...] = ()
    listed_first: str | None = None
    outcomes_first: str | None = None
    named_first: Literal["self", "other"] = "self"
    goal: Literal["own", "rival"] = "own"
    title: str | None = None
    reflect: bool = False
    rules_in: Literal["request", "system"] = "request"
    reply: ReplyRules = ReplyRules()
    seats: tuple[SeatPlan, ...]
    repetition: int = Field(default=1, ge=1)
    seed: int = Field(default=0, ge=0)
    columns: dict[str, Any] = Field(default_factory=dict)

    @model_serializer(mode="wrap")
    def _without_later(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """As it was before there were these settings, where they are unset."""
        values: dict[str, Any] = handler(self)
        fields = type(self).model_fields
        return {
            key: value for key, value in values.items() if key not in TOLD or value != fields[key].default
        }

    @classmethod
    def of(cls, stage: MatrixGame | PublicGoods | CourseGame, **fields: Any) -> GamePlan:
        """The plan of a game, from which `stage` makes it again; `fields` are the other attributes."""
        declared = {"cooperate": stage.cooperate} if isinstance(stage, MatrixGame) else {}
        return cls(game=stage.name, payoffs=stage.to_json(), payoff_kind=stage.kind, **{**declared, **fields})

    def stage(self) -> MatrixGame | PublicGoods | CourseGame:
        """The game to be played.

        Raises
        ------
        GameError
            Payoffs that make no game, or another number of seats than it has.
        """
        game = game_from_json(self.payoffs, self.game, self.payoff_kind)
        if self.cooperate is not None and isinstance(game, MatrixGame):
            game = replace(game, cooperate=self.cooperate)
        if game.n_players != len(self.seats):
            raise GameError(
                f"{self.game_id}: {len(self.seats)} seats, {self.game} expects {game.n_players} players"
            )
        return game

    def horizon(self) -> Horizon:
        """How long the game lasts, and what the players are told."""
        return Horizon(self.rounds, self.horizon_known, self.continuation)


def seat_columns(seat: SeatPlan) -> dict[str, Any]:
    """Persona, architecture, attitude, name, what others are told of the persona, and further columns."""
    return {
        "persona": seat.persona,
        "architecture": seat.architecture,
        "attitude": seat.attitude,
        "agent_name": seat.name,
        "opponent_persona_probability": seat.opponent_persona_probability,
        **seat.columns,
    }


ATTITUDES = ("cooperate", "defect", "compute")
"""Attitudes that are advised in every game that has a cooperative action; a label of the game is one too."""


def check_attitude(plan: GamePlan, seat: int) -> None:
    """Refuse an attitude that no architecture knows, also for one that gives no advice.

    Raises
    ------
    UsageError
    """
    attitude, actions = plan.seats[seat - 1].attitude, plan.stage().actions
    if attitude is not None and attitude not in (*ATTITUDES, *actions):
        expected = ", ".join((*ATTITUDES, *actions))
        raise UsageError(f"{plan.game_id}: attitude {shorten(attitude)!r}, expected one of {expected}")
