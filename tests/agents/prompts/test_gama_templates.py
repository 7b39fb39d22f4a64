"""Templates in the format of GAMA-Bench, made up here: which fact is which, who says what."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from table_views import last_view, table_of, views_of

from intent.agents.prompts.sources import load_prompts, prompts_from_json
from intent.base.errors import PromptError
from intent.gamma.prompts import VERSIONED
from intent.gamma.templates import FOLDERS, INPUTS, GamaTemplates, read_gama_templates

MARK = "notes that nobody reads: !<INPUT 99>!\n<commentblockmarker>###</commentblockmarker>\n"
PART = "\n<part>///</part>\n"
GAMES = tuple(VERSIONED)


def template(game: str, name: str) -> str:
    """All facts by name; of a report the choice in the assistant's part."""
    facts = INPUTS[game][name]
    said = [f"{fact}=!<INPUT {i}>!" for i, fact in enumerate(facts)]
    if not name.startswith("report") or (game == "battle_royale" and name == "report"):
        return MARK + " ".join(said)
    own = facts.index("target" if "target" in facts and game == "battle_royale" else "own")
    return MARK + "first" + PART + f'{{"own": "!<INPUT {own}>!"}}' + PART + " ".join(said)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for game, stem in FOLDERS.items():
        (tmp_path / stem).mkdir()
        for name in INPUTS[game]:
            (tmp_path / stem / f"{name}_v1.txt").write_text(template(game, name), encoding="utf-8")
    for name in ("cot", "role"):
        (tmp_path / f"{name}_prompts").mkdir()
        for number in range(1, 6):
            text = f"{MARK}{name} number {number}."
            (tmp_path / f"{name}_prompts" / f"{name}{number}.txt").write_text(text, encoding="utf-8")
    return tmp_path


def shown(prompts: GamaTemplates, plan: Any, seat: int, **how: Any) -> list[tuple[str, str]]:
    messages = prompts.render(last_view(plan, seat, **how), plan, "choose")
    return [(message.role, message.content) for message in messages]


@pytest.mark.parametrize("game", GAMES)
def test_system_then_three_messages_a_round_then_the_request(folder: Path, game: str) -> None:
    prompts, plan = read_gama_templates(folder), table_of(game)
    prompts.check(plan)
    for view in views_of(plan):
        roles = [message.role for message in prompts.render(view, plan, "choose")]
        waited = game == "battle_royale"
        assert roles[0] == "system"
        assert roles[-1] == "user"
        if not waited:
            assert roles[1:-1] == ["user", "assistant", "user"] * (view.round - 1)


def test_facts_stand_where_the_template_numbers_them(folder: Path) -> None:
    plan = table_of("guessing", rounds=2)
    view = last_view(plan, 1)
    told: Any = view.reports[0]
    said = shown(read_gama_templates(folder), plan, 1)
    assert said[0][1] == "n_players=4 rounds=2 low=0 high=100 ratio=2/3 role="
    assert said[2] == ("assistant", f'{{"own": "{told["own"]}"}}')
    assert said[3][1].startswith(f"round=1 mean={round(told['mean'], 2):g} ratio=2/3 ")
    assert said[3][1].endswith("outcome=You won" if told["won"] else "outcome=You lost")
    assert said[4][1].startswith("round=2 ratio=2/3 low=0 high=100 format=")
    assert '{"chosen_number": "integer_between_0_and_100"}' in said[4][1]


def test_those_who_stay_at_home_get_the_short_report(folder: Path) -> None:
    plan = table_of("bar", n_players=6, rounds=2)
    prompts = read_gama_templates(folder)
    for view in (view for view in views_of(plan) if view.round == 2):
        report = prompts.render(view, plan, "choose")[3].content
        assert ("went=" in report) == (view.own[0] == "go")


def test_the_shooter_gets_its_own_report_and_the_others_another(folder: Path) -> None:
    plan = table_of("battle_royale", rounds=6)
    said = shown(read_gama_templates(folder), plan, 2, seed=3)
    own = [i for i, (role, _) in enumerate(said) if role == "assistant"]
    assert own
    assert "own_result=You " in said[own[0] + 1][1]
    assert said[1][1].startswith("round=1 shooter=player_1 result=")
    assert said[1][1].endswith("left=4") or "and hit; player_4 is out." in said[1][1]


