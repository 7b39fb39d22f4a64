"""PettingZoo's parallel environments as games here, and our games as parallel environments there.

References
----------
Terry et al. 2021, PettingZoo: Gym for Multi-Agent Reinforcement Learning, NeurIPS 34:15032.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, NoReturn

import numpy as np

from intent.base.errors import GameError, UnknownNameError, one_line, shorten
from intent.base.registry import require
from intent.games.game import Game, MatrixGame, PublicGoods
from intent.play.bridges.environment import Opened, parameters_of
from intent.play.match import Horizon
from intent.play.players import Player
from intent.play.referee import Referee

__all__ = ["PREFIX", "parallel", "parallel_env", "refused_game"]

PREFIX = "pettingzoo:"
"""What a name of the library begins with, as in ``pettingzoo:classic/rps-v2``."""

POSSIBLE = "parallel environments, in which all move at once, with actions that are numbers (Discrete)"


def refused_game(name: str) -> NoReturn:
    """Say that an environment is no matrix game: its payoffs are known only once it is stepped.

    Raises
    ------
    GameError
        Always.
    """
    raise GameError(
        f"{PREFIX}{shorten(name)} is an environment without a payoff table, expected a matrix game; "
        "from Python environment_game('pettingzoo', …) plays it"
    )


def parallel(environment: str | Callable[[], Any]) -> Opened:
    """A parallel environment by its name in PettingZoo's registry, or the function that makes it.

    Raises
    ------
    MissingExtraError
        PettingZoo is not installed.
    UnknownNameError
        No such environment.
    GameError
        Agents that move in turn, actions that are no numbers, or an environment that cannot be made.
    """
    make = environment if callable(environment) else _registered(environment)
    where = PREFIX + (environment if isinstance(environment, str) else getattr(environment, "__name__", "…"))
    one = make()
    if not hasattr(one, "possible_agents") or hasattr(one, "agent_selection"):
        raise GameError(f"{where} is sequential: its agents move in turn; possible are {POSSIBLE}")
    spaces = [one.action_space(agent) for agent in one.possible_agents]
    starts = [int(getattr(space, "start", 0)) for space in spaces]
    sizes = [int(getattr(space, "n", 0)) if np.ndim(getattr(space, "n", 0)) == 0 else 0 for space in spaces]
    if not spaces or not all(sizes) or not all(type(space).__name__ == "Discrete" for space in spaces):
        kinds = ", ".join(dict.fromkeys(type(space).__name__ for space in spaces))
        raise GameError(f"{where} has actions of kind {kinds or 'none'}; possible are {POSSIBLE}")
    one.close()
    labels = tuple(
        tuple(str(start + at) for at in range(size)) for start, size in zip(starts, sizes, strict=True)
    )
    return Opened(labels, lambda rng: _Stepped(make(), labels, rng))


class _Stepped:
    """An environment, reset with a seed of the match's generator."""

    def __init__(self, env: Any, labels: tuple[tuple[str, ...], ...], rng: np.random.Generator) -> None:
        self._env, self._labels = env, labels
        self._number = {agent: seat for seat, agent in enumerate(env.possible_agents, start=1)}
        self._agents = {seat: agent for agent, seat in self._number.items()}
        self._seen, self._infos = env.reset(seed=int(rng.integers(2**31)))

    @property
    def over(self) -> bool:
        return not self._env.agents

    @property
    def seats(self) -> tuple[int, ...]:
        return tuple(sorted(self._number[agent] for agent in self._env.agents))

    def legal(self, seat: int) -> tuple[str, ...]:
        """All actions, or those of the mask that the environment gives."""
        agent, labels = self._agents[seat], self._labels[seat - 1]
        observation = self._seen.get(agent)
        mask = observation.get("action_mask") if isinstance(observation, Mapping) else None
        if mask is None:
            mask = (self._infos.get(agent) or {}).get("action_mask")
        if mask is None:
            return labels
        return tuple(label for label, possible in zip(labels, mask, strict=True) if possible)

    def step(self, actions: Mapping[int, str]) -> Mapping[int, float]:
        moves = {self._agents[seat]: int(action) for seat, action in actions.items()}
        self._seen, paid, _, _, self._infos = self._env.step(moves)
        return {self._number[agent]: float(value) for agent, value in paid.items() if agent in self._number}


def parallel_env(
    game: MatrixGame | PublicGoods,
    horizon: int | Horizon = 10,
    players: Mapping[int, Player] | None = None,
    *,
    implementation_error: float = 0.0,
) -> Any:
    """One of our repeated games as a PettingZoo ParallelEnv, stepped by our referee.

    Agents are ``seat_1``, ``seat_2``, …; their action is the number of the label in `game.actions`. What an
    agent observes is the last joint action, the own one first and then the others in seat order, and as many
    as there are actions where nothing was played. Rewards are payoffs, with a minus where the game's are
    penalties. All agents terminate when the match is over. ``info`` has the round and the actions that may be
    played.

    Parameters
    ----------
    horizon : int or Horizon
        Rounds, or rounds with a probability that another one follows.
    players : mapping of seat -> Player, optional
        Players of ours who take a seat within the environment; the other seats are its agents.
    implementation_error : as for `intent.play.referee.Referee`

    Notes
    -----
    ``reset(seed=s)`` draws as ``intent.play.referee.play(…, rng=numpy.random.default_rng(s))`` does, so that
    players move alike on both sides.

    Raises
    ------
    MissingExtraError
        PettingZoo is not installed.
    GameError
        A game without payoff table, a seat that there is not, or players in all seats.
    """
    if not isinstance(game, MatrixGame | PublicGoods):
        raise GameError(f"{game.name}: expected a game with a payoff table")
    seated = dict(players or {})
    stray = [seat for seat in seated if not 1 <= seat <= game.n_players]
    if stray or len(seated) >= game.n_players:
        raise GameError(
            f"{game.name}: players in seats {sorted(seated)}, expected at least one of {game.n_players} free"
        )
    length = horizon if isinstance(horizon, Horizon) else Horizon(horizon)
    return _env_class()(game, length, seated, implementation_error)


