"""How a comparison was made, as a paragraph for the methods section, and the works that it cites."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from intent.base.citations import WORKS
from intent.comparison.share_tests import Comparison

__all__ = ["bibliography", "methods_text"]


_COUNTS = {
    "status": "each trajectory counted for its strategy where the label was confident, and else for the "
    "reason why it was not (ambiguous, low confidence, no fit)",
    "posterior": "each trajectory counted for every strategy with its posterior probability",
    "split": "each trajectory counted for its most probable strategy, ties being shared equally",
    "best": "each trajectory counted for its most probable strategy, ties going to the first in the "
    "catalogue",
}


def methods_text(comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]) -> str:
    """The paragraph, with works named by author and year.

    Parameters
    ----------
    comparison : Comparison
    config : settings of the result
    kinds : names of the tests and options that were used
    """
    return " ".join(text for text, _ in _parts(comparison, config, kinds))


def bibliography(comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]) -> list[str]:
    """BibTeX of the works that `methods_text` cites, in their order."""
    keys = dict.fromkeys(key for _, own in _parts(comparison, config, kinds) for key in own)
    return [WORKS[key].bibtex for key in keys]


def _parts(
    comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]
) -> list[tuple[str, tuple[str, ...]]]:
    """Sentences, each with the keys of what it cites."""
    unit = comparison.unit
    found = [_measured(comparison, config)]
    kept = f" Rows were kept where {'; '.join(config['kept'])}." if config.get("kept") else ""
    if comparison.count == "estimate":
        level = f"{comparison.level * 100:g} %"
        found.append(
            (
                f"Intervals ({level}) of shares are Wilson's ({_named('wilson1927')}) for as many "
                "observations "
                f"as a covariance clustered by {unit} says they are worth; a share of exactly 0 or 1 reaches "
                f"as far as its profile likelihood lets it. The interval of the widest range holds together "
                f"with those of all ranges ({_named('hothorn2008')}).{kept}",
                ("wilson1927", "hothorn2008"),
            )
        )
    else:
        level = f"{comparison.level * 100:g} %"
        if comparison.metric is None or comparison.bounded:
            what = "shares" if comparison.metric is None else "means, which lie between 0 and 1,"
            text = f"Intervals ({level}) of {what} are Wilson's with the effective number of trajectories, "
            cited: tuple[str, ...] = ("wilson1927", "kish1965", "franco2019", "clopper1934")
            named = (
                f"the number over the design effect of {unit}, and Student's t ({_named('wilson1927')}; "
                f"{_named('kish1965')}; {_named('franco2019')}); those of {what.split(',')[0]} of exactly 0 "
                f"or 1 are exact for as many observations as there are {unit} ({_named('clopper1934')})"
            )
        else:
            text = f"Intervals ({level}) of means resample whole {unit} "
            cited = ("cameron2008", "kish1965")
            named = (
                f"({config['bootstrap']:,} bootstrap samples; {_named('cameron2008')}); effective numbers "
            )
            named += f"are numbers over the design effect ({_named('kish1965')})"
        if "widest" in kinds and (comparison.metric is None or comparison.bounded):
            named += f"; those of differences are put together from both intervals ({_named('newcombe1998')})"
            named += f" at the level that makes all ranges hold together ({_named('hothorn2008')})"
            cited += ("newcombe1998", "hothorn2008")
        found.append((f"{text}{named}.{kept}", cited))
    found += _tests(comparison, config, kinds)
    if "model" in kinds and comparison.metric is None:
        found.append(
            (
                f"Factors were also fitted together by a multinomial logit of "
                f"{'class membership' if comparison.count == 'estimate' else 'labels'} "
                f"({_named('mcfadden1974')}) with standard errors clustered by {unit}; terms were tested by "
                f"generalised score tests ({_named('boos1992')}) with the effective number of {unit} "
                f"({_named('pustejovsky2018')}).",
                ("mcfadden1974", "boos1992", "pustejovsky2018"),
            )
        )
    elif "model" in kinds:
        found.append(
            (
                f"Factors were also fitted together by least squares with errors clustered by {unit}; terms "
                f"were tested by generalised score tests ({_named('boos1992')}) with the degrees of freedom "
                f"of the approximate Hotelling test ({_named('pustejovsky2018')}).",
                ("boos1992", "pustejovsky2018"),
            )
        )
    if "seats" in kinds:
        pairs = f" (outcomes with a pair added each way, {_named('agresti2005')})" if comparison.count else ""
        found.append(
            (
                "First and second seats were compared within games whose seats are otherwise alike, by "
                f"random flips of the signs of differences ({_named('pesarin2010')}), with t "
                f"intervals{pairs}.",
                ("pesarin2010", "agresti2005") if comparison.count else ("pesarin2010",),
            )
        )
    if "sensitivity" in kinds:
        found.append(
            (
                "As a check, all play was labelled anew under other thresholds, noise levels, priors and "
                "rules for ties, one at a time, and each test repeated.",
                (),
            )
        )
    version = config.get("version")
    found.append((f"Analyses were made with intent{f' {version}' if version else ''}.", ()))
    return found


def _measured(comparison: Comparison, config: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    if comparison.metric is not None:
        return f"We compared the mean of {comparison.metric} over trajectories (one seat of one game).", ()
    labels = config.get("labels") or {}
    classes = ", ".join(map(str, config.get("strategies") or labels.get("classes", ())))
    of = f" among {classes}" if classes else ""
    if comparison.count == "estimate":
        return (
            f"Shares of strategies{of} were estimated by maximum likelihood in each group, as a finite "
            f"mixture with a tremble of its own (strategy frequency estimation; {_named('dalbo2011')}), "
            f"since counts of assigned labels also vary with noise and opponents ({_named('vermunt2010')}).",
            ("dalbo2011", "vermunt2010"),
        )
    eps, threshold, alpha = (labels.get(name) for name in ("eps", "threshold", "alpha"))
    noise = f" at an execution noise of {eps:g} per move" if isinstance(eps, int | float) else ""
    noise = " with the execution noise integrated out" if eps == "integrate" else noise
    how = f"Each trajectory was labelled with its posterior over strategies{of}{noise}" if labels else ""
    sure = ""
    if isinstance(threshold, int | float) and isinstance(alpha, int | float):
        sure = (
            f", a label being confident above a posterior of {threshold:g} unless a test of fit rejected it "
        )
        sure += f"at {alpha:g} or another strategy explained the play equally well"
    counted = _COUNTS[str(comparison.count)]
    return f"{how}{sure}. {_upper(counted)}." if how else f"{_upper(counted)}.", ()


def _tests(
    comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]
) -> list[tuple[str, tuple[str, ...]]]:
    found: list[tuple[str, tuple[str, ...]]] = []
    done = [test.permutations for test in comparison.tests if test.permutations]
    n = f"{max(done, default=0):,}"
    if len(set(done)) > 1:
        n = f"{min(done):,} to {n}"
    robust = (
        f"of a statistic that is studentised by the covariance of {comparison.unit}, which holds where "
        f"groups differ in it ({_named('chung2013')}; {_named('diciccio2017')})"
    )
    if "permutation_within" in kinds:
        equal = "; ".join(
            f"{one.factor.replace(',', ' and ')} at equal {', '.join(one.columns)}"
            for one in comparison.within
        )
        found.append(
            (
                f"Differences were tested by permuting factors between {comparison.unit} within blocks "
                f"({equal}; differences pooled over blocks, {_named('mantel1959')}; {n} permutations; p as "
                f"{_named('phipson2010')}) {robust}.",
                ("phipson2010", "mantel1959", "chung2013", "diciccio2017"),
            )
        )
    elif "permutation" in kinds and comparison.count != "estimate":
        found.append(
            (
                f"Differences were tested by permuting factors between {comparison.unit} "
                f"({n} permutations; p as {_named('phipson2010')}) {robust}.",
                ("phipson2010", "chung2013", "diciccio2017"),
            )
        )
    elif "wald" in kinds:
        found.append(
            (
                f"Differences were tested by Wald's F with the covariance of {comparison.unit} and of games "
                f"together ({_named('cameron2011')}), on one degree of freedom less than the fewer of both.",
                ("cameron2011",),
            )
        )
    elif "likelihood_ratio" in kinds:
        found.append(
            (
                "Equal shares were tested by a likelihood ratio, trembles free, against its distribution "
                f"with {comparison.unit} as independent units ({_named('rotnitzky1990')}) and shares that "
                f"may be zero ({_named('self1987')}).",
                ("rotnitzky1990", "self1987"),
            )
        )
    if len({test.factor for test in comparison.tests}) > 1:
        found.append(
            (
                f"p-values are corrected by Holm's method ({_named('holm1979')}), and for the false "
                f"discovery rate ({_named('benjamini1995')}).",
                ("holm1979", "benjamini1995"),
            )
        )
    return found


def _named(key: str) -> str:
    return WORKS[key].named


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]
