"""What ``--json`` prints of runs, logs and games."""

from __future__ import annotations

__all__ = ["DRY_RUN", "RUNS", "SESSION"]

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
        "format": "gamelog, fairgame or compact",
        "n_games": "games written",
        "calls": "the table of calls; null where none was asked for",
        "n_calls": "calls written",
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
