"""A library answers as the log, the labels and the strategies do, whatever the format it came in."""

import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from course_logs import at_random, course_log
from play_logs import PD, log_of, match, public_goods_games
from view_library import HOSTILE, sample_library, sample_log

import intent
from intent.base import codebook
from intent.base.errors import DataError, UnknownNameError, UsageError
from intent.base.tables import write_table
from intent.gamma.catalogue import gamma_game
from intent.logs.gamelog import GameLog
from intent.logs.stores import write_log
from intent.recognise.labels.label import label_log
from intent.view.game_table import GameTable
from intent.view.library import _QUIET, open_library
from intent.view.query import Filter, Query
from intent.view.source import StoredLog


@pytest.fixture
def library(tmp_path):
    with sample_library(tmp_path) as opened:
        yield opened


def ids(library, *filters, **query):
    return [row["game_id"] for row in library.page(Query(tuple(filters), **{"order": "log", **query})).rows]


def test_labels_are_those_of_intent_label(library):
    expected = intent.label(sample_log()).set_index(["game_id", "seat"])
    rows = [(g["game_id"], s) for g in library.page(Query()).rows for s in g["seats"]]
    assert len(rows) == len(expected) == 12
    for game_id, seat in rows:
        label = expected.loc[(game_id, seat["seat"])]
        assert (seat["best"], seat["status"], seat["consistent"]) == (
            label["best"],
            label["status"],
            label["consistent"],
        )
        assert seat["p_TFT"] == pytest.approx(label["p_TFT"], abs=1e-12)


def test_filters_of_one_seat_hold_together(library):
    rows = library.page(Query(order="log")).rows
    for seat, model in enumerate(["alpha", "beta"]):
        expected = [r["game_id"] for r in rows if r["seats"][seat]["best"] == "TFT"]
        assert ids(library, Filter("model", "=", model), Filter("best", "=", "TFT")) == expected


def test_equal_columns_are_alternatives_as_in_where(library):
    assert ids(library, Filter("language", "=", "fr"), Filter("language", "=", HOSTILE)) == [
        "game_2",
        "game_3",
        "game_5",
    ]
    found = sample_log().where({"language": ["fr", HOSTILE]})
    assert list(found.games["game_id"]) == ["game_2", "game_3", "game_5"]


def test_where_narrows_every_query(tmp_path):
    path = write_log(sample_log(), tmp_path / "log")
    with open_library(path, where={"language": ["fr"]}, background=False) as library:
        assert ids(library) == ["game_2", "game_3"]
        assert ids(library, Filter("language", "=", "en")) == []
        assert next(c for c in library.columns() if c.name == "language").values == (("fr", 2),)


def test_sorting_paging_and_neighbours_agree(library):
    query = Query(sort="total_payoff", descending=True)
    order = ids(library, sort="total_payoff", descending=True)
    paid = [max(s["total_payoff"] for s in r["seats"]) for r in library.page(query).rows]
    assert paid == sorted(paid, reverse=True)
    assert ids(library, sort="total_payoff", descending=True, offset=2, limit=2) == order[2:4]
    assert library.neighbours(order[1], query) == (order[0], order[2])
    assert library.neighbours(order[0], query)[0] is None is library.neighbours(order[-1], query)[1]
    assert library.neighbours("none", query) == (None, None)


def test_jumps(library):
    for status in ("ambiguous", "no_fit", "low_confidence"):
        assert ids(library, jump=status) == ids(library, Filter("status", "=", status))
    assert ids(library, jump="no_fit")
    extreme = ids(library, jump="extreme")
    assert len(extreme) == 6
    worst = max(library.page(Query()).rows, key=lambda r: max(s["n_deviations"] for s in r["seats"]))
    assert worst["game_id"] in extreme[:4]


def test_columns_count_what_a_query_leaves(library):
    every = {c.name: c for c in library.columns()}
    assert every["model"].values == (("alpha", 6), ("beta", 6))
    assert (every["rounds_played"].low, every["rounds_played"].high) == (3, 10)
    assert "source" not in every


