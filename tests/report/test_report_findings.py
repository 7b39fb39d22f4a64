"""Findings of whole logs: known effects, no effect, play that tells nothing apart, and what they lead to."""

from __future__ import annotations

import re

import numpy as np
import pytest
from play_logs import PD, log_of, match

from intent.comparison.sentences import finding_sentence
from intent.logs.stores import write_log
from intent.recognise.labels.label import label_log
from intent.report.material import coin_gate, material_of, played
from intent.report.page import foreign_parts
from intent.report.report import findings_of, report
from intent.report.requests import ReportRequest
from intent.strategies.sets import strategy_set

QUICK = {"bootstrap": 20, "permutations": 999}
NAMES = ("ALLC", "ALLD", "TFT", "WSLS")


def played_games(rng, shares, games=40, rounds=8):
    """Games of two models and two personas, whose seats draw a strategy from the shares of their group."""
    made = []
    strategies = dict(zip(NAMES, strategy_set(",".join(NAMES)), strict=True))
    for (model, persona), weights in shares.items():
        for _ in range(games):
            two = [strategies[NAMES[rng.choice(4, p=weights)]] for _ in range(2)]
            play = _match(two, rounds, rng)
            made.append(match(PD, *play, model=model, persona=(persona, persona)))
    return log_of(*made)


def _match(two, rounds, rng, eps=0.05):
    states = [one.start for one in two]
    text = ["", ""]
    for _ in range(rounds):
        moves = [int(rng.random() < one.p_cooperate[s]) for one, s in zip(two, states, strict=True)]
        moves = [m ^ int(rng.random() < eps) for m in moves]
        for k in (0, 1):
            text[k] += "DC"[moves[k]]
            joint = 2 * (1 - moves[k]) + (1 - moves[1 - k])
            states[k] = two[k].next_state[states[k]][joint]
    return text


def settled(log):
    return findings_of(ReportRequest(source=log, **QUICK))


@pytest.fixture(scope="module")
def log():
    rng = np.random.default_rng(3)
    friendly, hostile = (0.7, 0.1, 0.1, 0.1), (0.1, 0.7, 0.1, 0.1)
    return played_games(
        rng,
        {("A", "kind"): hostile, ("A", "mean"): friendly, ("B", "kind"): friendly, ("B", "mean"): friendly},
    )


@pytest.fixture(scope="module")
def page(log, tmp_path_factory):
    """The report of that log, and its page."""
    path = tmp_path_factory.mktemp("page") / "r.html"
    return report(log, path, **QUICK), path.read_text("utf8")


def test_the_effects_of_a_log_are_found_in_their_direction(page):
    said = [finding_sentence(one) for one in page[0].findings.shown]
    assert any(re.match(r"B cooperates more often than A: .* points \[", text) for text in said)
    assert any(re.match(r"(B plays ALLC|A plays ALLD) more often than", text) for text in said)
    assert any(text.startswith("Persona mean rather than kind goes with a") for text in said)


def test_each_finding_has_figure_section_and_games(page):
    found, text = page
    assert foreign_parts(text) == []
    addresses = re.findall(r'href="#([^"]+)"', text)
    assert all(f'id="{address}"' in text for address in addresses)
    appendix = text.split('<details class="appendix"')[1]
    assert appendix.count('class="claim"') == len(found.findings.shown) == len(found.to_dict()["findings"])
    assert all(1 <= len(one.games) <= 3 for one in found.findings.shown)
    assert "finding-game-1" in addresses


def test_one_test_has_one_p_everywhere(page):
    found, text = page
    every = (*found.findings.shown, *found.findings.open, *found.findings.silent)
    (one,) = (f for f in every if f.kind == "share")
    assert f"p = {one.p_adjusted:.2g}" in text
    assert "Cramér" not in text


def test_where_all_cooperate_no_strategy_is_named(tmp_path):
    log = log_of(*(match(PD, "C" * 8, "C" * 8, model=m) for m in "AB" for _ in range(20)))
    (part,) = material_of(ReportRequest(source=log)).by_game()
    what = played(part, level=0.95, seed=0)
    assert not what.named
    assert not settled(log).shown
    report(log, tmp_path / "r.html", bootstrap=20, permutations=99)
    text = (tmp_path / "r.html").read_text("utf8")
    for key in ("findings", "summary"):
        section = re.search(rf'id="{key}".*?<h2', text, re.DOTALL)[0]
        assert "All moves are cooperation" in section
        assert not any(name in section for name in NAMES)


