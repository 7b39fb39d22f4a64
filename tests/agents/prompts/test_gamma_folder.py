"""A user's own pieces for the gamma-bench games."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from table_views import table_of, views_of

from intent.agents.prompts.sources import OwnPrompts, load_prompts, prompts_from_json
from intent.base.errors import PromptError
from intent.gamma.prompts import GammaPrompts, gamma_prompts
from intent.gamma.templates import gamma_source

TEXTS = files("intent.gamma") / "texts"


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_phrases_replace_ours_one_by_one(tmp_path: Path) -> None:
    read = load_prompts(
        write(tmp_path, "phrases_en.txt", "{begin_v1}: [Go: {round}!]\n{persona_shy}: [Be shy.]")
    )
    assert isinstance(read, GammaPrompts)
    plan = table_of("bar", seat={"persona": "shy"})
    said = read.render(next(views_of(plan)), plan, "choose")
    assert said[0].content.startswith("Be shy.\n")
    assert said[1].content.startswith("Go: 1!\n")


def test_a_game_s_file_replaces_ours_whole(tmp_path: Path) -> None:
    ours = (TEXTS / "diner_en.txt").read_text(encoding="utf-8")
    only = "\n".join(f"{{{piece}_polite}}: [Please.]" for piece in ("rules", "report", "request"))
    read = load_prompts(write(tmp_path, "diner_en.txt", only))
    plan = table_of("diner", framing="polite")
    read.check(plan)
    assert read.render(next(views_of(plan)), plan, "choose")[1].content.startswith(
        "Round 1 begins.\n\nPlease."
    )
    with pytest.raises(PromptError, match=r"unknown framing 'v1'.*polite"):
        read.check(table_of("diner"))
    assert load_prompts(write(tmp_path, "diner_en.txt", ours)).wordings == gamma_prompts().wordings  # type: ignore[attr-defined]


def test_a_piece_that_is_missing_is_named(tmp_path: Path) -> None:
    read = load_prompts(write(tmp_path, "bar_en.txt", "{rules_v1}: [x]"))
    with pytest.raises(PromptError, match=r"bar_en: \{crowded_v1\} is missing \(3 in all\)"):
        read.check(table_of("bar"))


def test_another_language(tmp_path: Path) -> None:
    for path in TEXTS.iterdir():
        if path.name.endswith("_en.txt"):
            write(tmp_path, path.name.replace("_en", "_de"), path.read_text(encoding="utf-8"))
    read = load_prompts(tmp_path)
    assert "de" in read.languages
    read.check(table_of("pirate", language="de", framing="v3"))
    assert prompts_from_json(read.to_json()) == read


def test_another_story(tmp_path: Path) -> None:
    from intent.gamma.catalogue import gamma_game
    from intent.gamma.stories import relabelled

    game = relabelled(gamma_game("guessing", n_players=3))
    ours = (TEXTS / "guessing_en.txt").read_text(encoding="utf-8").replace("the target", "the mark {centre}")
    read = load_prompts(write(tmp_path, f"{game.name}_en.txt", ours))
    plan = table_of("guessing", stage=game)
    read.check(plan)
    said = read.render(next(views_of(plan)), plan, "choose")
    assert "nearest to the mark 100 is" in said[0].content
    assert f'{{"{game.key({})}": <whole number' in said[-1].content


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("bar_en.txt", "{rules_v1}: [{rato}]", r"bar_en line 1: placeholder \{rato\}"),
        ("barr_en.txt", "{rules_v1}: [x]", "unknown file of gamma-bench texts 'barr'; did you mean bar"),
    ],
)
def test_slips_are_found_before_a_run(tmp_path: Path, name: str, text: str, message: str) -> None:
    write(tmp_path, "phrases_en.txt", "{begin_v1}: [{round}]")
    with pytest.raises(PromptError, match=message):
        load_prompts(write(tmp_path, name, text))


def test_a_folder_for_matrix_games_stays_one(tmp_path: Path) -> None:
    write(tmp_path, "phrases_en.txt", "{or}: [ / ]\n{persona_selfish}: [a miser]")
    assert isinstance(load_prompts(tmp_path), OwnPrompts)


@pytest.mark.parametrize("broken", ["{}", '{"languages": 3}', '{"languages": {"en": {"bar": {"x": "y"}}}}'])
def test_saved_prompts_that_are_none(broken: str) -> None:
    table = {"format": 1, "kind": "gamma", "name": "x", **json.loads(broken)}
    with pytest.raises(PromptError):
        prompts_from_json(json.dumps(table))


def test_a_folder_for_the_benchmark_may_hold_nothing_but_a_persona(tmp_path: Path) -> None:
    write(tmp_path, "phrases_en.txt", "{persona_pirate}: [You are a pirate.]")
    assert isinstance(gamma_source(tmp_path), GammaPrompts)
    write(tmp_path, "two_players_en.txt", "Choose.")
    with pytest.raises(PromptError, match="unknown file of gamma-bench texts 'two_players'"):
        gamma_source(tmp_path)
