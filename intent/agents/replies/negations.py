"""Words that turn a sentence against the name in it, in five languages: data for those who read sentences.

Each is a regular expression on text in lower case. Languages that part words by spaces have word limits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["DENIALS", "NEGATIONS", "REJECTIONS", "either"]

_NOT = {
    "en": "not|never|avoid",
    "fr": "ne|pas|jamais",
    "vi": "không|chẳng|đừng",
    "zh": "不|没|別|别",
    "ar": "لا|لن|لم|ليس",
}

NEGATIONS = {
    "en": (_NOT["en"], r"refuse|\w+n't"),
    "fr": (_NOT["fr"], "n'|éviter"),
    "vi": (_NOT["vi"], "tránh"),
    "zh": (_NOT["zh"], "避免"),
    "ar": (rf"(?<!\w)(?:{_NOT['ar']}|تجنب)(?!\w)",),
}
"""Negate a clause that commits."""

REJECTIONS = {
    "en": ("rather than|instead of|and not|over",),
    "fr": ("plutôt que|plutôt qu'|au lieu de|et non|et pas",),
    "vi": ("thay vì|chứ không|hơn là",),
    "zh": ("而不是|而非|不是",),
    "ar": ("بدلا من|بدلًا من|وليس",),
}
"""What follows is the option that is not taken."""

DENIALS = {
    "en": (
        _NOT["en"],
        r"neither|nor|no|unlikely|without|cannot|refuse[sd]?|instead of|rather than|\w*n['’]t",
        "other than|anything but|less likely|hardly|scarcely|barely|rarely|seldom|doubt(?:s|ful)?|except",
        "opposite|fail(?:s|ed)?|stop(?:s|ped)?|ceases?|mistake",
    ),
    "fr": (
        _NOT["fr"],
        r"ni|non|sans|plutôt que|au lieu|peu probable|peu de chances?|aucune?|rarement|guère|n['’]\w*",
        "sauf|contraire|doute",
    ),
    "vi": (_NOT["vi"], "chưa|thay vì|khó|ít khả năng|hiếm khi|trừ|ngược lại"),
    "zh": (_NOT["zh"], "[沒非未勿无無]|很少|除了|相反|拒绝|拒絕"),
    "ar": (rf"(?<!\w)(?:{_NOT['ar']}|ليست|غير|بدلا|بدلاً|عدم|دون|نادرا|نادراً|عكس|باستثناء|يستبعد)(?!\w)",),
}
"""Deny, doubt or except what a sentence names, anywhere in it.

Wider than `NEGATIONS`, since a name that is not read is a miss and one that is misread an error.
"""

_SPACED = ("en", "fr", "vi")


def either(words: Mapping[str, tuple[str, ...]]) -> re.Pattern[str]:
    """One pattern for the words of all languages."""
    parts = []
    for language, alternatives in words.items():
        joined = "|".join(alternatives)
        parts.append(rf"(?<!\w)(?:{joined})(?!\w)" if language in _SPACED else joined)
    return re.compile("|".join(parts))
