"""Words, by language, that the scanner of `intent.inspect.transcripts` looks for.

Each table holds alternatives of a regular expression. Languages with spaces are matched at the beginning of a
word, so that a stem stands for its forms; Chinese anywhere.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

__all__ = [
    "ACTING",
    "AGGREGATE",
    "ANSWER",
    "ANSWERED",
    "BOTH",
    "CHOICE",
    "COMING",
    "CONDITION",
    "DEED",
    "DULL",
    "EXAM",
    "FIRST_PERSON",
    "FUTURE",
    "INTRODUCED",
    "MAKER",
    "NUMBERS",
    "OFFER",
    "OTHER",
    "OUTCOME",
    "PAYOFF",
    "PREDICTED",
    "REFUSED",
    "ROUND",
    "SEAT",
    "SELF",
    "SPEAKER",
    "STATES",
    "TALK",
    "WITH_USER",
    "Stem",
    "lowered",
    "stems",
]


def _table(words: Mapping[str, str]) -> re.Pattern[str]:
    spaced = "|".join(
        rf"[وف]?(?:{alternatives})" if language == "ar" else alternatives
        for language, alternatives in words.items()
        if language != "zh"
    )
    chinese = words.get("zh")
    return re.compile(rf"(?<!\w)(?:{spaced})" + (f"|(?:{chinese})" if chinese else ""), re.IGNORECASE)


SELF = _table(
    {
        "en": r"you(?:rs?|'ve|'d)?(?!\w)|self(?!\w)|own(?!\w)",
        "zh": "你|您|我方|己方",
        "ar": r"أنت|لك(?!\w)|اخترت|اختيارك",
        "vi": r"bạn(?!\w)",
        "fr": r"(?:vous|tu|toi|votre|ton)(?!\w)",
        "de": r"(?:du|sie|dein\w*|ihr)(?!\w)",
        "es": r"(?:tú|tu|usted|elegiste|vos)(?!\w)",
    }
)
"""Names of the model's own seat in what it is told."""

OTHER = _table(
    {
        "en": r"(?:the )?others?(?!\w)|each (?:player|agent|participant|firm)|all (?:players|agents)|"
        r"opp(?:onents?)?(?!\w)|partners?(?!\w)|rivals?(?!\w)|counterpart|"
        r"co-?player|neighbou?r|competitor|adversar|they(?!\w)|them(?!\w)|theirs?(?!\w)|(?:he|she|his|"
        r"her)(?!\w)",
        "zh": "对方|对手|另一|其他|他们|搭档|邻居|队友|同伴|他|她",
        "ar": "جارك|جار(?!\\w)|الآخر|الطرف|خصم|شريك|منافس|زميل|البقية|الآخرون",
        "vi": r"đối (?:thủ|phương|tác)|người (?:kia|khác|chơi)|bên kia|hàng xóm|họ(?!\w)|các (?:bạn|"
        r"nhà) khác",
        "fr": r"(?:l['’])?autres?(?!\w)|adversaire|partenaire|voisin|rival|concurrent|(?:il|elle|"
        r"ils)(?!\w)",
        "de": r"(?:der|die|das|den) ander\w*|ander\w*|gegner|partner|nachbar|rival|konkurren|(?:er|"
        r"sie)(?!\w)",
        "es": r"(?:el |la |los |las )?otr[oa]s?(?!\w)|rival|oponente|pareja|vecin|compañer|contrincante|"
        r"competidor|(?:él|ella|ellos)(?!\w)",
    }
)
"""Names of another decision maker."""

SPEAKER = re.compile(
    r"(?<!\w)(?:i|i['’](?:m|ve|ll|d)|me|my|mine|ours?|moi|je|j['’]|ich|mir|mein|yo|mi|tôi|mình|أنا|"
    r"لي)(?!\w)|我",
    re.IGNORECASE,
)
"""Who speaks: in a column or a field the model, in a message of a user who plays along that user."""

WITH_USER = re.compile(
    r"(?<!\w)(?:we both|we each|each of us|both of us|two of us|you and (?:me|i)|you (?:vs\.?|versus|"
    r"against) me|"
    r"against (?:me|you|the user)|"
    r"let['’]?s play|play (?:with|against) (?:me|you)|between us|jouons|on joue|toi et moi|spielen wir|"
    r"wir spielen|jugamos|"
    r"juguemos|tú y yo|نلعب|[وف]?(?:ل)?نلعب|chơi với|chúng ta chơi|ta chơi)(?!\w)|我们(?:来|玩|各|都|"
    r"一起)|咱们",
    re.IGNORECASE,
)
"""The user plays along."""

