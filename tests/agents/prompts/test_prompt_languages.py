"""Our prompts say the same facts in the same order in every language."""

from __future__ import annotations

import itertools
import re

import pytest
from prompt_plans import plan, view

from intent.agents.prompts import load_prompts
from intent.agents.prompts.languages import LANGUAGES, canonical_language, known_as
from intent.agents.prompts.template import block_tags, blocks, keep_blocks, placeholders
from intent.agents.prompts.vocabulary import CONDITIONS, PERSONA, PHRASES, SHARED_PLACEHOLDERS, TEMPLATES
from intent.agents.prompts.wording import framings, our_wordings

PROMPTS = load_prompts("intent")
OURS = our_wordings()
LABELS = re.compile(r"OptionA|OptionB|Ann|Bob|Cleo")
NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")

BEST = {
    "en": ("as high as possible", "as low as possible"),
    "fr": ("la plus élevée possible", "la plus faible possible"),
    "ar": ("أعلى ما يمكن", "أدنى ما يمكن"),
    "zh": ("尽可能高", "尽可能低"),
    "vi": ("cao nhất có thể", "thấp nhất có thể"),
}
"""Language -> how it says that high, and that low, is the goal."""

BETTER = {
    "en": ("The higher a reward, the better", "The lower a penalty, the better"),
    "fr": ("Plus une récompense est élevée, mieux", "Plus une pénalité est faible, mieux"),
    "ar": ("كلما ارتفعت المكافأة كان ذلك أفضل", "كلما انخفضت العقوبة كان ذلك أفضل"),
    "zh": ("奖励越高，对你越有利", "惩罚越低，对你越有利"),
    "vi": ("Phần thưởng càng cao thì càng tốt", "Mức phạt càng thấp thì càng tốt"),
}

SCRIPTS = {
    "ar": "[\u0600-\u06ff]",
    "zh": "[\u4e00-\u9fff]",
    "vi": "[ăâđêôơưạảấầẩẫậắằẳặẹẻẽếềểễệịọỏốồổộớờởợụủứừửữựỳ]",
}


def shape(text: str) -> list[str]:
    """Blocks and placeholders of a template in order."""
    return re.findall(r"\{(\w+)\}", text.replace("{{", "").replace("}}", ""))


@pytest.mark.parametrize("stem", TEMPLATES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_templates_have_the_same_placeholders_and_lines(language, stem):
    text, english = OURS[language].templates[stem], OURS["en"].templates[stem]
    assert shape(text) == shape(english)
    assert text.count("\n") == english.count("\n")
    assert set(framings(text)) == {"plain", "prison", "business"}
    assert set(block_tags(text)) >= set(CONDITIONS) - {"penalty"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_have_their_placeholders_in_one_order(language):
    phrases = OURS[language].phrases
    assert list(phrases) == list(OURS["en"].phrases)
    for name, text in phrases.items():
        assert placeholders(text, name) == PHRASES.get(name, ()), name


@pytest.mark.parametrize("stem", TEMPLATES)
def test_every_placeholder_of_ours_is_one_that_is_known(stem):
    text = OURS["en"].templates[stem]
    asked = placeholders(keep_blocks(text, block_tags(text), block_tags(text)), stem)
    assert set(asked) <= SHARED_PLACEHOLDERS.keys() | TEMPLATES[stem].keys()


GRID = [
    {
        "game": game,
        "horizon": horizon,
        "memory": memory,
        "named_first": first,
        "communication": talk,
        "chance": chance,
    }
    for (game, horizon), memory, first, talk, chance in itertools.product(
        [
            ("prisoner-dilemma", {"horizon_known": True}),
            ("battle-sexes", {"horizon_known": False}),
            ("stag-hunt", {"continuation": 0.95}),
            ("public-goods(1.1)", {"horizon_known": True}),
        ],
        (None, 1),
        ("self", "other"),
        ("none", "sequential"),
        (0, 35),
    )
]


@pytest.mark.parametrize("case", GRID, ids=str)
def test_numbers_labels_and_names_stand_in_the_same_order(case):
    case = dict(case)
    horizon, talk = case.pop("horizon"), case["communication"] != "none"

    def facts(language: str, phase: str) -> tuple[list[str], ...]:
        made = plan(language=language, **horizon, **case)
        moves = "AB BB" if made.stage().n_players == 2 else "ABB BBA"
        text = PROMPTS.render(view(made, moves, message="7 or 8" if talk else None), made, phase)[0].content
        return NUMBERS.findall(LABELS.sub("", text)), LABELS.findall(text)

    for phase in ("message", "choose"):
        seen = {language: facts(language, phase) for language in LANGUAGES}
        assert all(found == seen["en"] for found in seen.values())
        assert len(seen["en"][0]) > 8


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("game", ["prisoner-dilemma", "stag-hunt", "battle-sexes", "dilemma", "public-goods"])
@pytest.mark.parametrize("framing", ["plain", "prison", "business"])
def test_the_better_direction_is_said(language, game, framing):
    made = plan(game, language, framing=framing)
    text = PROMPTS.render(view(made), made, "choose")[0].content
    right, wrong = (0, 1) if made.payoff_kind == "reward" else (1, 0)
    assert BEST[language][right] in text
    assert BETTER[language][right] in text
    assert BEST[language][wrong] not in text
    assert BETTER[language][wrong] not in text
    assert OURS[language].phrases["unit_penalty" if right == 0 else "unit_reward"] not in text.casefold()


@pytest.mark.parametrize("language", ["ar", "zh", "vi"])
def test_every_sentence_is_in_its_script_and_without_direction_marks(language):
    texts = [*OURS[language].templates.values(), *OURS[language].phrases.values()]
    for text in texts:
        assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]", text)
        for line in text.splitlines():
            words = re.sub(r"\{\w+\}|JSON", "", line)
            if language != "vi":
                assert not re.search("[A-Za-z]", words), line
            if re.search(r"\w{4}", words):
                assert re.search(SCRIPTS[language], words.casefold()) or len(words) < 30, line


def test_personas_are_worded_in_every_language():
    for wording in OURS.values():
        assert [p for p in wording.phrases if p.startswith(PERSONA)] == [
            "persona_neutral",
            "persona_cooperative",
            "persona_selfish",
        ]
        assert wording.persona("selfish") != "selfish"
        assert wording.persona("a retired judge") == "a retired judge"


def test_codes_of_fairgame_mean_the_same():
    assert (canonical_language("CN"), canonical_language("vn")) == ("zh", "vi")
    assert (known_as("zh", ["en", "cn"]), known_as("cn", ["zh"]), known_as("de", ["en"])) == (
        "cn",
        "zh",
        None,
    )
    chinese = plan(language="cn")
    assert "你是 Ann。" in PROMPTS.render(view(chinese), chinese, "choose")[0].content


@pytest.mark.parametrize("language", [*LANGUAGES, "cn", "vn"])
def test_reminders_name_the_options(language):
    assert all(label in PROMPTS.remind(language, ("Left", "Right")) for label in ("Left", "Right"))
    assert '{"choice": "Left"}' in PROMPTS.remind(language, ("Left", "Right"), "json")


def test_phrase_files_hold_nothing_else():
    assert (
        blocks("".join(f"{{{k}}}: [{v}]\n" for k, v in OURS["fr"].phrases.items()), "fr")
        == OURS["fr"].phrases
    )
