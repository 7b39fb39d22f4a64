"""Numbers in the prompts of the gamma-bench games: of players, places, rules, and things there is one of."""

from __future__ import annotations

import re

import pytest
from table_views import last_view, table_of, views_of

from intent.agents.mock.requests import object_form
from intent.agents.prompts.wording import LANGUAGES
from intent.gamma.prompts import VERSIONS, gamma_prompts

OURS = gamma_prompts()


@pytest.mark.parametrize("version", VERSIONS)
def test_one_token_is_not_many(version: str) -> None:
    plan = table_of("public_goods", rounds=2, parameters={"tokens": 1}, framing=version)
    said = OURS.render(last_view(plan, 1), plan, "choose")
    assert not any("1 tokens" in m.content or "1 private" in m.content for m in said)


@pytest.mark.parametrize(
    ("language", "number", "place"),
    [
        ("en", "number before the name", "place|position"),
        ("fr", "numéro placé devant le nom", "place|position|rang"),
        ("vi", "số đứng trước tên", "vị trí|lượt thứ"),
        ("zh", "名字前的编号", "第|位次"),
        ("ar", "الرقم الذي يسبق اسم", "مكانك|المرتبة|الموقع|الموضع|تسلسلك"),
    ],
)
def test_a_place_in_the_order_is_no_player_s_number(language: str, number: str, place: str) -> None:
    """Once somebody is out the two differ: the words do, too, and the form says which is asked for."""
    pieces = OURS.wordings[language].pieces["battle_royale"]
    assert number in pieces["form"]
    for version in VERSIONS:
        for piece in ("rules", "request"):
            before = pieces[f"{piece}_{version}"].partition("{rank}")[0]
            assert re.search(f"({place})[^{{}}.。]*$", before, re.IGNORECASE), f"{piece}_{version}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_players_are_found_in_the_list_by_what_reads_prompts_in_place_of_a_model(language: str) -> None:
    plan = table_of("battle_royale", language=language)
    said = [{"role": m.role, "content": m.content} for m in OURS.render(next(views_of(plan)), plan, "choose")]
    form = object_form({"messages": said})
    assert form is not None
    assert form.players == (1, 2, 3, 4)


@pytest.mark.parametrize("language", LANGUAGES)
def test_lists_do_not_look_like_numbered_rules(language: str) -> None:
    for game in ("battle_royale", "pirate"):
        plan = table_of(game, framing="v5", language=language)
        lines = OURS.render(next(views_of(plan)), plan, "choose")[0].content.splitlines()
        numbers = [line.partition(".")[0] for line in lines if line[:1].isdigit()]
        assert numbers == [str(i) for i in range(1, len(numbers) + 1)]