SEAT = re.compile(
    r"(?<!\w)(?:player|agent|firm|seat|bot|team|subject|participant|member|prisoner|p|company|side|"
    r"driver|hunter|party|parte|"
    r"partie|partei|jugador|joueur|spieler|người chơi)(?:[ _-]?\d{1,3}|[_-][a-z]| (?-i:[A-Z])| (?:two|"
    r"one))(?!\w)"
    r"|(?:玩家|代理)[0-9A-Za-z一二三]",
    re.IGNORECASE,
)
"""A numbered seat, the model's or another's."""

BOTH = _table(
    {
        "en": r"(?:you )?both(?!\w)|each of you|everyone|everybody|all (?:of you|players|agents)",
        "zh": "双方|两人都|两边都|两船都|大家都|都(?=选|去|出)|各自",
        "ar": "كلاكما|كل منكما|الاثنان|كل واحد",
        "vi": r"cả hai|mỗi (?:bên|người|bạn|hãng)",
        "fr": r"(?:tous )?les deux|chacun|ensemble",
        "de": r"beide|jede[rs]?(?!\w)|alle(?!\w)",
        "es": r"ambos|los dos|cada uno|cada cual|junt[oa]s",
    }
)
"""Who did the same, the model among them."""

MAKER = re.compile(
    OTHER.pattern
    + "|"
    + BOTH.pattern
    + r"|(?<!\w)(?:(?:two|three|four|five|six|seven|eight|nine|ten|twelve|\d+) \w+ (?:each|decide|"
    r"choose|share|pick|meet|"
    r"compete|face)(?!\w)|(?:two|three|four|five|six|seven|eight|ten|\d+) (?:players|agents|firms|"
    r"people|farms|villagers|"
    r"drones|teams|participants|members|prisoners)|simultaneous|independently|between you and|"
    r"you and |against |other (?:pit|firm|farm|side|boat|person|participant)|multi-?agent|n_agents|"
    r"n_players|"
    r"seat_|agent_|(?:every|each) \w+ (?:says|decides|chooses|picks|takes|puts|sets|bids|writes)|"
    r"jugador|joueur|spieler|mitspieler|[وف]?(?:ال)?لاعب|người chơi|tham gia)|同时|还有一|"
    r"玩家|参与者",
    re.IGNORECASE,
)
"""Another decision maker is spoken of."""

ROUND = _table(
    {
        "en": r"(?:each|every) (?!of|other|player|agent|one|pays|gets?|participant|firm|"
        r"earns?)[a-z]{3,}(?!\w)|rounds?(?!\w)|turns?(?!\w)|iterat|repeat|seasons?(?!\w)|"
        r"quarters?(?!\w)|mornings?(?!\w)|"
        r"evenings?(?!\w)|nights?(?!\w)|weeks?(?!\w)|months?(?!\w)|days?(?!\w)|years?(?!\w)|periods?(?!\w)|"
        r"stages?(?!\w)|trials?(?!\w)|throws?(?!\w)|best of|pass(?:es)?(?!\w)|again|times(?!\w)|"
        r"sessions?(?!\w)|"
        r"episodes?(?!\w)|steps?(?!\w)|t=\d|\"t\"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|"
        r"(?:first|second|third) (?:game|interrogation|meeting)|q\d",
        "zh": "轮|回合|第.{1,3}[天次局季年周月场]|每[天次晚周年]|每个|多次",
        "ar": "جولة|جولات|يوم|أيام|مرة|أسبوع|موسم|شهر|ليلة",
        "vi": r"vòng|lượt|ván|ngày|tuần|tháng|mùa|lần|buổi|năm",
        "fr": r"période|manche|tour(?:s|nées?)?(?!\w)|jour|semaine|saison|mois(?!\w)|matin|soir|nuit|"
        r"année|partie",
        "de": r"montag|dienstag|mittwoch|donnerstag|freitag|täglich|runde|tag(?:e|en)?(?!\w)|woche|"
        r"monat|saison|jahr|quartal|durchgang|abend|morgen|nacht|"
        r"mal(?!\w)",
        "es": r"periodo|período|ronda|turno|día|semana|mes(?:es)?(?!\w)|temporada|noche|mañana|año|"
        r"veces|lunes|martes|"
        r"miércoles|"
        r"jueves|viernes|sábado|domingo|jornada",
    }
)
"""Decisions that come again."""

