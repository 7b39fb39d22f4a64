"""The action that a text announces: strict, in five languages, never guessed.

Words with which people commit to an action, and words that turn a sentence against the name in it, as data.
Each is a regular expression on text in lower case; languages that part words by spaces have word limits.

References
----------
Poje et al. 2024, Entropy 26:524, listings 1, 4 and 5 (the choice stands in the public text).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from intent.base.replies import words

__all__ = [
    "DENIALS",
    "ELSEWHERE",
    "NEGATIONS",
    "REJECTIONS",
    "announced_action",
    "either",
    "intended_action",
]


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


COMMITS = {
    "en": (
        r"(?:i|we)\s*(?:'ll|'m going to|'m choosing|'m playing|'m sticking with|'m going with)",
        r"(?:i|we)\s+(?:\w+ly\s+|also\s+|still\s+|now\s+|do\s+)?"
        r"(?:will|shall|am going to|are going to|choose|chose|pick|picked|select|selected|play|played)",
        r"(?:i|we)\s+(?:have|am|are)\s+(?:choosing|chosen|playing|decided|going with|sticking with)",
        r"(?:i|we)\s+(?:decided?|plan to|intend to|mean to|commit to|promise|opt for|go with|stick with)",
        r"my (?:final |real |actual |true )?(?:choice|decision|action|move|plan|intention)"
        r"(?: (?:for |in )?this (?:round|iteration|turn|time)| now)?"
        r"\s*(?:is|will be|:)",
    ),
    "fr": (
        r"je (?:choisis|choisirai|vais|joue|jouerai|prends|prendrai|opte|opterai|compte|promets|m'engage)",
        r"je (?:décide|reste|resterai)",
        r"j'(?:ai choisi|ai l'intention de|ai décidé|opte|opterai|entends)",
        r"(?:mon (?:choix|action|coup|intention)|ma décision)(?: finale?)?\s*(?:est|sera|:)",
    ),
    "vi": (
        r"(?:tôi|mình|em) (?:sẽ|chọn|quyết định|định|hứa|cam kết|đã chọn|đang chọn|vẫn chọn|muốn chọn)",
        r"(?:lựa chọn|quyết định|hành động) của (?:tôi|mình)\s*(?:là|sẽ là|:)",
    ),
    "zh": (
        "(?:我|我们)(?:还是|仍然|仍|就|这轮|这一轮|本轮|这次|实际上|其实)?"
        "(?:会|將|将|要|选|選|決定|决定|打算|准备|承诺|计划|出)",
        "我的(?:选择|決定|决定|行动)(?:是|将是|会是)",
    ),
    "ar": (
        "سأختار|سوف أختار|سأقوم باختيار|أختار|اخترت|سألعب|سوف ألعب|ألعب|قررت|أنوي|أعدك|أتعهد|سألتزم|سأبقى",
        "(?:قراري|اختياري|خياري|حركتي)(?: هو| هي| سيكون| ستكون)?",
    ),
}
"""A first person who commits to an action."""

ELSEWHERE = {
    "en": (
        "if|unless|whether|until|suppose|imagine|maybe|perhaps|might|could|previous(?:ly)?|in the future",
        "(?:next|last) (?:round|time|turn)|as long as|provided|only when|in case",
    ),
    "fr": (
        "si|s'ils?|sauf si|à moins|peut-être|pourrais",
        "tant que|tant qu'|pourvu que|à condition",
        "la prochaine|au prochain|prochain tour|tour précédent|dernier tour",
    ),
    "vi": (
        "nếu|vòng sau|vòng tới|lần sau|lần trước|vòng trước|có thể|có lẽ|miễn là|chừng nào|với điều kiện",
    ),
    "zh": ("如果|要是|除非|下一轮|下轮|下次|上一轮|上轮|上次|也许|可能|只要",),
    "ar": (
        "إذا|إن كنت|لو |ربما|قد أختار|طالما|ما دمت|ما دام|بشرط",
        "الجولة (?:القادمة|التالية|السابقة)|المرة (?:القادمة|السابقة)",
    ),
}
"""Conditions, other rounds, mere possibilities: nothing in such a sentence commits to this round's move."""

REPORTS = {
    "en": (
        "tell|telling|told|say|saying|said|claim|claiming|claimed|announce|announcing|announced|pretend",
        "write|writing|wrote|convince|convincing",
        "persuade|suggest|believes?|publicly|in public",
        "(?:make|let) (?:him|her|them|my opponent|the other)",
    ),
    "fr": (
        "dire|dirai|as dit|avez dit|écrire|écrirai",
        "prétendre|prétendrai|annoncer|annoncerai|convaincre|croire|publiquement|en public",
    ),
    "vi": ("nói|giả vờ|tuyên bố|thuyết phục|tin rằng|công khai",),
    "zh": ("告诉|说|声称|假装|宣布|说服|相信|公开|表示",),
    "ar": ("أخبر|أقول|أدعي|أتظاهر|أعلن|أقنع|يصدق|يعتقد|علنا|علنًا",),
}
"""What is said to somebody, or made believed, is no commitment of the one who plans to say it."""

CLAUSE_ENDS = {
    "en": ("but|because|so that|since|hoping",),
    "fr": ("mais|parce que|afin",),
    "vi": ("nhưng|vì",),
    "zh": ("但是|但|因为",),
    "ar": ("ولكن|لكن|لأن",),
}


_LONGEST = 20_000
"""Characters of a text that are read."""