class _RepeatedGame:
    """A repeated game as a ParallelEnv, but for its base class (`parallel_env`)."""

    def __init__(self, game: Game, horizon: Horizon, players: dict[int, Player], error: float) -> None:
        self._game, self._horizon, self._players, self._error = game, horizon, players, error
        self._seats = {f"seat_{seat}": seat for seat in range(1, game.n_players + 1) if seat not in players}
        spaces = _spaces()
        self.metadata = {"name": f"intent/{game.name}", "render_modes": []}
        self.render_mode = None
        self.possible_agents = list(self._seats)
        self.agents: list[str] = []
        k, n = len(game.actions), game.n_players
        self.action_spaces = {agent: spaces.Discrete(k) for agent in self.possible_agents}
        self.observation_spaces = {agent: spaces.MultiDiscrete([k + 1] * n) for agent in self.possible_agents}
        self._rng: np.random.Generator | None = None

    def observation_space(self, agent: str) -> Any:
        """The last joint action."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Numbers of labels."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Begin a match; without a seed the draws go on from the last one."""
        if seed is not None or self._rng is None:
            self._rng = np.random.default_rng(seed)
        of_horizon, *self._streams = self._rng.spawn(1 + self._game.n_players)
        self._referee = Referee(
            self._game,
            self._horizon,
            rng=of_horizon,
            implementation_error=self._error,
            errors=self._rng.spawn(1)[0] if self._error else None,
        )
        self.agents = list(self.possible_agents)
        return self._observations(), self._infos()

    def step(self, actions: Mapping[str, int]) -> Any:
        """Play a round.

        Raises
        ------
        GameError
            An agent without an action, or an action that the game does not have.
        """
        if not self.agents:
            raise GameError(f"{self._game.name}: the match is over, expected reset()")
        moves: dict[int, str | None] = {
            self._seats[agent]: self._label(agent, actions) for agent in self.agents
        }
        for seat in self._referee.pending():
            if seat in self._players:
                chosen = self._players[seat].act(self._referee.view(seat), self._streams[seat - 1])
                moves[seat] = chosen
        for seat, action in moves.items():
            self._referee.submit(seat, action, "missing" if action is None else "parsed")
        paid, over = self._referee.record[-1].payoffs, self._referee.over
        sign = 1.0 if self._game.kind == "reward" else -1.0
        # a round in which a player of ours did not move pays nothing
        rewards = {agent: sign * (paid[self._seats[agent] - 1] or 0.0) for agent in self.agents}
        ended, cut = dict.fromkeys(self.agents, over), dict.fromkeys(self.agents, False)
        observations, infos = self._observations(), self._infos()
        if over:
            self.agents = []
        return observations, rewards, ended, cut, infos

    def state(self) -> Any:
        """The last joint action in seat order."""
        return self._last(tuple(range(1, self._game.n_players + 1)))

    def render(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""

    def _label(self, agent: str, actions: Mapping[str, int]) -> str:
        known = self._game.actions
        number = actions.get(agent)
        at = int(number) if isinstance(number, int | np.integer) and not isinstance(number, bool) else -1
        if not 0 <= at < len(known):
            raise GameError(
                f"{agent}: action {one_line(number, 64)}, expected a number from 0 to {len(known) - 1}"
            )
        return known[at]

    def _last(self, seats: Sequence[int]) -> Any:
        record = self._referee.record
        known = self._game.actions
        moves = record[-1].actions if record else (None,) * self._game.n_players
        numbers = [len(known) if (m := moves[seat - 1]) is None else known.index(m) for seat in seats]
        return np.array(numbers, dtype=np.int64)

    def _observations(self) -> dict[str, Any]:
        n = self._game.n_players
        return {
            agent: self._last((seat, *(s for s in range(1, n + 1) if s != seat)))
            for agent, seat in self._seats.items()
            if agent in self.agents
        }

    def _infos(self) -> dict[str, dict[str, Any]]:
        facts = {"round": len(self._referee.record), "actions": self._game.actions}
        return {agent: dict(facts) for agent in self.agents}


@cache
def _env_class() -> type[Any]:
    return type("RepeatedGame", (_RepeatedGame, _library().ParallelEnv), {"__doc__": _RepeatedGame.__doc__})


def _registered(text: str) -> Callable[[], Any]:
    """The maker of an environment of PettingZoo's registry; names of modules are no names here."""
    zoo = _library()
    name, parameters = parameters_of(text.removeprefix(PREFIX), "environment of PettingZoo")
    if name not in zoo.parallel_registry:
        if name in zoo.aec_registry:
            raise GameError(f"{PREFIX}{name} is sequential: its agents move in turn; possible are {POSSIBLE}")
        raise UnknownNameError("parallel environment of PettingZoo", name, zoo.parallel_registry)

    def make() -> Any:
        try:
            return zoo.make("parallel", name, **parameters)
        except Exception as error:  # noqa: BLE001 - whatever the code of an environment raises
            why = one_line(error.__cause__ or error)
            raise GameError(
                f"{PREFIX}{text.removeprefix(PREFIX)} cannot be made: {why}; what its family needs: "
                f"pip install 'pettingzoo[{name.split('/')[0]}]'"
            ) from None

    return make


def _library() -> Any:
    require("pettingzoo")
    import pettingzoo

    return pettingzoo


def _spaces() -> Any:
    from gymnasium import spaces

    return spaces