PAYOFF = _table(
    {
        "en": r"points?(?!\w)|payoffs?|pays?(?!\w)|payouts?|earn|profits?|scores?(?!\w)|tokens?(?!\w)|"
        r"coins?(?!\w)|"
        r"cents?(?!\w)|rewards?(?!\w)|utility|credits?(?!\w)|you (?:get|got|win|receive)|costs?(?!\w)|"
        r"years? (?:in|of)|"
        r"penalt|\d+ each|each \d+|multipl|worth|gains?(?!\w)|revenue|share of",
        "zh": "得分|分数|收益|利润|积分|各?得?\\d+ ?[分元点筐万块]|每人|奖励|金币",
        "ar": "نقاط|نقطة|ربح|أرباح|مكسب|دينار|دنانير|لكل منكما|درهم",
        "vi": r"điểm|lợi nhuận|xu(?!\w)|tiền|thưởng|triệu|nghìn",
        "fr": r"points?(?!\w)|gains?(?!\w)|bénéfice|euros?(?!\w)|jetons?|profit|chacun",
        "de": r"punkte?|gewinn|auszahlung|taler|euro|münzen|ertrag",
        "es": r"puntos?|ganancia|gan[aá]s|pago|monedas?|fichas?|beneficio|euros?|cada un[oa]",
    }
)
"""What decisions pay."""

NUMBERS = re.compile(r"[+-]?\d+(?:\.\d+)?\s*(?:/|,|:|-|–|y|and|et|und|&)\s*[+-]?\d+(?:\.\d+)?")
"""A pair of numbers, as payoffs are written."""

DEED = re.compile(
    rf"(?:{OTHER.pattern}|{SEAT.pattern}).{{0,24}}?(?:(?<!\w)(?:chose|picked|played|decided|selected|"
    rf"went|took|threw|accepts?|accepted|"
    r"rejects?|rejected|passes|passed|returned|sent|gave|proposed|a choisi|wählte|hat gewählt|eligió|"
    r"đã chọn|اختار)(?!\w)|选择|决定|拒绝|接受|返还)",
    re.IGNORECASE,
)
"""Another did something."""

EXAM = _table(
    {
        "en": r"what (?:should|do|would) i (?:do|say|bid|play|offer|choose|answer)(?!\w)|"
        r"should i (?!write)|quiz|trivia|true or false|(?:a|the|this|our) survey(?!\w)|"
        r"survey (?:question|result|"
        r"item)|questionnaire|exam(?!\w|ple)|multiple[- ]choice|(?:in)?correct[!.:)]|right!|"
        r"\((?:right|wrong)\)|homework|"
        r"respondents?|poll(?!\w)|flashcard|(?:the )?correct answer|debate|motion:|chess|checkers|"
        r"tic[- ]tac|"
        r"sudoku|hangman|twenty questions|crossword|unit tests?|pytest|traceback|refund|order number|"
        r"tracking|"
        r"label (?:each|the|this|these)|annotat|classif|dungeon|text adventure|hit points|inventory",
        "zh": "我该|我应该怎么|判断题|测验|问卷|考试|作业|答对|象棋|围棋|五子棋|退款|辩论",
        "ar": "استبيان|امتحان|اختبار|واجب|شطرنج|مناظرة",
        "vi": r"tôi nên|em nên làm|đúng hay sai|trắc nghiệm|khảo sát|bài tập|bài thi|cờ vua|hoàn tiền|"
        r"tranh luận",
        "fr": r"(?:que|dois)[- ]dois[- ]je|dois-je|quiz|vrai ou faux|sondage|questionnaire|examen|"
        r"devoirs|échecs|débat|remboursement",
        "de": r"soll ich|quiz|richtig oder falsch|wahr oder falsch|umfrage|fragebogen|prüfung|hausaufgabe|"
        r"schach(?!\w)|debatte|erstattung",
        "es": r"qué hago|debería yo|verdadero o falso|concurso de preguntas|encuesta|cuestionario|"
        r"examen|deberes|ajedrez|"
        r"debate|reembolso|veinte preguntas",
    }
)
"""Dialogues with repeated answers that are no games with payoffs from what several decide."""

