"""An OpenAI-compatible HTTP server that answers by rule, with latency and faults; for tests and measurements.

Replies depend on nothing but the body of a request, so they are the same after a crash or a restart.
"""

from intent.agents.scripted_server.faults import FAULTS, Faults
from intent.agents.scripted_server.server import ScriptedServer
from intent.agents.scripted_server.stats import Stats

__all__ = ["FAULTS", "Faults", "ScriptedServer", "Stats"]
