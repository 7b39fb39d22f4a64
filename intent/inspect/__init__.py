"""Inspect: our games as its tasks, its models and agents in our seats, ours among its models and agents.

Nothing but this room imports inspect-ai or inspect-scout, and nothing imports this room before it is asked
for: Inspect finds it by the entry point of the group ``inspect_ai``, which is `intent.inspect.tasks`.
"""

from intent.base.registry import require

require("inspect_ai")
