"""What a row of the table of attacks is, and the two ways to write one."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

__all__ = ["ENDED", "NO_MOVE", "STOPPED", "Attack", "attack", "plain"]

REACH = """
def modules():
    for kind in ().__class__.__base__.__subclasses__():
        try:
            names = kind.__init__.__globals__
        except AttributeError:
            continue
        if "sys" in names:
            return names["sys"].modules
    return {}
def bring(name):
    return modules()["builtins"].__import__(name)
"""
"""How code without imports gets at the modules of CPython."""

STOPPED = frozenset({"refused", "error", "killed"})
ENDED = STOPPED | {"time", "memory", "output"}
NO_MOVE = frozenset({"value", "refused"})


@dataclass(frozen=True)
class Attack:
    """One attack.

    Parameters
    ----------
    name : str
    tries : str, what it would do
    source : str, given to an engine past the gate
    kinds : frozenset of FaultKind, the faults that are right
    harmless : bool
        Whether it may also end in the moves of an honest run.
    inside : bool
        Whether it reaches for the opponent's side of its own match. An engine with a process per pair holds
        it off the machine and all other pairs, not off that match; the gate, ``strict`` and ``monty`` do.
    quick : bool
        Whether it belongs to the fast part of the tests.
    """

    name: str
    tries: str
    source: str
    kinds: frozenset[str]
    harmless: bool = False
    inside: bool = False
    quick: bool = False

    def aimed(self, canary: object, made: object) -> str:
        """Its source with the places of the file that must stay unread and of the one that must never be."""
        return self.source.replace("CANARY", str(canary)).replace("MADE", str(made))


def plain(
    name: str,
    tries: str,
    body: str,
    kinds: frozenset[str] = STOPPED,
    *,
    whole: bool = False,
    prelude: str = "",
    **flags: bool,
) -> Attack:
    """A row whose `body` is that of the function, before it cooperates, or with `whole` the whole source."""
    body = textwrap.dedent(body).strip("\n")
    if not whole:
        indented = textwrap.indent(body, "    ")
        body = f"{prelude}def strategy(self, opponent):\n{indented}\n    return axl.Action.C\n"
    return Attack(name, tries, body, kinds, **flags)


def attack(name: str, tries: str, body: str, kinds: frozenset[str] = STOPPED, **flags: bool) -> Attack:
    """A row whose body uses ``modules()`` and ``bring(name)``, which reach for CPython's modules."""
    return plain(name, tries, body, kinds, prelude=REACH.lstrip("\n"), **flags)
