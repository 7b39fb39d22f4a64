"""Tasks as `inspect eval` runs them: requests and moves of `intent play`, logs with nothing to map."""

from __future__ import annotations

import asyncio
import itertools
import json
import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="needs the extra inspect")

from inspect_ai import eval as inspect_eval
from inspect_ai import eval_retry
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ModelOutput,
    ModelUsage,
    get_model,
)

from intent import IntentError, label, play_experiment, read_log
from intent.agents.agent import make_agents
from intent.agents.client import Reply
from intent.agents.mock.client import ScriptedClient
from intent.behaviour.metrics import metrics
from intent.gamma.bench.scores import score_log
from intent.inspect.play import Games
from intent.inspect.tasks import MATRIX, TASKS, experiment_file
from intent.runner.driver import play_game
from intent.runner.run import Run

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def evaluated(
    name: str, folder: Path, model: str = "intent/tft", roles: Any = None, **parameters: Any
) -> EvalLog:
    """The log of one task."""
    (log,) = inspect_eval(
        TASKS[name](**parameters),
        model=model,
        model_roles=roles,
        log_dir=str(folder),
        display="none",
        score_display=False,
    )
    return read_eval_log(log.location, resolve_attachments=True) if log.location else log


def requests(log: EvalLog) -> list[tuple[str, list[tuple[str, str]]]]:
    """Game and messages of every request, in the order in which they were sent."""
    sent = []
    for sample in log.samples or []:
        for event in sample.events:
            if event.event == "model":
                sent.append((str(sample.id), [(m.role, m.text) for m in event.input]))
    return sorted(sent)


