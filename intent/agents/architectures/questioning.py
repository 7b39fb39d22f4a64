"""The words of a comprehension question, for whichever architecture answers it."""

from __future__ import annotations

from intent.agents.plan import GamePlan
from intent.agents.prompts.facts import listed
from intent.agents.prompts.prompt_set import PromptSet
from intent.play.view import View

__all__ = ["asked_question", "unit"]


def asked_question(question: str, view: View, plan: GamePlan, prompts: PromptSet) -> dict[str, object]:
    """The placeholders ``question`` and ``answer_form`` of the prompt that asks the question of this name.

    Parameters
    ----------
    question : str
        As in `intent.agents.questions`; the phrase ``question_<name>`` words it, ``answer_form`` or,
        for two numbers, ``answer_form_extremes`` says how its answer ends.

    Raises
    ------
    PromptError
        No such phrase.
    """
    names = [plan.seats[seat - 1].name for seat in view.other_seats]
    text = prompts.say(
        f"question_{question}",
        plan,
        other=prompts.say("comma", plan).join(names),
        unit=unit(plan, prompts),
        options=prompts.say("or", plan).join(listed(view.actions, plan.listed_first)),
    )
    form = "answer_form_extremes" if question == "extremes" else "answer_form"
    return {"question": text, "answer_form": prompts.say(form, plan)}


def unit(plan: GamePlan, prompts: PromptSet) -> str:
    """What payoffs are called: reward, penalty, or as the framing has it."""
    return prompts.say(f"unit_{plan.payoff_kind}", plan)