_SENTENCE = re.compile(r"[.!?;\n。！？；؟۔]+")
_CLAUSE = re.compile(rf"[,:،、，：—–()]+|\s-\s|{either(CLAUSE_ENDS).pattern}")
_COMMITS, _REPORTS, _ELSEWHERE = either(COMMITS), either(REPORTS), either(ELSEWHERE)
_NEGATED, _REJECTED = either(NEGATIONS), either(REJECTIONS)
_QUOTED = re.compile(
    rf"(?:{_REPORTS.pattern})[^\n.!?]{{0,30}}[\"“«「][^\n\"”»」]{{1,300}}[\"”»」]", re.IGNORECASE
)
"""Words of somebody, or of a message that is planned."""

_QUOTES = re.compile(r"\"[^\"\n]{1,600}\"|“[^”\n]{1,600}”|«[^»\n]{1,600}»|「[^」\n]{1,600}」")
_WHOLE = re.compile(r"\s*(?:\"[^\"]*\"|“[^”]*”|«[^»]*»|「[^」]*」)\s*")
_PUNCTUATED = re.compile(r"[*_`\"“”«»'‘’「」\[\]{}]+")
_OWN_ACT = re.compile(r"[^\n.!?。！？؟]{0,40}\bDECISION\b[^\n]{0,400}", re.IGNORECASE)
"""The line that is the move itself, `DECISION: <option>`."""


def announced_action(text: str | None, labels: Sequence[str]) -> str | None:
    """The action that a public text says its writer takes in this round.

    1. The line ``DECISION: …`` is the act and no announcement; it is left out.
    2. A clause counts where a first person commits ("I will", "je choisis", "tôi sẽ", "我会", "سأختار", …)
       and a label follows in the same clause; what comes after "rather than" and the like does not count.
    3. It does not count where it is negated, reports what one says or makes believe, or stands in a sentence
       on a condition, a possibility or another round; nor where it stands as a whole in quotation marks,
       which are somebody's words, unless the marks enclose all of the text.
    4. One label over all such clauses is announced; both, or none, are not: None.

    Parameters
    ----------
    text : str or None
        English, French, Vietnamese, Chinese, Arabic; all are looked for in any text.
    labels : sequence of str
        The game's two actions. Case, white space and quotation marks do not count, so that ``Option A`` is
        OptionA.

    Examples
    --------
    >>> announced_action("I will choose Option A, as before. You may take Option B.", ("OptionA", "OptionB"))
    'OptionA'
    """
    actions = set(_commitments(text, labels))
    return actions.pop() if len(actions) == 1 else None


def intended_action(text: str | None, labels: Sequence[str]) -> str | None:
    """The action that a private text commits to last, None where none does.

    As `announced_action`, but the last commitment counts: deliberation weighs both options first.
    """
    actions = _commitments(text, labels)
    return actions[-1] if actions else None


def _commitments(text: str | None, labels: Sequence[str]) -> list[str]:
    """The labels that the clauses of a text commit to, in order; a clause with both commits to both."""
    if not text:
        return []
    spelt = _OWN_ACT.sub("\n", unicodedata.normalize("NFKC", text[:_LONGEST]))
    if not _WHOLE.fullmatch(spelt):
        spelt = _QUOTES.sub(_without_words, _QUOTED.sub(" ", spelt))
    spelt = _PUNCTUATED.sub(_apostrophe, spelt).casefold()
    names = _names(tuple(labels))
    actions: list[str] = []
    for sentence in _SENTENCE.split(spelt):
        if not _ELSEWHERE.search(sentence):
            for clause in _CLAUSE.split(sentence):
                actions += _of_clause(clause, names)
    return actions


def _of_clause(clause: str, names: tuple[tuple[str, re.Pattern[str]], ...]) -> list[str]:
    opens = _COMMITS.search(clause)
    if opens is None:
        return []
    rejected = _REJECTED.search(clause, opens.end())
    end = rejected.start() if rejected else len(clause)
    matches = [
        (label, match) for label, pattern in names if (match := pattern.search(clause, opens.end(), end))
    ]
    if not matches or _NEGATED.search(clause, 0, end):
        return []
    named = max(match.end() for _, match in matches)
    return [] if _REPORTS.search(clause, 0, named) else [label for label, _ in matches]


def _without_words(match: re.Match[str]) -> str:
    """Nothing in place of a quoted commitment; a quoted label stays."""
    return " " if _COMMITS.search(match[0].casefold()) else match[0]


def _apostrophe(match: re.Match[str]) -> str:
    """An apostrophe within a word stays, quotes and emphasis go."""
    mark, text = match[0], match.string
    inside = match.start() > 0 and text[match.start() - 1].isalpha()
    if mark in ("'", "’") and inside and text[match.end() : match.end() + 1].isalpha():
        return "'"
    return " "


@lru_cache(maxsize=256)
def _names(labels: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Each label with the pattern of its spellings: white space anywhere that letters change their kind."""
    return tuple((label, _spelling(label)) for label in labels)


def _spelling(label: str) -> re.Pattern[str]:
    parts = words(label)
    body = r"[\s_-]{0,3}".join(map(re.escape, parts)) or re.escape(label.casefold())
    short = parts[-1] if len(parts) > 1 and len(parts[-1]) == 1 else ""
    if short and parts[0] == "option":
        # "action A" and a bare letter A name Option A; in English "a" is also an article.
        body += rf"|(?:action|choice|l'option|choix)\s{{0,3}}{re.escape(short)}"
    # Letters of a script without spaces may stand next to a label.
    return re.compile(rf"(?<![a-z0-9])(?:{body})(?![a-z0-9])")
