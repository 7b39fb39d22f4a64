"""The unit of independence follows the design."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from intent.base.errors import UsageError
from intent.estimate.design_units import design_units


def people(n_players=20, games=5, **columns):
    """Players who each play so many games against strangers that the table does not name."""
    return pd.DataFrame(
        {
            "game_id": [f"g{i}" for i in range(n_players * games)],
            "seat": 1,
            "player": [f"p{i // games}" for i in range(n_players * games)],
            **columns,
        }
    )


def prompts(conditions=12, repeats=10, models=("a", "b")):
    """Each model plays each condition so often."""
    rows = [(m, c) for m in models for c in range(conditions) for _ in range(repeats)]
    return pd.DataFrame(
        {
            "game_id": [str(i) for i in range(len(rows))],
            "seat": 1,
            "model": [m for m, _ in rows],
            "wording": [c for _, c in rows],
        }
    )


def test_games_where_nothing_returns():
    table = pd.DataFrame({"game_id": list("aabbcc"), "seat": [1, 2] * 3})
    units = design_units(table)
    assert (units.unit.kind, units.unit.n, units.narrow) == ("game", 3, None)


def test_players_who_return_are_subjects():
    unit = design_units(people()).unit
    assert (unit.kind, unit.n, unit.counted()) == ("player", 20, "20 subjects")
    assert unit.line() == "unit of independence: the subject, 20 subjects; 20 subjects return in 100 games"


def test_a_session_holds_its_subjects():
    table = people()
    table["Session"] = table["player"].str[1:].astype(int) % 10
    units = design_units(table)
    assert (units.unit.kind, units.unit.n, units.unit.question) == ("session", 10, "in sessions like these")
    assert (units.narrow.kind, units.narrow.question) == ("player", "in these sessions")


def test_too_few_sessions_leave_the_narrower_claim_with_a_note():
    table = people()
    table["session"] = np.where(table["player"].str[1:].astype(int) < 10, "s1", "s2")
    units = design_units(table)
    assert units.unit.kind == "player"
    assert "the table has 2 sessions" in units.notes[0]
    assert "in these sessions" in units.notes[0]
    assert (units.unit.question, units.bounded) == ("in these sessions", True)


def test_players_who_are_compared_are_not_said_to_play_once():
    table = pd.DataFrame({"game_id": list("aabbcc"), "seat": [1, 2] * 3, "player": ["ann", "bob"] * 3})
    unit = design_units(table, ["player"]).unit
    assert (unit.kind, unit.reason) == ("game", "players are what is compared and no condition repeats")


def test_players_who_meet_are_tied_together():
    pairs = people(n_players=40, games=4)
    pairs["game_id"] = pairs.index // 4 // 2 * 4 + pairs.index % 4
    pairs["seat"] = pairs.index // 4 % 2 + 1
    unit = design_units(pairs).unit
    assert (unit.kind, unit.n) == ("component", 20)


def test_all_who_met_are_clustered_two_ways(rng):
    table = people(n_players=20, games=6)
    table["game_id"] = rng.permutation(np.repeat(np.arange(60), 2))
    unit = design_units(table).unit
    assert (unit.kind, unit.n, len(np.unique(unit.also))) == ("player", 20, 60)
    assert "two ways" in unit.line()


def test_conditions_that_repeat_make_the_wider_claim_and_games_the_narrower():
    units = design_units(prompts(), ["model"])
    assert (units.unit.kind, units.unit.n, units.unit.question) == (
        "condition",
        24,
        "in conditions like these",
    )
    assert (units.narrow.kind, units.narrow.n, units.narrow.question) == ("game", 240, "in these conditions")


def test_two_conditions_are_not_conditions_like_these():
    units = design_units(prompts(conditions=2), ["model"])
    assert (units.unit.kind, units.narrow) == ("game", None)
    assert units.notes == (
        "model a has 2 conditions, too few (of 5) for a claim in conditions like these: "
        "what is said holds in these conditions",
    )
    assert units.bounded


def test_a_model_named_as_player_is_no_subject():
    table = prompts().assign(player=lambda t: "llm " + t["model"])
    assert design_units(table, ["model"]).unit.kind == "condition"


def test_rows_of_subjects_are_units_themselves():
    table = pd.DataFrame({"player": ["a", "b", "c"]})
    assert design_units(table).unit.kind == "player"
    assert design_units(table.drop(columns="player").assign(x=1)).unit.kind == "row"


def test_the_user_may_name_the_unit():
    assert design_units(prompts(), cluster=["game_id"]).unit.kind == "game"
    assert design_units(prompts(), cluster=["cell"]).unit.n == 24
    assert design_units(prompts(), cluster=[]).unit.kind == "row"
    by_wording = design_units(prompts(), cluster=["wording"]).unit
    assert (by_wording.noun, by_wording.n) == ("clusters of wording", 12)


@pytest.mark.parametrize(
    ("n_sessions", "advice"), [(10, "--cluster session makes the claim"), (2, "too few")]
)
def test_errors_by_player_say_that_they_hold_in_these_sessions(n_sessions, advice):
    table = people().assign(session=lambda t: t["player"].str[1:].astype(int) % n_sessions)
    units = design_units(table, cluster=["player"])
    assert (units.unit.kind, units.unit.n, units.unit.question) == ("player", 20, "in these sessions")
    assert units.bounded
    (note,) = units.notes
    assert note.startswith(f"subjects can meet within {n_sessions} sessions only and may be alike there")
    assert "errors by player do not count" in note
    assert advice in note


@pytest.mark.parametrize(
    "columns",
    [
        {},
        {"session": "one"},
        {"session": [f"s{i % 5}" for i in range(100)]},
        {"session": [f"s{i // 5}" for i in range(100)]},
    ],
    ids=["none", "one", "players in several", "a player each"],
)
def test_where_sessions_hold_no_subjects_together_errors_by_player_are_what_they_were(columns):
    units = design_units(people().assign(**columns), cluster=["player"])
    assert (units.unit.question, units.notes, units.bounded) == ("among subjects like these", (), False)


def test_sessions_that_are_named_need_no_note():
    table = people().assign(session=lambda t: t["player"].str[1:].astype(int) % 10)
    assert not design_units(table, cluster=["session"]).notes
    assert not design_units(table, ["session"], cluster=["player"]).notes


def test_a_named_cluster_must_not_cut_through_subjects():
    table = people().assign(day=lambda t: t.index % 5)
    with pytest.raises(UsageError, match="cuts through subjects: player p0 is in several"):
        design_units(table, cluster=["day"])
    assert "players return" in design_units(table, cluster=["game_id"]).notes[0]


def test_errors_that_know_one_way_say_so():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"game_id": np.repeat(np.arange(60), 2), "player": [f"p{i}" for i in rng.integers(0, 20, 120)]}
    )
    unit = design_units(table).unit
    assert unit.also is not None
    assert unit.one_way().also is None
    assert unit.one_way().line().endswith("have nearly all met, and these errors know one way of the two")
    assert unit.one_way().one_way().line() == unit.one_way().line()
