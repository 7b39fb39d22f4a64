"""The engines by name, and which of them this machine can run."""

from __future__ import annotations

import importlib.util
from typing import cast

from intent.arena.match import Engine
from intent.arena.sandbox.limits import Limits
from intent.errors import MissingExtraError, UnknownNameError, UsageError

__all__ = ["ENGINES", "engine_status", "make_engine"]

ENGINES = ("auto", "seccomp", "strict", "monty")
"""``auto`` takes ``seccomp`` where the kernel confines, else ``monty``."""


def engine_status() -> dict[str, str | None]:
    """Engine -> why it cannot be used here, or None where it can."""
    from intent.arena.sandbox.confined import confinement

    kernel = confinement()
    monty = None if importlib.util.find_spec("pydantic_monty") else "pydantic-monty is not installed"
    return {"seccomp": kernel, "strict": kernel, "monty": monty}


def make_engine(name: str = "auto", *, workers: int | None = None, limits: Limits | None = None) -> Engine:
    """An engine that plays written code where it can do no harm.

    Parameters
    ----------
    name : {"auto", "seccomp", "strict", "monty"}
    workers : int, optional
        Pairs that play at a time; by default one per usable processor.
    limits : Limits, optional
        What a player may use of the machine.

    Raises
    ------
    UnknownNameError
    MissingExtraError
        ``monty`` without its library.
    UsageError
        This machine has no such engine.
    """
    if name not in ENGINES:
        raise UnknownNameError("engine", name, ENGINES)
    status = engine_status()
    if name == "auto":
        name = "seccomp" if status["seccomp"] is None else "monty"
        if status[name] is not None:
            raise UsageError(
                f"written strategies cannot be confined here (seccomp: {status['seccomp']}; monty: "
                f"{status['monty']}); run: pip install 'strategy-intent[sandbox]'"
            )
    if (why := status[name]) is not None:
        if name == "monty":
            raise MissingExtraError("pydantic-monty", "sandbox")
        raise UsageError(f"engine {name!r} cannot be used here: {why}")
    if name == "monty":
        from intent.arena.sandbox.monty import MontyEngine

        return cast(Engine, MontyEngine(workers=workers, limits=limits or Limits()))
    from intent.arena.sandbox.confined import ConfinedEngine

    return ConfinedEngine(workers, limits, apart=name == "strict")
