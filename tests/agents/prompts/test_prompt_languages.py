"""Our prompts say the same facts in the same order in every language."""

from __future__ import annotations

import itertools
import re

import pytest
from prompt_plans import plan, view

from intent.agents.prompts.prompt_set import Inside, first_views
from intent.agents.prompts.sources import load_prompts
from intent.agents.prompts.wording import (
    CONDITIONS,
    FRAMINGS,
    LANGUAGES,
    MATRIX,
    PERSONA,
    PHRASES,
    POOL,
    TEMPLATES,
    block_tags,
    blocks,
    canonical_language,
    framings,
    keep_blocks,
    known_as,
    known_placeholders,
    our_wordings,
    placeholders,
    variant_of,
)

PROMPTS = load_prompts("intent")
OURS = our_wordings()
KEYWORDS = re.compile(r"DECISION\"?:|ANSWER\"?:|CALL:|MAXIMUM:|MINIMUM:|PRIVATE|PUBLIC|^===$", re.MULTILINE)
"""What stays as it is in every language, since replies are read by it."""

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

FEWER_YEARS = {
    "en": "The fewer years in prison, the better",
    "fr": "Moins il y a d'années de prison, mieux",
    "ar": "كلما قلّت سنوات السجن كان ذلك أفضل",
    "zh": "监禁年数越少",
    "vi": "Số năm tù càng ít thì càng tốt",
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
    assert framings(text) == framings(english)
    assert block_tags(text) == block_tags(english)
    assert KEYWORDS.findall(text) == KEYWORDS.findall(english)


@pytest.mark.parametrize("stem", TEMPLATES)
def test_templates_have_the_cover_stories_and_all_blocks_of_players(stem):
    text = OURS["en"].templates[stem]
    matrix = not stem.endswith("public_goods")
    assert set(framings(text)) == {"plain", "prison", "business"} | ({"years"} if matrix else set())
    if stem in (MATRIX, POOL):
        advising = {block for block in CONDITIONS if block.startswith(("debate", "advise"))}
        of_decider = {"options_told", "options_untold"}
        assert set(block_tags(text)) >= set(CONDITIONS) - advising - of_decider - {"past"} - (
            set() if matrix else {"penalty", "rival_penalty", "informed"}
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_phrases_have_their_placeholders_in_one_order(language):
    phrases, english = OURS[language].phrases, OURS["en"].phrases
    assert list(phrases) == list(english)
    for name, text in phrases.items():
        assert placeholders(text, name) == placeholders(english[name], name), name
        assert KEYWORDS.findall(text) == KEYWORDS.findall(english[name]), name
        if not name.startswith(PERSONA) and variant_of(name, FRAMINGS) is None:
            assert placeholders(text, name) == PHRASES[name], name


@pytest.mark.parametrize("stem", TEMPLATES)
def test_every_placeholder_of_ours_is_one_that_is_known(stem):
    text = OURS["en"].templates[stem]
    asked = placeholders(keep_blocks(text, block_tags(text), block_tags(text)), stem)
    assert set(asked) <= known_placeholders(stem).keys()


@pytest.mark.parametrize("language", PROMPTS.languages)
@pytest.mark.parametrize("game", ["prisoner-dilemma", "public-goods(1.1)"])
def test_implementation_errors_are_told_where_there_are_any(language, game):
    noisy, exact = (plan(game, language=language, implementation_error=e) for e in (0.125, 0))
    for made, told in ((noisy, True), (exact, False)):
        PROMPTS.check(made)
        text = PROMPTS.render(first_views(made)[-1], made, "choose")[0].content
        assert ("0.125" in text or "0,125" in text) == told


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


VALUES = {
    "thought_option": "OptionA",
    "tool_protocol": "5 OptionA",
    "question": "Ann 3",
    "answer_form": "ANSWER: 4",
    "advised": "OptionB",
}
"""What architectures put into a prompt, of a kind that is counted."""

INSIDE = [
    Inside(role, request, frozenset(blocks), {1: "a thought of 12"}, VALUES)
    for role, request, blocks in [
        ("player", "choose_reasoned", {"chain_of_thought"}),
        ("player", "think", {"chain_of_thought"}),
        ("player", "deliberate", {"private"}),
        ("player", "think_option", {"private"}),
        ("player", "think_deceive", {"private"}),
        ("player", "write_public", {"public"}),
        ("player", "explain", {"public"}),
        ("player", "communicate_private", {"private"}),
        ("player", "choose_tool", {"tool"}),
        ("player", "choose_tool_prompted", {"tool"}),
        ("player", "question", set()),
        *(("decider", f"debate{end}", set()) for end in ("", "_question", "_decide", "_answer")),
        ("assistant", "debate", {"advise"}),
        ("assistant", "debate_question", {"advise_compute"}),
    ]
]


@pytest.mark.parametrize("inside", INSIDE, ids=lambda inside: f"{inside.role}-{inside.request}")
@pytest.mark.parametrize(
    ("game", "framing"), [("stag-hunt", "plain"), ("prisoner-dilemma", "years"), ("public-goods", "business")]
)
def test_every_request_says_the_same_in_every_language(game, framing, inside):
    talk = "simultaneous" if inside.request == "communicate_private" else "none"

    def facts(language: str) -> list[tuple]:
        made = plan(game, language, framing=framing, communication=talk, totals="all", memory=1)
        moves = "AB BB" if made.stage().n_players == 2 else "ABB BBA"
        phase = "choose" if talk == "none" else "message"
        said = PROMPTS.render(view(made, moves), made, phase, inside)
        return [
            (
                m.role,
                NUMBERS.findall(LABELS.sub("", m.content)),
                LABELS.findall(m.content),
                KEYWORDS.findall(m.content),
            )
            for m in said
        ]

    english = facts("en")
    assert all(facts(language) == english for language in LANGUAGES)
    assert len(english) == (1 if inside.role == "player" else 2)


@pytest.mark.parametrize(
    "phrase", ["decide_now", "remind_decision", "remind_announced", "tool_result", "tool_result_basis"]
)
def test_phrases_of_architectures_name_the_options(phrase):
    for language in LANGUAGES:
        made = plan("stag-hunt", language)
        said = PROMPTS.say(phrase, made, options=made.stage().actions, other="Bob", advised="OptionB")
        assert "OptionB" in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_years_are_told_in_place_of_penalties(language):
    made = plan("prisoner-dilemma", language, framing="years", totals="all")
    for inside in (Inside(), INSIDE[-2], Inside("decider", "debate", values=VALUES)):
        said = " ".join(m.content for m in PROMPTS.render(view(made, "AB -B"), made, "choose", inside))
        assert OURS[language].phrases["unit_penalty_years"].casefold() in said.casefold()
        assert FEWER_YEARS[language] in said
        assert BEST[language][0] not in said
        assert OURS[language].phrases["unit_penalty"] not in said.casefold()


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
            words = re.sub(r"\{\w+\}|JSON|\"name\"|\"arguments\"", "", KEYWORDS.sub("", line))
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
