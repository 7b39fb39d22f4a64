"""Recognisers made of another recogniser: its choice, its parameters, its place in a saved folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from intent.base.errors import RecogniserError, UnknownNameError, shorten
from intent.recognise.recogniser import (
    Files,
    Recogniser,
    load_recogniser,
    ordered_classes,
    plain_parameters,
    recogniser_class,
)
from intent.strategies.catalogue import CATALOGUE

__all__ = ["WrappingRecogniser"]

_PREFIX = "inner."
"""What the names of the inner recogniser's files begin with."""

_NESTED = "recogniser__"
_LONGEST_NAME = 1000


class WrappingRecogniser(Recogniser):
    """Base of recognisers with a parameter ``recogniser``, which names or is another one.

    A kind, and a Recogniser (as a copy), are fitted together with the wrapper; a kind that has a parameter
    ``strategies`` gets the classes where these are strategies, one that has ``random_state`` the wrapper's.
    A shipped or saved recogniser stays as it is.

    Attributes
    ----------
    recogniser_ : fitted Recogniser
    """

    recogniser: Any
    random_state: int | None
    recogniser_: Recogniser

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name; deep, those of a given recogniser too, as ``recogniser__<name>``."""
        own = super().get_params()
        if deep and isinstance(self.recogniser, Recogniser):
            own |= {_NESTED + name: value for name, value in self.recogniser.get_params().items()}
        return own

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name, ``recogniser__<name>`` those of a given recogniser.

        Raises
        ------
        RecogniserError
            No such parameter.
        """
        super().set_params(**{name: value for name, value in params.items() if not name.startswith(_NESTED)})
        inner = {n.removeprefix(_NESTED): value for n, value in params.items() if n.startswith(_NESTED)}
        if inner:
            if not isinstance(self.recogniser, Recogniser):
                got, names = shorten(repr(self.recogniser)), ", ".join(_NESTED + name for name in inner)
                raise RecogniserError(f"recogniser is {got}, expected a Recogniser to set {names}")
            self.recogniser.set_params(**inner)
        return self

    def _chosen(self, y: ArrayLike | None) -> tuple[Recogniser, bool]:
        """The inner recogniser, and whether it is fitted already.

        Raises
        ------
        RecogniserError
            The parameter is none, or of the wrapper's own kind.
        UnknownNameError
            No such kind, shipped name or folder.
        """
        chosen = self.recogniser
        if isinstance(chosen, Recogniser):
            return self._other_kind(type(chosen)(**chosen.get_params(deep=False))), False
        if not isinstance(chosen, str | Path):
            raise RecogniserError(
                f"recogniser is {shorten(repr(chosen))}, expected a kind, name or Recogniser"
            )
        kind = self._kind(chosen)
        if kind is None:
            return self._other_kind(self._loaded(chosen)), True
        accepted, parameters = kind().get_params(), dict[str, Any]()
        if "random_state" in accepted:
            parameters["random_state"] = self.random_state
        names = [] if y is None else ordered_classes(np.asarray(y).astype(str)).tolist()
        if "strategies" in accepted and names and set(names) <= set(CATALOGUE):
            parameters["strategies"] = tuple(names)
        return self._other_kind(kind(**parameters)), False

    def _inner_state(self) -> tuple[dict[str, Any], Files]:
        """The inner recogniser as a JSON object and files."""
        inner = self.recogniser_
        state, files = inner.to_state()
        saved = {
            "kind": inner.kind,
            "parameters": plain_parameters(inner.get_params(deep=False)),
            "state": state,
            "given": isinstance(self.recogniser, Recogniser),
        }
        return saved, {_PREFIX + name: content for name, content in files.items()}

    def _restore_inner(self, saved: Mapping[str, Any], files: Files) -> Recogniser:
        """The inner recogniser of what `_inner_state` gave; one given as a Recogniser is the parameter again.

        Raises
        ------
        RecogniserError
            Not what `_inner_state` gives.
        """
        kind, parameters, is_given = saved["kind"], saved["parameters"], saved["given"]
        if not isinstance(kind, str) or kind == self.kind:
            raise RecogniserError(f"inner recogniser is {shorten(repr(kind))}, expected another kind")
        if type(is_given) is not bool or not isinstance(parameters, dict):
            raise RecogniserError("the inner recogniser's parameters are not readable, expected an object")
        own = {k: tuple(v) if isinstance(v, list) else v for k, v in parameters.items()}
        inner = {n.removeprefix(_PREFIX): c for n, c in files.items() if n.startswith(_PREFIX)}
        restored = recogniser_class(kind)(**own).from_state(saved["state"], inner)
        if is_given:
            self.recogniser = recogniser_class(kind)(**restored.get_params(deep=False))
        elif not isinstance(self.recogniser, str) or len(self.recogniser) > _LONGEST_NAME:
            raise RecogniserError(f"recogniser is {shorten(repr(self.recogniser))}, expected a name")
        return restored

    def _kind(self, name: str | Path) -> type[Recogniser] | None:
        if isinstance(name, Path):
            return None
        try:
            return recogniser_class(name)
        except UnknownNameError:
            return None

    def _loaded(self, name: str | Path) -> Recogniser:
        return load_recogniser(name)

    def _other_kind(self, inner: Recogniser) -> Recogniser:
        if inner.kind == self.kind:
            raise RecogniserError(f"recogniser is itself {self.kind}, expected another kind")
        return inner