def test_values_are_counted_beside_what_is_asked_of_other_columns(library):
    beta, french = Filter("model", "=", "beta"), Filter("language", "=", "fr")
    both = library.counts(Query((beta, french)))
    assert both["model"] == {"alpha": 2, "beta": 2}
    assert both["language"] == {"en": 3, "fr": 2, HOSTILE: 1}
    assert sum(both["status"].values()) == 2
    for jump in ("ambiguous", "no_fit", "low_confidence", "extreme"):
        rows = library.page(Query((french,), jump=jump, limit=500)).rows
        games = library.counts(Query((french,), jump=jump))["language"]
        assert games.get("fr", 0) == len(rows)


@pytest.mark.parametrize("column", ["model", "language", "best", "status"])
def test_a_count_is_what_ticking_the_value_finds(library, column):
    for value, n in library.counts(Query((Filter("persona", "=", "selfish"),)))[column].items():
        rows = library.page(Query((Filter("persona", "=", "selfish"), Filter(column, "=", value)))).rows
        assert n == len(rows) > 0


def test_a_game_in_detail(library):
    game = library.game("game_4")
    one, two = game.seats
    assert (one.moves, two.moves) == ("CCcDDD.CCC", "CCDDDCCCCC")
    assert (one.posterior_after, len(one.posterior)) == (tuple(range(11)), 11)
    assert one.posterior[-1] == pytest.approx([one.label[f"p_{k}"] for k in one.classes], abs=1e-12)
    assert (one.contradictions["ALLC"], one.contradictions["TFT"]) == ((4, 5, 6), ())
    assert one.move_probability["GTFT"][3] == pytest.approx(2 / 3, abs=1e-5)
    assert len(game.rounds) == game.n_rounds == 10
    assert game.rounds[2].moves[0].status == "defaulted"
    assert game.rounds[-1].moves[0].total == one.total
    assert [r.number for r in library.game("game_4", first=4, most=2).rounds] == [4, 5]


def test_names_that_are_not_there(library):
    with pytest.raises(UnknownNameError, match="unknown game 'game_9'"):
        library.game("game_9")
    with pytest.raises(UnknownNameError, match="did you mean language"):
        library.page(Query((Filter("langage", "=", "x"),)))
    for key in ("", "x", "1/1/1/reply", "99999999999/1", "call/1/1/1/reply", "../../etc/passwd"):
        with pytest.raises(UnknownNameError, match="unknown text"):
            library.text("game_0", key)


@pytest.mark.parametrize("changes", [{"limit": 0}, {"limit": 501}, {"offset": -1}, {"jump": "x"}])
def test_queries_that_cannot_be(changes):
    with pytest.raises(UsageError):
        Query(**changes)
    with pytest.raises(UsageError):
        Filter("model", "LIKE", "x")


@pytest.mark.parametrize("name", ["log", "log.zip", "log.jsonl", "log.csvs", "log.csv.zip"])
def test_every_store_gives_the_same_game(name, tmp_path, library):
    path = write_log(sample_log(), tmp_path / "other" / name) if name != "log" else tmp_path / "log"
    with open_library(path, background=False) as other:
        assert ids(other) == ids(library)
        assert other.game("game_5").rounds == library.game("game_5").rounds
        assert other.game("game_5").seats[1].posterior == library.game("game_5").seats[1].posterior


def test_a_table_of_labels_leads_to_its_log(tmp_path):
    path = write_log(sample_log(), tmp_path / "log")
    made = label_log(path, "bayes-canonical6", threshold=0.5)
    labels = made.write(tmp_path / "labels.csv")
    with open_library(labels, background=False) as library:
        facts = library.facts()
        assert (facts.labels, facts.n_games, facts.classes[-2:]) == (str(labels), 6, ("GRUDGER", "RANDOM"))
        assert not facts.notes
        seat = library.game("game_0").seats[0]
        told = made.table().iloc[0]
        assert (seat.label["best"], seat.label["status"]) == (told["best"], told["status"])
        assert seat.posterior[-1] == pytest.approx([told[f"p_{k}"] for k in seat.classes], abs=1e-9)
        assert library.page(Query(order="log")).rows[0]["seats"][0]["status"] == told["status"]
    (tmp_path / "log").rename(tmp_path / "elsewhere")
    with pytest.raises(DataError, match=r"is not where it was, expected LOG --labels labels\.csv"):
        open_library(labels)
    with open_library(tmp_path / "elsewhere", labels=labels, background=False) as library:
        assert library.facts().labels == str(labels)