ACTING = _table(
    {
        "en": r"play (?:out|both|all|through|it out|each|the (?:two|three|roles?|parts?)|"
        r"a game (?:between|with))|"
        r"act (?:as|out|both)|both (?:sides|players|roles|parts|seats|of them)|role-?play|"
        r"you are (?:both|two)|"
        r"you(?:'ll| will)? (?:play|control) (?:both|all|two|each)|simulate|for (?:both|"
        r"each) (?:players?|sides?|"
        r"agents?)|"
        r"narrate|run (?:the|a|an) (?:game|match)|speak for|against yourself|as (?:two|three) players",
        "zh": "扮演|模拟|演一|一人分饰|双方都由你|演绎|替双方|两边都",
        "ar": "مثّل|تقمص|حاك|العب دور|العب الدورين|الدورين",
        "vi": r"đóng vai|mô phỏng|nhập vai|chơi cả hai|diễn",
        "fr": r"joue[sz]? (?:les deux|le rôle|les rôles|chaque|tous)|simule|interprète|incarne|"
        r"mets en scène",
        "de": r"spiel(?:e|t)? (?:beide|alle|die Rollen|durch)|simulier|übernimm|stell(?:e)? dar|"
        r"beide (?:Seiten|Rollen)",
        "es": r"juega (?:los|las|ambos|por)|simula|interpreta|haz (?:de|los)|representa|los dos papeles|"
        r"ambos lados",
    }
)
"""The model is to act for the players."""

TALK = _table(
    {
        "en": r"messages?(?!\w)|msg(?!\w)|announce|say (?:something|anything)|talk(?!\w)|chat(?!\w)|"
        r"discuss|reply to|"
        r"radio(?!\w)|comment(?!\w)|note to",
        "zh": "请回复|请说|留言|电台|消息|说一句|发言|聊",
        "ar": "رسالة|رسالتك|رد(?!\\w)|قل(?!\\w)",
        "vi": r"tin nhắn|nhắn|lời nhắn|trao đổi|nói gì",
        "fr": r"message|mot pour|discut|annonce",
        "de": r"mitteilung|nachricht|botschaft|sag etwas",
        "es": r"mensaje|di algo|comentario|charla",
    }
)
"""What is wanted is a message, no choice."""

CHOICE = _table(
    {
        "en": r"choose|choice|pick|select|decide|decision|commit|move(?!\w)|action|option|play|"
        r"now (?:act|bid)",
        "zh": "选|决定|出什么|决策",
        "ar": "اختيار|اختر|قرار",
        "vi": r"chọn|quyết định",
        "fr": r"choix|choisi|décision|décide",
        "de": r"wahl|wähl|entscheid|zug(?!\w)",
        "es": r"elige|elecci|decisi|decide|jugada",
    }
)
"""What is wanted is a choice."""

STATES = re.compile(
    r"(?:(?<!\w)(?:decision|final (?:answer|choice|decision|move)|my (?:choice|move|action|decision|answer|"
    r"pick|contribution|bid|offer|price)(?: (?:is|for|this|in|round|\d{1,3}|:)){0,4}|"
    r"(?:choice|move|action|answer)\s{0,3}(?=[:=])|i (?:now |therefore |again |then |still |also )?"
    r"(?:choose|pick|play|select|contribute|invest|bid|go with|press|offer|guess|put|keep|send|give|"
    r"take|set|"
    r"harvest|charge|propose)|i(?:'ll| will| am going to|'m going to) (?:go with|choose|pick|play|"
    r"select|contribute|"
    r"press|invest|bid|offer|send|give|keep|set)|going with|je (?:choisis|joue|mets|donne|prends)|"
    r"tôi (?:chọn|đóng góp|góp|ra)|ich (?:wähle|nehme|spiele|gebe|setze)|elijo|escojo|juego|aporto|"
    r"pongo|أختار|اخترت)"
    r"|我选择?|我出|选择)[\s:：=*\"'“`_\-–—>(\[]{0,8}(?:to |the |option |action |button )?",
    re.IGNORECASE,
)
"""The model says what it chooses."""

OFFER = _table(
    {
        "en": r"offers?(?!\w)|offered|propos|keeps?(?!\w)|split(?!\w)|asks?(?!\w)|bids?(?!\w)|demands?|"
        r"you get",
        "zh": "留下|提议|出价|报价|分给|给你|方案|要求",
        "ar": "يعرض|عرض|اقترح|يقترح|لك",
        "vi": r"giữ|đề nghị|đề xuất|chia cho|chào giá|ra giá",
        "fr": r"propose|offre|garde|demande",
        "de": r"bietet|angebot|schlägt vor|vorschlag|verlangt|behält",
        "es": r"ofrece|propone|oferta|propuesta|pide|se queda",
    }
)
"""Another's offer."""

