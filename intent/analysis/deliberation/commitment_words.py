"""Words with which people commit to an action, in five languages: data for `announcements`.

Each is a regular expression on text in lower case. Languages that part words by spaces have word limits.
"""

from __future__ import annotations

__all__ = ["CLAUSE_ENDS", "COMMITS", "ELSEWHERE", "REPORTS"]

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
