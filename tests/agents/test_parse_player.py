"""Names of players."""

from __future__ import annotations

import pytest

from intent.agents.plan import PlayerName, name_and_noise, parse_player, saved_folder
from intent.base.errors import IntentError, StrategyError, UnknownNameError


@pytest.mark.parametrize(
    ("text", "kind", "name", "eps"),
    [
        ("scripted/TFT", "scripted", "TFT", 0),
        ("scripted/tit for tat@0.05", "scripted", "TFT", 0.05),
        ("scripted/GTFT(0.1)@.2", "scripted", "GTFT(0.1)", 0.2),
        ("scripted/RANDOM", "scripted", "RANDOM", 0),
        ("scripted/axelrod:Adaptive", "scripted", "axelrod:Adaptive", 0),
        ("scripted/sequence:CDDC@0.1", "scripted", "sequence:CDDC", 0.1),
        ("scripted/sequence:OptionA, OptionB", "scripted", "sequence:OptionA, OptionB", 0),
        ("scripted/constant:91@0.1", "scripted", "constant:91", 0.1),
        ("scripted/constant:98,0,1,0,1", "scripted", "constant:98,0,1,0,1", 0),
        ("scripted/cycle:0,50,100", "scripted", "cycle:0,50,100", 0),
        ("scripted/equilibrium", "scripted", "equilibrium", 0),
        ("scripted/best-reply@0.2", "scripted", "best-reply", 0.2),
        ("scripted/asked:constant:91", "model", "scripted/asked:constant:91", 0),
        (" human ", "human", "human", 0),
        ("openai/gpt-4o", "model", "openai/gpt-4o", 0),
        ("openai/m@http://127.0.0.1:1/v1", "model", "openai/m@http://127.0.0.1:1/v1", 0),
        ("scripted/uniform", "model", "scripted/uniform", 0),
        ("scripted/first", "model", "scripted/first", 0),
        ("scripted/says:me@home", "model", "scripted/says:me@home", 0),
        ("gguf:/models/m.gguf", "model", "gguf:/models/m.gguf", 0),
    ],
)
def test_means(text: str, kind: str, name: str, eps: float) -> None:
    assert parse_player(text) == PlayerName(kind, name, eps)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scripted/TFTT", "unknown strategy 'TFTT'; did you mean .*TFT"),
        ("scripted/unifrom", "did you mean uniform"),
        ("scripted/", "unknown strategy ''"),
        ("scripted/TFT@much", "noise 'much', expected a probability below .5"),
        ("scripted/TFT@0.5", r"expected \[0, .5\)"),
        ("scripted/TFT@nan", r"expected \[0, .5\)"),
        ("scripted/sequence:", "ends after sequence:, expected moves such as sequence:CDDC"),
        ("scripted/axelrod:", "ends after axelrod:"),
        ("scripted/cycle: ,", "ends after cycle:, expected actions such as cycle:0,50,100"),
        ("scripted/best_reply", "did you mean best-reply"),
        ("", "without a name"),
    ],
)
def test_nonsense_is_refused(text: str, message: str) -> None:
    with pytest.raises(IntentError, match=message):
        parse_player(text)


def test_kinds_of_error() -> None:
    with pytest.raises(UnknownNameError):
        parse_player("scripted/nobody")
    with pytest.raises(StrategyError):
        parse_player("scripted/RANDOM(2)")


def test_a_folder_may_have_an_at_in_its_name(tmp_path):
    for name in ("a@b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "recogniser.json").write_text("{}")
    assert name_and_noise("scripted/TFT@0.05") == ("TFT", "@0.05")
    assert name_and_noise(f"scripted/{tmp_path}/a@b") == (f"{tmp_path}/a@b", "")
    assert name_and_noise("scripted/a@b@0.1", tmp_path) == ("a@b", "@0.1")
    assert name_and_noise("scripted/a@b") == ("a", "@b")
    assert [saved_folder(f"scripted/{name}", tmp_path) for name in ("a@b@0.1", "c", "TFT@.1")] == [
        "a@b",
        "c",
        None,
    ]
