"""What ``--json`` prints of comparisons, metrics and figures."""

from __future__ import annotations

__all__ = ["ANALYSIS"]

ANALYSIS: dict[str, dict[str, str]] = {
    "compare": {
        "by": "columns that make the groups",
        "count": "estimate, or how labels are counted (or metric: name of the numeric column)",
        "unit": "what is taken as independent: sessions, subjects, conditions, games, ...",
        "groups": "list of group, n, n_effective, shares or mean with estimate, low, high (and se where "
        "estimated), and quality: shares of defaulted, missing and refused moves, null without the log",
        "tests": "list of factor, test (chi_square, anova, permutation, permutation_within, "
        "wald, likelihood_ratio), statistic, df, p, p_adjusted (Holm), p_fdr (Benjamini and Hochberg), "
        "effect (Cramér's V, eta squared, or of estimates the largest difference of a share), unit, "
        "question, permutations (how many were made), p_wild (wild cluster bootstrap, where a group has 5 to "
        "19 clusters)",
        "headline": "one for each factor: factor, p, test, unit, question (what the claim is about, as in "
        "conditions like these), sentence; p_adjusted, and narrower: p, p_adjusted, test, unit, question of "
        "the claim about these very conditions (null where there is one claim)",
    },
    "metrics": {
        "path": "the table; null where none was asked for",
        "n": "trajectories",
        "n_games": "games they come from",
        "by": "columns that make the groups",
        "groups": "list of group, n, n_games, and per metric estimate, low, high, n (trajectories with an "
        "occasion), estimate_with_occasion",
        "questions": "list of group, question, n, correct, misunderstood, each with estimate, low, high",
        "skipped": "reason -> number of games without rows",
        "unit": "what intervals take as independent: sessions, subjects, conditions, games",
        "unit_line": "which unit that is and why, in a sentence",
    },
    "explain": {
        "target": "the metric that is explained",
        "n": "rows it was fitted to",
        "trees": "of the forest",
        "ranking": "list of feature, mean_abs_shap, share, rank_low, rank_high (over seeds), levels "
        "(level -> mean_shap, mean_target, n)",
        "r2_in": "R2 on the rows it was fitted to; null where the target does not vary",
        "r2_out": "R2 on rows left out (cross-validated)",
        "stability": "over seeds: seeds, rank_correlation (mean Kendall's tau of rankings), r2_in, r2_out "
        "(mean, low, high)",
        "figures": "files",
        "notes": "what a reader should be warned of",
    },
    "results": {
        "paper": "whose tables and figures these are",
        "path": "the folder",
        "tables": "list of name, file, title, published (the paper's table or figure)",
        "figures": "list of name, file, title, published",
        "verdicts": "list of hypothesis, claim, criterion, verdict (supported, not supported, undecided), "
        "evidence, published (the paper's own verdict, null without one), beside (verdict, evidence: of what "
        "bears on it and decides nothing; null without)",
        "skipped": "list of name, why",
        "notes": "what a reader should be warned of",
    },
    "sampling": {
        "path": "the folder",
        "model": "the model asked",
        "distributions": "list of distribution, parameters, default_parameters, n, n_read, ks (statistic, "
        "p), chi_square (statistic, df, p), outside (impossible values), mean, sd, distinct, lag_1, "
        "grain (step of rounding, 0 for none), "
        "compatible, and honest: the same of an honest sampler",
        "verdict": "all, some or none compatible with what was asked, or undecided",
        "notes": "what a reader should be warned of",
    },
    "figures": {
        "folder": "where they are",
        "by": "columns that make panels or lines",
        "figures": "list of name, game (null for a result table), file, table (names within the folder), "
        "n_games (null where the table does not say); of the radar also outcome (payoff or cooperation) and "
        "missing (axis -> why it cannot be drawn)",
        "skipped": "list of name, game, why: figures that cannot be made of this play or table",
        "notes": "what a reader should be warned of",
    },
    "figure_list": {
        "figures": "list of name, shows, needs (log, or a kind of result table), made_by (the command that "
        "writes what is needed), command (that draws it)",
    },
    "report": {
        "path": "the page",
        "sections": "titles of its sections, in order",
        "n_games": "games that it is on (null where labels per player do not say)",
        "n": "labelled trajectories",
        "bytes": "its size",
        "seconds": "time that it took",
        "notes": "what a reader should be warned of",
        "findings": "differences, ranked: list of sentence, kind (rate, share or interaction), factors, "
        "levels (highest, lowest), estimate, low, high (percentage points; simultaneous interval), p, "
        "p_adjusted (Holm over all questions), unit, question, counted, outcome (strategies), effects (of "
        "an interaction, by "
        "level), reverses, n_compared, game, games (game_id of games that show it)",
    },
    "power": {
        "kind": "shares or mean",
        "difference": "true difference between the two groups",
        "design_effect": "rows over the independent rows that they are worth",
        "alpha": "level of the test",
        "shares": "strategy -> true share in the first and in the second group (empty for a mean)",
        "rounds": "list of rounds, confident (share of labels that are a strategy), recognised (of the "
        "strategy's own play; both null but for counted labels), seen (difference as it is estimated or "
        "counted), games_needed (power -> games per group; null where no number is enough), checked (target, "
        "games, power, se, studies: the number for the first power, really played)",
        "rows": "list of rounds, games (per group), power (off a curve), simulated (or null)",
        "design": "what was played: opponent, seats, icc, repeats, spread, games_per_subject, eps, count "
        "(null for a mean)",
        "notes": "what a reader should be warned of",
    },
}
"""Command -> keys of its JSON object, with their meaning."""