ANSWER = re.compile(
    r"(?:i )?(?:accept|reject|refus|decline|agree|disagree|deal|no deal|vote|yes|no|yea|nay|接受|拒绝|"
    r"同意|不同意|"
    r"nhận|oui|non|ja|nein|sí|نعم|أقبل|قبول|رفض|أرفض|قبلت|رفضت|chấp nhận|từ chối|đồng ý|accepte|refuse|"
    r"annehmen|angenommen|ablehn|"
    r"abgelehnt|"
    r"nehme an|lehne ab|akzeptier|acept|rechaz)",
    re.IGNORECASE,
)
"""The answer to an offer."""

ANSWERED = re.compile(
    r"(?<!\w)(?:accept|reject|refuse|decline)(?:s|ed|d)?(?![\w/|]| or )|接受了|拒绝了|rechaz[óa]|"
    r"acept[óa](?!\w)|"
    r"a (?:accepté|refusé)|(?:nimmt|hat) \w{0,12} ?(?:an|angenommen|abgelehnt)|lehnt ab|từ chối|"
    r"chấp nhận|رفض|قبل(?!\w)",
    re.IGNORECASE,
)
"""Another answered the model's offer."""

REFUSED = re.compile(
    r"\berror\b|\binvalid\b|\bnot (?:valid|allowed|recogni[sz]ed)\b|\bunknown (?:\w+ )?['\"]|\btry again\b|"
    r"\bcould not (?:be )?pars|无效|غير صالح|không hợp lệ|invalide|ungültig|inválid",
    re.IGNORECASE,
)
"""The decision did not count."""

AGGREGATE = re.compile(
    r"(?:average|mean|sum|total|median|number of (?:players|people)|winning|highest|lowest|"
    r"(?<!\d)\d+ (?:out )?of (?:the )?\d+|(?<!\d)\d+ (?:of \d+ )?(?:players|"
    r"people|pirates|agents|firms|others)|平均|总和|共有|合计|المتوسط|المجموع|trung bình|tổng|moyenne|"
    r"somme|"
    r"durchschnitt|summe|promedio|suma)",
    re.IGNORECASE,
)
"""What all decided together."""

OUTCOME = re.compile(
    r"(?:price|average|avg|mean|target|total|sum|score|profit|payoff|payout|reward|round|game|day|week|"
    r"month|year|"
    r"quarter|season|turn|t|step|fund|pot|pool|balance|points?|result|winner|win|cost|stock|gain|utility|"
    r"best|last|loss|error|question|q|id|pair|item|options?|choices?|answers?|actions?|moves?|draft|"
    r"trial|task|case|example|"
    r"note|reason|rules?|history|possible|select|both|endowment|multiplier|max|min|n|market|demand|"
    r"cumulative|"
    r"your_\w+|\w*_(?:total|payoff|score|points|reward|payout|profit)|"
    r"vòng|tổng|giá|điểm|manche|prix|total|moyenne|runde|preis|ronda|precio|media|viernes|جولة|اليوم|"
    r"المجموع)(?!\w)|"
    r"轮|第|总|价格|平均|得分|收益|利润",
    re.IGNORECASE,
)
"""What is no name of a seat, though a number stands behind it."""

INTRODUCED = re.compile(
    r"(?:you and|and you|between you and|against|with|versus|vs\.?|opponent(?: is|:)?|partner(?: is|:)?|"
    r"neighbou?r|rival|"
    r"other \w+ is|tú y|con|contra|avec|contre|et toi|mit|gegen|und du|với|và|مع|ضد|和|与|跟|叫)"
    r"[ :]?(?:the |one |another |a |an |el |la |le |der |die )?",
    re.IGNORECASE,
)
"""Words before the name of another player."""

DULL = frozenset(
    re.findall(
        r"\w+",
        "the a an to of in is it your both either each not no and or which what that this between from "
        "only just please then than more most less say reply answer following two three simultaneously for "
        "on at by with as if when how many much decide choose pick play be so but get gets pay pays",
    )
)
"""Words that are no options of a game."""

