"""Works that texts on methods cite: as a text names them, as a list of references prints them, as BibTeX."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["WORKS", "Work"]

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