def calls(folder: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    """The same of a run of ours."""
    rows = Run.open(folder).calls().to_dict("records")
    bodies = [(row["game_id"], json.loads(row["body"])["messages"]) for row in rows]
    return sorted((game, [(m["role"], m["content"]) for m in messages]) for game, messages in bodies)


def moves(log: Any) -> list[tuple[Any, ...]]:
    """Game, round, seat, action and status of every move."""
    table = log.moves.astype({"game_id": str, "action": str})
    return sorted(table[["game_id", "round", "seat", "action", "status"]].itertuples(index=False, name=None))


YEARS = {
    "name": "delight",
    "kind": "penalty",
    "actions": ["Cooperate", "Defect"],
    "payoffs": {"T": 15, "R": 10, "P": 5, "S": 0},
    "cooperate": "Cooperate",
}
"""One of the three games of years in prison, which differ in their numbers only."""

FILES = {
    "matrix": (MATRIX, ["rounds=4", "repetitions=2"]),
    "errors": (
        MATRIX,
        ["rounds=6", "repetitions=2", "implementation_error=0.2", "language=vi", "reply.remind=true"],
    ),
    "talk": (
        MATRIX,
        ["rounds=3", "repetitions=1", "communication=simultaneous", "architecture=chain_of_thought"],
    ),
    "questions": (MATRIX, ["rounds=2", "repetitions=1", "questions=[rounds_so_far]"]),
    "tool": (MATRIX, ["rounds=3", "repetitions=1", "architecture=tool"]),
    "public_goods": (
        experiment_file("public_goods"),
        [
            "rounds=2",
            "repetitions=1",
            "grid.language=null",
            "grid.factor=null",
            "grid.personas=null",
            "personas=selfish",
        ],
    ),
    "architectures": (
        experiment_file("agent_architectures/small"),
        ["grid.game=null", f"game={json.dumps(YEARS)}"],
    ),
    "deliberation": (experiment_file("private_deliberation/small"), ["grid.setting=null", "game=head-tail"]),
    "gamma": (experiment_file("gamma_bench/small"), ["rounds=2", "games=[guessing,auction,pirate]"]),
    "seeded": (MATRIX, ["rounds=3", "repetitions=2", "settings.seeded=true", "settings.temperature=0.5"]),
}


QUICK = {
    *(("scripted/uniform", name) for name in ("matrix", "talk", "tool", "public_goods", "gamma")),
    ("scripted/erratic", "tool"),
}
"""Ways of being asked that differ in kind; the others are settings of these."""

CASES = [
    pytest.param(name, model, marks=[] if (model, name) in QUICK else pytest.mark.slow)
    for model in ("scripted/uniform", "scripted/erratic")
    for name in FILES
]


@pytest.mark.parametrize(("name", "model"), CASES)
def test_a_model_is_asked_and_plays_as_under_intent_play(name: str, model: str, tmp_path: Path) -> None:
    file, changes = FILES[name]
    players: dict[str, Any] = {"models": None, "model": model}
    if name == "gamma":  # a benchmark has no key `model`, and its models stand in a list
        players = {"set": [*changes, f"models={model}"]}
    played = play_experiment(str(file), tmp_path / "run", **{"set": changes, **players})
    log = evaluated("experiment", tmp_path / "logs", f"intent/{model}", file=str(file), set=changes)
    assert log.status == "success", log.error
    ours, theirs = calls(tmp_path / "run"), requests(log)
    assert len(ours) > 3
    assert theirs == ours
    assert moves(read_log(log.location)) == moves(played.log)


def test_a_strategy_as_a_model_moves_as_the_strategy_in_a_seat(tmp_path: Path) -> None:
    settings = {"rounds": 6, "repetitions": 2, "implementation_error": 0.1}
    log = evaluated(
        "prisoners_dilemma", tmp_path, "intent/tft", roles={"opponent": "intent/GTFT(0.3)"}, **settings
    )
    table = read_log(log.location)
    assert set(table.seats["model"]) == {"intent/tft", "intent/GTFT(0.3)"}
    for game, rows in table.moves.groupby("game_id", observed=True):
        own = rows[rows["seat"] == 1].set_index("round")["decided"].astype(bool)
        other = rows[rows["seat"] == 2].set_index("round")["cooperated"].astype(bool)
        assert own.loc[1]
        assert all(own.loc[t] == other.loc[t - 1] for t in range(2, 7)), game


def test_noise_of_a_strategy_is_drawn_as_in_a_seat_of_its_own(tmp_path: Path) -> None:
    plain = {"rounds": 8, "repetitions": 2}
    log = evaluated("matrix_game", tmp_path, "intent/tft@0.3", opponent="scripted/TFT@0.2", **plain)
    (plans, _) = Games(str(MATRIX), {"opponent": "scripted/TFT@0.2", **plain}).plans("intent/tft@0.3")
    for plan in plans:
        seats = (plan.seats[0].model_copy(update={"player": "scripted/TFT@0.3"}), plan.seats[1])
        rounds: list[Any] = []
        scripted = plan.model_copy(update={"seats": seats})
        agents = make_agents(scripted, {})
        asyncio.run(
            play_game(scripted, agents, lambda r, s: None, lambda one, *_, into=rounds: into.append(one))
        )
        expected = [(one.number, move.seat, move.action) for one in rounds for move in one.moves]
        table = read_log(log.location).moves.astype({"game_id": str, "action": str})
        mine = table[table["game_id"] == plan.game_id].sort_values(["round", "seat"])
        assert list(mine[["round", "seat", "action"]].itertuples(index=False, name=None)) == expected


def test_gamma_bench_with_players_by_role(tmp_path: Path) -> None:
    roles = {"seat2": "intent/constant:0", "opponent": "intent/equilibrium"}
    log = evaluated(
        "gamma_bench",
        tmp_path,
        "intent/equilibrium",
        roles,
        games=["guessing", "public_goods"],
        players=3,
        rounds=2,
        repetitions=1,
    )
    assert log.status == "success"
    assert [s.scores["gamma_score"].metadata["game"] for s in log.samples] == ["guessing", "public_goods"]
    direct = {row.game: row.score for row in score_log(read_log(log.location))}
    assert {
        s.scores["gamma_score"].metadata["game"]: s.scores["gamma_score"].value for s in log.samples
    } == direct


def test_scores_and_errors_are_those_of_the_log(tmp_path: Path) -> None:
    log = evaluated(
        "prisoners_dilemma",
        tmp_path,
        "intent/scripted/agreeable",
        rounds=5,
        repetitions=6,
        opponent=["scripted/TFT", "scripted/ALLD"],
    )
    table = metrics(read_log(log.location), by="model", cluster="game_id")
    group = next(one for one in table.groups if one.values == ("scripted/agreeable",))
    mean = group.means["cooperation_rate"]
    scores = {
        one.name: {k.removeprefix("intent/"): m.value for k, m in one.metrics.items()}
        for one in log.results.scores
    }
    rates = [sample.scores["cooperation"].value for sample in log.samples]
    n = len(rates)
    assert n == 12
    assert scores["cooperation"]["mean"] == pytest.approx(sum(rates) / n)
    centred = [rate - sum(rates) / n for rate in rates]
    assert scores["cooperation"]["stderr"] == pytest.approx(
        (sum(x * x for x in centred) / (n - 1) / n) ** 0.5
    )
    for name, key in (("mean", "estimate"), ("low", "low"), ("high", "high")):
        assert scores["cooperation"][name] == pytest.approx(getattr(mean.all, key)), name
    labels = label(read_log(log.location))
    labels = labels[labels["model"] == "scripted/agreeable"]
    assert scores["TFT"]["mean"] == pytest.approx(labels["p_TFT"].mean())
    first = log.samples[0].scores["strategy"]
    row = labels[labels["game_id"].astype(str) == log.samples[0].id].iloc[0]
    assert first.metadata["seats"]["1"]["tied"] == bool(row["tied"])
    assert first.metadata["seats"]["1"]["status"] == row["status"]


def test_a_game_that_a_limit_stops_is_no_game(tmp_path: Path) -> None:
    (log,) = inspect_eval(
        TASKS["prisoners_dilemma"](rounds=4, repetitions=2, opponent="scripted/TFT"),
        model="intent/tft",
        log_dir=str(tmp_path),
        display="none",
        message_limit=5,
    )
    assert [sample.limit.type for sample in log.samples] == ["message", "message"]
    assert all(math.isnan(sample.scores["cooperation"].value) for sample in log.samples)
    with pytest.raises(IntentError, match="stopped after 2 of 4 rounds by the limit message"):
        read_log(log.location, strict=True)
    with pytest.raises(IntentError, match="not one"):
        read_log(log.location)


NONSENSE = ["", "I would rather not play.", "OptionA OptionB", "🙂" * 2000, '{"choice": null}']


def test_nonsense_is_a_missing_move(tmp_path: Path) -> None:
    """One text after another, request by request, in five games of two rounds."""
    requests = itertools.count()

    def outputs(*words: Any) -> ModelOutput:
        content = NONSENSE[next(requests) % len(NONSENSE)]
        message = ChatMessageAssistant(content=content)
        return ModelOutput(
            model="mockllm/model",
            choices=[ChatCompletionChoice(message=message, stop_reason="content_filter")],
            usage=ModelUsage(),
        )

    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_eval(
        TASKS["stag_hunt"](rounds=2, repetitions=5, opponent="scripted/ALLC"),
        model=model,
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    assert next(requests) >= 2 * len(NONSENSE)
    table = read_log(log.location)
    mine = table.moves[table.moves["seat"] == 1]
    assert (len(mine), set(mine["status"])) == (10, {"missing"})
    assert all(math.isnan(sample.scores["cooperation"].value) for sample in log.samples)


def test_an_error_in_one_game_leaves_the_others_and_is_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = itertools.count()

    async def failing(self: Any, *request: Any) -> Any:
        if next(calls) == 1:
            raise TimeoutError("no answer")
        return Reply("OptionA")

    with monkeypatch.context() as patched:
        patched.setattr(ScriptedClient, "complete", failing)
        (log,) = inspect_eval(
            TASKS["prisoners_dilemma"](rounds=3, repetitions=2, opponent="scripted/TFT"),
            model="intent/scripted/first",
            log_dir=str(tmp_path),
            display="none",
            fail_on_error=False,
            max_samples=1,
        )
    table = read_log(log.location)
    assert len(table.games) == 1
    assert "stopped after 1 of 3 rounds by" in table.rejects["reason"].iloc[0]
    (again,) = eval_retry(log, log_dir=str(tmp_path), display="none")
    assert again.status == "success"
    assert len(read_log(again.location).games) == 2


def test_an_epoch_is_the_same_game_with_other_chances(tmp_path: Path) -> None:
    task = TASKS["prisoners_dilemma"](rounds=6, repetitions=1, opponent="scripted/RANDOM")
    (log,) = inspect_eval(task, model="intent/tft", epochs=3, log_dir=str(tmp_path), display="none")
    table = read_log(log.location)
    assert list(table.games["game_id"]) == ["g000001", "g000001-2", "g000001-3"]
    other = table.moves[table.moves["seat"] == 2].astype({"game_id": str})
    assert len({tuple(rows["action"]) for _, rows in other.groupby("game_id")}) > 1


def test_a_game_without_cooperation_is_scored_by_regret_alone(tmp_path: Path) -> None:
    log = evaluated("battle_of_the_sexes", tmp_path, rounds=2, repetitions=2)
    assert log.results is not None
    assert [score.name.removeprefix("intent/") for score in log.results.scores] == ["regret"]
    assert all(math.isfinite(one.value) for one in log.results.scores[0].metrics.values())


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("matrix_game", {"game": "nonsense"}, "unknown game 'nonsense'; known: prisoner-dilemma"),
        ("prisoners_dilemma", {"rounds": "two"}, "rounds is 'two': expected a whole number"),
        ("prisoners_dilemma", {"recogniser": "nonsense"}, "nonsense"),
        ("gamma_bench", {"scoring": "x"}, "unknown scoring 'x'; known: code, paper"),
        ("experiment", {"file": "nowhere.yaml"}, "expected a file that is there, or one of"),
    ],
)
def test_what_cannot_be_made_is_a_line_of_inspects(name: str, parameters: dict[str, Any], said: str) -> None:
    """Inspect prints such an error without a traceback."""
    with pytest.raises(PrerequisiteError) as caught:
        TASKS[name](**parameters)
    assert isinstance(caught.value, IntentError)
    assert said in str(caught.value.message)


def test_what_is_withheld_is_refused_before_anybody_is_asked() -> None:
    with pytest.raises(IntentError, match="is withheld, expected it shown"):
        TASKS["public_goods"](set=["treatment.shows=[persona]"])


def test_settings_of_the_command_line_go_before_those_of_the_file(tmp_path: Path) -> None:
    task = TASKS["matrix_game"](
        rounds=2, repetitions=1, set=["settings.temperature=0.5", "settings.max_tokens=7"]
    )
    (log,) = inspect_eval(
        task, model="intent/scripted/first", temperature=0.25, log_dir=str(tmp_path), display="none"
    )
    configs = [event.config for event in log.samples[0].events if event.event == "model"]
    assert {(c.temperature, c.max_tokens) for c in configs} == {(0.25, 7)}