FIRST_PERSON = _table(
    {
        "en": r"(?:i|i['’](?:ll|m|d|ve)|we|we['’](?:ll|re|d)|me|my|us|our|let['’]s|let us|let me)(?!\w)",
        "zh": "我|咱",
        "ar": r"س[أن]\w{2,}|أنا|لن\s+[أن]\w+|سوف\s+[أن]\w+|[فو]?س[أن]\w{2,}|نحن|أ\w{3,}",
        "vi": r"(?:tôi|mình|tớ|em|anh|chúng (?:ta|tôi)|ta|bên tôi)(?!\w)",
        "fr": r"j['’]|(?:je|nous|moi)(?!\w)|on (?:va|reste|continue|joue|met)(?!\w)",
        "de": r"(?:ich|wir|mir|mich|uns)(?!\w)",
        "es": r"(?:yo|nosotros|voy|vamos|mi|me|nos)(?!\w)|\w+(?:aré|eré|iré|aremos|eremos|iremos)(?!\w)|"
        r"(?:seguiré|haré|pondré|tendré|diré)(?!\w)",
    }
)

FUTURE = _table(
    {
        "en": r"(?:i|we)(?:['’]ll| will| shall| won['’]t|['’]m going to|['’]re going to| am going to|"
        r" are going to|"
        r"['’]m (?:planning|gonna)| (?:intend|plan|promise|mean|want|propose|vow|pledge|expect) to|"
        r" (?:promise|propose)(?!\w)|['’]d (?:stay|stick|keep|rather|like|prefer|match|answer|follow|"
        r"play|go|switch|"
        r"return)| would (?:like|prefer|stay|stick|keep|match|answer|follow|go back|return|switch)|"
        r" can (?:revert|continue|go back|switch|keep))|we (?:should|could)(?: both)?(?!\w)|(?:i|we)(?:"
        r" can (?:both|do|keep)|['’]m (?:staying|sticking|keeping|switching|going (?:back|with)|moving|"
        r"done))|"
        r"(?:so |and )(?:shall|will) (?:i|we)(?!\w)|let(?:['’]s| us| me) (?!analy|consider|look|see|"
        r"think|calculate|compute|evaluate|check|break|start by (?:look|anal)|"
        r"review|recap|examine|summar|note|explain|know|be clear|first anal)|"
        r"(?:my|our) (?:plan|intention|strategy|approach|policy|offer|promise) (?:is|will|for|from|"
        r"going|stays?)(?!\w)",
        "zh": "我[们]?(?:就|也|还|都|会|将|要|打算|准备|一定|保证|承诺|继续|绝?不会|宁可|仍|再|下)|咱们?",
        "ar": r"[فو]?س[أن]\w{2,}|سوف|لن(?!\w)|أنوي|أعدك|أعدكم",
        "vi": r"(?:tôi|mình|tớ|em|anh|ta|chúng (?:ta|tôi))(?: \w+){0,2} (?:sẽ|định|hứa|muốn|cứ|vẫn|"
        r"tiếp tục)",
        "fr": r"je vais|nous allons|on va|j(?:e |['’])(?:\w+ ){0,1}\w+(?:erai|irai|rai)(?!\w)|nous \w+rons|"
        r"je (?:promets|compte|propose|m['’]engage|reste|continue)",
        "de": r"(?:ich|wir)(?: \w+)? (?:werden?|will|wollen|bleiben?|verspreche|plane|habe vor|"
        r"schlage vor)|"
        r"(?:werde|werden|bleibe|will) (?:ich|wir)",
        "es": r"voy a|vamos a|\w+(?:aré|eré|iré|aremos|eremos|iremos)(?!\w)|(?:haré|pondré|tendré|"
        r"diré)(?!\w)|"
        r"prometo|propongo|pienso (?:seguir|hacer|\w+r)(?!\w)|sigo con",
    }
)

