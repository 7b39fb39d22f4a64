"""The one JSON object that each command prints with ``--json``, behind ``codebook_version``.

What ``--json`` prints of runs, logs and games.

What ``--json`` prints of recognisers, labels and estimated shares.

What ``--json`` prints of comparisons, metrics and figures.

What ``--json`` prints of strategies, tournaments and evolution.

What ``--json`` prints of gamma-bench.
"""

from __future__ import annotations

__all__ = [
    "ANALYSIS",
    "ARENA",
    "BENCH",
    "DRY_RUN",
    "JSON_EXTRAS",
    "JSON_OBJECTS",
    "RECOGNITION",
    "RUNS",
    "SESSION",
]


SESSION = {
    "path": "the run folder",
    "name": "of the experiment",
    "run": "what the log calls the run",
    "state": "finished, stopped, or incomplete (games were set aside with an error)",
    "reason": "why it was stopped; null otherwise",
    "n_games": "games planned",
    "n_finished": "games that are over",
    "n_interrupted": "games set aside with an error",
    "n_moves": "moves of the finished games",
    "n_missing": "moves that no reply could be read for",
    "n_defaulted": "defaults in place of unreadable replies",
    "readable": "share of the moves of language models that come from a reply; null without one",
    "cooperation_rate": "share of moves that cooperate; null where undecidable",
    "players": "list of player, n_moves, readable, cooperation_rate, mean_payoff",
    "calls": "calls stored",
    "cached": "those of them that the cache answered",
    "resent": "calls that were in flight at a crash and sent again",
    "failures": "kind -> number of failed requests",
    "prompt_tokens": "as far as endpoints count them",
    "completion_tokens": "as far as endpoints count them",
    "cost": "of all calls; null without prices",
    "seconds": "time of play",
    "models": "list of player, models (snapshots), calls, prompt_tokens, completion_tokens, cost, "
    "seconds (mean)",
    "new_calls": "calls made now",
    "log": "the game log; null where no game is over",
}
"""What is said of a run at the end of a session: the first keys of several objects."""

DRY_RUN = {
    "name": "of the experiment",
    "n_conditions": "combinations of the grid",
    "repetitions": "games per condition",
    "n_games": "games in all",
    "decisions": "choices of all seats, expected",
    "calls": "calls of language models, expected, answers to questions included",
    "most_calls": "calls if no reply could be read",
    "prompt_tokens": "estimate",
    "reply_tokens": "estimate: max_tokens, or 16 a reply; no reasoning",
    "cost": "estimate; null where a price is missing",
    "budget": "that of the experiment",
    "models": "language models, by the names in the experiment",
    "contacts": "list of host, port, what, proxy: whom playing it would contact; empty for nobody",
    "conditions": "list of levels, game, players, n_games, decisions, calls, most_calls, prompt_tokens, "
    "reply_tokens, cost",
    "prompts": "list of levels, seat, role, stage, text, tools: the first prompt of each role and stage "
    "in round 2, after an invented round 1 and with … for replies that nobody gave",
    "matrix": "the information matrix, a list of role, stage, where (factor -> levels, of factors that "
    "matter), n_conditions, shows and withholds (facts), reasons, answers, order, conversation, tokens",
    "problems": "what keeps it from being played: prompts that are not what is declared, one line each",
    "notes": "what a reader should be warned of",
}
"""What playing would take."""

