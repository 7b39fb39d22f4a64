"""One row per player: all its games are one piece of evidence, each game starting anew."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from rules_in_words import RULES
from scipy.stats import binom

from intent import GameLog, Trajectories, compare, generate, label, load_recogniser
from intent.base.errors import UnknownNameError, UsageError
from intent.base.tables import read_table
from intent.logs.stores import write_log
from intent.recognise.bayes import BayesRecogniser, log_evidence
from intent.recognise.labels.label import label_log
from intent.recognise.verdict import LabelSettings, judge
from intent.report.figures import figures
from intent.report.report import report
from intent.strategies.catalogue import strategy
from intent.strategies.likelihood import log_likelihood
from intent.strategies.sets import strategy_set
from intent.view.library import open_library

CLASSES = ("ALLC", "ALLD", "TFT", "WSLS", "RANDOM")


def with_players(log, games_each=3):
    """The log with a player for every few games of seat 1, each in one of two treatments."""
    places = pd.factorize(log.seats["game_id"].astype(str))[0]
    first = (log.seats["seat"] == 1).to_numpy()
    seats = log.seats.assign(
        player=[f"s{i // games_each}" if f else "other" for i, f in zip(places, first, strict=True)]
    )
    numbers = pd.factorize(log.games["game_id"].astype(str))[0]
    games = log.games.assign(
        treatment=[("a", "b")[(i // games_each) % 2] for i in numbers], repetition=numbers
    )
    return GameLog(games, seats, log.moves)


@pytest.fixture(scope="module")
def log():
    # Three games of a player follow each other and have one strategy.
    return with_players(generate("TFT", 30, rounds=(2, 5), eps=0.2, seed=8))


def mistakes(name, own, other):
    """Moves that a rule, said in words, would not have made; each game is read from its start."""
    return sum(RULES[name](own[:t], other[:t]) != (own[t] == "C") for t in range(len(own)))


def games_of(log):
    """Player -> moves of its games, as pairs of texts."""
    X = log.trajectories()
    found = {}
    for own, other, player in zip(X.own, X.other, X.keys["player"], strict=True):
        n = int((own >= 0).sum())
        found.setdefault(player, []).append(
            ("".join("DC"[m] for m in own[:n]), "".join("DC"[m] for m in other[:n]))
        )
    return found


def test_likelihoods_of_games_multiply(log):
    table = label(log, per="player").set_index("player")
    played = games_of(log)
    assert table.index.tolist() == list(played) == [f"s{i}" for i in range(10)]
    for player, games in played.items():
        row, n = table.loc[player], sum(len(own) for own, _ in games)
        wrong = {k: sum(mistakes(k, *game) for game in games) for k in CLASSES[:4]}
        chances = [0.05**m * 0.95 ** (n - m) for m in wrong.values()] + [0.5**n]
        assert [row[f"p_{k}"] for k in CLASSES] == pytest.approx(np.divide(chances, sum(chances)))
        assert (row["n_games"], row["n_rounds"]) == (3, n)
        assert row["consistent"] == [k for k, m in wrong.items() if m == 0]
        if row["best"] != "RANDOM":
            assert row["n_deviations"] == wrong[row["best"]]
            assert row["fit_p"] == pytest.approx(binom.sf(wrong[row["best"]] - 1, n, 0.05))
    assert table["best"].nunique() > 1


def test_a_player_has_one_noise_where_it_is_integrated(log):
    table = label(log, per="player", eps="integrate").set_index("player")
    grid = (np.arange(20_000) + 0.5) / 20_000 * 0.2
    for player, games in games_of(log).items():
        n = sum(len(own) for own, _ in games)
        wrong = [sum(mistakes(k, *game) for game in games) for k in CLASSES[:4]]
        chances = [np.mean(grid**m * (1 - grid) ** (n - m)) for m in wrong] + [0.5**n]
        proba = np.divide(chances, sum(chances))
        assert [table.loc[player, f"p_{k}"] for k in CLASSES] == pytest.approx(proba, rel=1e-5)


def test_another_recogniser_multiplies_its_likelihood_ratios(log):
    model = load_recogniser("forest-canonical4")
    X = log.trajectories()
    table = label(log, model, per="player", background=False).set_index("player")
    single = np.maximum(model.predict_proba(X), 1e-9)
    for player in table.index:
        product = single[(X.keys["player"] == player).to_numpy()].prod(axis=0)
        assert [table.loc[player, f"p_{k}"] for k in CLASSES[:4]] == pytest.approx(product / product.sum())
    rival = label(log, model, per="player").set_index("player")
    strategies = strategy_set(",".join(CLASSES))
    whose = pd.factorize(X.keys["player"])[0]
    evidence = np.exp(log_evidence(X, strategies, "integrate", subjects=whose))
    assert rival["p_RANDOM"].to_numpy() == pytest.approx(evidence[:, 4] / evidence.sum(axis=1))


def test_fit_of_a_strategy_of_chance_is_that_of_all_games_together():
    X = Trajectories.from_strings(["CDCC", "CDCC", "DDDD"], ["CDDC", "CDDC", "DCDC"])
    whose, gtft = np.array([0, 0, 1]), strategy("GTFT")
    model = BayesRecogniser(("GTFT",), eps=0.1).fit()
    verdict = judge(X, model, LabelSettings(samples=20_000), np.random.default_rng(0), whose)
    tosses = np.array([[int(b) for b in f"{i:04b}"] for i in range(16)], dtype=np.int8)
    for subject, other in ((0, [X.other[0]] * 2), (1, [X.other[2]])):
        totals, chances = np.zeros(1), np.ones(1)
        for met in other:
            ll = log_likelihood(tosses, np.tile(met, (16, 1)), None, [gtft], 0.1)[:, 0]
            totals = (totals[:, None] + ll).ravel()
            chances = (chances[:, None] * np.exp(ll)).ravel()
        seen = log_likelihood(X.own, X.other, None, [gtft], 0.1)[whose == subject, 0].sum()
        exact = chances[totals <= seen + 1e-9].sum()
        assert verdict.fit_p[subject] == pytest.approx(exact, abs=0.012)


def test_one_game_each_is_the_label_of_the_game():
    log = with_players(generate("canonical5", 40, rounds=6, eps=0.1, seed=2), games_each=1)
    single, pooled = label(log, "bayes-canonical5"), label(log, "bayes-canonical5", per="player")
    assert pooled["n_games"].tolist() == [1] * 40
    for column in ("n_rounds", "best", "tied", "consistent", "n_deviations", "rule_labels"):
        assert pooled[column].tolist() == single[column].tolist()
    assert pooled["confidence"].to_numpy() == pytest.approx(single["confidence"].to_numpy())
    assert pooled["p_RANDOM"].to_numpy() == pytest.approx(single["p_RANDOM"].to_numpy())


def test_columns_that_vary_within_a_player_are_left_out_by_name(log):
    labels = label_log(log, per="player")
    assert labels.table().columns[0] == "player"
    assert "treatment" in labels.table()
    assert not {"game_id", "seat", "repetition"} & set(labels.table().columns)
    assert labels.notes == ("left out, since they vary within a player: repetition",)
    assert (labels.summary["n"], labels.summary["n_games"]) == (10, 30)
    assert labels.provenance["per"] == "player"
    assert sum(labels.summary["statuses"].values()) == 10


def test_players_without_a_name_are_one_line(log):
    with pytest.raises(UsageError, match="names of players, but the log has none"):
        label(generate(n=4), per="player")
    some = log.seats.assign(player=log.seats["player"].where(log.seats["player"] != "s0", None))
    with pytest.raises(UsageError, match="3 of 30 seats have no player"):
        label(GameLog(log.games, some, log.moves), per="player")


def test_what_does_not_go_together(log):
    with pytest.raises(UnknownNameError, match="'seat'"):
        label(log, per="seat")
    with pytest.raises(UsageError, match="--conformal"):
        label(log, per="player", conformal=0.9)
    with pytest.raises(UsageError, match="divides the games of a player"):
        label(log, per="player", eps="estimate", eps_by=["repetition"])
    assert len(label(log, per="player", eps="estimate", eps_by=["treatment"])) == 10


def test_a_file_of_players_is_compared_reported_drawn_and_browsed(log, tmp_path):
    source = write_log(log, tmp_path / "log")
    path = label_log(source, per="player").write(tmp_path / "players.parquet")
    table, _ = read_table(path)
    found = compare(path, by="treatment", bootstrap=100, permutations=50)
    assert found.comparison.unit == "subjects"
    assert [g.n for g in found.comparison.groups] == [5, 5]
    assert figures(path, folder=tmp_path / "figures", by="treatment", bootstrap=50).figures
    page = report(path, tmp_path / "report.html", bootstrap=100, permutations=50)
    text = page.path.read_text()
    assert "10 players of 30 games have labels" in text
    with open_library(path, background=False) as library:
        first = library.game(str(log.games["game_id"].iloc[0])).seats[0]
        assert first.label["best"] == table["best"].iloc[0]
        assert any("labels are of players" in note for note in library.facts().notes)


@pytest.mark.data
def test_subjects_of_an_experiment(data_dir):
    mapping = {
        "player": "id",
        "game": "game",
        "round": "period",
        "action": "choice",
        "other": "other.choice",
        "by": "treatment",
    }
    table = label(data_dir / "df2011" / "choices.csv.gz", per="player", mapping=mapping, cooperate="c")
    assert len(table) == 266
    assert table["n_games"].sum() == 2604
    assert table["treatment"].nunique() == 6
    coin = table.attrs["summary"]["coin"]
    assert coin["confident"] < 0.02