COMING = _table(
    {
        "en": r"(?:on|by|until|this|next|coming|the) (?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)|"
        r"(?:this |the )?coming (?:round|week|day|"
        r"month|season|year)|next (?:round|time|turn|game|week|day|season|month|quarter|one|throw|pass|"
        r"morning|year|"
        r"period)|"
        r"from (?:now|here|then|round \d+|this round|next) ?(?:on(?:wards?)?)?|tomorrow|"
        r"(?:the )?(?:rest|remaining|remainder)(?!\w)|rounds? (?:that are )?left|"
        r"(?:through|until|till|after|in|on|for|by|at) (?:round|pass|day|week|turn|the (?:last|final|end))|"
        r"(?:last|final) round|round \d+ (?:on|and)|every (?:round|turn|time)|keep (?:on )?\w+ing|"
        r"from there|"
        r"going forward|forever|for good|no matter|always|never again|the one after|afterwards",
        "zh": "下一?[轮次回局场天周]|以后|今后|往后|明天|明晚|接下来|从现在起|从下|"
        "之后|剩下|最后一?轮|一直|永远|每[轮天次]|下个",
        "ar": r"غد[اًا]*(?!\w)|الجولة (?:القادمة|التالية|المقبلة)|من الآن|بعد ذلك|القادم|المقبل|ثم أعود|"
        r"دائم",
        "vi": r"vòng (?:sau|tới|tiếp)|lần (?:sau|tới)|từ (?:nay|giờ|vòng)|ngày mai|mai(?!\w)|tuần sau|"
        r"còn lại|kỳ (?:sau|tới)|"
        r"mùa sau|mãi",
        "fr": r"(?:prochain|suivant)|désormais|dorénavant|demain|la suite|à partir|jusqu['’]|toujours|"
        r"restant|"
        r"au tour d['’]après",
        "de": r"(?:nächst|kommend|übrig|restlich)\w*|ab (?:jetzt|sofort|nun|runde)|von nun an|künftig|"
        r"morgen(?!\w)|"
        r"in zukunft|bis zu[mr]?|immer(?!\w)|weiterhin|danach",
        "es": r"(?:próxim|siguiente|resto)|a partir de|desde ahora|en adelante|mañana|hasta (?:el|la)|"
        r"siempre|"
        r"de ahora|las que quedan|otra vez",
    }
)

CONDITION = _table(
    {
        "en": r"if(?!\w)|as long as|so long as|unless|until(?!\w)|while (?:you|they|he|she|we|the)|"
        r"whenever|once you|"
        r"provided|in (?:return|response|exchange)|then (?:i|we|back)(?!\w)|anything (?:under|below|"
        r"over|less)|"
        r"every time (?:you|they)|otherwise",
        "zh": "如果|只要|除非|若|要是|否则|一旦|假如|直到|谁.{0,6}谁",
        "ar": r"إن(?!\w)|إذا|ما دمت|ما دام|طالما|وإلا|إلا إذا|لو(?!\w)|كلما|حتى",
        "vi": r"nếu|miễn là|trừ khi|chừng nào|hễ|khi nào|cho đến khi|bằng không",
        "fr": r"si(?!\w)|s['’]il|tant que|à moins|sinon|dès que|pourvu|chaque fois",
        "de": r"wenn(?!\w)|falls|solange|sofern|außer|sonst|sobald|jedes mal",
        "es": r"si(?!\w)|mientras|siempre que|a menos|salvo que|de lo contrario|en cuanto|cada vez|"
        r"hasta que",
    }
)

PREDICTED = re.compile(
    r"(?:i|we)(?:['’]ll| will| would|['’]d| won['’]t)? (?:only |both |still |just )?(?:get|gets|earn|"
    r"receive|lose|win|score|have|"
    r"be|end up|make|gain)(?!\w)|i (?:think|believe|suspect|expect|wonder|assume|see|notice|hope)(?!\w)|"
    r"我(?:会)?(?:得到|获得|得\d|拿到)|tôi (?:sẽ )?(?:được|nhận)|"
    r"je (?:gagne|perds|reçois|pense|crois)|"
    r"ich (?:bekomme|verliere|gewinne|denke|glaube)|(?:gano|pierdo|recibo|creo que)",
    re.IGNORECASE,
)
"""The first person of what is computed or believed, no choice."""


def lowered(text: str) -> str:
    """A text in small letters, each at its place."""
    return text.replace("\u0130", "i").lower()


@dataclass(frozen=True)
class Stem:
    """Small letters that stand at the beginning of a word, at its end, or anywhere."""

    letters: str
    begins: bool = False
    ends: bool = False

    def places(self, low: str, apart: int = 1) -> Iterator[int]:
        """Where they stand in a text in small letters; after each the next is sought ``apart`` on."""
        at, n = low.find(self.letters), len(self.letters)
        while at >= 0:
            if (self.begins and low[at - 1 : at].isalnum()) or (
                self.ends and low[at + n : at + n + 1].isalnum()
            ):
                at = low.find(self.letters, at + n)
                continue
            yield at
            at = low.find(self.letters, at + max(n, apart))