RUNS: dict[str, dict[str, str]] = {
    "play": {
        **SESSION,
        "labels": "what `intent label --json` prints; null without labels",
        "comparisons": "files within the run folder",
        "figures": "files within the run folder",
        "run_id": "of the tracked run; null where it was not tracked",
        "notes": "what a reader should be warned of",
    },
    "replicate": {
        "study": "name",
        "citation": "the paper",
        "variant": "paper, or a treatment that differs on purpose",
        "path": "folder with replication.html, .csv and .json",
        "plays": "list of file, path, games, cost, models: what was played, or read",
        "verdicts": "verdict -> number of printed numbers",
        "standing": "one sentence on what play of this size can and cannot show",
        "cells": "list of rows, as the table `replication` of the codebook",
        "effects": "list of what, size, otherwise, compared, changed, largest, where, verdicts: what was "
        "left out or kept, and what measuring it otherwise changes",
        "notes": "what a reader should be warned of",
    },
    "replicate_dry_run": {
        "study": "name",
        "variant": "paper, or a treatment that differs on purpose",
        "n_games": "games in all; null where a file cannot be counted",
        "calls": "calls expected; null likewise",
        "most_calls": "calls if no reply could be read; null likewise",
        "cost": "estimate; null where a price is missing",
        "plays": "list of file, counts (as of `dry_run`; null where they cannot be made), note (why not)",
        "roles": "with --seen: list of player, architecture, purpose, calls, prompt_tokens, reply_tokens, "
        "cost",
        "notes": "what a reader should be warned of",
    },
    "dry_run": DRY_RUN,
    "status": {
        "path": "the run folder",
        "name": "of the experiment",
        "state": "playing, stopped or finished",
        "run": "what the log calls the run",
        "games": "games planned",
        "finished": "games that are over",
        "in_progress": "games begun and not over",
        "interrupted": "games set aside with an error",
        "waiting": "games not begun",
        "progress": "share of the expected rounds that have been played",
        "calls": "calls stored",
        "cached": "those of them that the cache answered",
        "resent": "calls sent again after a crash",
        "in_flight": "calls sent and not answered yet",
        "retried": "stored calls that took more than one request",
        "failures": "kind -> number of failed requests",
        "errors": "list of game_id, error: the first 20 games set aside",
        "models": "list of player, models, calls, cached, prompt_tokens, completion_tokens, cost, seconds",
        "cost": "of all calls with a price; null without prices",
        "calls_per_second": "in the last minute of play",
        "seconds": "time of play in all sessions",
        "eta": "seconds to go at this speed; null while nobody plays",
        "stopped": "why it was last stopped; null while it is played",
    },
    "export": {
        "path": "the log; null where none was asked for",
        "format": "gamelog, dataset, stratest, fairgame, inspect or compact",
        "n_games": "games written",
        "calls": "the table of calls; null where none was asked for",
        "n_calls": "calls written",
        "notes": "what the format has no room for, and what was read, one line each",
    },
    "import": {
        "format": "reader that took the file; import where one of several readings was chosen",
        "mapping": "how it is read, as --keep writes it; null where the format says everything itself",
        "n_games": "games read",
        "n_players": "subjects that are named, or seats where nobody is",
        "actions": "list of the actions",
        "cooperation": "list of the actions that are cooperation",
        "decoded": "list of game_id, round, seat, player, action, cooperated, payoff: rounds of a game",
        "questions": "list of question, answers (options of the command): what is open",
        "refusal": "why nothing was read; null where it was",
        "rejects": "number of rows that could not be read",
    },
    "validate": {
        "format": "reader that took the file",
        "n_games": "games read",
        "n_seats": "seats read",
        "n_moves": "moves read",
        "n_missing": "moves that were not made or not readable",
        "n_defaulted": "moves put in the place of an unreadable reply",
        "games": "list of game, n, payoff_kind, cooperative_action, note",
        "conditions": "condition column -> number of distinct values",
        "rejects": "number of rows that could not be read",
    },
    "games": {
        "games": "list of name, kind, actions, payoffs, class, cooperative_action, dominant, equilibria "
        "(pure), mixed (probabilities of the first action by seat; null without nashpy), pareto (efficient "
        "joint actions), focal (joint action or null), correlated (best for both: joint action -> "
        "probability)",
        "gamma": "list of name, title, family, rules, parameters, actions, answer (field of an answer's JSON "
        "object), cooperative_action, equilibrium, source: the games of gamma-bench",
    },
}
"""Command -> keys of its JSON object, with their meaning."""