def test_proposers_and_voters_are_asked_differently(folder: Path) -> None:
    plan = table_of("pirate")
    prompts = read_gama_templates(folder)
    views = list(views_of(plan))
    asked = [prompts.render(view, plan, "choose")[-1].content for view in views]
    assert asked[0].startswith("rank=1 gold=4 format=")
    assert asked[1].startswith('proposer=1 plan={"1": ')
    report = prompts.render(views[-1], plan, "choose")[3].content
    assert "accepted=1 voters=4 own=reject compared=Less" in report


def test_roles_and_chains_of_thought_come_from_the_folder(folder: Path) -> None:
    seat = {"persona": "selfish", "architecture": "chain_of_thought", "options": {"phrase": 4}}
    plan = table_of("pirate", seat=seat)
    prompts = read_gama_templates(folder)
    prompts.check(plan)
    view = next(views_of(plan))
    said = [message.content for message in prompts.render(view, plan, "choose")]
    assert said[0].endswith("role=role number 2.")
    assert "format=cot number 4. " in said[1]
    assert said[1].endswith(prompts.answer_form(view, plan))
    assert '{"explanation": "thinking_process", "proposal": {"1": "g_1"' in said[1]


def test_what_is_told_of_the_others_is_the_folder_s_or_ours(folder: Path) -> None:
    plan = table_of("guessing", seat={"options": {"told": "smart"}})
    view = next(views_of(plan))
    said = read_gama_templates(folder).render(view, plan, "choose")
    assert said[0].content.endswith("role=\n\nYou know this about the other players: they are smart.")
    (folder / "told_prompts").mkdir()
    (folder / "told_prompts" / "smart.txt").write_text(f"{MARK}They are clever.")
    said = read_gama_templates(folder).render(view, plan, "choose")
    assert said[0].content.endswith("role=\n\nThey are clever.")


def test_missing_files_are_listed_a_line_for_each(folder: Path) -> None:
    for name in ("bar_game/description_v1", "bar_game/request_v1", "cot_prompts/cot2", "role_prompts/role3"):
        (folder / f"{name}.txt").unlink()
    seat = {"persona": "mathematician", "architecture": "chain_of_thought", "options": {"phrase": 2}}
    prompts = read_gama_templates(folder)
    with pytest.raises(PromptError) as caught:
        prompts.check_files([table_of("bar", seat=seat), table_of("diner")])
    assert "4 of 9 files are missing" in str(caught.value)
    assert [line.rpartition(": ")[2] for line in caught.value.details] == [
        "bar_game/description_v1.txt is missing",
        "bar_game/request_v1.txt is missing",
        "role_prompts/role3.txt is missing",
        "cot_prompts/cot2.txt is missing",
    ]


def test_any_other_persona_is_put_in_as_it_is(folder: Path) -> None:
    plan = table_of("diner", seat={"persona": "You like !<INPUT 0>!."})
    said = read_gama_templates(folder).render(next(views_of(plan)), plan, "choose")
    assert said[0].content.endswith("role=You like !<INPUT 0>!.")


def test_a_sentence_of_ones_own_asks_for_the_object(folder: Path) -> None:
    (folder / "diner_dilemma" / "format_v1.txt").write_text(f"{MARK}Say !<INPUT 0>!, please.")
    plan = table_of("diner")
    said = read_gama_templates(folder).render(next(views_of(plan)), plan, "choose")
    assert said[-1].content.endswith('Say {"chosen_dish": "costly_or_cheap"}, please.')


@pytest.mark.parametrize(("game", "first"), [("diner", 20), ("public_goods", 10), ("battle_royale", 19)])
def test_upstream_s_window_drops_one_message_a_round(folder: Path, game: str, first: int) -> None:
    plan = table_of(
        game, rounds=24, parameters={"lowest": 1, "interval": 1} if game == "battle_royale" else {}
    )
    whole, cut = read_gama_templates(folder), read_gama_templates(folder, upstream_window=True)
    for view in views_of(plan):
        messages = whole.render(view, plan, "choose")
        dropped = max(0, view.round - 1 - first)
        assert cut.render(view, plan, "choose") == (messages[0], *messages[1 + dropped :])


