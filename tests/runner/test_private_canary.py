"""The broker: a word in private text is in no request, move, message, file or view of anybody else."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from intent.agents.agent import make_agents
from intent.agents.architectures.deliberation import CLOSING, OPENING, split_private
from intent.agents.client import Reply, Settings
from intent.agents.human import describe
from intent.agents.plan import GamePlan, ReplyRules, SeatPlan
from intent.agents.prompts.sources import own_prompts
from intent.games.catalogue import game
from intent.logs.stores.fairgame import write_fairgame_csv
from intent.play.referee import Referee
from intent.runner.caller import Called
from intent.runner.run import Run

PD = game("prisoner-dilemma-conventional")
CANARY = "CANARY"

words = st.text(alphabet="aB .,:\n\"'*_#>-«私é", max_size=25)
gaps = st.sampled_from(["", " ", "\n", "\u200b", " \u2060\n", "\t"])
headings = st.sampled_from(
    [
        "Private thoughts:",
        "\nPublic thoughts: ",
        "\n## Public thoughts\n",
        "\n公开想法：",
        "\nPensées publiques : ",
    ]
)
decisions = st.sampled_from(
    ["\nDECISION: OptionA", '\n{"DECISION": "OptionB"}', "\n**DECISION:** OptionA\n", "\nDECISION: both", ""]
)
anything = st.text(alphabet='ab {}{}｛｝❴❵\n\u200b:"', max_size=30)


@st.composite
def braces(draw: st.DrawFn, shapes: str, least: int = 2) -> str:
    """Two to four braces of any shapes with gaps between them."""
    n = draw(st.integers(least, 4))
    return draw(gaps).join(draw(st.sampled_from(shapes)) for _ in range(n))


@st.composite
def balanced(draw: st.DrawFn) -> str:
    """What may precede the secret inside braces without closing them."""
    inner = draw(words)
    return draw(
        st.sampled_from(
            [inner, f"{{{inner}}}", f"{{{{{inner}}}}}", f"{{{{{inner}", '{"DECISION": "OptionA"}']
        )
    )


@st.composite
def inside(draw: st.DrawFn) -> str:
    """The secret behind open braces, whatever follows."""
    before = draw(words) + draw(st.sampled_from(["", "<think>hm</think>"]))
    opened = draw(braces(OPENING)) + draw(balanced()) + draw(st.one_of(st.just(""), headings))
    closed = draw(st.one_of(braces(CLOSING), st.just(""), st.just("}")))
    after = draw(st.one_of(words, anything)) + draw(st.one_of(st.just(""), headings)) + draw(words)
    return f"{before}{opened}{CANARY}{draw(words)}{closed}{after}{draw(decisions)}"


@st.composite
def stray(draw: st.DrawFn) -> str:
    """The secret before braces that close what none opened."""
    text = f"{draw(words)}{CANARY}{draw(words)}{draw(braces(CLOSING))}"
    return f"{text}{draw(words)}{draw(decisions)}"


@st.composite
def headed(draw: st.DrawFn) -> str:
    """The secret under a heading, without any braces."""
    hidden, shown = draw(
        st.sampled_from(
            [
                ("Private thoughts:", "Public thoughts:"),
                ("**Inner monologue**:", "**Public text**:"),
                ("私人想法：", "公开想法："),
                ("Pensées privées :", "Pensées publiques :"),
                ("الأفكار الخاصة:", "الأفكار العلنية:"),
                ("Suy nghĩ riêng:", "Suy nghĩ công khai:"),
            ]
        )
    )
    end = draw(st.sampled_from(["", f"\n{shown} Let us gain."]))
    return f"{draw(words)}\n{hidden} {draw(words)}{CANARY}{draw(words)}{end}{draw(decisions)}"


replies = st.lists(st.one_of(inside(), inside(), stray(), headed()), min_size=8, max_size=24)


@given(st.one_of(inside(), stray(), headed()))
@settings(max_examples=300)
def test_the_secret_is_in_the_private_part(reply):
    found = split_private(reply)
    assert CANARY not in found.public
    assert CANARY in found.private


@dataclass
class Model:
    """Answers in turn; thoughts that are asked for alone are the secret itself."""

    says: list[str]
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.turns = cycle(self.says)

    async def call(self, messages, settings, tools=(), *, draw, on_send=None, on_failure=None) -> Called:
        if on_send is not None:
            on_send()
        self.requests.append("\n".join(message.content for message in messages))
        alone = "What you write now is private" in messages[-1].content
        text = "OptionA" if settings.constrained else CANARY if alone else next(self.turns)
        sent = {"messages": [{"role": m.role, "content": m.content} for m in messages]}
        return Called(Reply(text, sent=sent), 0.1, 1)


def plans() -> list[GamePlan]:
    """Every way in which private text arises, against a public and a plain model."""
    found = []
    for communication in ("none", "sequential", "simultaneous"):
        for stages, constrained in (("together", False), ("apart", False), ("auto", True)):
            for remind, other in ((True, "plain"), (False, "public"), (True, "private")):
                owner = {
                    "architecture": "private",
                    "options": {"stages": stages},
                    "settings": Settings(constrained=constrained),
                }
                found.append(
                    GamePlan.of(
                        PD,
                        game_id=f"{communication}-{stages}-{other}",
                        rounds=3,
                        communication=communication,
                        questions=("opponent_next",),
                        memory=2 if remind else None,
                        reply=ReplyRules(retries=1, remind=remind),
                        seats=(
                            SeatPlan(player="stub/owner", name="Ann", **owner),
                            SeatPlan(player="stub/other", name="Bob", architecture=other),
                        ),
                    )
                )
    return found


def seen(of: GamePlan, moves) -> str:
    """What a human in the second seat would have seen before the last round was over."""
    referee = Referee(of.stage(), of.horizon(), communication=of.communication, rng=np.random.default_rng(0))
    texts = []
    for _, both in moves.groupby("round"):
        if of.communication != "none":
            for move in both.itertuples():
                referee.speak(move.seat, move.message)
        texts.append(describe(referee.view(2), ["Ann", "Bob"]))
        for move in both.itertuples():
            message = move.message if of.communication == "none" else None
            referee.submit(move.seat, move.action, move.status, message, private_thought=move.private_thought)
    return "\n".join(texts)


def check(says: list[str], folder: Path, planned: list[GamePlan]) -> int:
    """Play the plans; how many replies the owner gave."""
    models = {
        "stub/owner": Model(says),
        "stub/other": Model(["Hm.\nDECISION: OptionA", "OptionB", "ANSWER: x"]),
    }
    run = Run.create(folder / "run", planned, facts={"name": "canary"}, prompts={"intent": "{}"})
    outcome = asyncio.run(run.play(models.__getitem__, lambda of: make_agents(of, {"intent": own_prompts()})))
    assert outcome.finished == len(planned)
    assert not any(CANARY in asked for asked in models["stub/other"].requests)
    log, calls = run.log(), run.calls()
    others = calls[calls["seat"] == 2]
    assert len(others)
    assert not others.astype(str).apply(lambda column: column.str.contains(CANARY)).to_numpy().any()
    moves = log.moves.astype(object).where(log.moves.notna(), None)
    kept = {"private_thought", "reasoning"}
    public = moves[[name for name in moves if name not in kept]]
    assert not public.astype(str).apply(lambda column: column.str.contains(CANARY)).to_numpy().any()
    assert not moves[moves["seat"] == 2].astype(str).apply(lambda c: c.str.contains(CANARY)).to_numpy().any()
    assert not log.questions.astype(str).apply(lambda c: c.str.contains(CANARY)).to_numpy().any()
    assert moves.loc[moves["seat"] == 1, "private_thought"].astype(str).str.contains(CANARY).mean() > 0.5
    write_fairgame_csv(log, folder / "log.csv")
    assert CANARY not in (folder / "log.csv").read_text()
    for of in planned:
        assert CANARY not in seen(of, moves[moves["game_id"] == of.game_id])
    return len(models["stub/owner"].requests)


unhurried = settings(deadline=None, suppress_health_check=list(HealthCheck))


@given(replies, st.integers(0, 6))
@settings(unhurried, max_examples=2)
def test_no_opponent_meets_the_secret(says, first):
    with tempfile.TemporaryDirectory() as folder:
        assert check(says, Path(folder), plans()[first::7]) > 10


@pytest.mark.slow
@given(replies)
@settings(unhurried, max_examples=12)
def test_no_opponent_meets_the_secret_in_thousands_of_replies(says):
    with tempfile.TemporaryDirectory() as folder:
        assert check(says, Path(folder), plans()) > 300