RECOGNITION: dict[str, dict[str, str]] = {
    "generate": {
        "path": "the log",
        "n_games": "games written",
        "n_trajectories": "labelled trajectories written",
        "seed": "seed that reproduces the file",
    },
    "train": {"models": "list of name, path, run_id, accuracy, regret, seconds"},
    "study": {
        "path": "the folder of results",
        "n_models": "models of the study (or of the part asked for)",
        "n_untrained": "models still to be trained",
        "n_points": "points at which they are measured",
        "n_cells": "models times points",
        "n_pending": "cells still to be measured",
        "left_out": "list of what, why: parts that cannot be run",
        "seconds": "how long this run took",
    },
    "evaluate": {
        "accuracy": "share of trajectories whose most probable class is the true one",
        "macro_f1": "unweighted mean of the F1 scores of the classes",
        "per_class": "class -> precision, recall, f1, n",
        "ceiling": "accuracy of the exact Bayes rule on such play",
        "ceiling_kind": "exact_enumeration, monte_carlo, or null where nothing is known of the noise",
        "regret": "ceiling minus accuracy",
        "ece": "expected calibration error of the top class, 15 equal-mass bins",
        "brier": "mean squared distance between posterior and truth, summed over classes",
    },
    "label": {
        "n": "number of labels that count: those of trajectories of subjects (with --per player: of "
        "players), not the rows of the table, which n_rows counts",
        "n_games": "number of games they come from",
        "statuses": "status -> number of trajectories",
        "consistent": "none, one, several -> number of trajectories that so many strategies fit exactly",
        "tied": "number of trajectories whose best strategy ties with another",
        "mean_posterior": "strategy -> mean posterior probability",
        "skipped": "reason -> number of games without labels",
        "rejects": "number of rows that could not be read",
    },
    "agreement": {
        "n": "number of trajectories",
        "n_games": "number of games they come from",
        "recognisers": "names, in the order given",
        "classes": "what they say: strategies, and none where a posterior is the same for all",
        "unanimous": "share of trajectories that all name alike: estimate, low, high",
        "untied": "of those that one strategy explains best: n, unanimous (estimate, low, high), and the "
        "share_of_disagreement_on_ties",
        "majority": "share of trajectories that more than half name alike",
        "distinct": "number of different names -> number of trajectories",
        "fleiss_kappa": "agreement beyond chance: estimate, low, high (whole games resampled)",
        "pairs": "list of a, b, agreement, kappa (Cohen's), differ (list of a, b, n: the names that differ)",
        "by_status": "status by the exact posterior -> n, disagree, share_of_disagreement, fleiss_kappa",
        "notes": "what a reader should be warned of",
    },
    "sweep": {
        "by": "columns that make the groups",
        "gate": "trajectory or game: what is kept as a whole",
        "rules": "expand or priority: which rule labels a hybrid takes",
        "split": "whether several rule labels share one trajectory",
        "classes": "strategies that labels may name",
        "groups": "list of group, n, n_games, points (list of tau, model, hybrid; each of kept, retention, "
        "mean_confidence, diversity, n_strategies, tied, shares)",
    },
    "sfem": {
        "groups": "list of group, n_subjects, n_choices, log_likelihood, aic, bic, icl, tremble and gamma "
        "(by strategy where each has its own), tremble_interval (se, low, high), shares (strategy -> "
        "estimate, se, low, high), ridge (lists of strategies that the play does not tell apart), best "
        "(single strategy that agrees with most choices), match (share of choices that agree with it), "
        "converged; in a file also counted (n, best, confident)",
    },
    "predict": {
        "unit": "what is independent, for the intervals",
        "held_out": "what was predicted by models that had not met it: game, player, condition, or columns",
        "models": "list of name, kind (family), interpretable, log_loss (held out, nats per move), low, "
        "high, explained (share of what the ceiling predicts beyond the baseline; null where there is no "
        "ceiling or nothing to predict), explained_low, explained_high, difference, difference_low, "
        "difference_high (log loss less that of the best readable model), n_parameters, parameters (list "
        "of name, value, se, unit, of; the first 200), seconds, note (why a model has no loss, or what to "
        "beware of), rounds (log loss by round), types (list of name, share, se, moves, first, after "
        "(outcome -> P(cooperate)), after_two (two outcomes -> P(cooperate)), nearest (list of strategy, "
        "distance, eps)), "
        "groups (list of group, n_moves, log_loss, low, high, explained, explained_low, explained_high)",
        "ceiling": "name, log_loss, low, high of the best flexible model, and gain, gain_low, gain_high (log "
        "loss of the baseline less that of it); null without one",
        "baseline": "name, log_loss, low, high of the base rate",
    },
    "discover": {
        "n": "number of trajectories",
        "n_games": "number of games they come from",
        "n_moves": "number of own moves in a known situation",
        "n_states": "number of states with the least BIC",
        "candidates": "list of n_states, log_likelihood, n_parameters, bic, agreement (of the starts "
        "followed to the end, those that found this maximum), converged",
        "states": "list of name, share (of all moves), start, p_cooperate and moves by situation, next "
        "(state -> probability in the next round), nearest (list of strategy, distance, eps), "
        "outside (the catalogue)",
        "groups": "list of group, n, shares (state -> share of the group's moves)",
        "skipped": "reason -> number of games without trajectories",
    },
    "fit": {
        "model": "its name",
        "kind": "family",
        "interpretable": "whether a person can read its parameters as a rule of play",
        "n": "rows: a player in a game",
        "n_subjects": "players, all their games together",
        "n_moves": "moves that it was fitted to",
        "log_loss": "nats a move, on the moves that it was fitted to",
        "base_loss": "the same of one rate for all moves",
        "n_parameters": "free parameters; null where there is no such number",
        "parameters": "list of name, value, se, unit, of (type, group or level)",
        "types": "list of name, share, se, p_cooperate (first, CC, CD, DC, DD); empty without types",
        "path": "the folder that was written; null without one",
        "skipped": "reason -> number of games without trajectories",
        "notes": "what a reader should be warned of",
    },
    "probe": {
        "strategies": "strategies to tell apart, equally probable",
        "eps": "low and high end of the noise per move; unknown to the observer where they differ",
        "objective": "what the sequence maximises after its last round: information or accuracy",
        "search": "optimal (all sequences compared) or beam",
        "sequence": "moves of the proposed opponent, C and D",
        "rounds": "list of round, accuracy (expected, of the Bayes rule), information (bits on strategies), "
        "accuracy_error and information_error (standard errors, 0 where exact)",
        "unseparated": "groups of strategies that play alike against this sequence",
        "target": "expected accuracy asked for",
        "rounds_needed": "rounds of the shortest best sequence that reaches it; null where none does",
        "target_sequence": "that sequence",
        "accuracy_limit": "accuracy that no sequence exceeds, however long",
        "adaptive": "accuracy, information of the best opponent that reacts to play; null where not computed",
        "baselines": "opponent -> accuracy, information, their errors (after the last round), rounds_needed, "
        "unseparated",
        "tied": "groups of strategies that no opponent tells apart",
    },
    "contributors": {
        "n": "subjects",
        "n_games": "games they come from",
        "by": "columns that make the groups",
        "statuses": "status -> number of subjects",
        "groups": "list of group, n, types (type, or status where none is identified -> estimate, low, high: "
        "counted by the rules), mixture (shares: type -> estimate, low, high; ridge: lists of types that the "
        "play does not tell apart; sigma; error of all or nothing, else null; log_likelihood, bic, "
        "n_subjects, n_rounds)",
        "skipped": "reason -> number of games without contributions",
    },
}
"""Command -> keys of its JSON object, with their meaning."""


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
        "explained": "how much of what can be predicted the strategies explain: list of game, and as of "
        "sfem --explained; empty with --no-explained, without the moves, or where nothing is named",
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