def test_the_saved_prompt_of_twenty_rounds_of_public_goods_has_51_messages(folder: Path) -> None:
    """As GAMA-Bench's files have it: 1 + 60 - 10; what is sent in round 21 has the request besides."""
    plan = table_of("public_goods", rounds=21)
    assert len(shown(read_gama_templates(folder, upstream_window=True), plan, 1)) == 51 + 1


def test_memory_limits_rounds(folder: Path) -> None:
    plan = table_of("diner", rounds=4, memory=2)
    assert len(shown(read_gama_templates(folder), plan, 1)) == 1 + 6 + 1


def test_a_folder_is_known_by_its_folders_and_saved_ones_are_equal(folder: Path) -> None:
    read = load_prompts(folder)
    assert isinstance(read, GamaTemplates)
    assert prompts_from_json(read.to_json()) == read


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("bar_game/request_v1.txt", "no marker", r"bar_game/request_v1\.txt: 0 of them, expected"),
        ("bar_game/request_v1.txt", MARK, r"request_v1\.txt: nothing below it"),
        (
            "bar_game/request_v1.txt",
            f"{MARK}!<INPUT 3>!",
            r"!<INPUT 3>!, expected one of 0 round, 1 ratio, 2",
        ),
        ("bar_game/report_explicit_v1.txt", f"{MARK}a{PART}b", "2 parts, expected 3"),
        ("bar_game/request_v1.txt", f"{MARK}a{PART}b", "2 parts, expected 1"),
        ("bar_game/request_v1.txt", None, r"1 of 4 files are missing: bar_game/request_v1\.txt"),
    ],
)
def test_odd_templates_are_reported_with_their_file(
    folder: Path, file: str, text: str | None, message: str
) -> None:
    if text is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(PromptError, match=message):
        read_gama_templates(folder).check(table_of("bar"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"language": "fr"}, "language 'fr', expected en"),
        ({"framing": "v2"}, "description_v2"),
        ({"horizon_known": False}, "tells the number of rounds"),
    ],
)
def test_what_the_templates_cannot_say_is_refused(folder: Path, changes: Any, message: str) -> None:
    with pytest.raises(PromptError, match=message):
        read_gama_templates(folder).check(table_of("bar", **changes))


def test_folders_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="no such folder"):
        read_gama_templates(tmp_path / "x")
    with pytest.raises(PromptError, match="no templates of GAMA-Bench"):
        read_gama_templates(tmp_path)
    (tmp_path / "bar_game").mkdir()
    (tmp_path / "bar_game" / "request_v1.txt").write_bytes(b"\xff")
    with pytest.raises(PromptError, match="line 1: not UTF-8"):
        read_gama_templates(tmp_path)


def test_links_out_of_the_folder_are_refused(tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text(MARK + "x")
    inside = tmp_path / "in" / "bar_game"
    inside.mkdir(parents=True)
    (inside / "request_v1.txt").symlink_to(outside)
    with pytest.raises(PromptError, match="leads out"):
        read_gama_templates(tmp_path / "in")


@pytest.mark.parametrize("odd", ["!<INPUT -1>!", "!<INPUT 99999>!", "!<INPUT !<INPUT 0>!>!"])
def test_placeholders_that_are_none_are_not_sent(folder: Path, odd: str) -> None:
    (folder / "bar_game" / "request_v1.txt").write_text(MARK + odd)
    with pytest.raises(PromptError, match=r"request_v1.txt: !<INPUT without a number"):
        read_gama_templates(folder).check(table_of("bar"))


def test_a_pipe_is_no_template(folder: Path) -> None:
    os.mkfifo(folder / "bar_game" / "extra.txt")
    with pytest.raises(PromptError, match=r"extra.txt: no file"):
        read_gama_templates(folder)