def test_labels_that_coins_would_get_name_no_strategy():
    rng = np.random.default_rng(1)
    tossed = ["".join("DC"[x] for x in rng.integers(0, 2, 10)) for _ in range(120)]
    log = log_of(*(match(PD, a, b, model="A") for a, b in zip(tossed[::2], tossed[1::2], strict=True)))
    labels = label_log(log, background=False)
    from dataclasses import replace

    material = replace(
        material_of(ReportRequest(source=log)), labels=labels.table(), provenance=labels.provenance
    )
    told = coin_gate(replace(material, coin=labels.summary["coin"]), level=0.95)
    assert "fair coins would get" in told
    assert coin_gate(material_of(ReportRequest(source=log)), level=0.95) is None


def test_the_short_form_has_no_contents_and_no_appendix(log, tmp_path):
    found = report(log, tmp_path / "r.html", short=True, bootstrap=20, permutations=999)
    assert found.sections == (
        *("The main finding", "What is played", "Further findings", "What limits this", "How to read this"),
    )
    assert '<details class="appendix"' not in (tmp_path / "r.html").read_text("utf8")
    assert "<nav" not in (tmp_path / "r.html").read_text("utf8")


def test_strategies_that_models_play_against_are_not_reported_on(log):
    seats = log.seats.copy()
    other = (seats["seat"] == 2).to_numpy()
    seats.loc[other, ["model", "strategy"]] = [None, "TFT"]
    material = material_of(ReportRequest(source=type(log)(log.games, seats, log.moves)))
    assert set(material.labels["model"]) == {"A", "B"}
    assert len(material.labels) == 160
    assert "160 seats that strategies played" in material.notes[0]


@pytest.fixture(scope="module")
def labels(log, tmp_path_factory):
    """Labels per player of the log, in a folder of their own; whether the log is where they look for it."""
    made = {}
    seats = log.seats.assign(player=[f"p{k // 4}-{k % 2}" for k in range(len(log.seats))])
    for with_log in (True, False):
        folder = tmp_path_factory.mktemp("labels")
        write_log(type(log)(log.games, seats, log.moves), folder / "log")
        made[with_log] = label_log(folder / "log", per="player").write(folder / "labels.parquet")
        if not with_log:
            (folder / "log").rename(folder / "elsewhere")
    return made


@pytest.mark.parametrize(
    ("with_log", "form"),
    [
        (True, {}),
        (True, {"full": True}),
        (True, {"short": True}),
        (False, {}),
        (False, {"full": True}),
        pytest.param(False, {"short": True}, marks=pytest.mark.exhaustive),
    ],
)
def test_labels_per_player_make_a_report(labels, tmp_path, with_log, form):
    found = report(labels[with_log], tmp_path / "r.html", bootstrap=20, permutations=99, **form)
    assert (found.n, found.n_games) == (160, 160)


@pytest.mark.slow
def test_the_reversal_of_the_public_log_comes_first(data_dir):
    path = data_dir / "fairgame" / "results.csv.gz"
    found = findings_of(ReportRequest(source=path, where={"game": ["prisoner-dilemma"]}, **QUICK))
    first = found.shown[0]
    assert (first.kind, first.factors, first.reverses) == ("interaction", ("model", "persona"), True)
    assert finding_sentence(first).startswith(
        "MistralLarge cooperates less with persona cooperative than with"
    )
    assert first.effects[-1].estimate == pytest.approx(0.2942 - 0.7540, abs=1e-3)


@pytest.mark.exhaustive
def test_a_log_without_differences_has_no_finding():
    rng = np.random.default_rng(11)
    same = dict.fromkeys([(m, p) for m in "AB" for p in ("kind", "mean")], (0.3, 0.3, 0.2, 0.2))
    silent = sum(not settled(played_games(rng, same, games=15)).shown for _ in range(100))
    assert silent >= 93