def test_labels_made_without_random_are_said_to_be(tmp_path):
    path = write_log(sample_log(), tmp_path / "log")
    labels = label_log(path, background=False).write(tmp_path / "labels.csv")
    with open_library(labels, background=False) as library:
        assert any("made without RANDOM" in note for note in library.facts().notes)
        assert library.facts().classes == ("ALLC", "ALLD", "TFT", "WSLS")


def test_labels_of_another_log_are_said_to_be(tmp_path):
    path = write_log(sample_log(), tmp_path / "log")
    table = label_log(path).table().assign(game_id=[f"other_{i}" for i in range(12)])
    labels = write_table(table, tmp_path / "labels.parquet", {"kind": "labels"})
    with open_library(path, labels=labels, background=False) as library:
        assert "12 labels are of no seat of this log" in library.facts().notes


def test_games_of_many_players(tmp_path):
    path = write_log(public_goods_games(np.random.default_rng(0), n=3), tmp_path / "goods")
    with open_library(path, background=False) as library:
        ((reason, n),) = library.facts().skipped
        assert "--others" in reason
        assert n == library.facts().n_games
        seat = library.game(library.page(Query(limit=1)).rows[0]["game_id"]).seats[2]
        assert (seat.label, seat.posterior, seat.why) == (None, (), reason)
        assert seat.total is not None
    with open_library(path, others="majority", background=False) as library:
        seat = library.game(library.page(Query(limit=1)).rows[0]["game_id"]).seats[2]
        assert seat.label["status"] in codebook.STATUSES
        assert len(seat.posterior) == 11


def test_games_of_numbers_have_no_labels(tmp_path):
    log = course_log([(gamma_game("pirate"), {})], at_random, 10, np.random.default_rng(0))
    with open_library(write_log(log, tmp_path / "log"), background=False) as library:
        assert library.facts().skipped == (("no cooperative action", 1),)
        game = library.game("g0")
        assert game.seats[0].why == "no cooperative action"
        assert {m.step for r in game.rounds for m in r.moves} >= {1, 2}


def test_whoever_sees_a_share_of_the_games_will_see_news(tmp_path, monkeypatch):
    log = log_of(*(match(PD, "CDDC", "CDCC", repetition=i) for i in range(9)))
    path = write_log(log, tmp_path / "log")
    monkeypatch.setattr(StoredLog, "chunk", 4)
    seen = set()
    fill = GameTable.fill

    def spied(table, rows):
        unknown = fill(table, rows)
        seen.add(table.changes)
        return unknown

    monkeypatch.setattr(GameTable, "fill", spied)
    with open_library(path, background=False) as library:
        assert library._table.changes not in seen
        assert library.facts().labelled == 1


@pytest.mark.parametrize(("rounds", "chunk"), [(10, 1_000), (2_000, 100), (10**9, 1)])
def test_long_games_are_gone_through_few_at_a_time(rounds, chunk):
    log = sample_log()
    games = log.games.assign(rounds_played=rounds)
    assert StoredLog.of_log(GameLog(games, log.seats, log.moves)).chunk == chunk


def test_games_that_a_table_of_labels_leaves_out_are_counted(tmp_path):
    path = write_log(sample_log(), tmp_path / "log")
    labels = label_log(path, where={"language": ["fr"]}).write(tmp_path / "part.parquet")
    with open_library(labels, background=False) as library:
        assert library.facts().skipped == (("the table of labels has none of them", 4),)
        assert library.facts().labelled == 1


def test_labels_come_in_while_the_page_is_up(tmp_path):
    log = log_of(*(match(PD, "CCDC", "CDCC", repetition=i) for i in range(30)))
    with open_library(write_log(log, tmp_path / "log")) as library:
        assert library.page(Query()).total == 30
        library._progress._thread.join(30)
        assert library.facts().labelled == 1
        assert library.page(Query((Filter("status", "!=", ""),))).total == 30


def test_labelling_gives_way_to_whoever_asks(library):
    progress = library._progress
    progress._last_page = 0.0
    library.game("game_0")
    asked = progress._last_page
    progress._wait_turn()
    assert time.monotonic() >= asked + _QUIET


