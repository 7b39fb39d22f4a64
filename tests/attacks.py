"""Attacks on the sandbox, by name: what each tries, its source, and which faults are right.

Each goes straight to an engine, past the gate. An attack that succeeds in what it tries raises ``ESCAPED`` or
leaves a file behind. One that does nothing must play as the honest strategy here, which always cooperates.
"""

from __future__ import annotations

import attacks_by_answer
import attacks_on_machine
import attacks_on_match
import attacks_on_resources

__all__ = ["ATTACKS", "HONEST"]

HONEST = "def strategy(self, opponent):\n    return axl.Action.C\n"

_TABLES = (attacks_on_machine, attacks_on_resources, attacks_on_match, attacks_by_answer)

ATTACKS = {a.name: a for table in _TABLES for a in table.ROWS}
