"""What ``--json`` prints of gamma-bench."""

from __future__ import annotations

from intent.schema.json_of_runs import DRY_RUN, SESSION

__all__ = ["BENCH"]

BENCH: dict[str, dict[str, str]] = {
    "bench_score": {
        "scores": "list of file, game, score (0 to 100), other (under the other scoring), scoring, model, "
        "setting (default, or parameters that are not the paper's), seats (shares by seat; null where the "
        "score is no mean over seats), rounds, n_players, run, game_id, conditions, note",
        "scoring": "code (what published numbers use) or paper (equation 1)",
        "rejects": "list of file, reason: what could not be scored",
        "notes": "what a reader should be warned of",
    },
    "bench_leaderboard": {
        "leaderboard": "list of rank, model, games and families (name -> mean, sd over runs or null, n), "
        "overall (so too; null where no run has all games), missing (games without a score)",
        "scoring": "as in `bench_score`",
        "rejects": "as in `bench_score`",
        "notes": "what a reader should be warned of",
    },
    "bench_run": {
        **SESSION,
        "name": "of the benchmark",
        "cooperation_rate": "share of moves that cooperate, in the diner's dilemma alone",
        "labels": "null",
        "comparisons": "files of scores and of the leaderboard within the run folder",
        "figures": "files within the run folder",
        "scores": "list of model (or who sits at a mixed table, with the levels of what varies), game, "
        "setting, n (tables), mean, sd (sample deviation; null of one table), paper (mean as the paper "
        "writes the score)",
        "leaderboard": "list as in `bench_leaderboard`, of the settings that the benchmark has where its "
        "parameters are not varied",
        "run_id": "of the tracked run; null where it was not tracked",
        "notes": "what a reader should be warned of",
    },
    "bench_dry_run": {
        **DRY_RUN,
        "name": "of the benchmark",
        "n_conditions": "conditions, every game and setting with every model counted",
        "repetitions": "tables per condition",
        "n_games": "tables in all",
        "calls": "calls of language models, expected: all play the equilibrium, every reply can be read",
        "most_calls": "calls if no reply could be read and sequential games took their longest",
        "reply_tokens": "estimate: max_tokens, or 16 a reply, 150 with a chain of thought; no reasoning",
        "budget": "that of the benchmark",
        "models": "language models, by the names in the benchmark",
        "prompts": "list of levels, seat, role, stage, text, tools: of every condition, the second request "
        "to a seat, after equilibrium play",
    },
    "bench_questionnaire": {
        "path": "the folder",
        "model": "the model asked",
        "items": "their number",
        "repetitions": "how often each was asked",
        "scores": "list of subscale, mean and sd over repetitions (n - 1; null without), n (repetitions "
        "with an answer)",
        "unread": "items times repetitions that no reply could be read of",
        "refused": "replies that were refused and asked for again",
        "notes": "what a reader should be warned of",
    },
    "bench_analyse": {
        "by": "factors whose levels are compared",
        "scoring": "as in `bench_score`",
        "n": "scored games",
        "differences": "list of factor, first, second, within (conditions of both), game (or overall: the "
        "mean over games), estimate (first less second), low, high, p, p_adjusted (Holm), least_p (the "
        "smallest that so many pairs can give), n (of both), paired (by setting, repetition and all other "
        "conditions), exact",
        "contamination": "such a list: the original game less the same game told as a story, within each "
        "model",
        "regret": "list of group, game, n_games, regret (payoff that the best reply would have added), "
        "relative (to what was at stake), best (share of best replies), each estimate, low, high, n (moves)",
        "levels": "list of group, ratio, low, high, n_subjects, n_guesses, first_mean, human_mean, "
        "human_source, nearest (level -> share of first guesses), depth, shares (type -> share of players), "
        "error, sd, best (type -> players), tau (mean steps of thinking), tau_se, tau_of_mean, human_tau",
        "notes": "what a reader should be warned of",
    },
}
"""Command -> keys of its JSON object, with their meaning."""
