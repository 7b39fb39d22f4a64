"""What leaves is read back: every exporter against any log, and what a format cannot hold is said."""

from __future__ import annotations

import csv
import hashlib
import json
import re
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from intent import GameLog, generate, read_log
from intent.base.errors import DataError, OutputError, UsageError
from intent.estimate.sfem import sfem
from intent.games.catalogue import game, public_goods
from intent.logs.readers import compact
from intent.logs.stores import fairgame, stratest
from intent.logs.stores.dataset import CONTEXT, Card, licence_address, missing, write_dataset
from intent.logs.stores.evaluation import write_evaluation
from intent.logs.stores.fairgame import write_fairgame_csv
from intent.logs.stores.stratest import stratest_table, write_stratest
from intent.play.match import Horizon, Match, to_log
from intent.play.referee import Referee

CARD = Card("CC-BY-4.0", creators=("A. Author",), url="https://example.org/games", published="2026-01-31")
HOSTILE = [
    "",
    "NA",
    'a "quoted", one',
    "two\nlines\r\nand more",
    "=1+1",
    "</script>",
    "| a | table |",
    "---\nlicense: mit",
    "⟨ünïcode⟩ 😀",
    "../../etc/passwd",
    "'",
    "\t",
    "# heading",
    "`code`",
    "a/b",
]
words = st.sampled_from(HOSTILE) | st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=8
)


@st.composite
def logs(draw: Any, sizes: tuple[int, ...] = (2, 3, 4), steps: bool = True, plain: bool = False) -> GameLog:
    """Any log: games of several sizes and lengths, missing moves, decisions, numbers, steps, texts."""
    rng = draw(st.randoms(use_true_random=False))
    ids = draw(st.lists(words.filter(bool), min_size=1, max_size=3, unique=True))
    texts = [None, *draw(st.lists(words, min_size=1, max_size=6))]
    several = steps and draw(st.booleans())
    games, seats, moves = [], [], []
    for number, own in enumerate(ids):
        n, rounds = rng.choice(sizes), rng.randint(1, 4)
        kind = "CD" if plain else rng.choice(["CD", "CD", "numbers", "undecided"])
        games.append({"game_id": own, "n_players": n, "rounds_played": rounds, "repetition": number + 1})
        games[-1] |= {"game": rng.choice(texts), "wave": rng.choice(texts), "language": rng.choice(texts)}
        games[-1] |= {"horizon_known": rng.choice([None, True, False])}
        for seat in range(1, n + 1):
            who = {"game_id": own, "seat": seat, "focal": plain or seat == 1 or rng.random() < 0.5}
            who |= {"player": rng.choice([None, "ann", "bob", "7", "NA"]), "model": rng.choice(texts)}
            seats.append(who)
            for t in range(1, rounds + 1):
                for step in range(1, (rng.randint(1, 2) if several else 1) + 1):
                    if rng.random() < 0.1 and t > 1:
                        continue  # a row that is not there
                    seen = rng.choice([True, True, False, False, None])
                    chosen = rng.choice([None, True, False]) if seen is not None else None
                    move = {"game_id": own, "round": t, "step": step, "seat": seat}
                    move |= {"cooperated": seen if kind == "CD" else None, "message": rng.choice(texts)}
                    move |= {"payoff": rng.choice([None, rng.uniform(-9, 9)])}
                    move |= {"decided": chosen if kind == "CD" else None}
                    move |= {"value": rng.uniform(0, 20) if kind == "numbers" else None}
                    move["action"] = None if seen is None or kind == "numbers" else "CD"[not seen]
                    move["status"] = "missing" if seen is None else rng.choice(["parsed", "defaulted"])
                    moves.append(move)
    tables = [pd.DataFrame(rows) for rows in (games, seats, moves)]
    tables[0]["wave"] = tables[0]["wave"].astype("str").where(tables[0]["wave"].notna(), None)
    assume(len(tables[2]))
    if draw(st.booleans()):
        tables[2] = tables[2].drop(columns="decided")
    questions = None
    if draw(st.booleans()):
        questions = pd.DataFrame(
            {"game_id": ids, "round": 1, "seat": 1, "question": "q", "answer": draw(words)}
        )
    return GameLog(*tables, questions, provenance={"name": draw(words), "seed": 1})


