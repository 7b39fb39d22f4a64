"""Figures and tables of estimated shares."""

from __future__ import annotations

import numpy as np
import pytest

from intent.base.errors import OutputError, UsageError
from intent.estimate.resampling import GroupTest
from intent.estimate.sfem_result import fit_rows, group_test_sentences, share_rows
from intent.estimate.share_figures import explained, shares_figure
from intent.estimate.shares import Counted, Estimate, GroupShares, MixtureFit

NAMES = ("ALLC", "ALLD", "TFT")
SHARES = (
    Estimate(0.6, 0.05, 0.5, 0.7, "information"),
    Estimate(0.4, 0.05, 0.3, 0.5, "bootstrap"),
    Estimate(0.0, None, float("nan"), float("nan"), "none"),
)
TREMBLE = Estimate(0.083, 0.004, 0.075, 0.091, "information")


def fit(shares=SHARES, tremble=(TREMBLE,), ridge=()) -> MixtureFit:
    kind = "common" if len(tremble) == 1 else "strategy"
    posterior = np.tile([0.6, 0.4, 0.0], (50, 1))
    return MixtureFit(
        NAMES, shares, tremble, kind, 50, 500, -321.5, 3, 0.0, 12, True, posterior, np.arange(50), ridge,
        "ALLC", 0.81,
    )  # fmt: skip


def group(*values, counted=True, **changes) -> GroupShares:
    counts = Counted(50, {"ALLC": 0.7, "ALLD": 0.3}, {"ALLC": 0.4, "ALLD": 0.3})
    return GroupShares(values, fit(**changes), counts if counted else None)


def pixels(path) -> np.ndarray:
    from matplotlib.image import imread

    return np.asarray(imread(path))[..., :3]


@pytest.mark.parametrize(
    "groups",
    [
        [group()],
        [group(counted=False)],
        [group(tremble=(TREMBLE,) * 3)],
        [group("a"), group("b", counted=False)],
        [group("a", tremble=(TREMBLE,) * 3), group("b", tremble=(TREMBLE,) * 3)],
        [group(m, lang, ridge=(("ALLC", "TFT"),)) for m in "ab" for lang in ("ar", "العربية", "en")],
    ],
)
def test_figures_show_something(groups, tmp_path):
    by = ("model", "language")[: len(groups[0].values)]
    image = pixels(shares_figure(groups, by).write(tmp_path / "shares.png", remarks=["Data: log.csv."]))
    assert 300 <= image.shape[0] <= 2500
    assert 900 <= image.shape[1] <= 2500
    assert 0.01 < (image.min(axis=2) < 0.9).mean() < 0.5
    border = np.concatenate([image[:, 0], image[:, -1], image[0], image[-1]])
    assert border.min() > 0.9, "nothing is cut off at the edge"


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_the_same_figure_has_the_same_bytes(tmp_path, suffix):
    files = [shares_figure([group("a"), group("b")], ["x"]).write(tmp_path / f"{i}{suffix}") for i in "ab"]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_figures_that_cannot_be(tmp_path):
    with pytest.raises(UsageError, match="61 groups are too many"):
        shares_figure([group(i) for i in range(61)], ["i"])
    with pytest.raises(OutputError, match=r"suffix '.gif'"):
        shares_figure([group()]).write(tmp_path / "shares.gif")


def test_the_caption_explains_what_is_drawn():
    text = " ".join(explained([group()], ["ALLC", "ALLD"], 0.95))
    assert "lines: 95 % intervals (percentiles of the bootstrap" in text
    assert "Open points: on the boundary, no interval" in text
    assert "what the strategy says): 0.083 (0.075 to 0.091). 50 subjects." in text
    assert "Not drawn, since their share is 0: TFT" in text
    assert "Dashed" not in text
    ridged = group("a", ridge=(("ALLC", "TFT"),), counted=False)
    text = " ".join(explained([ridged, ridged], NAMES, 0.9))
    assert "Dashed: not told apart" in text
    assert "Counted" not in text


def test_tables_for_people():
    header, rows = fit_rows([(("a",), fit())], ["model"])
    assert dict(zip(header, rows[0], strict=True)) == {
        "model": "a", "subjects": "50", "choices": "500", "tremble": "0.083", "±": "0.004", "gamma": "0.416",
        "log L": "-321.5", "AIC": "649.0", "BIC": "654.7", "ICL": "722.0",
        "best single": "ALLC", "match": "81.0%",
    }  # fmt: skip
    header, rows = share_rows([group("a")], ["model"])
    assert header == ["model", "strategy", "share", "±", "interval", "counted: best", "confident"]
    assert rows[0] == ["a", "ALLC", "60.0", "5.0", "50.0–70.0", "70.0", "40.0"]
    assert rows[2] == ["a", "TFT", "0.0", "–", "–", "0.0", "0.0"]
    header, rows = share_rows([group(tremble=(TREMBLE,) * 3, counted=False)], [])
    assert header == ["strategy", "share", "±", "interval", "tremble", "± "]
    assert rows[0][-2:] == ["0.083", "0.004"]


def test_tests_in_words():
    tests = [
        GroupTest("shares and tremble", (0, 1), 30.0, 3, 1e-6, True, 0.01, 99),
        GroupTest("tremble", (0, 1), 1.0, 1, 0.317, False),
    ]
    assert group_test_sentences(tests, ["model"], 0.95) == [
        "Shares and tremble differ by model: likelihood ratio chi-square(3) = 30, p < 0.0001 "
        "(rough: an estimate lies on its boundary); 99 permutations p = 0.0100",
        "No evidence that tremble differs by model: likelihood ratio chi-square(1) = 1, p = 0.32",
    ]
    (line,) = group_test_sentences(tests[1:], ["model"], 0.95, clustered=True)
    assert line.endswith("p = 0.32 (rough: subjects of one cluster are taken as independent)")


def test_counting_labels():
    found = Counted.of({"TFT": 2, "ALLD": 1, "ALLC": 1}, {"TFT": 1, "ALLD": 1})
    assert found == Counted(
        4, {"ALLC": 0.25, "ALLD": 0.25, "TFT": 0.5}, {"ALLC": 0, "ALLD": 0.25, "TFT": 0.25}
    )
    assert Counted.of({}, {}) == Counted(0, {}, {})
