"""What ``--json`` prints of strategies, tournaments and evolution."""

from __future__ import annotations

__all__ = ["ARENA"]

ARENA: dict[str, dict[str, str]] = {
    "strategies": {"strategies": "list of name, synonyms, rule, states, memory_one, citation"},
    "check": {
        "n": "strategies found",
        "ok": "of them, those that run",
        "failed": "list of name, reason",
        "groups": "attitude or file -> n, ok",
        "engine": "the engine of the sandbox that ran them; null where nothing passed the gate",
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
        "intervals": "the same with low, high for each cell, over strategies; null by strategy",
        "n": "strategies",
        "matches": "matches played, repetitions counted",
        "turns": "rounds per match",
        "noise": "probability per move",
        "repetitions": "of every pair that can differ between repetitions",
        "game": "the game",
        "engine": "the engine of the sandbox",
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
        "engine": "the engine of the sandbox; null of a payoff matrix, as the four before",
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
        "notes": "what a reader should be warned of",
    },
}
"""Command -> keys of its JSON object, with their meaning."""
