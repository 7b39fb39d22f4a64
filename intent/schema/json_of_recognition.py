"""What ``--json`` prints of recognisers, labels and estimated shares."""

from __future__ import annotations

__all__ = ["RECOGNITION"]

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
        "n": "number of labelled trajectories",
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