ARENA: dict[str, dict[str, str]] = {
    "strategies": {"strategies": "list of name, synonyms, rule, states, memory_one, citation"},
    "check": {
        "n": "strategies found",
        "ok": "of them, those that run",
        "failed": "list of name, reason",
        "groups": "attitude or file -> n, ok",
        "engine": "the engine of the sandbox that ran them; null where nothing passed the gate",
        "salt": "of all that was drawn in the matches, in hexadecimal; --salt takes it",
        "replay": "how the same matches are played again",
        "files": "list of path, n, ok, and ranks (attitude -> names, best first; as the file lists them)",
        "page": "the page for inspection; null without",
        "notes": "what a reader should be warned of",
    },
    "write": {
        "path": "the folder",
        "model": "who wrote the words",
        "code_model": "who turned them into code",
        "sets": "list of file, style, noise, game, n (attitude -> good strategies), wanted",
        "n": "good strategies",
        "wanted": "how many were asked for",
        "attempts": "words asked for, replacements included",
        "outcomes": "outcome of an attempt -> attempts: good, repaired, refused, empty, no_code, gate, fault",
        "groups": "list of style, attitude, attempts, n (good strategies), outcomes",
        "failures": "list of style, attitude, attempt, outcome, reason",
        "calls": "replies of models, those from the cache included",
        "cost": "in dollars; null where a price is unknown",
        "seconds": "wall time",
        "notes": "what a reader should be warned of",
    },
    "write_dry_run": {
        "n": "strategies asked for",
        "calls": "calls of language models if every attempt plays at once",
        "most_calls": "calls if none does",
        "prompt_tokens": "estimate, for the former",
        "reply_tokens": "estimate: max_tokens, or 400 a reply; no reasoning",
        "cost": "estimate; null where a price is missing",
        "contacts": "list of host, port, what, proxy: whom writing would contact; empty for nobody",
        "prompts": "list of purpose, attitude, scenario, model, system, user; … for what models will write",
        "notes": "what a reader should be warned of",
    },
    "tournament": {
        "standings": "list of rows as the table `standings`",
        "head_to_head": "payoff and cooperation: row -> column -> mean per round, by group where the "
        "strategies have attitudes, else by strategy",
        "head_to_head_errors": "the same with standard errors of the means over matches, the strategies as "
        "they are; null where a pair that may differ was played once",
        "intervals": "the same with low, high for each cell, over strategies; null by strategy",
        "n": "strategies",
        "matches": "matches played, repetitions counted",
        "turns": "rounds per match",
        "noise": "probability per move",
        "repetitions": "of every pair that can differ between repetitions",
        "game": "the game",
        "engine": "the engine of the sandbox",
        "salt": "of all that was drawn in the matches, in hexadecimal; --salt takes it",
        "replay": "how the same matches are played again",
        "faults": "list of name, kind, reason, against",
        "left_out": "list of name, reason: strategies that took no part",
        "path": "the folder of results; null without",
        "seconds": "wall time",
        "notes": "what a reader should be warned of",
    },
    "evolve": {
        "equilibria": "name -> share (of the runs that ended with it alone), low, high, initial (its share "
        "at the start: what drift alone would give), verdict (above, below or compatible with that); empty "
        "with mutation",
        "mean_steps": "mean births until one name is alone; null where no run got there",
        "unfinished": "runs that reached the most steps without",
        "initial": "name -> individuals at the start",
        "fixation": "exact, from mean payoffs: name -> probability of ending alone from that start; null "
        "for populations too large, or with mutation",
        "expected_steps": "exact, from mean payoffs: expected births until one name is alone; or null",
        "replicator": "shares that the replicator dynamics end in from the same start",
        "long_run": "with mutation: name -> share (mean over time), low, high, exact (from mean payoffs; "
        "null for populations too large); null without",
        "runs": "Moran processes of each start",
        "mutation": "probability that a clone is of another name",
        "intensity": "of selection, w: fitness is 1 - w + w times the mean payoff per round and opponent",
        "invasion": "row -> column -> probability that one row among columns takes over; neutral: 1/n",
        "payoff": "row -> column -> mean payoff per round",
        "dominance": "list of dominated, by (a name, or a mixture in words), strictly",
        "best_replies": "name -> names that earn most against it",
        "stable": "name -> strict_nash, nash, ess, margin (what it earns against itself, less what the best "
        "other name earns against it), low, high (over strategies drawn anew; null without)",
        "turns": "rounds per match",
        "noise": "probability per move",
        "repetitions": "matches of each pair that lots are drawn from",
        "game": "the game",
        "engine": "the engine of the sandbox; null of a payoff matrix, as the four before and the two after",
        "salt": "of all that was drawn in the matches, in hexadecimal; --salt takes it",
        "replay": "how the same matches are played again",
        "left_out": "list of name, reason: strategies that took no part",
        "path": "the folder of results; null without",
        "seconds": "wall time",
        "notes": "what a reader should be warned of",
    },
    "chain": {
        "path": "the folder",
        "sets": "list of file, model, style, noise, n, ok, lost (why a set is absent, else null)",
        "tables": "list of name, file, title, published (the paper's table or figure)",
        "figures": "list of name, file, title, published",
        "verdicts": "as in `results`",
        "page": "the page for inspection",
        "salt": "of all that was drawn in the matches, in hexadecimal; --salt takes it",
        "replay": "how the same matches are played again",
        "notes": "what a reader should be warned of",
    },
    "chain_dry_run": {
        "name": "of the chain",
        "n_sets": "sets of strategies: models by games, noise and styles",
        "n_strategies": "strategies wanted in all",
        "n_games": "matches between strategies, at most; no model is asked in them",
        "calls": "calls of language models if every attempt plays at once; 0 where strategies are written",
        "most_calls": "calls if none does",
        "prompt_tokens": "estimate, for the former",
        "reply_tokens": "estimate: max_tokens, or 400 a reply; no reasoning",
        "cost": "estimate; null where a price is missing",
        "budget": "that of the chain",
        "models": "language models, by the names in the file",
        "contacts": "list of host, port, what, proxy: whom it would contact; empty for nobody",
        "orders": "list of levels (model, game, noise), n, calls, most_calls, prompt_tokens, "
        "reply_tokens, cost",
        "prompts": "list of purpose, attitude, scenario, model, system, user; … for what models will write",
        "matrix": "the information matrix, as of `dry_run`",
        "problems": "what is not as it is declared",
        "notes": "what a reader should be warned of",
    },
    "chain_status": {
        "path": "the folder",
        "name": "of the chain",
        "state": "playing, stopped or finished",
        "step": "stage, done, total of what is being done, or was when it stopped; null before and after",
        "n_sets": "sets that there will be, as far as is known",
        "sets": "list of set, played: the sets that are being played or were",
    },
}
"""Command -> keys of its JSON object, with their meaning."""


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


