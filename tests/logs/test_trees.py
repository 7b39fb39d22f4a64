"""JSON of any tree to tables: the cells come back whatever the form, and hostile files are one line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from intent.base.errors import DataError
from intent.logs.gamelog import Rejects
from intent.logs.importer.trees import TreeTable, table_of_plan, tables_of_json
from intent.logs.readers.arrays import TidyTable
from intent.logs.readers.reader import Source

Cell = tuple[str, ...]
AGENTS = ("ann", "bob", "gpt-4o", "claude 3", "A", "B", "X1")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("trees")


def tables(
    folder: Path, value: Any, *, lines: bool = False, rejects: Rejects | None = None
) -> tuple[TreeTable, ...]:
    path = folder / ("x.jsonl" if lines else "x.json")
    path.write_text("\n".join(map(json.dumps, value)) if lines else json.dumps(value))
    return tables_of_json(Source(path), Rejects(path) if rejects is None else rejects)


def rows(table: TidyTable, *names: str) -> list[Cell]:
    return list(zip(*(table.columns[name].to_pylist() for name in names), strict=True))


@st.composite
def played(draw: Any) -> list[Cell]:
    """Rows of match, round, agent, action and payoff, as texts."""
    agents = draw(st.lists(st.sampled_from(AGENTS), min_size=2, max_size=3, unique=True))
    moves = draw(st.sampled_from(["CD", "JF", ("cooperate", "defect")]))
    result = []
    for match in range(1, draw(st.integers(1, 3)) + 1):
        for number in range(1, draw(st.integers(2, 5)) + 1):
            for agent in agents:
                action, payoff = draw(st.sampled_from(list(moves))), draw(st.integers(-2, 9))
                result.append((str(match), str(number), agent, action, str(payoff)))
    return result


def by(play: list[Cell], i: int) -> dict[str, list[Cell]]:
    parts: dict[str, list[Cell]] = {}
    for row in play:
        parts.setdefault(row[i], []).append(row)
    return parts


def records(play: list[Cell]) -> Any:
    return [
        {"match": int(m), "round": int(t), "agent": a, "action": x, "payoff": int(p)}
        for m, t, a, x, p in play
    ]


def of_matches(each: Callable[[list[Cell]], Any]) -> Callable[[list[Cell]], Any]:
    return lambda play: [{"match": int(m), **each(rows)} for m, rows in by(play, 0).items()]


def pairs(play: list[Cell]) -> Any:
    rounds = by(play, 1).values()
    return {
        "players": list(by(play, 2)),
        "history": [[row[3] for row in one] for one in rounds],
        "payoffs": [[int(row[4]) for row in one] for one in rounds],
    }


def by_agent(play: list[Cell]) -> Any:
    return {
        "agents": {
            agent: {"moves": [r[3] for r in own], "payoffs": [int(r[4]) for r in own]}
            for agent, own in by(play, 2).items()
        }
    }


def matrices(play: list[Cell]) -> Any:
    agents = by(play, 2)
    return {
        "moves": {agent: [r[3] for r in own] for agent, own in agents.items()},
        "payoffs": {agent: [int(r[4]) for r in own] for agent, own in agents.items()},
    }


def fields(play: list[Cell]) -> Any:
    rounds = [
        {"round": int(t), **{r[2]: r[3] for r in own}, "payoffs": [int(r[4]) for r in own]}
        for t, own in by(play, 1).items()
    ]
    return {"players": list(by(play, 2)), "rounds": rounds}


def maps(play: list[Cell]) -> Any:
    return {
        "rounds": [
            {"round": int(t), "moves": {r[2]: r[3] for r in own}, "payoffs": {r[2]: int(r[4]) for r in own}}
            for t, own in by(play, 1).items()
        ]
    }


def round_keys(play: list[Cell]) -> Any:
    return {
        "rounds": {
            f"round_{t}": {r[2]: {"action": r[3], "payoff": int(r[4])} for r in own}
            for t, own in by(play, 1).items()
        }
    }


def inner_lists(play: list[Cell]) -> Any:
    return {
        "players": [{"name": agent, "model": f"m-{agent}"} for agent in by(play, 2)],
        "rounds": [
            {"round": int(t), "moves": [r[3] for r in own], "payoffs": [int(r[4]) for r in own]}
            for t, own in by(play, 1).items()
        ],
    }


FORMS: dict[str, tuple[Callable[[list[Cell]], Any], tuple[str, ...]]] = {
    "a list of records": (records, ("match", "round", "agent", "action", "payoff")),
    "records under keys": (
        lambda play: {"meta": {"n": 3}, "results": {"data": records(play)}},
        ("match", "round", "agent", "action", "payoff"),
    ),
    "matches with pairs": (of_matches(pairs), ("match", "round", "player", "history", "payoff")),
    "matches by agent": (of_matches(by_agent), ("match", "round", "agent", "move", "payoff")),
    "matches of matrices": (of_matches(matrices), ("match", "round", "player", "move", "payoff")),
    "matches by round, a field each": (of_matches(fields), ("match", "round", "player", "action", "payoff")),
    "matches by round, objects": (of_matches(maps), ("match", "round", "player", "move", "payoff")),
    "matches with rounds as keys": (of_matches(round_keys), ("match", "round", "player", "action", "payoff")),
    "matches by round, lists": (of_matches(inner_lists), ("match", "round", "name", "move", "payoff")),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("lines", [False, True])
@settings(max_examples=20)
@given(play=played())
def test_the_cells_of_a_table_come_back_from_any_form(form, lines, play, folder):
    make, names = FORMS[form]
    value = make(play)
    if lines and isinstance(value, dict):
        return
    first = tables(folder, value, lines=lines)[0]
    # two rounds of two agents, or agents as many as rounds, may be written either way: rounds come first
    assert Counter(rows(first.table, *names)) == Counter(play)


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=15)
@given(play=played(), other=played())
def test_a_plan_reads_other_files_alike(form, play, other, folder):
    make, names = FORMS[form]
    plan = json.loads(json.dumps(tables(folder, make(play))[0].plan))
    if "fields" in json.dumps(plan) and set(by(play, 2)) != set(by(other, 2)):
        return
    path = folder / "other.json"
    path.write_text(json.dumps(make(other)))
    table = table_of_plan(Source(path), plan, Rejects(path))
    assert Counter(rows(table, *names)) == Counter(other)


ROUNDS = [
    {"round": 1, "A": "C", "B": "D", "payoffs": [0, 5]},
    {"round": 2, "A": "D", "B": "D", "payoffs": [1, 1]},
]


def test_conditions_of_any_level_stand_in_the_rows_below(folder):
    tree = {
        "experiment": {"temperature": 0.5, "seed": None, "known": True},
        "conditions": [
            {"language": "en", "games": [{"id": "g1", "rounds": ROUNDS}, {"id": "g2", "rounds": ROUNDS}]},
            {"language": "fr", "games": [{"id": "g3", "rounds": ROUNDS}]},
        ],
    }  # fmt: skip
    table = tables(folder, tree)[0].table
    names = ("temperature", "seed", "known", "language", "id", "round", "player", "action", "payoff")
    assert len(table) == 12
    assert rows(table, *names)[0] == ("0.5", "", "true", "en", "g1", "1", "A", "C", "0")
    assert rows(table, *names)[-1] == ("0.5", "", "true", "fr", "g3", "2", "B", "D", "1")


def test_a_table_says_where_it_lies_and_what_was_done(folder):
    first, second, *_ = tables(folder, {"rounds": ROUNDS})
    assert (first.path, second.path) == ("rounds[]{A,B}", "rounds[]")
    assert list(second.table.columns) == ["round", "A", "B", "payoffs_1", "payoffs_2"]
    assert any("fields A, B hold the moves of 2 agents" in reason for reason in first.how)
    assert first.table.text(3).startswith("$.rounds[1].B: round=2")


def test_letters_of_a_text_are_moves_of_its_agents(folder):
    tree = [{"players": ["ann", "bob"], "history": ["CC", "CD", "DD"]},
            {"players": ["ann", "cy"], "history": ["DC", "CC"]}]  # fmt: skip
    table = tables(folder, tree)[0].table
    assert [r[2] for r in rows(table, "game", "player", "action") if r[:2] == ("1", "bob")] == ["C", "D", "D"]


def test_texts_of_moves_stay_one_cell(folder):
    table = tables(folder, [{"players": ["ann", "bob"], "history": ["CCDC", "DDDC"]},
                            {"players": ["ann", "cy"], "history": ["CC", "DD"]}])[0].table  # fmt: skip
    assert rows(table, "game", "player", "history")[1] == ("1", "bob", "DDDC")


def test_names_are_paths_where_ends_are_alike(folder):
    tree = [{"id": 1, "round": 1, "own": {"move": "C", "score": 3}, "partner": {"move": "D", "score": 0}}]
    table = tables(folder, [*tree, *tree])[0].table
    assert {"id", "round"} <= set(table.columns)
    assert [c for c in table.columns if c.endswith(".move")] == ["own.move", "partner.move"]


def events() -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = [{"event": "config", "noise": 0.1}]
    for game in (1, 2):
        made.append({"event": "game_start", "seed": 7 * game})
        for number in (1, 2):
            for agent, action in (("A", "C"), ("B", "D")):
                made.append(
                    {"event": "message", "agent": agent, "round": number, "text": f"{game}{number}{agent}"}
                )
                made.append({"event": "move", "agent": agent, "round": number, "action": action})
            made += [
                {"event": "score", "round": number, "payoffs": {"A": 0, "B": 5}},
                {"event": "ping", "cpu": 3},
            ]
    return made


@pytest.mark.parametrize("lines", [True, False])
def test_events_stand_beside_the_moves_that_they_are_of(lines, folder):
    first = tables(folder, events(), lines=lines)[0]
    names = ("section", "round", "agent", "action", "text", "payoff", "seed", "noise")
    assert rows(first.table, *names)[5] == ("2", "1", "B", "D", "21B", "5", "14", "0.1")
    assert len(first.table) == 8
    assert any("4 events ping, which belong to no move" in reason for reason in first.how)
    if lines:
        assert first.table.line(0) == 4


def test_broken_lines_are_listed_and_the_rest_is_read(folder):
    path = folder / "broken.jsonl"
    good = [
        json.dumps(row) for row in records([("1", str(t), a, "C", "3") for t in range(1, 9) for a in "AB"])
    ]
    bad = [
        "{",
        "3",
        '{"round": NaN}',
        '{"round": 1, "round": 2}',
        '{"round": ' + "9" * 500 + "}",
        "[[[[" * 60,
    ]
    path.write_text("\n".join([*good[:4], *bad, "", *good[4:]]))
    rejects = Rejects(path)
    table = tables_of_json(Source(path), rejects)[0].table
    assert len(table) == 16
    assert rejects.table(16)["line"].tolist() == [5, 6, 7, 8, 9, 10]
    assert table.line(4) == 12
    assert table.text(4) == good[4]


def test_flat_lines_are_read_as_other_lines_are(folder):
    plain = [{"game": i, "r": i / 4, "w": float(i), "b": i % 2 == 0, "x": None if i % 3 else "2024-01-01",
              "s": {"t": f"é{i}"}} for i in range(50)]  # fmt: skip
    flat = tables(folder, plain, lines=True)[0].table
    tree = tables(folder, plain)[0].table
    odd = tables(folder, [*plain, {"game": 2**70, "r": 1}], lines=True)[0].table
    for name, column in tree.columns.items():
        assert flat.columns[name].to_pylist() == column.to_pylist() == odd.columns[name].to_pylist()[:50]
    assert odd.columns["game"][50].as_py() == str(2**70)


def test_places_that_are_unlike_all_others_are_rejected(folder):
    rejects = Rejects("x.json")
    value = {"games": [{"id": 1, "rounds": ROUNDS}, {"id": 2, "rounds": 7}, {"id": 3, "rounds": []},
                       {"id": 4, "rounds": [3, *ROUNDS]}, {"id": 5, "rounds": ROUNDS}]}  # fmt: skip
    table = tables(folder, value, rejects=rejects)[0].table
    assert len(table) == 12
    assert rejects.table(12)["reason"].tolist() == [
        "$.games[1]: rounds is 7, expected a list",
        "$.games[2]: no rounds, expected some",
        "$.games[3]: rounds[0] is 3, expected an object",
    ]


HOSTILE = {
    "{": "x.json line 1: no JSON",
    '{"a":\n [1, 2\n': "x.json line 3: no JSON",
    '{"a": [\n{"x": NaN}]}': "x.json line 2: NaN is no number",
    '{"a": [\n\n{"x": 1e999}]}': "x.json line 3: number 1e999 is beyond",
    '{"a": 1,\n"b": {"c": 1,\n "c": 2}}': "x.json line 3: key 'c' stands there twice",
    '{"a": ' + "9" * 5000 + "}": "x.json line 1: a number of 5,000 digits",
    "[" * 100_000: "x.json.*nested deeper than 100",
    '{"a":' * 3000 + "1" + "}" * 3000: "x.json.*nested deeper than 100",
    "{}": "x.json: JSON without a list of records",
    "[]": "x.json: JSON without a list of records",
    '{"a": {"b": "c"}}': "x.json: JSON without a list of records",
    '{"a": [{"x": "' + "y" * 5_000_000 + '"}, {"x": "z"}]}': "x.json: .*more than 1,000,000 characters",
}


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_file_is_one_line(text, tmp_path):
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(DataError, match=HOSTILE[text]) as error:
        tables_of_json(Source(path), Rejects(path))
    assert "\n" not in str(error.value)


def test_halves_of_letters_can_be_seen(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('[{"round": 1, "move": "\\ud800"}, {"round": 2, "move": "C"}]')
    assert tables_of_json(Source(path), Rejects(path))[0].table.columns["move"][0].as_py() == "⟨U+D800⟩"


def test_utf_16_and_marks(tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(json.dumps({"rounds": ROUNDS}).encode("utf-16"))
    with pytest.raises(DataError, match=r"x\.json: UTF-16 text"):
        tables_of_json(Source(path), Rejects(path))
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"rounds": ROUNDS}).encode())
    assert len(tables_of_json(Source(path), Rejects(path))[0].table) == 4


def test_a_text_above_many_rows_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setenv("INTENT_LIMITS", "unpacked_bytes=1MiB")
    path = tmp_path / "x.json"
    path.write_text(
        json.dumps({"prompt": "y" * 10_000, "rounds": [{"round": i, "A": "C", "B": "D"} for i in range(500)]})
    )
    with pytest.raises(DataError, match=r"x\.json: a text that stands in every row"):
        tables_of_json(Source(path), Rejects(path))


NO_PLANS: list[Any] = [
    {},
    {"steps": []},
    {"lines": 1, "steps": [{"axis": "x"}]},
    {"lines": 0, "steps": 3},
    {"lines": False, "steps": [{"axis": "list", "lead": [5], "items": "object"}]},
]


@pytest.mark.parametrize("bad", NO_PLANS, ids=range(len(NO_PLANS)))
def test_a_plan_that_is_none(bad, tmp_path):
    path = tmp_path / "x.json"
    path.write_text("[]")
    with pytest.raises(DataError, match=r"x\.json: no plan for a tree"):
        table_of_plan(Source(path), bad, Rejects(path))


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=30,
)


@settings(max_examples=60)
@given(value=VALUES)
def test_any_tree_is_a_table_or_one_line(value, folder):
    path = folder / "any.json"
    path.write_text(json.dumps(value))
    source = Source(path)
    with suppress(DataError):
        for one in tables_of_json(source, Rejects(path)):
            assert len({len(column) for column in one.table.columns.values()}) <= 1
            one.table.text(0)
            again = table_of_plan(source, one.plan, Rejects(path))
            assert {k: v.to_pylist() for k, v in again.columns.items()} == {
                k: v.to_pylist() for k, v in one.table.columns.items()
            }
