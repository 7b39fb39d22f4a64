"""How a comparison was made, as a paragraph for the methods section, and the works that it cites.

Works that texts on methods cite: as a text names them, as a list of references prints them, as BibTeX.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from intent.comparison.share_tests import Comparison

__all__ = ["WORKS", "Work", "bibliography", "methods_text"]


_ACCENTS = {"á": r"{\'a}", "é": r"{\'e}", "ó": r"{\'o}"}


@dataclass(frozen=True)
class Work:
    """A cited work.

    Parameters
    ----------
    key : str
        Of BibTeX.
    named : str
        As a text cites it.
    authors : tuple of "family, given"
    title : str
    where : str
        Journal; of a book the publisher.
    year : int
    volume, pages : str
        Empty for a book; pages as ``65-70``.
    """

    key: str
    named: str
    authors: tuple[str, ...]
    title: str
    where: str
    year: int
    volume: str = ""
    pages: str = ""

    @property
    def bibtex(self) -> str:
        """The entry for a bibliography."""
        kind, place = ("article", "journal") if self.volume else ("book", "publisher")
        authors = " and ".join(self.authors)
        for letter, written in _ACCENTS.items():
            authors = authors.replace(letter, written)
        where = self.where.replace("&", r"\&")
        lines = [f"  author = {{{authors}}}", f"  title = {{{self.title}}}", f"  {place} = {{{where}}}"]
        if self.volume:
            lines += [f"  volume = {{{self.volume}}}", f"  pages = {{{self.pages.replace('-', '--')}}}"]
        return f"@{kind}{{{self.key},\n" + ",\n".join([*lines, f"  year = {{{self.year}}}"]) + "\n}"

    @property
    def printed(self) -> str:
        """The line of a list of references."""
        place = f"{self.where} {self.volume}:{self.pages.replace('-', '–')}" if self.volume else self.where
        *first, last = self.authors
        authors = f"{', '.join(first)} & {last}" if first else last
        return f"{authors} ({self.year}). {self.title}. {place}."


WORKS: dict[str, Work] = {
    work.key: work
    for work in (
        Work(
            "dalbo2011",
            "Dal Bó & Fréchette, 2011",
            ("Dal Bó, Pedro", "Fréchette, Guillaume R."),
            "The Evolution of Cooperation in Infinitely Repeated Games: Experimental Evidence",
            "American Economic Review",
            2011,
            "101",
            "411-429",
        ),
        Work(
            "cameron2008",
            "Cameron, Gelbach & Miller, 2008",
            ("Cameron, A. Colin", "Gelbach, Jonah B.", "Miller, Douglas L."),
            "Bootstrap-Based Improvements for Inference with Clustered Errors",
            "Review of Economics and Statistics",
            2008,
            "90",
            "414-427",
        ),
        Work(
            "wilson1927",
            "Wilson, 1927",
            ("Wilson, Edwin B.",),
            "Probable Inference, the Law of Succession, and Statistical Inference",
            "Journal of the American Statistical Association",
            1927,
            "22",
            "209-212",
        ),
        Work(
            "clopper1934",
            "Clopper & Pearson, 1934",
            ("Clopper, C. J.", "Pearson, E. S."),
            "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
            "Biometrika",
            1934,
            "26",
            "404-413",
        ),
        Work("kish1965", "Kish, 1965", ("Kish, Leslie",), "Survey Sampling", "Wiley", 1965),
        Work(
            "pesarin2010",
            "Pesarin & Salmaso, 2010",
            ("Pesarin, Fortunato", "Salmaso, Luigi"),
            "Permutation Tests for Complex Data",
            "Wiley",
            2010,
        ),
        Work(
            "mantel1959",
            "Mantel & Haenszel, 1959",
            ("Mantel, Nathan", "Haenszel, William"),
            "Statistical Aspects of the Analysis of Data From Retrospective Studies of Disease",
            "Journal of the National Cancer Institute",
            1959,
            "22",
            "719-748",
        ),
        Work(
            "phipson2010",
            "Phipson & Smyth, 2010",
            ("Phipson, Belinda", "Smyth, Gordon K."),
            "Permutation P-values Should Never Be Zero",
            "Statistical Applications in Genetics and Molecular Biology",
            2010,
            "9",
            "39",
        ),
        Work(
            "chung2013",
            "Chung & Romano, 2013",
            ("Chung, EunYi", "Romano, Joseph P."),
            "Exact and Asymptotically Robust Permutation Tests",
            "The Annals of Statistics",
            2013,
            "41",
            "484-507",
        ),
        Work(
            "diciccio2017",
            "DiCiccio & Romano, 2017",
            ("DiCiccio, Cyrus J.", "Romano, Joseph P."),
            "Robust Permutation Tests for Correlation and Regression Coefficients",
            "Journal of the American Statistical Association",
            2017,
            "112",
            "1211-1220",
        ),
        Work(
            "cameron2011",
            "Cameron, Gelbach & Miller, 2011",
            ("Cameron, A. Colin", "Gelbach, Jonah B.", "Miller, Douglas L."),
            "Robust Inference With Multiway Clustering",
            "Journal of Business & Economic Statistics",
            2011,
            "29",
            "238-249",
        ),
        Work(
            "hothorn2008",
            "Hothorn, Bretz & Westfall, 2008",
            ("Hothorn, Torsten", "Bretz, Frank", "Westfall, Peter"),
            "Simultaneous Inference in General Parametric Models",
            "Biometrical Journal",
            2008,
            "50",
            "346-363",
        ),
        Work(
            "holm1979",
            "Holm, 1979",
            ("Holm, Sture",),
            "A Simple Sequentially Rejective Multiple Test Procedure",
            "Scandinavian Journal of Statistics",
            1979,
            "6",
            "65-70",
        ),
        Work(
            "benjamini1995",
            "Benjamini & Hochberg, 1995",
            ("Benjamini, Yoav", "Hochberg, Yosef"),
            "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing",
            "Journal of the Royal Statistical Society B",
            1995,
            "57",
            "289-300",
        ),
        Work(
            "mcfadden1974",
            "McFadden, 1974",
            ("McFadden, Daniel",),
            "Conditional Logit Analysis of Qualitative Choice Behavior (in Frontiers in Econometrics)",
            "Academic Press",
            1974,
        ),
        Work(
            "boos1992",
            "Boos, 1992",
            ("Boos, Dennis D.",),
            "On Generalized Score Tests",
            "The American Statistician",
            1992,
            "46",
            "327-333",
        ),
        Work(
            "pustejovsky2018",
            "Pustejovsky & Tipton, 2018",
            ("Pustejovsky, James E.", "Tipton, Elizabeth"),
            "Small-Sample Methods for Cluster-Robust Variance Estimation and Hypothesis Testing in Fixed "
            "Effects Models",
            "Journal of Business & Economic Statistics",
            2018,
            "36",
            "672-683",
        ),
        Work(
            "self1987",
            "Self & Liang, 1987",
            ("Self, Steven G.", "Liang, Kung-Yee"),
            "Asymptotic Properties of Maximum Likelihood Estimators and Likelihood Ratio Tests Under "
            "Nonstandard Conditions",
            "Journal of the American Statistical Association",
            1987,
            "82",
            "605-610",
        ),
        Work(
            "vermunt2010",
            "Vermunt, 2010",
            ("Vermunt, Jeroen K.",),
            "Latent Class Modeling with Covariates: Two Improved Three-Step Approaches",
            "Political Analysis",
            2010,
            "18",
            "450-469",
        ),
        Work(
            "rotnitzky1990",
            "Rotnitzky & Jewell, 1990",
            ("Rotnitzky, Andrea", "Jewell, Nicholas P."),
            "Hypothesis Testing of Regression Parameters in Semiparametric Generalized Linear Models for "
            "Cluster Correlated Data",
            "Biometrika",
            1990,
            "77",
            "485-497",
        ),
        Work(
            "newcombe1998",
            "Newcombe, 1998",
            ("Newcombe, Robert G.",),
            "Interval Estimation for the Difference Between Independent Proportions: Comparison of Eleven "
            "Methods",
            "Statistics in Medicine",
            1998,
            "17",
            "873-890",
        ),
        Work(
            "agresti2005",
            "Agresti & Min, 2005",
            ("Agresti, Alan", "Min, Yongyi"),
            "Simple Improved Confidence Intervals for Comparing Matched Proportions",
            "Statistics in Medicine",
            2005,
            "24",
            "729-740",
        ),
        Work(
            "efron1993",
            "Efron & Tibshirani, 1993",
            ("Efron, Bradley", "Tibshirani, Robert J."),
            "An Introduction to the Bootstrap",
            "Chapman & Hall",
            1993,
        ),
        Work(
            "franco2019",
            "Franco et al., 2019",
            ("Franco, Carolina", "Little, Roderick J. A.", "Louis, Thomas A.", "Slud, Eric V."),
            "Comparative Study of Confidence Intervals for Proportions in Complex Sample Surveys",
            "Journal of Survey Statistics and Methodology",
            2019,
            "7",
            "334-364",
        ),
        Work(
            "cramer1946",
            "Cramér, 1946",
            ("Cramér, Harald",),
            "Mathematical Methods of Statistics",
            "Princeton University Press",
            1946,
        ),
        Work(
            "fudenberg2012",
            "Fudenberg, Rand & Dreber, 2012",
            ("Fudenberg, Drew", "Rand, David G.", "Dreber, Anna"),
            "Slow to Anger and Fast to Forgive: Cooperation in an Uncertain World",
            "American Economic Review",
            2012,
            "102",
            "720-749",
        ),
    )
}
"""Key -> the work."""


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
