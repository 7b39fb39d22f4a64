"""Names, synonyms, parameters and sets."""

from __future__ import annotations

import pytest

from intent.base.errors import StrategyError, UnknownNameError
from intent.strategies.catalogue import CATALOGUE, SETS, catalogue, strategy
from intent.strategies.sets import strategy_set


def names(selection) -> str:
    return " ".join(s.name for s in strategy_set(selection))


def test_catalogue_order_breaks_ties_so_it_is_pinned():
    assert " ".join(s.name for s in catalogue()) == (
        "ALLC ALLD RANDOM TFT DTFT WSLS GTFT GRIM GRUDGER GRIM2 GRIM3 TF2T TF3T 2TFT 2TF2T T2 "
        "2WSLS CTOD DC FBF EXTORT2 ZDGTFT2 BULLY DTF2T DTF3T DGRIM2 DGRIM3"
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Pavlov", "WSLS"),
        ("PTFT", "WSLS"),
        ("2ptft", "2WSLS"),
        ("STFT", "DTFT"),
        ("Tit for Tat", "TFT"),
        ("  tft ", "TFT"),
        ("alternator", "DC"),
        ("firm but fair", "FBF"),
        ("reverse tit for tat", "BULLY"),
    ],
)
def test_names_in_the_literature(text, name):
    assert strategy(text) is CATALOGUE[name]


@pytest.mark.parametrize(
    ("text", "vector"),
    [("GTFT(0.1)", (1, 1, 0.1, 1, 0.1)), ("random(0.7)", (0.7,) * 5), ("GTFT(0)", (1, 1, 0, 1, 0))],
)
def test_parameters_in_the_name(text, vector):
    found = strategy(text)
    assert found.memory_one_vector() == vector
    assert found.name == text.upper()


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("GTFT(2)", StrategyError, r"parameter of 'GTFT\(2\)' is 2, expected a probability in \[0, 1\]"),
        ("GTFT(nan)", StrategyError, "expected a probability"),
        ("GTFT(often)", StrategyError, "expected a probability"),
        ("GTFT(0.1", UnknownNameError, "unknown strategy"),
        ("TFT(0.1)", UnknownNameError, "unknown strategy"),
        ("GTFF", UnknownNameError, r"unknown strategy 'GTFF'; did you mean GTFT"),
        ("grimm", UnknownNameError, "did you mean GRIM"),
        ("", UnknownNameError, "known: ALLC"),
    ],
)
def test_names_that_are_none(text, error, message):
    with pytest.raises(error, match=message):
        strategy(text)


@pytest.mark.parametrize(
    ("name", "members"),
    [
        ("canonical4", "ALLC ALLD TFT WSLS"),
        ("canonical5", "ALLC ALLD TFT WSLS GTFT"),
        ("canonical6", "ALLC ALLD TFT WSLS GTFT GRUDGER"),
        ("df2011", "ALLD ALLC GRIM TFT WSLS T2"),
        (
            "rr20",
            "ALLC ALLD TFT DTFT TF2T TF3T 2TFT 2TF2T T2 GRIM GRIM2 GRIM3 "
            "WSLS 2WSLS CTOD DTF2T DTF3T DGRIM2 DGRIM3 DC",
        ),
        ("all", " ".join(CATALOGUE)),
    ],
)
def test_named_sets(name, members):
    assert names(name) == members


def test_only_rr20_remembers_intentions():
    for name in SETS:
        assert {s.memory for s in strategy_set(name)} == {"intended" if name == "rr20" else "realised"}


@pytest.mark.parametrize("selection", ["TFT, pavlov,GTFT(0.1)", ["TFT", CATALOGUE["WSLS"], "gtft(0.1)"]])
def test_lists_of_strategies(selection):
    assert names(selection) == "TFT WSLS GTFT(0.1)"


@pytest.mark.parametrize(
    ("selection", "message"),
    [("", "no strategy given"), ([], "no strategy given"), ("TFT,WSLS,tft", "listed twice: TFT")],
)
def test_lists_that_are_none(selection, message):
    with pytest.raises(StrategyError, match=message):
        strategy_set(selection)


def test_a_misspelt_set_suggests_the_set():
    with pytest.raises(UnknownNameError, match="did you mean canonical4"):
        strategy_set("cannonical4")
