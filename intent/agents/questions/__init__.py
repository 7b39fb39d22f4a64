"""Comprehension questions put to players between rounds: their table, readers of answers, right answers."""

from intent.agents.questions.score import score
from intent.agents.questions.table import (
    ABOUT_ONE_OTHER,
    ANSWERS,
    QUESTIONS,
    Question,
    asked,
    check_questions,
)

__all__ = ["ABOUT_ONE_OTHER", "ANSWERS", "QUESTIONS", "Question", "asked", "check_questions", "score"]
