"""The one JSON object that each command prints with ``--json``."""

from __future__ import annotations

from intent.schema.json_of_analysis import ANALYSIS
from intent.schema.json_of_arena import ARENA
from intent.schema.json_of_bench import BENCH
from intent.schema.json_of_recognition import RECOGNITION
from intent.schema.json_of_runs import RUNS

__all__ = ["JSON_EXTRAS", "JSON_OBJECTS"]

JSON_OBJECTS: dict[str, dict[str, str]] = {**RUNS, **RECOGNITION, **ANALYSIS, **ARENA, **BENCH}
"""Command -> keys of the one JSON object that ``--json`` prints, with their meaning."""

JSON_EXTRAS: dict[str, dict[str, str]] = {
    "label": {
        "coin": "always: of players who toss a coin for every move of these games, share with each status: "
        "confident, low_confidence, ambiguous, no_fit; exact (whether all tosses were counted, or some "
        "drawn), se (largest standard error), plays (sequences counted or drawn); null without rows",
        "conformal": "with --conformal: level, mean_size, singletons (share), sizes (size of a set -> n)",
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
        "baselines": "with --baseline: list of name, citation, doi, game, treatment, n_subjects, shares, "
        "seen, note",
        "seats": "with --by seat: first and second seat of the same games: names, n_games, left_out, first, "
        "second, differences, p_each, p, statistic",
    },
    "evolve": {
        "mixes": "with several --initial, in place of the keys from equilibria to long_run: list of objects "
        "with these keys, in the order given",
    },
}
"""Command -> further keys of that object, each only with the option that asks for it."""
