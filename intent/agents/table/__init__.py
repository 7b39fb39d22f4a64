"""Who sits at the table of a `intent.games.course.CourseGame`: language models, scripted players, humans."""

from intent.agents.table.human_seat import HumanTableAgent
from intent.agents.table.model_seat import TableAgent
from intent.agents.table.scripted_seat import ScriptedTableAgent, scripted_table_player

__all__ = ["HumanTableAgent", "ScriptedTableAgent", "TableAgent", "scripted_table_player"]
