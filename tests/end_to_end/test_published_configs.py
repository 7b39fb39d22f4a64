"""FAIRGAME's own files, played from the command line as they are, and read back from all exports."""

from __future__ import annotations

import json

import pytest

from intent.cli.main import main
from intent.logs.readers import read_log
from intent.logs.stores.fairgame import left_out
from intent.runner.run import Run

MATRIX = [
    f"{game}_nocomm_round_{horizon}_{payoffs}"
    for game, kinds in {
        "battle_sexes": ("conventional",),
        "harmony_game": ("conventional",),
        "prisoner_dilemma": ("conventional", "harsh", "mild"),
        "snow_drift": ("conventional",),
        "stag_hunt": ("conventional",),
    }.items()
    for payoffs in kinds
    for horizon in ("known", "not_known")
]
GOODS = ["public_goods_game_en_r2_claude", "public_goods_game_round_known", "public_goods_game_vn_r2_chatgpt"]
CONFIGS = [f"fairgame/{name}" for name in MATRIX] + [f"fairgame_public_goods/{name}" for name in GOODS]
OTHER_HORIZON = [f"fairgame/{name}" for i, name in enumerate(MATRIX) if i % 4 in (1, 2)]
"""Of each game and its payoffs one of the two files, known and unknown horizons by turns."""
FORMATS = ("parquet", "jsonl", "csvs")

pytestmark = pytest.mark.data


def intent(*words: object) -> int:
    with pytest.raises(SystemExit) as stopped:
        main([str(word) for word in words])
    return stopped.value.code


def config(data_dir, name):
    """Path of a file and of the templates that were published with it."""
    source, stem = name.split("/")
    return data_dir / source / "configs" / f"{stem}.json", data_dir / source / "templates"


def plain(values):
    """A column without the list of values that it might have."""
    return values.astype(str) if values.name == "status" else values


def differing(log, back):
    """Columns whose values another log does not hold alike."""
    return [
        f"{name}: {column}"
        for name, table in log.tables().items()
        for column in table
        if column not in (found := back.tables()[name])
        or not plain(found[column]).equals(plain(table[column]))
    ]


def test_every_published_file_is_played(data_dir):
    files = {f"{path.parts[-3]}/{path.stem}" for path in data_dir.glob("fairgame*/configs/*.json")}
    assert files == set(CONFIGS)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.exhaustive) if name in OTHER_HORIZON else name for name in CONFIGS],
)
def test_scripted_models_play_it_in_our_words_and_in_theirs(name, data_dir, tmp_path):
    path, templates = config(data_dir, name)
    players = ["model", "scripted/TFT", "model"][: 3 if "goods" in name else 2]
    words = ["-m", "scripted/uniform", "--set", f"players=[{', '.join(players)}]", "--rounds", 3]
    words += ["--set", f"grid.prompts=[intent, {templates}]", "--no-track", "-o", tmp_path / "run"]
    assert intent("play", path, *words) == 0
    log = Run.open(tmp_path / "run").log()
    assert set(log.seats["strategy"].dropna()) == {"TFT"}
    assert set(log.moves["status"]) == {"parsed"}
    for suffix in FORMATS:
        assert intent("export", tmp_path / "run", "-o", tmp_path / f"log.{suffix}") == 0
        assert read_log(tmp_path / f"log.{suffix}").equals(log)
    assert intent("export", tmp_path / "run", "-o", tmp_path / "results.csv", "--format", "fairgame") == 0
    back = read_log(tmp_path / "results.csv")
    assert differing(log, back) == ["moves: reply", "moves: prompt"]
    assert left_out(log) == ("moves: reply", "moves: prompt")


SHOWN = ("fairgame/prisoner_dilemma_nocomm_round_known_conventional", f"fairgame_public_goods/{GOODS[0]}")
"""Those that CI plays: the others differ from one of them in payoffs or wording, or are read for longer."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [name if name in SHOWN else pytest.param(name, marks=pytest.mark.exhaustive) for name in CONFIGS],
)
def test_the_local_model_plays_it(name, local_model, data_dir, tmp_path):
    """One call for every file: reading the prompt is what takes time."""
    path, _ = config(data_dir, name)
    others = 2 if "goods" in name else 1
    changes = {
        "players": ["model", *["scripted/TFT"] * others],
        "personas": ["cooperative", *["selfish"] * others],
        "settings": {"constrained": True, "seeded": True, "temperature": 1, "max_tokens": 16},
    }
    words = [word for key, value in changes.items() for word in ("--set", f"{key}={json.dumps(value)}")]
    words += ["--language", json.loads(path.read_text("utf8"))["languages"][-1], "--rounds", 1]
    assert intent("play", path, "-m", local_model, *words, "--no-track", "-o", tmp_path / "run") == 0
    log = Run.open(tmp_path / "run").log()
    assert list(log.moves["status"]) == ["parsed"] * (1 + others)
    assert log.seats["model"].tolist()[0] == local_model
