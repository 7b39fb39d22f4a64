"""What agents of both papers get to read in a run: memory, horizon, private text, a paper's own wording."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from intent.agents.client import Reply
from intent.runner.experiment.file import load_experiment
from intent.runner.play import play, play_experiment
from intent.runner.run import Run

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


def prompts(run: Path, seat: int, purpose: str) -> list[str]:
    """The requests of a seat, in order."""
    calls = Run.open(run).calls()
    return calls.loc[(calls["seat"] == seat) & (calls["purpose"] == purpose), "body"].tolist()


@pytest.fixture(scope="module")
def deliberation(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A private agent and a public one over seven iterations, as the paper has them."""
    folder = tmp_path_factory.mktemp("deliberation") / "run"
    game = {"setting": {"prisoners_dilemma": {"game": "prisoner-dilemma-deliberation"}}}
    file = EXPERIMENTS / "private_deliberation/scripted.yaml"
    play(load_experiment(file, rounds=7, repetitions=1, grid=game, after={}), folder)
    return folder


@pytest.mark.parametrize("seat", [1, 2])
def test_two_iterations_are_shown_and_totals_of_all(deliberation: Path, seat: int) -> None:
    moves = Run.open(deliberation).log().moves
    owed = moves[moves["seat"] == seat].set_index("round")["payoff"]
    for number, body in enumerate(prompts(deliberation, seat, "choose"), start=1):
        shown = [int(found) for found in re.findall(r"Round (\d+):", body)]
        assert sorted(set(shown)) == list(range(max(1, number - 2), number))
        if number > 1:
            assert re.search(rf"{owed[: number - 1].sum():g}\b", body.rsplit("Round", 1)[-1])


@pytest.mark.parametrize("seat", [1, 2])
def test_nothing_tells_how_many_iterations_there_are(deliberation: Path, seat: int) -> None:
    bodies = prompts(deliberation, seat, "choose") + prompts(deliberation, seat, "question")
    assert len(bodies) == 14
    assert not [body for body in bodies if re.search(r"\b(?:7|seven|last) (?:rounds|round)\b", body)]


def test_the_private_agent_reads_its_own_thoughts_and_the_public_one_never(deliberation: Path) -> None:
    moves = Run.open(deliberation).log().moves
    thoughts = moves.loc[moves["seat"] == 1].set_index("round")["private_thought"]
    private, public = (prompts(deliberation, seat, "choose") for seat in (1, 2))
    assert all(thoughts[number] in private[number] for number in range(1, 7))
    assert "you thought in private" in private[3]
    assert not [body for body in public if "thought in private" in body or "I mean to choose" in body]
    assert moves.loc[moves["seat"] == 2, "private_thought"].isna().all()
    # What the private agent wrote for all to read does reach the other one.
    spoken = moves.loc[moves["seat"] == 1].set_index("round")["message"]
    assert all(spoken[number] in public[number] for number in range(1, 7))


WORDING = {
    "two_players": "A suspect.\n{own_2_1} years if you betray alone.\n===\n{tool}: [There is a telephone.]\n"
    "{choose_tool}: [FORMAT: {{'DECISION': '<YOUR_DECISION>'}}]\n"
    "{question}: [{question} FORMAT: {{'ANSWER': '<YOUR_ANSWER>'}}]\n"
    "{past}: [ADDITIONAL INFORMATION: {history}]",
    "phrases": "{tool_result}: [LAWYER CONSULTATION COMPLETE. {advised} is the best option.]\n"
    "{round}: [Round {round} - {events}]{own_choice}: [Suspect chose: {option}]",
}


def test_a_tool_agent_plays_in_a_papers_own_words(tmp_path: Path) -> None:
    async def suspect(messages, tools, settings) -> Reply | str:
        if "FORMAT: {'ANSWER'" in messages[-1].content:
            return "{'ANSWER': 'Defect'}"
        if messages[-1].role == "tool":
            return "{'DECISION': 'Defect'}"
        stated = '{"temptation": "0", "reward": "5 years", "punishment": 10, "sucker": 15}'
        return Reply("", tool_calls=({"id": "1", "name": "consult_adviser", "arguments": stated},))

    folder = tmp_path / "words"
    folder.mkdir()
    for name, text in WORDING.items():
        (folder / f"{name}_en.txt").write_text(text, encoding="utf-8")
    years = {"T": 0, "R": 5, "P": 10, "S": 15}
    experiment = {
        "name": "words",
        "game": {"name": "dilemma", "kind": "penalty", "actions": ["Cooperate", "Defect"], "payoffs": years},
        "architecture": "tool",
        "attitude": "compute",
        "opponent": "scripted/ALLD",
        "rounds": 2,
        "questions": ["opponent_next"],
        "prompts": str(folder),
        "options": {"tool": {"protocol": "native"}},
    }
    played = play_experiment(experiment, tmp_path / "run", models={"suspect": suspect})
    assert (played.summary["readable"], played.log.questions["correct"].tolist()) == (1, [True, False])
    mine = played.log.moves[played.log.moves["seat"] == 1]
    assert mine[["action", "advice"]].to_numpy().tolist() == [["Defect", "Defect"]] * 2
    first, answered, *_, later = prompts(tmp_path / "run", 1, "choose")
    assert "There is a telephone." in first
    assert "0 years if you betray alone" in first
    assert "LAWYER CONSULTATION COMPLETE. Defect is the best option." in answered
    assert "ADDITIONAL INFORMATION" in later
    assert "Round 1 - Suspect chose: Defect" in later