JSON_OBJECTS: dict[str, dict[str, str]] = {**RUNS, **RECOGNITION, **ANALYSIS, **ARENA, **BENCH}
"""Command -> keys of the one JSON object that ``--json`` prints, with their meaning."""

_PEOPLE = (
    "with --baseline: list of name, citation, doi, licence, game, treatment, how (published, re-estimated), "
    "n_subjects, n_choices, tremble, shares (estimate, se), seen, note"
)

JSON_EXTRAS: dict[str, dict[str, str]] = {
    "label": {
        "coin": "always: of players who toss a coin for every move of these games, share with each status: "
        "confident, low_confidence, ambiguous, no_fit; exact (whether all tosses were counted, or some "
        "drawn), se (largest standard error), plays (sequences counted or drawn); null without rows",
        "n_rows": "always: number of rows in the table of labels, n and n_scripted together",
        "n_scripted": "where there are such: number of labels that are not counted, since a strategy plays "
        "beside models or people",
        "conformal": "with --conformal: level, mean_size, singletons (share), sizes (size of a set -> n)",
    },
    "sweep": {"notes": "where there are such: what a reader should know of the rows that count"},
    "predict": {
        "best": "always: the readable model with the least loss; null where none has one",
        "n": "always: number of trajectories",
        "n_moves": "always: number of moves predicted",
        "actions": "always: what is chosen among",
        "folds": "always: number of folds",
        "covariates": "always: columns known before the first move",
        "unit_line": "always: which unit is independent and why, in a sentence",
        "stack": "with --stack: weights (model -> mean weight), chosen (model -> folds that chose it)",
        "checks": "always: list of kind (round, after, streak), name, n, observed, expected, low, high (of "
        "95 % of simulated plays), p: play simulated from the best readable model, beside the log",
        "sentences": "always: what explains how much",
        "notes": "always: what a reader should be warned of",
    },
    "explain": {
        "explanations": "with --by or several targets, in place of all: list of such objects and their group",
        "skipped": "with it: list of target, group, why",
    },
    "sfem": {
        "tests": "with --by: list of tested (shares and tremble, shares, tremble), groups, statistic, df, p, "
        "boundary (an estimate lies on it), p_permutation and permutations (null and 0 without --bootstrap), "
        "p_units and draws (of shares, each group with one tremble: p that holds for clusters and for shares "
        "of zero, as `intent compare` gives it; else null and 0)",
        "unit": "always: what is independent",
        "unit_line": "always: which unit that is and why, in a sentence",
        "explained": "with --explained: n_moves, n_units (independent), unit; baseline, ceiling, strategies "
        "and table (held-out log loss, nats per move), explained and table_explained (share of what the "
        "ceiling predicts beyond the base rate), each of estimate, low, high (null: nothing to predict, or "
        "fewer than 30 units); upper_bound (fewer than 1,000 units: the share is at most that); settings "
        "(columns of the table of rates), sentence; with --by groups: the "
        "same of each group (group, column -> value), whose base rate and shares are its own",
        "baselines": _PEOPLE,
    },
    "compare": {
        "within": "always: list of factor, columns, n_blocks, n_informative: what permutation_within holds "
        "equal",
        "confounds": "always: factors that do not vary apart and cells without play, in sentences",
        "sentence": "always: what differs, how much, on how much evidence, as a paper says it",
        "unit_line": "always: what is independent, and why, in one line",
        "findings": "always: on cooperation, ranked, where shares are estimated and moves are at hand; as "
        "those of report",
        "model": "with --model: outcomes, n, n_clusters, terms (F tests), coefficients, margins (adjusted "
        "share or mean by level, effect against the first), separated, notes",
        "sensitivity": "with --sensitivity: list of setting, value, shares, max_change, change_of, p by "
        "factor, changed (factors whose verdict turns)",
        "indices": "with --indices: list of game, model, index, name, outcome, estimate, low, high, chance, "
        "n_cells",
        "baselines": _PEOPLE,
        "seats": "with --by seat: first and second seat of the same games: names, n_games, left_out, first, "
        "second, differences, p_each, p, statistic",
        "explained": "with --explained: as of sfem, groups with --by",
    },
    "evolve": {
        "mixes": "with several --initial, in place of the keys from equilibria to long_run: list of objects "
        "with these keys, in the order given",
    },
}
"""Command -> further keys of that object, each only with the option that asks for it."""