def test_sums_of_play_stand_with_the_players(library):
    tables = {column.name: column.table for column in library.columns()}
    assert (tables["total_payoff"], tables["best"], tables["language"]) == ("seats", "labels", "games")


def test_what_a_command_hands_over_says_nothing(tmp_path):
    silent = {"format": "auto", "mapping": None, "cooperate": None, "game": None, "strict": False}
    path = write_log(sample_log(), tmp_path / "log")
    with open_library(path, reading=silent, background=False) as library:
        assert library._opened.source._facts["provenance"].get("settings") is None  # not read as a whole


def test_nothing_is_left_behind(tmp_path):
    library = sample_library(tmp_path)
    folder = library._opened.source._folder.name
    before = sorted((tmp_path / "log").iterdir())
    library.close()
    assert not Path(folder).exists()
    assert sorted((tmp_path / "log").iterdir()) == before


def test_labels_are_shown_as_they_were_made(tmp_path):
    path = write_log(sample_log(), tmp_path / "log")
    for i, settings in enumerate(({"eps": "integrate"}, {"prior": "sfem"}, {"keep_defaulted": True})):
        made = label_log(path, **settings)
        with open_library(made.write(tmp_path / f"{i}.parquet"), background=False) as library:
            assert library.facts().notes == ()
            seat = library.game("game_4").seats[0]
            told = made.table().iloc[8]
            assert seat.posterior[-1] == pytest.approx([told[f"p_{k}"] for k in seat.classes], abs=1e-9)


def test_a_log_is_read_as_it_was_labelled(tmp_path):
    tidy = tmp_path / "tidy.csv"
    rows = [f"{g},{t},{p},{a}" for g in "ab" for t in (1, 2) for p, a in (("x", "K"), ("y", "L"))]
    tidy.write_text("match,turn,who,act\n" + "\n".join(rows))
    mapping = {"game_id": "match", "round": "turn", "player": "who", "action": "act"}
    reading = {"mapping": mapping, "cooperate": "K:L"}
    made = label_log(tidy, **reading)
    with open_library(made.write(tmp_path / "labels.csv"), background=False) as library:
        assert library.facts().notes == ()
        assert [s.moves for s in library.game("a").seats] == ["CC", "DD"]
    with open_library(tidy, reading=reading, background=False) as library:
        assert library.facts().n_games == 2


def test_a_log_that_changed_is_said_to_have(tmp_path):
    path = write_log(sample_log(), tmp_path / "log")
    labels = label_log(path).write(tmp_path / "labels.csv")
    write_log(sample_log().where({"language": ["en"]}), path, overwrite=True)
    with open_library(labels, background=False) as library:
        assert library.facts().notes[0].startswith("the log is not the one that was labelled")


@pytest.mark.parametrize("table", ["games", "seats", "moves", "log.json"])
def test_damaged_files(table, tmp_path):
    path = write_log(sample_log(), tmp_path / "log")
    file = path / (table if "." in table else f"{table}.parquet")
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(DataError):
        open_library(path, background=False)


def test_damaged_values_spoil_one_game(tmp_path):
    path = write_log(sample_log(), tmp_path / "log")
    moves = pq.read_table(path / "moves.parquet").to_pandas()
    moves.loc[moves["game_id"] == "game_2", "seat"] = 77
    pq.write_table(pa.Table.from_pandas(moves), path / "moves.parquet")
    with open_library(path, background=False) as library:
        assert ids(library, Filter("status", "!=", "")) == [f"game_{i}" for i in (0, 1, 3, 4, 5)]
        assert any("game_2" in note for note in library.facts().notes)
        with pytest.raises(DataError):
            library.game("game_2")


@pytest.mark.parametrize("seat", [0, -1, 2**40, "one"])
def test_seats_that_cannot_be(seat, tmp_path):
    path = write_log(sample_log(), tmp_path / "log")
    seats = pq.read_table(path / "seats.parquet").to_pandas().assign(seat=seat)
    pq.write_table(pa.Table.from_pandas(seats), path / "seats.parquet")
    with pytest.raises(DataError, match="'seat' is no number"):
        open_library(path)
