"""Findings in sentences that a newcomer understands, with a direction, in percentage points."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from intent.analysis.findings import LEAST, Finding, Findings, SimpleEffect
from intent.errors import shorten
from intent.report.wording import in_words, listed

__all__ = [
    "about",
    "finding_sentence",
    "level_words",
    "open_sentence",
    "points",
    "remarks",
    "silent_sentence",
]

_BACKGROUND = "RANDOM"
_NAMED = 4
"""Levels that a sentence names."""

_LETTERS = 60
"""Of a level's name, which a log may make as long as it likes."""

_WHAT = {"rate": "cooperation", "share": "shares of strategies"}


def finding_sentence(finding: Finding, *, game: bool = False) -> str:
    """What differs, between which levels, in which direction and by how much; `game`: in which game."""
    if finding.kind == "interaction":
        text = _reversal(finding) if finding.reverses else _interaction(finding)
    elif finding.kind == "rate":
        text = _range(finding, "cooperates more often", "cooperation is more frequent", "moves")
    elif finding.outcome == (_BACKGROUND,):
        text = _unexplained(finding)
    else:
        name = " or ".join(finding.outcome)
        apart = " (which this play does not tell apart)" if len(finding.outcome) > 1 else ""
        text = _range(
            finding, f"plays {name}{apart} more often", f"{name}{apart} is played more often", "play"
        )
    if game and finding.game:
        text = f"in {finding.game.replace('_', ' ')}, {text}"
    return text[0].upper() + text[1:]


def about(finding: Finding, n_questions: int, *, level: float = 0.95) -> str:
    """On how much evidence, on which unit, with which corrections."""
    many = f", corrected for {n_questions} questions" if n_questions > 1 else ""
    holds = f"{level:.0%} interval"
    if finding.n_compared > 1:
        holds += f" that allows for the choice among {finding.n_compared:,} differences"
    claim = f"claim about what happens {finding.question}" if finding.question else "claim"
    return f"p {_p(finding.p_adjusted)}{many}; {holds}; {claim} ({finding.counted})."


def remarks(finding: Finding, shown: Sequence[Finding]) -> str:
    """That a main effect reverses with another factor, where that is a finding too; else nothing."""
    if finding.kind != "rate":
        return ""
    for other in shown:
        turned = other.kind == "interaction" and other.reverses and other.game == finding.game
        if turned and other.factors[1] == finding.factors[0]:
            return f"This is an average over {in_words(other.factors[0])}, which turns it round (see above)."
    return ""


def silent_sentence(findings: Findings, *, several_games: bool = False) -> str:
    """All questions without a finding in one sentence; nothing where each has one."""
    told = []
    for kind in ("rate", "share"):
        own = [f for f in findings.silent if f.kind == kind]
        if own:
            told.append(f"{_WHAT[kind]} by {_by(own, several_games)}")
    double = [f for f in findings.silent if f.kind == "interaction"]
    if double:
        asked = sum(f.kind == "interaction" for f in (*findings.shown, *findings.open, *findings.silent))
        told.append(f"{len(double)} of {asked} interactions of two factors on cooperation")
    if not told:
        return ""
    return (
        f"Not shown to differ by {100 * LEAST:.0f} points or more: {'; '.join(told)}. What is not shown may "
        "still be there."
    )


def open_sentence(findings: Findings) -> str:
    """Differences that are shown as a whole, but of no single contrast; nothing where there are none."""
    if not findings.open:
        return ""
    told = [f"{_question(f)} (p {_p(f.p_adjusted)})" for f in findings.open]
    return f"A difference is shown, but not which one: {'; '.join(told)}."


def _by(own: Sequence[Finding], several_games: bool) -> str:
    if not several_games:
        return listed([in_words(f.factors[0]) for f in own])
    by_factor: dict[str, list[str]] = {}
    for one in own:
        by_factor.setdefault(in_words(one.factors[0]), []).append(one.game.replace("_", " "))
    return ", ".join(f"{factor} ({', '.join(filter(None, games))})" for factor, games in by_factor.items())


def _question(finding: Finding) -> str:
    game = f" in {finding.game.replace('_', ' ')}" if finding.game else ""
    if finding.kind == "interaction":
        return f"how {in_words(finding.factors[1])} and {in_words(finding.factors[0])} act together{game}"
    return f"{_WHAT[finding.kind]} by {in_words(finding.factors[0])}{game}"


def _range(finding: Finding, active: str, passive: str, of: str) -> str:
    """Highest against lowest level of one factor."""
    factor, (high, low) = finding.factors[0], finding.levels
    ends = f": {_rate(finding, high)} against {_rate(finding, low)} of {of}, {_difference(finding)}."
    if factor == "model":
        return f"{level_words(factor, high)} {active} than {level_words(factor, low)}{ends}"
    return f"{passive} with {level_words(factor, high)} than with {level_words(factor, low)}{ends}"


