"""Headings by which models announce private and public text, in five languages, as patterns."""

from __future__ import annotations

import unicodedata

__all__ = ["PRIVATE_HEADING", "PUBLIC_HEADING"]

_PRIVATE = (
    r"(?:private|inner|internal|hidden|secret)\s{1,3}(?:thoughts?|thinking|deliberations?|reasoning|reflections?"
    r"|notes?|analysis|strategy|text|monologue|considerations?)",
    r"(?:pensées?|réflexions?|délibérations?|notes?|texte|raisonnement)\s{1,3}"
    r"(?:privée?s?|secr(?:è|e)te?s?|secrets?|intérieure?s?|intimes?)",
    r"(?:私人|私下|私密|秘密|内心|內心|隐藏|不公开|不公開)的?(?:想法|思考|思路|推理|考虑|考慮|分析|文本|文字|内容|內容|策略)",
    r"(?:ال)?(?:أفكار|افكار|تفكير|تأملات|خواطر|نص|ملاحظات|مداولات|مداولة)\w{0,3}\s{1,3}"
    r"(?:ال)?(?:خاصة|خاص|سرية|سري|داخلية|داخلي|شخصية)",
    r"(?:suy nghĩ|suy tư|lời|(?:đoạn )?văn(?: bản)?|phần|ghi chú|cân nhắc)\s{1,3}"
    r"(?:riêng tư|riêng|bí mật|thầm kín|kín|nội tâm|cá nhân)",
)

_PUBLIC = (
    r"public\s{1,3}(?:thoughts?|text|messages?|statements?|reasoning|explanation|response|reply|announcement|part)",
    r"(?:pensées?|réflexions?|texte|message|déclaration|explication|partie|annonce)\s{1,3}publi(?:que|c)s?",
    r"(?:公开|公開|公共)的?(?:想法|思考|发言|發言|文本|文字|信息|消息|声明|聲明|言论|說明|说明|内容|內容|陈述|陳述)",
    r"(?:ال)?(?:أفكار|افكار|تفكير|نص|رسالة|بيان|تصريح|كلام)\w{0,3}\s{1,3}(?:ال)?(?:عامة|عام|علنية|علني)",
    r"(?:suy nghĩ|phát biểu|lời|(?:đoạn )?văn(?: bản)?|thông điệp|tin nhắn|tuyên bố|phần)\s{1,3}công khai",
)

_PRIVATE_ALONE = r"private|privée?s?|私密|私下|私人|خاصة|خاص|سري|riêng tư|bí mật"
_PUBLIC_ALONE = r"public|publique|公开|公開|علني|عام|công khai"
"""Words that are a heading only where they stand alone on a line, or before a colon that begins one."""

_BEFORE = (
    r"^[ \t*_#>`~\-–—•\d.()\[\]\"'“«【]{0,12}"
    r"(?:(?:my|your|the|mon|mes|votre|vos|des|les|những|các)[ \t]{1,3}|(?:我|你|您)的?)?"
)
_NOTE = r"[ \t]{0,4}(?:\([^()\n]{0,80}\)|（[^（）\n]{0,80}）)?[ \t*_`~\])\"'”»】]{0,12}"
_COLON = r"[:：][*_`]{0,3}"
_AFTER = rf"{_NOTE}(?:{_COLON}|\r?$)"


def _spelt(*patterns: str) -> str:
    """Any of the patterns, with accents as one character or as two."""
    one = "|".join(patterns)
    two = unicodedata.normalize("NFD", one)
    return f"(?:{one})" if one == two else f"(?:{one}|{two})"


PRIVATE_HEADING = rf"{_BEFORE}{_spelt(*_PRIVATE, _PRIVATE_ALONE)}{_AFTER}|{_spelt(*_PRIVATE)}{_NOTE}{_COLON}"
"""At the beginning of a line; followed by a colon also within one."""

PUBLIC_HEADING = rf"{_BEFORE}{_spelt(*_PUBLIC, _PUBLIC_ALONE)}{_AFTER}"
"""At the beginning of a line only: private text may well speak of public thoughts."""
