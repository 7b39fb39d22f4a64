"""A call that is made in another process, and what comes back of it: a result, or the error it raised."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from intent.errors import UsageError
from intent.version import __version__

__all__ = ["LARGE", "Call", "Raised", "opened"]

LARGE = 1 << 20
"""Bytes of a function's own data from which on they are sent once, and not with every piece."""


@dataclass(frozen=True)
class Raised:
    """An error in parts.

    Errors whose constructor takes other arguments than their message cannot be pickled whole.

    Parameters
    ----------
    kind : class of the error
    arguments : tuple, its ``args``
    state : dict, its attributes
    where : str, the traceback in the worker
    """

    kind: type[Exception]
    arguments: tuple[Any, ...]
    state: dict[str, Any]
    where: str


@dataclass(frozen=True)
class Call:
    """A function of one item, as it travels.

    Parameters
    ----------
    function : callable
    version : str, of the package that sends it
    """

    function: Callable[[Any], Any]
    version: str = __version__

    def __call__(self, item: Any) -> Any:
        """The result, or what was raised: what else goes wrong is then with the workers themselves.

        Another version of this package is refused: its results might be others.
        """
        try:
            if self.version != __version__:
                raise UsageError(
                    f"a worker has version {__version__} of strategy-intent, expected {self.version} as here"
                )
            return self.function(item)
        except Exception as error:  # noqa: BLE001 - raised again where the results are taken
            raised = Raised(type(error), error.args, dict(error.__dict__), traceback.format_exc())
            return (
                raised
                if _travels(raised)
                else replace(raised, kind=RuntimeError, arguments=(repr(error),), state={})
            )


def opened(outcome: Any) -> Any:
    """The result of a call.

    Raises
    ------
    Exception
        What was raised in the worker: of the same class, message and attributes.
    """
    if not isinstance(outcome, Raised):
        return outcome
    error = outcome.kind.__new__(outcome.kind, *outcome.arguments)
    error.__dict__.update(outcome.state)
    error.add_note(f"raised in a worker:\n{outcome.where}")
    raise error


def _travels(raised: Raised) -> bool:
    """Whether the error can be sent and made again."""
    try:
        pickle.loads(pickle.dumps(raised))  # noqa: S301 - what was just made here
        raised.kind.__new__(raised.kind, *raised.arguments)
    except Exception:  # noqa: BLE001 - whatever an error's own parts do
        return False
    return True
