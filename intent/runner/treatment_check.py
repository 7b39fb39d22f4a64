"""The treatment check: what an experiment file declares of its prompts, against what they show.

The information matrix (`intent.runner.information`) is held against the declaration, the arms of an
experiment against each other, and the answers of comprehension questions against the prompts that ask them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from intent.base.errors import UnknownNameError, UsageError
from intent.runner.information import Information, Profile, information
from intent.runner.treatment import ATTRIBUTES, FACTS, REASONS, Treatment

if TYPE_CHECKING:
    from intent.agents.plan import GamePlan
    from intent.agents.prompts.prompt_set import PromptSet

__all__ = ["Checked", "check_treatment", "checked_matrix", "checked_treatment", "first_problem"]

_MUST_BE_EQUAL = ("reasons", "answers")


@dataclass(frozen=True)
class Checked:
    """The information matrix with what is wrong with it.

    Parameters
    ----------
    problems : one line each: file, role, stage, fact, what was got and what is expected
    notes : differences between arms that are named, and are no errors
    """

    information: Information
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def checked_treatment(
    source: Any,
    plans: Sequence[GamePlan],
    prompts: Mapping[str, PromptSet],
    levels: Sequence[Mapping[str, Any]],
) -> Checked:
    """The matrix of what is planned, and where it is not what the source declares.

    Parameters
    ----------
    source : Experiment, or a source of another kind of run
    plans, prompts : as `intent.runner.finish.checked_plans` gives them
    levels : factor -> level, by condition

    Raises
    ------
    IntentError
        As `information`.
    """
    orders = 2 ** len(getattr(source, "counterbalance", ()))
    return checked_matrix(source, information(plans, prompts, levels, orders=orders))


def checked_matrix(source: Any, matrix: Information) -> Checked:
    """A matrix, and where it is not what the source declares.

    Parameters
    ----------
    source : with `name`, `treatment` and, where it came from a file, `document`
    matrix : Information
    """
    treatment: Treatment | None = source.treatment
    document = getattr(source, "document", None)
    where = (document.where(["treatment"]) if document is not None else None) or source.name
    problems = [*_declared(matrix, treatment or Treatment()), *_leaks(matrix, treatment or Treatment())]
    notes = [f"could not be rehearsed to the end: {failure}" for failure in matrix.failures]
    notes += [
        f"{row.role}, {row.stage}: none of the answers that were tried is read ({', '.join(_FORMS)})"
        for row in matrix.rows
        if row.answers == "unread"
    ]
    for wrong, line in _arms(matrix, source, treatment):
        (problems if wrong else notes).append(line)
    return Checked(
        matrix, tuple(f"{where}: {line}" for line in dict.fromkeys(problems)), tuple(dict.fromkeys(notes))
    )


def check_treatment(
    source: Any,
    plans: Sequence[GamePlan],
    prompts: Mapping[str, PromptSet],
    levels: Sequence[Mapping[str, Any]],
) -> None:
    """Refuse what is planned where its prompts are not what they should be.

    Raises
    ------
    UsageError
        The first problem of `checked_treatment`, and how many more there are.
    """
    if not any(seat.kind == "model" for plan in plans[: len(levels)] for seat in plan.seats):
        return
    first_problem(checked_treatment(source, plans, prompts, levels))


def first_problem(checked: Checked) -> None:
    """Refuse a matrix with problems.

    Raises
    ------
    UsageError
        The first of them, and how many more there are.
    """
    if problems := checked.problems:
        more = f" (and {len(problems) - 1} more, which --dry-run lists)" if len(problems) > 1 else ""
        raise UsageError(f"{problems[0]}{more}")


def _declared(matrix: Information, treatment: Treatment) -> Iterator[str]:
    """What is shown although it is withheld, or not shown although it should be."""
    for wanted, by_stage in ((True, treatment.shows), (False, treatment.withholds)):
        for key, facts in by_stage.items():
            rows = [row for row in matrix.rows if _is(key, row.role, row.stage)]
            if not rows and matrix.rows:
                known = dict.fromkeys(name for row in matrix.rows for name in (row.role, row.stage))
                which = "shows" if wanted else "withholds"
                yield f"treatment: {which}: {UnknownNameError('role or stage', key, list(known))}"
            for row in rows:
                for fact in facts:
                    if (fact in row.shows) is not wanted:
                        got, expected = ("withheld", "shown") if wanted else ("shown", "withheld")
                        yield f"{row.role}, {row.stage}: {fact} is {got}, expected it {expected}"
    for row in matrix.rows:
        if "others_thoughts" in row.shows:
            yield (
                f"{row.role}, {row.stage}: private thoughts of somebody else are shown, expected them to "
                "stay private (a prompt that asks for them in double braces keeps them apart)"
            )


_FORMS = ("option", "JSON", "DECISION line", "in text")


def _is(key: str, role: str, stage: str) -> bool:
    named = (role, stage, f"{role}: {stage}")
    return any(fnmatchcase(name, key) for name in named)


def _leaks(matrix: Information, treatment: Treatment) -> Iterator[str]:
    """Questions whose answer stands in their prompt."""
    for question, role, fact in matrix.leaks:
        if question not in treatment.printed and role != "debate, assistant":
            yield (
                f"{role}, question {question}: the prompt shows {fact}, which is the answer, expected it "
                f"withheld (or treatment: {{printed: [{question}]}})"
            )


_PAST = frozenset(
    {
        *("own_choices", "others_choices", "past_payoffs", "totals", "own_words", "others_words"),
        *("private_thoughts", "rounds_played", "conversation"),
    }
)
_FORM = frozenset({"reasons", "answers", "tokens"})
_ANYTHING = frozenset({*FACTS, *ATTRIBUTES}) - {"reasons"}

_OWN: dict[str, frozenset[str]] = {
    "horizon": frozenset({"horizon"}),
    "rounds": frozenset({"horizon", *_PAST}),
    "continuation": frozenset({"horizon"}),
    "personas": frozenset({"persona", "others_persona"}),
    "persona": frozenset({"persona"}),
    "opponent_persona_probability": frozenset({"others_persona"}),
    "told": frozenset({"others_persona"}),
    "communication": frozenset({"own_words", "others_words"}),
    "memory": _PAST,
    "totals": frozenset({"totals"}),
    "listed_first": frozenset({"order"}),
    "named_first": frozenset({"order"}),
    "labels": frozenset({"order"}),
    "implementation_error": frozenset({"errors"}),
    "parser": _FORM,
    "reply": _FORM,
    "chain_of_thought": _FORM,
    "max_tokens": frozenset({"tokens"}),
    "settings": frozenset({"tokens"}),
    "model_settings": frozenset({"tokens"}),
    "attitude": frozenset({"advice", "advice_to_give"}),
    "architecture": frozenset(
        {"advice", "advice_to_give", "belief", "tool", "private_thoughts", "own_words"}
    ),
    "opponent": frozenset({"others_words"}),
    "players": frozenset({"others_words"}),
    "model": frozenset({"tokens"}),
    "table": frozenset({"others_words"}),
    **dict.fromkeys(
        ("game", "games", "setting", "parameters", "relabelled", "payoff_kind", "scale", "style"), _ANYTHING
    ),
    "noise": frozenset({"errors", "mishaps"}),
}
"""Key of a file -> what a factor of that name is about, and needs no declaration."""


def _arms(matrix: Information, source: Any, treatment: Treatment | None) -> Iterator[tuple[bool, str]]:
    """Differences between conditions that differ in one factor: whether each is an error, and its line.

    What levels of a factor have in common stands in one line.
    """
    differing: dict[_Difference, dict[tuple[str, str], None]] = {}
    factors = dict.fromkeys(name for levels in matrix.levels for name in levels)
    texts = [{name: str(levels.get(name, "–")) for name in factors} for levels in matrix.levels]
    for factor in factors:
        about = _about(source, factor)
        first: dict[tuple[str, ...], int] = {}
        for place, levels in enumerate(texts):
            base = first.setdefault(tuple(level for name, level in levels.items() if name != factor), place)
            one, other = texts[base][factor], levels[factor]
            allowed = about | _allowed(treatment, factor, (one, other))
            for name, got, expected, what in _differences(matrix.profiles[base], matrix.profiles[place]):
                if name not in allowed:
                    difference = _Difference(factor, one, name, got, expected)
                    differing.setdefault(difference, {})[other, what] = None
    lines: dict[tuple[bool, str, str, str, str], dict[str, None]] = {}
    for difference, places in differing.items():
        others = ", ".join(dict.fromkeys(level for level, _ in places))
        what = ", ".join(dict.fromkeys(what for _, what in places))
        is_fact = difference.name in FACTS
        wrong = difference.name in _MUST_BE_EQUAL or treatment is not None
        kind = "" if is_fact else difference.name
        words = difference.words(others)
        lines.setdefault((wrong, difference.factor, kind, what, words), {})[difference.name] = None
    for (wrong, factor, kind, what, words), names in lines.items():
        facts = ", ".join(names)
        line = f"{what}: {ATTRIBUTES[kind] if kind else facts} is {words}"
        hint = f", expected the same (or treatment: {{differs: {{{factor}: [{facts}]}}}})"
        yield wrong, line + hint if wrong else f"arms differ: {line}"


@dataclass(frozen=True)
class _Difference:
    """What an arm has, and what the first arm has instead."""

    factor: str
    first: str
    name: str
    got: Any
    expected: Any

    def words(self, levels: str) -> str:
        """Both, with the levels that have it."""
        got, expected = (_worded(self.name, value) for value in (self.got, self.expected))
        return f"{got} with {self.factor} {levels}, {expected} with {self.factor} {self.first}"


def _about(source: Any, factor: str) -> frozenset[str]:
    """What a factor is about by its name, or by the keys that its levels set."""
    levels = {**(getattr(source, "grid", None) or {}), **(getattr(source, "sweep", None) or {})}.get(factor)
    keys = [factor]
    if isinstance(levels, dict):
        keys += [key for level in levels.values() if isinstance(level, dict) for key in level]
    named = [name for key in keys for name in (key, key.split(".")[0], key.rpartition(".")[2])]
    return frozenset[str]().union(*(_OWN.get(name, frozenset()) for name in named))


def _allowed(treatment: Treatment | None, factor: str, levels: tuple[str, str]) -> frozenset[str]:
    """What the file declares of a factor, or of one of two levels."""
    allowed: set[str] = set()
    for key, what in (treatment.differs if treatment is not None else {}).items():
        name, _, level = key.partition("=")
        if name.strip() == factor and (not level or any(fnmatchcase(one, level.strip()) for one in levels)):
            allowed.update(what or (*FACTS, *ATTRIBUTES))
    return frozenset(allowed)


def _differences(base: Sequence[Profile], other: Sequence[Profile]) -> Iterator[tuple[str, Any, Any, str]]:
    """What differs, what the other arm has, what the first one has, and where."""
    known = {(profile.seat, profile.kind): profile for profile in base}
    for profile in other:
        mine = known.get((profile.seat, profile.kind))
        if mine is None:
            continue
        what = f"{profile.kind} of seat {profile.seat}"
        for fact in FACTS:
            shown = [fact in one.values["shows"] for one in (profile, mine)]
            if shown[0] is not shown[1]:
                yield fact, shown[0], shown[1], what
        unknown = "unread" in (profile.values["answers"], mine.values["answers"])
        for name in ATTRIBUTES:
            if profile.values[name] != mine.values[name] and not (unknown and name in _MUST_BE_EQUAL):
                yield name, profile.values[name], mine.values[name], what


def _worded(name: str, value: Any) -> str:
    if name in FACTS:
        return "shown" if value else "withheld"
    if name == "reasons":
        return f"{value!r} ({REASONS.get(value, 'no choice')})"
    return repr(value) if value not in (None, "") else "not limited" if name == "tokens" else "none"