def _unexplained(finding: Finding) -> str:
    factor, (high, low) = finding.factors[0], finding.levels
    ends = f": {_rate(finding, high)} against {_rate(finding, low)}, {_difference(finding)}."
    join = "of" if factor == "model" else "with"
    return (
        f"more play {join} {level_words(factor, high)} than {join} {level_words(factor, low)} follows no "
        f"strategy of the set (RANDOM){ends}"
    )


def _reversal(finding: Finding) -> str:
    """The levels at which an effect is the other way round, the fewer first."""
    moderator, factor = finding.factors
    above = [e for e in finding.effects if e.low > 0]
    below = [e for e in finding.effects if e.high < 0]
    unclear = [e for e in finding.effects if e.low <= 0 <= e.high]
    first, rest, word, other = below, above, "less", "more"
    if len(above) < len(below):
        first, rest, word, other = above, below, "more", "less"
    a, b = (level_words(factor, level) for level in finding.levels)
    b = str(finding.levels[1]) if b.startswith(f"{in_words(factor)} ") and _says(finding.levels[1]) else b
    lead = (
        f"{listed([level_words(moderator, e.level) for e in first])} "
        f"cooperate{'s' * (len(first) == 1)} {word} with {a} than with {b} ({_ends(first)})"
        if moderator == "model"
        else f"with {listed([level_words(moderator, e.level) for e in first])}, cooperation is {word} "
        f"frequent with {a} than with {b} ({_ends(first)})"
    )
    if moderator != "model":
        lead = lead.replace("less frequent", "rarer")
    who = "the others " if len(rest) > 1 and not unclear else ""
    text = (
        f"{lead}; {who}{other}: {_each(moderator, rest)}"
        if who
        else f"{lead}, {_each(moderator, rest)} {other}"
    )
    if unclear:
        text += f"; no clear difference: {_each(moderator, unclear)}"
    return f"{text}."


def _interaction(finding: Finding) -> str:
    moderator, factor = finding.factors
    a, b = (level_words(factor, level) for level in finding.levels)
    b = str(finding.levels[1]) if b.startswith(f"{in_words(factor)} ") and _says(finding.levels[1]) else b
    order = sorted(finding.effects, key=lambda e: -abs(e.estimate))
    join = "for" if moderator == "model" else "with"
    strongest = order[0]
    larger = "a larger" if all(e.estimate * strongest.estimate >= 0 for e in order) else "another"
    return (
        f"{a} rather than {b} goes with {larger} difference in cooperation {join} "
        f"{level_words(moderator, strongest.level)} ({_signed(strongest)}) than {join} "
        f"{_each(moderator, order[1:])}."
    )


def _each(factor: str, effects: Sequence[SimpleEffect]) -> str:
    named = [f"{level_words(factor, e.level)} ({_signed(e, unit='')})" for e in effects[:_NAMED]]
    if len(effects) > _NAMED:
        named.append(f"{len(effects) - _NAMED} more")
    return listed(named)


def _ends(effects: Sequence[SimpleEffect]) -> str:
    return "; ".join(_signed(e) for e in effects[:_NAMED])


def _signed(effect: SimpleEffect, unit: str = " points") -> str:
    ends = "" if math.isnan(effect.low) else f" [{points(effect.low)}, {points(effect.high)}]"
    return f"{100 * effect.estimate:+.0f}{unit}{ends}"


def _difference(finding: Finding) -> str:
    ends = "" if math.isnan(finding.low) else f" [{points(finding.low)}, {points(finding.high)}]"
    return f"{points(finding.estimate)} points{ends}"


def points(share: float) -> str:
    """A difference of shares in whole percentage points, never beyond 100."""
    text = f"{100 * min(max(share, -1.0), 1.0):.0f}"
    return "0" if text == "-0" else text


def _rate(finding: Finding, level: Any) -> str:
    cell = next(c for c in finding.cells if c.values[0] == level)
    return f"{100 * cell.estimate:.0f} %"


def level_words(factor: str, level: Any) -> str:
    """A level of a factor: a model by its name, of any other factor with the name of the factor."""
    text = shorten(str(level), _LETTERS)
    return text if factor == "model" and _says(level) else f"{in_words(factor)} {text}"


def _says(level: Any) -> bool:
    """Whether a value alone says something, as a name does and 2 or True do not."""
    text = str(level)
    return text.upper().isupper() and text.lower() not in ("true", "false", "nan", "none")


def _p(p: float) -> str:
    return "< .001" if p < 0.001 else "= " + f"{p:.3f}".removeprefix("0")