def written(write: Any, log: GameLog, name: str, *more: Any) -> tuple[Path, tempfile.TemporaryDirectory[str]]:
    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name) / name
    write(log, path, *more)
    return path, folder


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(log=logs())
def test_a_data_set_is_the_log_and_its_description_is_that_of_its_files(log: GameLog) -> None:
    path, folder = written(write_dataset, log, "games", CARD)
    with folder:
        back = read_log(path)
        assert back.equals(log)
        described = json.loads((path / "croissant.json").read_text(encoding="utf-8"))
        for name, table in log.tables().items():
            records = next(r for r in described["recordSet"] if r["@id"] == name)
            schema = pq.read_schema(path / f"{name}.parquet")
            assert [f["source"]["extract"]["column"] for f in records["field"]] == schema.names
            assert schema.names == [str(c) for c in table]
            assert [unquote(f["@id"]) for f in records["field"]] == [f"{name}/{c}" for c in schema.names]
            assert {f["source"]["fileObject"]["@id"] for f in records["field"]} == {f"{name}.parquet"}
        for file in described["distribution"]:
            data = (path / file["contentUrl"]).read_bytes()
            assert hashlib.sha256(data).hexdigest() == file["sha256"]
            assert file["contentSize"] == f"{len(data)} B"
        everything = {f["@id"] for r in described["recordSet"] for f in r["field"]}
        everything |= {f["@id"] for f in described["distribution"]} | {
            r["@id"] for r in described["recordSet"]
        }
        references = re.findall(r'\{"@id": "([^"]+)"\}', json.dumps(described["recordSet"]))
        assert set(references) <= everything
        card = (path / "README.md").read_text(encoding="utf-8")
        assert card.count("\n---\n") == 1  # no text of the log ends the first lines, or begins them anew
        assert [line for line in card.split("\n") if line.startswith("# ")] == ["# games"]


REQUIRED = {
    "@context",
    "@type",
    "conformsTo",
    "description",
    "license",
    "name",
    "url",
    "creator",
    "datePublished",
}