@lru_cache(maxsize=64)
def stems(pattern: re.Pattern[str]) -> tuple[Stem, ...]:
    """Letters of which each text that a table matches holds some, composed and decomposed.

    1. Of alternatives, those of each.
    2. Of what follows each other, the part that is rarest: a run of letters, or a group.
    3. What may be absent, is looked ahead for, or is any of many characters, holds none.

    Raises
    ------
    ValueError
        If some alternative may match without any certain letter.
    """
    held, _ = _alternatives(_tokens(lowered(pattern.pattern)))
    if not held:
        raise ValueError(f"no certain letters in {pattern.pattern!r}")
    return tuple(
        dict.fromkeys(
            Stem(
                unicodedata.normalize(form, text.replace(_EDGE, "")),
                text.startswith(_EDGE),
                text.endswith(_EDGE),
            )
            for text in sorted(held)
            for form in ("NFC", "NFD")
        )
    )


_TOKEN = re.compile(
    r"\((?:\?(?:[-a-z]+:|<?[=!]|:))?|\)|\||\[\^?(?:\\.|[^\]\\])+\]|(?:[?*+]|\{\d+(?:,\d*)?\})[?+]?|\\.|.",
    re.DOTALL,
)
_QUANTIFIER = re.compile(r"(?:[?*+]|\{\d+(?:,\d*)?\})[?+]?")
_MOST_SPELLINGS = 64
_SYMBOLS = 30.0
_EDGE = "\0"
"""Stands where a word begins or ends."""


def _tokens(pattern: str) -> Iterator[str]:
    return (match[0] for match in _TOKEN.finditer(pattern))


def _alternatives(tokens: Iterator[str], edge: str = "") -> tuple[set[str], bool]:
    """Of which texts each match of a group holds one, empty if unknown, and whether it is just that text.

    Parameters
    ----------
    tokens : read to the end of the group
    edge : `_EDGE` if a word begins with the group
    """
    certain: list[set[str]] = []
    parts: list[set[str]] = []
    exact = True
    run = {edge}
    last: set[str] | None = None  # what the last token adds to the run, unless it may be absent

    def close() -> None:
        nonlocal run
        parts.append(run)
        run = {""}

    def end() -> None:
        nonlocal parts, run, exact
        close()
        exact = exact and len(parts) == 1
        certain.append(max(parts, key=_rarity))
        parts, run = [], {edge}

    for token in tokens:
        if _QUANTIFIER.fullmatch(token):
            absent = token[0] in "?*" or token.startswith("{0")
            if last is not None and not absent:
                run = _joined(run, last)
            elif last is None and absent and parts:
                parts.pop()
            last = None
            close()
            continue
        if last is not None:
            run, last = _joined(run, last), None
        if token in "|)":
            end()
            if token == ")":
                break
        elif token.startswith("(") and token.endswith(("=", "!")):
            if _inside(tokens) == r"\w":
                run = _joined(run, {_EDGE})
        elif token.startswith("("):
            begins = run == {_EDGE}
            inner, whole = _alternatives(tokens, _EDGE if begins else "")
            run = {""} if begins else run
            if whole and len(run) * len(inner) <= max(_MOST_SPELLINGS, len(inner)):
                last = inner
            else:
                close()
                parts.append(inner)
        else:
            letters = _letters(token)
            if letters and len(run) * len(letters) <= _MOST_SPELLINGS:
                last = letters
            else:
                close()
                parts.append(set())
    else:
        run = run if last is None else _joined(run, last)
        end()
    return (set().union(*certain) if all(map(_rarity_known, certain)) else set()), exact


def _joined(run: set[str], letters: set[str]) -> set[str]:
    return {before + one for before, one in product(run, letters)}


def _inside(tokens: Iterator[str]) -> str:
    """What stands in a group that is looked ahead or back for."""
    depth, held = 1, ""
    for token in tokens:
        depth += token.startswith("(") - (token == ")")
        if not depth:
            break
        held += token
    return held


def _rarity_known(texts: set[str]) -> bool:
    return _rarity(texts) > -math.inf


def _rarity(texts: set[str]) -> float:
    """Less the more often some of the texts stand in any text, were all letters as frequent."""
    letters = [sum(map(str.isalnum, text)) for text in texts]
    return -sum(_SYMBOLS**-n for n in letters) if letters and all(letters) else -math.inf


def _letters(token: str) -> set[str]:
    """The characters that a token stands for, empty where they are many."""
    if token.startswith("["):
        inside = token[1:-1]
        return set() if re.search(r"[\\^-]", inside) else set(inside)
    if token.startswith("\\"):
        return set() if token[1].isalnum() else {token[1]}
    return set() if token in ".^$" else {token}
