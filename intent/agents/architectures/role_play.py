"""Role-play: a turn of a debate in which one speaker writes the other's lines too.

References
----------
Cremonini 2025, The Agent's Dilemma, 4.1.2 (agent role-play).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal

__all__ = ["LONGEST", "Speaker", "other_speaks"]

Speaker = Literal["decider", "assistant"]

LONGEST = 100_000
"""Characters of a turn that are looked at."""

_DECIDER = (
    "client|suspect|criminal|prisoner|defendant|accused|person|player|human|decision[- ]?maker|decider",
    "cliente?|suspecte?|joueu(?:r|se)|prisonni(?:er|ère)|accusée?|décideu(?:r|se)",
    "العميل|الموكل|الموكّل|المشتبه به|اللاعب|المتهم|صاحب القرار",
    "客户|客戶|委托人|委託人|当事人|當事人|嫌疑人|嫌犯|玩家|决策者|決策者",
    "thân chủ|khách hàng|nghi phạm|bị cáo|người chơi|người quyết định",
)

_ASSISTANT = (
    "lawyer|attorney|counsel(?:or)?|advis[eo]r|consultant|assistant",
    "avocate?|conseil(?:ler|lère)?|consultante?|assistante?",
    "المحامي|المستشار|المساعد",
    "律师|律師|顾问|顧問|助手|助理|辩护人",
    "luật sư|cố vấn|tư vấn viên|trợ lý",
)

_ROLES: dict[Speaker, tuple[str, ...]] = {"decider": _DECIDER, "assistant": _ASSISTANT}


def other_speaks(text: str, speaker: Speaker, name: str) -> int | None:
    """Where the lines of the other speaker begin in a turn, or None.

    They begin with a heading at the start of a line, ``**Lawyer**:``, ``Client (thinking):``, in any of our
    five languages. The player's own name is one too, except as the first words of a turn, where it is who
    the assistant speaks to.

    Parameters
    ----------
    text : str
        In Unicode's form NFC, as `unicodedata.normalize` makes it.
    speaker : {"decider", "assistant"}
        Whose turn it is.
    name : str
        What prompts call the player.
    """
    looked_at = text[:LONGEST]
    other: Speaker = "assistant" if speaker == "decider" else "decider"
    headings = [match.start() for match in [_roles(other).search(looked_at)] if match]
    if other == "decider" and name.strip():
        named = (match.start() for match in _named(name).finditer(looked_at))
        headings += [at for at in named if looked_at[:at].strip()][:1]
    return min(headings, default=None)


def _heading(names: str) -> re.Pattern[str]:
    before = r"^[ \t*_#>`\[(\-–—•]{0,12}(?:(?:my|your|the|mon|ma|votre|le|la|l['’])[ \t]{0,3})?"
    after = r"[ \t]{0,3}(?:\([^()\n]{0,40}\))?[ \t*_`\])]{0,8}[:：]"
    return re.compile(f"{before}(?:{names}){after}", re.IGNORECASE | re.MULTILINE)


@lru_cache(maxsize=2)
def _roles(speaker: Speaker) -> re.Pattern[str]:
    return _heading(unicodedata.normalize("NFC", "|".join(_ROLES[speaker])))


@lru_cache(maxsize=256)
def _named(name: str) -> re.Pattern[str]:
    return _heading(re.escape(unicodedata.normalize("NFC", name.strip())))
