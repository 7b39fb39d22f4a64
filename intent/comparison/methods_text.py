"""How a comparison was made, as a paragraph for the methods section, and the works that it cites."""

from __future__ import annotations

import re
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


_WORK = re.compile(rf"\[({'|'.join(WORKS)})\]")


def methods_text(comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]) -> str:
    """The paragraph, with works named by author and year.

    Parameters
    ----------
    comparison : Comparison
    config : settings of the result
    kinds : names of the tests and options that were used
    """
    text = " ".join(_sentences(comparison, config, kinds))
    return _WORK.sub(lambda mark: WORKS[mark[1]].named, text)


def bibliography(comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]) -> list[str]:
    """BibTeX of the works that `methods_text` cites, in their order."""
    keys = _WORK.findall(" ".join(_sentences(comparison, config, kinds)))
    return [WORKS[key].bibtex for key in dict.fromkeys(keys)]


def _sentences(comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]) -> list[str]:
    """What the paragraph says, with the keys of works in square brackets."""
    unit, level = comparison.unit, f"{comparison.level * 100:g} %"
    choice = f" Rows were kept where {'; '.join(config['kept'])}." if config.get("kept") else ""
    sentences = [_measured(comparison, config)]
    if comparison.count == "estimate":
        sentences.append(
            f"Intervals ({level}) of shares are Wilson's ([wilson1927]) for as many observations as a "
            f"covariance clustered by {unit} says they are worth; a share of exactly 0 or 1 reaches as far "
            "as its profile likelihood lets it. The interval of the widest range holds together with those "
            f"of all ranges ([hothorn2008]).{choice}"
        )
    elif comparison.metric is None or comparison.bounded:
        what = "shares" if comparison.metric is None else "means, which lie between 0 and 1,"
        widest = (
            "; those of differences are put together from both intervals ([newcombe1998]) at the level that "
            "makes all ranges hold together ([hothorn2008])"
        )
        sentences.append(
            f"Intervals ({level}) of {what} are Wilson's with the effective number of trajectories, the "
            f"number over the design effect of {unit}, and Student's t ([wilson1927]; [kish1965]; "
            f"[franco2019]); those of {what.split(',')[0]} of exactly 0 or 1 are exact for as many "
            f"observations as there are {unit} ([clopper1934]){widest if 'widest' in kinds else ''}.{choice}"
        )
    else:
        sentences.append(
            f"Intervals ({level}) of means resample whole {unit} ({config['bootstrap']:,} bootstrap samples; "
            "[cameron2008]); effective numbers are numbers over the design effect ([kish1965])."
            f"{choice}"
        )
    sentences += _tests(comparison, config, kinds)
    if "model" in kinds and comparison.metric is None:
        sentences.append(
            "Factors were also fitted together by a multinomial logit of "
            f"{'class membership' if comparison.count == 'estimate' else 'labels'} ([mcfadden1974]) with "
            f"standard errors clustered by {unit}; terms were tested by generalised score tests ([boos1992]) "
            f"with the effective number of {unit} ([pustejovsky2018])."
        )
    elif "model" in kinds:
        sentences.append(
            f"Factors were also fitted together by least squares with errors clustered by {unit}; terms were "
            "tested by generalised score tests ([boos1992]) with the degrees of freedom of the approximate "
            "Hotelling test ([pustejovsky2018])."
        )
    if "seats" in kinds:
        pairs = " (outcomes with a pair added each way, [agresti2005])" if comparison.count else ""
        sentences.append(
            "First and second seats were compared within games whose seats are otherwise alike, by random "
            f"flips of the signs of differences ([pesarin2010]), with t intervals{pairs}."
        )
    if "sensitivity" in kinds:
        sentences.append(
            "As a check, all play was labelled anew under other thresholds, noise levels, priors and rules "
            "for ties, one at a time, and each test repeated."
        )
    version = config.get("version")
    return [*sentences, f"Analyses were made with intent{f' {version}' if version else ''}."]


def _measured(comparison: Comparison, config: Mapping[str, Any]) -> str:
    if comparison.metric is not None:
        return f"We compared the mean of {comparison.metric} over trajectories (one seat of one game)."
    labels = config.get("labels") or {}
    classes = ", ".join(map(str, config.get("strategies") or labels.get("classes", ())))
    of = f" among {classes}" if classes else ""
    if comparison.count == "estimate":
        return (
            f"Shares of strategies{of} were estimated by maximum likelihood in each group, as a finite "
            "mixture with a tremble of its own (strategy frequency estimation; [dalbo2011]), since counts of "
            "assigned labels also vary with noise and opponents ([vermunt2010])."
        )
    eps, threshold, alpha = (labels.get(name) for name in ("eps", "threshold", "alpha"))
    noise = f" at an execution noise of {eps:g} per move" if isinstance(eps, int | float) else ""
    noise = " with the execution noise integrated out" if eps == "integrate" else noise
    how = f"Each trajectory was labelled with its posterior over strategies{of}{noise}" if labels else ""
    sure = ""
    if isinstance(threshold, int | float) and isinstance(alpha, int | float):
        sure = (
            f", a label being confident above a posterior of {threshold:g} unless a test of fit rejected it "
            f"at {alpha:g} or another strategy explained the play equally well"
        )
    counted = _upper(_COUNTS[str(comparison.count)])
    return f"{how}{sure}. {counted}." if how else f"{counted}."


def _tests(comparison: Comparison, config: Mapping[str, Any], kinds: Collection[str]) -> list[str]:
    sentences = []
    done = [test.permutations for test in comparison.tests if test.permutations]
    n = f"{max(done, default=0):,}"
    if len(set(done)) > 1:
        n = f"{min(done):,} to {n}"
    robust = (
        f"of a statistic that is studentised by the covariance of {comparison.unit}, which holds where "
        "groups differ in it ([chung2013]; [diciccio2017])"
    )
    if "permutation_within" in kinds:
        equal = "; ".join(
            f"{one.factor.replace(',', ' and ')} at equal {', '.join(one.columns)}"
            for one in comparison.within
        )
        sentences.append(
            f"Differences were tested by permuting factors between {comparison.unit} within blocks ({equal}; "
            f"differences pooled over blocks, [mantel1959]; {n} permutations; p as [phipson2010]) {robust}."
        )
    elif "permutation" in kinds and comparison.count != "estimate":
        sentences.append(
            f"Differences were tested by permuting factors between {comparison.unit} ({n} permutations; p as "
            f"[phipson2010]) {robust}."
        )
    elif "wald" in kinds:
        sentences.append(
            f"Differences were tested by Wald's F with the covariance of {comparison.unit} and of games "
            "together ([cameron2011]), on one degree of freedom less than the fewer of both."
        )
    elif "likelihood_ratio" in kinds:
        sentences.append(
            "Equal shares were tested by a likelihood ratio, trembles free, against its distribution with "
            f"{comparison.unit} as independent units ([rotnitzky1990]) and shares that may be zero "
            "([self1987])."
        )
    if len({test.factor for test in comparison.tests}) > 1:
        sentences.append(
            "p-values are corrected by Holm's method ([holm1979]), and for the false discovery rate "
            "([benjamini1995])."
        )
    return sentences


def _upper(text: str) -> str:
    return text[0].upper() + text[1:]
