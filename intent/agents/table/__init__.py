"""Who sits at the table of a `intent.games.game.CourseGame`: language models, scripted players, humans."""

from intent.agents.table.scripted import ScriptedTableAgent, scripted_table_player
from intent.agents.table.seats import HumanTableAgent, TableAgent

__all__ = ["HumanTableAgent", "ScriptedTableAgent", "TableAgent", "scripted_table_player"]
