"""FAIRGAME's published templates: every one renders, with the numbers of its configs."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from prompt_plans import plan, view

from intent.agents.prompts.fairgame import fairgame_prompts, weights_of
from intent.agents.prompts.sources import load_prompts
from intent.base.errors import PromptError

GAMES = {
    "prisoner_dilemma": ("prisoner-dilemma", "prisoner-dilemma-harsh", "prisoner-dilemma-mild"),
    "snow_drift": ("snow-drift",),
    "stag_hunt": ("stag-hunt",),
    "harmony_game": ("harmony-game",),
    "battle_sexes": ("battle-sexes",),
}


def rendered(prompts, of, moves="", seat=1, phase="choose") -> str:
    """The rendered prompt."""
    return prompts.render(view(of, moves, seat), of, phase)[0].content


@pytest.mark.data
def test_every_public_template_renders_in_every_phase(data_dir):
    prompts = load_prompts(data_dir / "fairgame" / "templates")
    assert sum(len(texts) for texts in prompts.templates.values()) == 25
    for (stem, texts), phase, chance, known in itertools.product(
        prompts.templates.items(), ("message", "choose"), (0, 30), (True, False)
    ):
        for language, game in itertools.product(texts, GAMES[stem]):
            of = plan(game, language, chance=chance, horizon_known=known)
            prompts.check(of)
            text = rendered(prompts, of, "AB BA", phase=phase)
            assert not re.search(r"\{\w+\}", text)
            assert "OptionA" in text
            assert {number_.group() for number_ in re.finditer(r"\d+", text)} >= {
                str(int(x)) for row in of.stage().payoffs for cell in row for x in cell
            }


@pytest.mark.data
def test_public_templates_take_their_numbers_from_where_the_configs_have_them(data_dir):
    """The table of published weights says the same numbers as each of the 14 configs."""
    folder = data_dir / "fairgame" / "templates"
    prompts = load_prompts(folder)
    configs = sorted((data_dir / "fairgame" / "configs").glob("*.json"))
    assert len(configs) == 14
    for path in configs:
        matrix = json.loads(path.read_text(encoding="utf-8"))["payoffMatrix"]
        stem = next(s for s in GAMES if path.name.startswith(s))
        variant = re.search(r"(harsh|mild)\.json$", path.name)
        of = plan(GAMES[stem][0] + (f"-{variant.group(1)}" if variant else ""))
        exact = fairgame_prompts(folder, stem, matrix["weights"].values())
        cells = fairgame_prompts(folder, stem, weights_of(matrix))
        exact.check(of)
        assert rendered(exact, of, "AB") == rendered(cells, of, "AB") == rendered(prompts, of, "AB")


@pytest.mark.data
def test_rich_text_templates_give_their_text(data_dir):
    templates = load_prompts(data_dir / "fairgame" / "templates").templates["prisoner_dilemma"]
    assert (
        templates["cn"]
        .lstrip()
        .startswith("你是{currentPlayerName}，你的对手是{opponent1}。\n{intro}: [你是{personality}。]")
    )
    assert "'{strategy1}' 和 '{strategy2}’。" in templates["cn"]
    assert "Bạn là {currentPlayerName}, và đối thủ của bạn là {opponent1}." in templates["vn"]
    assert "\\" not in templates["cn"] + templates["vn"]


@pytest.mark.data
def test_public_goods_templates(data_dir):
    prompts = load_prompts(data_dir / "fairgame_public_goods" / "templates")
    for language, phase, seat in itertools.product(("en", "vn", "vi"), ("message", "choose"), (1, 2, 3)):
        of = plan("public-goods", language, chance=30)
        prompts.check(of)
        text = rendered(prompts, of, "AAB BBB", seat=seat, phase=phase)
        assert not re.search(r"\{\w+\}", text)
        assert "6.666666666666667" in text


@pytest.mark.data
def test_a_template_that_says_the_opposite_is_refused(data_dir):
    prompts = load_prompts(data_dir / "fairgame" / "templates")
    with pytest.raises(PromptError, match="speaks of penalty, but prisoner-dilemma-trps has reward"):
        prompts.check(plan("prisoner-dilemma-trps"))