def test_croissant_has_what_the_format_requires(tmp_path: Path) -> None:
    write_dataset(generate(n=3, rounds=2, seed=1), tmp_path / "games", CARD)
    described = json.loads((tmp_path / "games" / "croissant.json").read_text())
    assert described.keys() >= REQUIRED
    assert described["@type"] == "sc:Dataset"
    assert described["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert described["@context"] == CONTEXT
    assert described["license"] == "https://spdx.org/licenses/CC-BY-4.0"
    types = {f["name"]: f["dataType"] for r in described["recordSet"] for f in r["field"]}
    assert (types["round"], types["payoff"], types["cooperated"], types["action"]) == (
        *("sc:Integer", "sc:Float"),
        *("sc:Boolean", "sc:Text"),
    )
    keys = {r["@id"]: [k["@id"] for k in r["key"]] for r in described["recordSet"]}
    assert keys["moves"] == ["moves/game_id", "moves/round", "moves/step", "moves/seat"]


def test_croissants_own_library_validates_and_loads_every_record(tmp_path: Path) -> None:
    library = pytest.importorskip("mlcroissant")
    log = generate(n=3, rounds=2, seed=1)
    games = log.games.assign(
        **{"odd name/[x]": ["a", None, "ü"], "dose": [0.5, None, 2.0], "on": [True, False, None]}
    )
    log = GameLog(games, log.seats, log.moves, provenance=log.provenance)
    write_dataset(log, tmp_path / "games", CARD)
    described = library.Dataset(tmp_path / "games" / "croissant.json")
    assert not described.metadata.issues.errors
    for name, table in log.tables().items():
        records = list(described.records(record_set=name))
        assert len(records) == len(table)
        for column in table:
            values = [next(v for k, v in r.items() if unquote(k) == f"{name}/{column}") for r in records]
            values = [v.decode() if isinstance(v, bytes) else v for v in values]
            expected = table[column].astype(object).where(table[column].notna(), None).tolist()
            assert [None if v != v else v for v in values] == expected, column


def test_who_mends_the_card_does_not_change_the_log(tmp_path: Path) -> None:
    write_dataset(generate(n=3, rounds=2, seed=1), tmp_path / "games", CARD)
    before = read_log(tmp_path / "games").provenance["sha256"]
    (tmp_path / "games" / "README.md").write_text("mended")
    assert read_log(tmp_path / "games").provenance["sha256"] == before


def test_the_card_says_what_is_known_to_limit_the_data(tmp_path: Path) -> None:
    log = generate(n=4, rounds=3, seed=1)
    moves = log.moves.assign(message="hi", decided=log.moves["cooperated"])
    moves["status"] = moves["status"].cat.set_categories(["parsed", "missing", "defaulted"])
    moves.loc[0, "status"], moves.loc[1, "status"] = "missing", "defaulted"
    seats = log.seats.assign(player=[f"p{i}" for i in range(len(log.seats))])
    write_dataset(GameLog(log.games, seats, moves, provenance=log.provenance), tmp_path / "games", CARD)
    card = (tmp_path / "games" / "README.md").read_text()
    for line in (
        "1 of 24 moves are missing",
        "1 of 24 moves are defaults",
        "texts stand as they were said (message)",
        "names of players are those of the source",
        "`decided` beside `cooperated`",
        "4 seats are known only from what others recorded",
        "licence | [CC-BY-4.0](https://spdx.org/licenses/CC-BY-4.0)",
        "| decided | boolean | whether the player chose cooperation",
        "generated by intent",
    ):
        assert line in card, line


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"licence": " "}, "expected --licence"),
        ({"licence": "MIT", "published": "tomorrow"}, "expected a date such as 2026-01-31"),
        ({"licence": "MIT", "url": "here"}, "expected an address"),
    ],
)
def test_cards_that_say_nothing(values: dict[str, str], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        Card(**values)


def test_licences() -> None:
    assert licence_address("cc0-1.0") == "https://spdx.org/licenses/CC0-1.0"
    assert licence_address("https://example.org/terms") == "https://example.org/terms"
    assert licence_address("ask me") is None
    assert missing(Card("ask me")) == ("--creator", "--url")


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(log=logs())
def test_an_evaluation_is_the_log(log: GameLog) -> None:
    path, folder = written(write_evaluation, log, "games.eval")
    with folder:
        back = read_log(path)
        assert back.equals(log)
        assert back.provenance["format"] == "inspect"
        assert back.provenance["name"] == log.provenance["name"]


def test_inspect_reads_its_evaluation(tmp_path: Path) -> None:
    library = pytest.importorskip("inspect_ai.log")
    log = generate(n=3, rounds=2, seed=1)
    write_evaluation(log, tmp_path / "games.eval")
    read = library.read_eval_log(str(tmp_path / "games.eval"))
    assert (read.status, read.results.total_samples, len(read.samples)) == ("success", 3, 3)
    mine = log.moves["cooperated"].astype(float).mean()
    assert read.results.scores[0].metrics["mean"].value == pytest.approx(mine)
    assert read.samples[2].store["intent"]["games"]["game_id"] == log.games["game_id"][2]
    assert library.read_eval_log_sample(str(tmp_path / "games.eval"), 2, 1).id == 2
    assert len(library.read_eval_log_sample_summaries(str(tmp_path / "games.eval"))) == 3


def test_samples_of_an_evaluation_that_are_no_games_are_listed(tmp_path: Path) -> None:
    import zipfile

    write_evaluation(generate(n=3, rounds=2, seed=1), tmp_path / "games.eval")
    with zipfile.ZipFile(tmp_path / "games.eval") as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    broken = json.loads(members["samples/2_epoch_1.json"])
    broken["store"]["intent"]["moves"][0]["seat"] = 9
    members["samples/2_epoch_1.json"] = json.dumps(broken).encode()
    members["samples/3_epoch_1.json"] = b'{"id": 3, "epoch": 1, "error": {"message": "gone"}}'
    with zipfile.ZipFile(tmp_path / "broken.eval", "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    log = read_log(tmp_path / "broken.eval")
    assert len(log) == 1
    assert log.rejects["reason"].tolist() == [
        "samples/2_epoch_1.json: table moves: seat 9 is not listed in table seats",
        "samples/3_epoch_1.json ended with gone, expected moves",
    ]
    with pytest.raises(DataError, match="seat 9"):
        read_log(tmp_path / "broken.eval", strict=True)
    with pytest.raises(UsageError, match="says itself what cooperate would say"):
        read_log(tmp_path / "games.eval", cooperate="C")


def frame(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


LETTER = {1: "c", 0: "d", -1: "NA"}


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(log=st.sampled_from([(2,), (3, 4)]).flatmap(lambda sizes: logs(sizes)))
def test_stratests_rows_are_the_trajectories(log: GameLog) -> None:
    """Read as plain text, cell by cell, against `GameLog.trajectories`."""
    X = log.trajectories(keep_defaulted=True)
    if not log.has_cooperation().any():
        with pytest.raises(OutputError, match=r"not one of .* games has a cooperative action"):
            stratest_table(log)
        return
    path, folder = written(write_stratest, log, "frame.csv")
    with folder:
        rows = frame(path)
    games = log.games[log.has_cooperation()].reset_index(drop=True)
    at = 0
    order = [X.keys["game_id"].tolist().index(g) for g in X.keys["game_id"]]
    assert order == sorted(order)
    assert X.keys is not None
    lengths = log.moves.astype({"game_id": str}).groupby("game_id")["round"].max()
    known_decisions = "decided" in log.moves and log.moves["decided"].notna().any()
    with_cooperation = {g: i + 1 for i, g in enumerate(games["game_id"])}
    for i in range(len(X)):
        T = lengths[X.keys["game_id"][i]]
        block, at = rows[at : at + T], at + T
        assert [row["period"] for row in block] == [str(t + 1) for t in range(T)]
        assert {row["game"] for row in block} == {str(with_cooperation[X.keys["game_id"][i]])}
        played = block_of(block, "played") if known_decisions else block_of(block, "choice")
        assert played == [LETTER[int(v)] for v in X.own[i, :T]]
        assert block_of(block, "choice") == [LETTER[int(v)] for v in X.decisions[i, :T]]
        if X.other_share is None:
            other = block_of(block, "other.choice")
            assert other == [LETTER[int(v)] for v in X.other[i, :T]]
            expected = [a + b for a, b in zip(played, other, strict=True)]
            expected = ["NA", *("NA" if "NA" in pair else pair for pair in expected)][:T]
            assert block_of(block, "input") == expected
    assert at == len(rows)


def block_of(rows: list[dict[str, str]], column: str) -> list[str]:
    return [row[column] for row in rows]


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(log=logs((2,), steps=False, plain=True))
def test_stratests_frame_is_read_back(log: GameLog) -> None:
    """By the general reader of long tables, told which columns are which."""
    assume(log.has_cooperation().any())
    path, folder = written(write_stratest, log, "frame.csv")
    names = {"player": "id", "game": "game", "round": "period", "other": "other.choice", "action": "choice"}
    with folder:
        if "played" in frame(path)[0]:
            names |= {"action": "played", "decided": "choice"}
        rows = frame(path)
        assume(any(row[names["action"]] != "NA" for row in rows))
        back = read_log(path, mapping=names, cooperate="c:d")
    assert len(back.rejects) == 0
    mine, theirs = by_subject(log, numbered=True), by_subject(back)
    assert mine == theirs


def by_subject(log: GameLog, numbered: bool = False) -> set[tuple[Any, ...]]:
    """(play, other's play, decisions) of all focal seats with a known move, in no order, ends cut."""
    X = log.trajectories(keep_defaulted=True)
    plays = []
    for own, other, chosen in zip(X.own, X.other, X.decisions, strict=True):
        T = max(np.flatnonzero((own >= 0) | (other >= 0)), default=-1) + 1
        plays.append((own[:T].tolist(), other[:T].tolist(), chosen[:T].tolist()))
    return {(i, *map(tuple, play)) for i, play in enumerate(sorted(p for p in plays if p[0]))}


def test_subjects_and_games_are_numbered_for_stratest() -> None:
    log = generate(n=3, rounds=2, seed=1)
    seats = log.seats.assign(focal=True, player=["ann", "bob", "ann", "ann", None, "ann"])
    table = stratest_table(GameLog(log.games, seats, log.moves))
    rows = table.drop_duplicates(["id", "game"])[["id", "game", "seat"]].values.tolist()
    assert rows == [[1, 1, 1], [2, 1, 2], [1, 2, 1], [3, 2, 2], [4, 3, 1], [1, 3, 2]]
    assert not table.duplicated(["id", "game", "period"]).any()


def test_games_of_two_and_of_more_are_not_one_frame() -> None:
    log = generate(n=2, rounds=2, seed=1)
    games = log.games.assign(n_players=[2, 3])
    with pytest.raises(OutputError, match="--where n_players=2"):
        stratest_table(GameLog(games, log.seats, log.moves))


def test_with_more_players_the_input_counts_who_cooperated() -> None:
    played = {1: "CCD", 2: "CDD", 3: "DCC"}
    rows = [
        {"game_id": "g", "round": t + 1, "step": 1, "seat": seat, "action": a, "cooperated": a == "C"}
        for seat, letters in played.items()
        for t, a in enumerate(letters)
    ]
    games = pd.DataFrame({"game_id": ["g"], "n_players": 3, "rounds_played": 3, "repetition": 1})
    seats = pd.DataFrame({"game_id": "g", "seat": [1, 2, 3], "focal": True})
    table = stratest_table(GameLog(games, seats, pd.DataFrame(rows).assign(status="parsed")))
    assert table["input"].fillna("NA").tolist() == ["NA", "c1", "c1", "NA", "c1", "d2", "NA", "d2", "c1"]
    assert table["others.c"].tolist() == [1, 1, 1, 1, 2, 1, 2, 1, 0]


@pytest.mark.data
def test_stratests_own_data_come_out_as_they_went_in(data_dir: Path, tmp_path: Path) -> None:
    """Dal Bó & Fréchette's choices as stratEst ships them, with the input that it computed."""
    path = data_dir / "df2011" / "choices.csv.gz"
    log = read_log(path, mapping={"by": "treatment"}, cooperate="c:d")
    write_stratest(log, tmp_path / "frame.csv")
    theirs, ours = pd.read_csv(path), pd.read_csv(tmp_path / "frame.csv")
    ours = ours.assign(id=ours["log.player"])
    assert len(ours) == len(theirs) == 7358
    for column in ("choice", "other.choice", "input"):
        counts = [
            t.fillna("NA").groupby(["treatment", "id", "period", column]).size() for t in (theirs, ours)
        ]
        pd.testing.assert_series_equal(counts[0], counts[1])
    back = read_log(
        tmp_path / "frame.csv",
        mapping={
            "player": "id",
            "game": "game",
            "round": "period",
            "action": "choice",
            "other": "other.choice",
        },
        cooperate="c:d",
    )
    one, two = (sfem(x, "df2011", by="treatment", test=False).to_dict()["groups"] for x in (log, back))
    for before, after in zip(one, two, strict=True):
        assert before["group"] == after["group"]
        assert before["log_likelihood"] == pytest.approx(after["log_likelihood"], abs=1e-6)
        for name, share in before["shares"].items():
            assert share["estimate"] == pytest.approx(after["shares"][name]["estimate"], abs=1e-6)


PD, SNOW = game("prisoner-dilemma"), game("snow-drift")


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_fairgames_results_are_read_back(data: Any) -> None:
    """Games of two and of more players, of any rounds, with messages, missing moves and defaults."""
    stage = data.draw(st.sampled_from([PD, SNOW, public_goods(1.5, 3), public_goods(2.0, 4)]))
    matches = []
    for number in range(data.draw(st.integers(1, 3))):
        rounds = data.draw(st.integers(1, 4))
        referee = Referee(stage, Horizon(rounds), communication="none")
        for _ in range(rounds):
            for seat in range(1, stage.n_players + 1):
                referee.submit(seat, data.draw(st.sampled_from(["OptionA", "OptionB"])))
        personas = st.none() | words.filter(lambda text: text == text.strip() and text not in ("NA", ""))
        seats = tuple(
            {"model": f"m{seat}", "persona": data.draw(personas)} for seat in range(stage.n_players)
        )
        matches.append(Match(stage, Horizon(rounds), referee.record, seats, {"repetition": number + 1}))
    log = to_log(matches)
    path, folder = written(write_fairgame_csv, log, "results.csv")
    with folder:
        back = read_log(path)
    assert fairgame.left_out(log) == ()
    for name in ("cooperated", "payoff", "action", "status"):
        one = log.moves.astype({"game_id": str, "action": str, "status": str}).sort_values(
            ["game_id", "round", "seat"]
        )
        two = back.moves.astype({"game_id": str, "action": str, "status": str}).sort_values(
            ["game_id", "round", "seat"]
        )
        assert one[name].tolist() == two[name].tolist(), name
    assert back.seats["model"].tolist() == log.seats["model"].tolist()
    texts = [[None if v != v or v is None else v for v in t.seats["persona"]] for t in (log, back)]
    assert texts[0] == texts[1]


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(log=logs((2,), steps=False, plain=True))
def test_the_compact_form_is_read_back(log: GameLog) -> None:
    X = log.trajectories()
    assume(len(X) and X.own.shape[1])
    path, folder = written(compact.write_compact, log, "log.parquet")
    with folder:
        Y = read_log(path).trajectories()
    assert (X.own[:, Y.own.shape[1] :] < 0).all()  # rounds at the end of which nobody knows a move
    assert (X.other[:, Y.own.shape[1] :] < 0).all()
    for name in ("own", "other", "decisions", "evidence"):
        one, two = getattr(X, name)[:, : Y.own.shape[1]], getattr(Y, name)
        np.testing.assert_array_equal(one, two, err_msg=name)


@settings(max_examples=15, suppress_health_check=list(HealthCheck))
@given(log=logs((2,), steps=False, plain=True))
def test_columns_without_room_are_named(log: GameLog) -> None:
    """A column of the moves that a file does not have is one that `left_out` names."""
    assume(log.has_cooperation().any())
    filled = [c for c in ("value", "payoff", "message") if log.moves[c].notna().any()]
    lines = " ".join(stratest.left_out(log))
    assert all(column in lines for column in filled)
    lines = " ".join(compact.left_out(log))
    assert all(column in lines for column in filled)
    listed = " ".join(fairgame.left_out(log))
    assert ("moves: decided" in listed) == (
        "decided" in log.moves and bool(log.moves["decided"].notna().any())
    )
    for lost in (stratest.left_out(log), compact.left_out(log), fairgame.left_out(log)):
        assert ("questions" in " ".join(lost)) == (log.questions is not None)
