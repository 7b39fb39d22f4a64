"""Works that a methods text cites, each with the name that the text gives it and its BibTeX entry."""

from __future__ import annotations

__all__ = ["WORKS"]


def _work(key: str, authors: str, title: str, journal: str, volume: str, pages: str, year: int) -> str:
    kind, where = ("article", "journal") if volume else ("book", "publisher")
    lines = [f"  author = {{{authors}}}", f"  title = {{{title}}}", f"  {where} = {{{journal}}}"]
    lines += [f"  volume = {{{volume}}}", f"  pages = {{{pages}}}"] if volume else []
    return f"@{kind}{{{key},\n" + ",\n".join([*lines, f"  year = {{{year}}}"]) + "\n}"


WORKS: dict[str, tuple[str, str]] = {
    "dalbo2011": (
        "Dal Bó & Fréchette, 2011",
        _work(
            "dalbo2011",
            "Dal B{\\'o}, Pedro and Fr{\\'e}chette, Guillaume R.",
            "The Evolution of Cooperation in Infinitely Repeated Games: Experimental Evidence",
            "American Economic Review",
            "101",
            "411--429",
            2011,
        ),
    ),
    "cameron2008": (
        "Cameron, Gelbach & Miller, 2008",
        _work(
            "cameron2008",
            "Cameron, A. Colin and Gelbach, Jonah B. and Miller, Douglas L.",
            "Bootstrap-Based Improvements for Inference with Clustered Errors",
            "Review of Economics and Statistics",
            "90",
            "414--427",
            2008,
        ),
    ),
    "wilson1927": (
        "Wilson, 1927",
        _work(
            "wilson1927",
            "Wilson, Edwin B.",
            "Probable Inference, the Law of Succession, and Statistical Inference",
            "Journal of the American Statistical Association",
            "22",
            "209--212",
            1927,
        ),
    ),
    "kish1965": ("Kish, 1965", _work("kish1965", "Kish, Leslie", "Survey Sampling", "Wiley", "", "", 1965)),
    "pesarin2010": (
        "Pesarin & Salmaso, 2010",
        _work(
            "pesarin2010",
            "Pesarin, Fortunato and Salmaso, Luigi",
            "Permutation Tests for Complex Data",
            "Wiley",
            "",
            "",
            2010,
        ),
    ),
    "mantel1959": (
        "Mantel & Haenszel, 1959",
        _work(
            "mantel1959",
            "Mantel, Nathan and Haenszel, William",
            "Statistical Aspects of the Analysis of Data From Retrospective Studies of Disease",
            "Journal of the National Cancer Institute",
            "22",
            "719--748",
            1959,
        ),
    ),
    "phipson2010": (
        "Phipson & Smyth, 2010",
        _work(
            "phipson2010",
            "Phipson, Belinda and Smyth, Gordon K.",
            "Permutation P-values Should Never Be Zero",
            "Statistical Applications in Genetics and Molecular Biology",
            "9",
            "39",
            2010,
        ),
    ),
    "holm1979": (
        "Holm, 1979",
        _work(
            "holm1979",
            "Holm, Sture",
            "A Simple Sequentially Rejective Multiple Test Procedure",
            "Scandinavian Journal of Statistics",
            "6",
            "65--70",
            1979,
        ),
    ),
    "benjamini1995": (
        "Benjamini & Hochberg, 1995",
        _work(
            "benjamini1995",
            "Benjamini, Yoav and Hochberg, Yosef",
            "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple Testing",
            "Journal of the Royal Statistical Society B",
            "57",
            "289--300",
            1995,
        ),
    ),
    "mcfadden1974": (
        "McFadden, 1974",
        _work(
            "mcfadden1974",
            "McFadden, Daniel",
            "Conditional Logit Analysis of Qualitative Choice Behavior (in Frontiers in Econometrics)",
            "Academic Press",
            "",
            "",
            1974,
        ),
    ),
}
"""Key -> how the text names a work, and its BibTeX entry."""
