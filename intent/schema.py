"""The codebook: name, type and meaning of every column and JSON object that leaves this package.

A column is defined here once; stores, readers, results and docs take it from here. Types are
``string``, ``int``, ``float``, ``bool``, ``strings`` (a list) and ``category`` (few distinct strings).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "BENCH_SCORES",
    "CALLS",
    "CONTRIBUTORS",
    "DETAILS",
    "GAMES",
    "JSON_EXTRAS",
    "JSON_OBJECTS",
    "LABELS",
    "METRICS",
    "MOVES",
    "PROBABILITY_PREFIX",
    "QUESTIONS",
    "REJECTS",
    "RESULT_TABLES",
    "SCHEMA_VERSION",
    "SEATS",
    "STANDINGS",
    "STATUSES",
    "TABLES",
    "Column",
    "Kind",
]

Kind = Literal["string", "int", "float", "bool", "strings", "category"]

SCHEMA_VERSION = 1
"""Version of the game log's layout; readers of older versions migrate it (`logs.migrate`)."""


@dataclass(frozen=True)
class Column:
    """One column of a table.

    Parameters
    ----------
    name : str
    kind : Kind
    meaning : str
    required : bool
        Whether every row has a value.
    optional : bool
        Whether the whole column may be absent.
    """

    name: str
    kind: Kind
    meaning: str
    required: bool = False
    optional: bool = False


GAMES = (
    Column("game_id", "string", "minted identifier, unique within the log", required=True),
    Column("source", "string", "file or generator that the game comes from"),
    Column("game", "string", "name of the game, such as prisoner-dilemma"),
    Column(
        "payoffs",
        "string",
        "payoff table as JSON: joint actions joined by a comma -> payoffs by seat, or parameters",
    ),
    Column("payoff_kind", "string", "reward (higher is better) or penalty (lower is better)"),
    Column("cooperative_action", "string", "the action that is cooperation; null where undecidable"),
    Column("n_players", "int", "number of seats", required=True),
    Column("rounds_planned", "int", "rounds that were to be played; null where unknown"),
    Column("rounds_played", "int", "rounds that were played", required=True),
    Column("horizon_known", "bool", "whether the players were told the number of rounds"),
    Column("language", "string", "language of the prompts, as an ISO 639-1 or the source's own code"),
    Column("repetition", "int", "number of the repeat within identical conditions, from 1", required=True),
    Column("run", "string", "identifier of the run that produced the game"),
)
"""Table ``games``, one row per game. Any further column is a condition column."""

SEATS = (
    Column("game_id", "string", "the game", required=True),
    Column("seat", "int", "position at the table, from 1", required=True),
    Column("player", "string", "subject across games; null means that this seat is a subject of its own"),
    Column("model", "string", "language model that plays the seat"),
    Column("persona", "string", "persona given to the player"),
    Column("architecture", "string", "agent architecture, such as plain or debate"),
    Column("attitude", "string", "attitude asked of the player"),
    Column("strategy", "string", "strategy, where the seat is scripted"),
    Column(
        "focal",
        "bool",
        "false for an opponent known only from another's record: never labelled",
        required=True,
    ),
)
"""Table ``seats``, one row per game and seat. Any further column is a condition of the seat."""

MOVES = (
    Column("game_id", "category", "the game", required=True),
    Column("round", "int", "round, from 1", required=True),
    Column("step", "int", "step within the round, from 1 (sequential games)", required=True),
    Column("seat", "int", "position at the table, from 1", required=True),
    Column("action", "category", "action as labelled in the game; null where missing"),
    Column("value", "float", "the number chosen, in games with numeric actions"),
    Column("cooperated", "bool", "whether the action is cooperation; null where undecidable or missing"),
    Column("payoff", "float", "payoff of the round, in the units of the game"),
    Column(
        "status",
        "category",
        "parsed, defaulted (a default replaced an unreadable reply) or missing",
        required=True,
    ),
    Column("message", "string", "public message sent in the round", optional=True),
    Column("private_thought", "string", "private text of the round, never shown to others", optional=True),
    Column("reasoning", "string", "reasoning block stripped from the reply", optional=True),
    Column("reply", "string", "reference to the stored reply", optional=True),
    Column("prompt", "string", "reference to the stored prompt", optional=True),
    Column("advice", "string", "action that a tool or assistant of the player advised", optional=True),
    Column("details", "string", "what else the player's architecture recorded, JSON object", optional=True),
)
"""Table ``moves``, one row per game, round, step and seat."""

QUESTIONS = (
    Column("game_id", "string", "the game", required=True),
    Column("round", "int", "round after which the question was asked, from 1", required=True),
    Column("seat", "int", "position at the table, from 1", required=True),
    Column("question", "string", "identifier of the question", required=True),
    Column("answer", "string", "answer as given"),
    Column("parsed", "string", "answer as understood"),
    Column("expected", "string", "the correct answer"),
    Column("correct", "bool", "whether the answer is correct; null where it could not be read"),
    Column("reply", "string", "reference to the stored reply", optional=True),
)
"""Optional table ``questions``: comprehension questions and answers."""

TABLES: dict[str, tuple[Column, ...]] = {
    "games": GAMES,
    "seats": SEATS,
    "moves": MOVES,
    "questions": QUESTIONS,
}
"""The tables of a game log."""

MOVE_STATUSES = ("parsed", "defaulted", "missing")

STATUSES = ("no_fit", "ambiguous", "low_confidence", "confident")
"""Status of a label, in the order in which the conditions are tested."""

PROBABILITY_PREFIX = "p_"

LABELS = (
    Column("game_id", "string", "the game", required=True),
    Column("seat", "int", "position at the table, from 1", required=True),
    Column("n_rounds", "int", "rounds with a known own move", required=True),
    Column("label", "string", "the strategy; null unless status is confident"),
    Column("best", "string", "most probable strategy; ties in catalogue order", required=True),
    Column(
        "tied", "bool", "whether other strategies explain the play equally well (within 1e-9)", required=True
    ),
    Column("tied_with", "strings", "strategies whose log-likelihood ties with that of best", required=True),
    Column("confidence", "float", "posterior probability of best", required=True),
    Column(
        "consistent",
        "strings",
        "strategies that give the play positive probability without noise",
        required=True,
    ),
    Column("n_deviations", "int", "moves that best never makes without noise", required=True),
    Column("fit_p", "float", "probability, under best, of play at least as unlikely as seen", required=True),
    Column("rule_labels", "strings", "labels of the rule-based recogniser", required=True),
    Column("status", "string", "no_fit, ambiguous, low_confidence or confident", required=True),
    Column("label_set", "strings", "strategies that hold the true one with given probability", optional=True),
    Column("hybrid_labels", "strings", "best where sure, else the labels of the rules", optional=True),
    Column("hybrid_source", "string", "model, rules or none: where they come from", optional=True),
)
"""Table of labels, one row per focal trajectory. Between ``seat`` and ``n_rounds`` stand player,
model, persona, language and all condition columns that the log has; after ``confidence`` one column
``p_<STRATEGY>`` per class."""

REJECTS = (
    Column("file", "string", "file that was read", required=True),
    Column("line", "int", "line in that file, from 1; null where the format has no lines"),
    Column("reason", "string", "what was got and what was expected", required=True),
    Column("text", "string", "beginning of the rejected row", required=True),
)
"""Table of rows that could not be read."""

CALLS = (
    Column("reference", "string", "game_id/round/seat/attempt, as moves refer to it", required=True),
    Column("game_id", "string", "the game", required=True),
    Column("round", "int", "round, from 1", required=True),
    Column("seat", "int", "position at the table, from 1", required=True),
    Column("attempt", "int", "number of the call within round and seat, from 1", required=True),
    Column(
        "purpose", "string", "what was asked for: choose, message, or as the agent names it", required=True
    ),
    Column("player", "string", "model as the experiment names it", required=True),
    Column("model", "string", "snapshot that answered, as the endpoint names it"),
    Column(
        "draw",
        "string",
        "what tells this draw from every other; seeds and the cache follow it",
        required=True,
    ),
    Column("body", "string", "body of the request as it was sent, JSON", required=True),
    Column("text", "string", "the reply", required=True),
    Column("reasoning", "string", "reasoning that the endpoint returned apart from the text"),
    Column("tool_calls", "string", "calls of tools in the reply, JSON"),
    Column("finish_reason", "string", "why the reply ended, as the endpoint says"),
    Column("fingerprint", "string", "configuration that answered, as the endpoint names it"),
    Column("created", "float", "when the endpoint answered, seconds since 1970, as it says"),
    Column("stored", "float", "when the call was stored, seconds since 1970", required=True),
    Column("seconds", "float", "from sending to the reply, of the request that was answered", required=True),
    Column("tries", "int", "requests sent, 0 from the cache", required=True),
    Column(
        "sends", "int", "1, and 1 for every crash while it was in flight; 0 from the cache", required=True
    ),
    Column("cached", "bool", "whether the reply came from the cache", required=True),
    Column("failures", "string", "requests that failed before: list of time, kind, message, seconds, JSON"),
    Column("prompt_tokens", "int", "tokens of the prompt, as the endpoint counts them"),
    Column("completion_tokens", "int", "tokens of the reply, reasoning included"),
    Column("reasoning_tokens", "int", "tokens of reasoning"),
    Column("cached_tokens", "int", "tokens of the prompt that the endpoint had in its cache"),
    Column("cost", "float", "price of the call; null where it is not known"),
)
"""Table of the calls of a run, one row per stored call. Body and text hold what models wrote."""

METRICS = (
    Column("game_id", "string", "the game", required=True),
    Column("seat", "int", "position at the table, from 1", required=True),
    Column("rounds", "int", "rounds planned, as the players were told or not", optional=True),
    Column("opponent", "string", "strategy or model of the other seat, where there is one other"),
    Column("n_rounds", "int", "rounds with a known own move", required=True),
    Column("cooperation_rate", "float", "share of own moves that cooperate"),
    Column("cooperation_rate_n", "int", "own moves", required=True),
    Column("niceness", "float", "1 where the player never defected before the other did, else 0"),
    Column("niceness_n", "int", "1 (0 without any move)", required=True),
    Column("forgiveness", "float", "defections forgiven, over grudges and refused offers; 0 without any"),
    Column("forgiveness_n", "int", "grudges and refused offers", required=True),
    Column("retaliation", "float", "provocations answered by defection; 0 without any"),
    Column("retaliation_n", "int", "provocations", required=True),
    Column("troublemaking", "float", "uncalled-for defections, over occasions"),
    Column("troublemaking_n", "int", "occasions: round 1, and each cooperation of the other", required=True),
    Column("emulation", "float", "share of own moves from round 2 that repeat the other's last; 0 without"),
    Column("emulation_n", "int", "own moves from round 2", required=True),
    Column("mutual_cooperation", "float", "share of rounds in which both cooperate"),
    Column("mutual_cooperation_n", "int", "rounds in which both moves are known", required=True),
    Column("end_effect", "float", "share of cooperation in the last two rounds minus that before them"),
    Column("end_effect_n", "int", "own moves in the last two rounds", required=True),
    Column("first_move", "float", "1 where the first move cooperates, else 0"),
    *(
        column
        for after in ("cc", "cd", "dc", "dd")
        for column in (
            Column(f"p_{after}", "float", f"share of cooperation after {after.upper()}, own move first"),
            Column(f"p_{after}_low", "float", "lower end of its exact 95 % interval"),
            Column(f"p_{after}_high", "float", "upper end of its exact 95 % interval"),
            Column(f"p_{after}_n", "int", f"moves after {after.upper()}", required=True),
        )
    ),
    Column("mean_payoff", "float", "mean payoff per round, in the units of the game"),
    Column("adherence", "float", "share of decisions that follow the advice of tool or assistant"),
    Column("adherence_n", "int", "decisions with advice", required=True),
    Column("nash_consistency", "float", "share of moves that are the one-shot equilibrium action"),
    Column("nash_consistency_n", "int", "moves in a game where one such action stands alone", required=True),
    Column("tool_use", "float", "share of decisions that called the tool"),
    Column("tool_use_n", "int", "decisions of a player with a tool", required=True),
    Column("deception", "float", "share of announced actions that were not taken"),
    Column("deception_n", "int", "rounds with an announced action and a move", required=True),
    Column(
        "intended_deception",
        "float",
        "share of rounds whose private text intends the action taken, the other one being announced",
    ),
    Column("intended_deception_n", "int", "rounds with announcement and private intention", required=True),
)
"""Table of behaviour metrics, one row per focal trajectory. After ``seat`` stand player, model, persona,
language, architecture, attitude, strategy and all condition columns that the log has; at the end, for every
comprehension question that was asked, ``<question>_correct``, ``<question>_misunderstood`` and
``<question>_n``."""

STANDINGS = (
    Column("rank", "int", "by the median score, best first", required=True),
    Column("name", "string", "the strategy, unique in the tournament", required=True),
    Column("group", "string", "what it is pooled by: an attitude, human, catalogue, model"),
    Column("file", "string", "file that it was read from; null for our own"),
    Column("matches", "int", "matches that count, over all repetitions", required=True),
    Column("median_score", "float", "median over repetitions of the mean payoff per round"),
    Column("mean_score", "float", "mean over repetitions of the mean payoff per round"),
    Column("score_low", "float", "lower end of the interval of mean_score over opponents"),
    Column("score_high", "float", "upper end of it"),
    Column("wins", "float", "median over repetitions of opponents beaten; self-play does not count"),
    Column("cooperation_rate", "float", "share of rounds in which it cooperated"),
    Column("initial_c_rate", "float", "share of matches that it opened with cooperation"),
    Column("cc_rate", "float", "share of rounds in which both cooperated"),
    Column("cd_rate", "float", "share of rounds in which it alone cooperated"),
    Column("dc_rate", "float", "share of rounds in which it alone defected"),
    Column("dd_rate", "float", "share of rounds in which both defected"),
    Column("cc_to_c_rate", "float", "share of the rounds after CC in which it cooperated"),
    Column("cd_to_c_rate", "float", "share of the rounds after CD (own move first) in which it cooperated"),
    Column("dc_to_c_rate", "float", "share of the rounds after DC in which it cooperated"),
    Column("dd_to_c_rate", "float", "share of the rounds after DD in which it cooperated"),
)
"""Table of a tournament's standings, one row per strategy."""

CONTRIBUTORS = (
    Column("game_id", "string", "the game, where a subject is the seat of one game", optional=True),
    Column("seat", "int", "its position at the table, from 1", optional=True),
    Column("n_trajectories", "int", "games of the subject", required=True),
    Column(
        "type", "string", "free_rider, unconditional, conditional, hump_shaped, other; null if not identified"
    ),
    Column("candidates", "strings", "types that fit as well as any, by the rules", required=True),
    Column("status", "string", "too_short, constant_others, ambiguous or identified", required=True),
    Column("n_rounds", "int", "contributions in answer to a known mean of the others", required=True),
    Column("mean", "float", "own mean contribution, as a share of the endowment (as all that follow)"),
    Column("zero_share", "float", "share of rounds without a contribution"),
    Column("others_low", "float", "lowest mean contribution of the others"),
    Column("others_mean", "float", "mean of their mean contributions"),
    Column("others_high", "float", "highest mean contribution of the others"),
    Column("pearson", "float", "correlation of own contribution and the others' mean"),
    Column("spearman", "float", "their rank correlation"),
    Column("p", "float", "one-sided permutation p of the correlation that the rules use"),
    Column("slope", "float", "of the least-squares line of own contribution on the others' mean"),
    Column("trend", "float", "rank correlation of own contribution and time"),
    Column("hump", "float", "the smaller of rise before and fall beyond the best peak (correlations)"),
    Column("hump_p", "float", "permutation p of that, the search for the peak included; null without a hump"),
    Column("peak", "float", "others' mean at that peak"),
    Column("best", "string", "most probable type by the mixture; null without contributions"),
    Column("confidence", "float", "its posterior probability"),
)
"""Table of types of contributors, one row per subject. Before ``n_trajectories`` stand the columns that name
or describe the subject; after ``confidence`` one column ``p_<type>`` per type of the mixture."""

BENCH_SCORES = (
    Column("file", "string", "where the run was read from; not in a run folder", optional=True),
    Column("game", "string", "guessing, bar, divide_dollar, public_goods, diner, auction, …", required=True),
    Column("score", "float", "from 0 to 100, where play is within the rules", required=True),
    Column("other", "float", "under the other scoring", required=True),
    Column("scoring", "string", "code (what published numbers use) or paper (equation 1)", required=True),
    Column("model", "string", "who is scored: the model, or who sits at the table"),
    Column("setting", "string", "default, or the parameters that are not the paper's", required=True),
    Column("seats", "string", "JSON list of the shares of the seats; null where they have none"),
    Column("rounds", "int", "rounds that count", required=True),
    Column("n_players", "int", "number of seats", required=True),
    Column("run", "int", "number of the repeat; null where the source does not say"),
    Column("game_id", "string", "the game of a log; null of a saved file"),
    Column("note", "string", "why the scorings differ; not in a run folder", optional=True),
    Column("base", "bool", "whether it is one for the leaderboard; only in a run folder", optional=True),
)
"""Table of scores of gamma-bench, one row per table that was played. Any further column is a condition."""

RESULT_TABLES: dict[str, tuple[Column, ...]] = {
    "labels": LABELS,
    "metrics": METRICS,
    "standings": STANDINGS,
    "rejects": REJECTS,
    "calls": CALLS,
    "contributors": CONTRIBUTORS,
    "bench_scores": BENCH_SCORES,
}
"""The tables that are made from a game log, or beside it."""

DETAILS: dict[str, dict[str, str]] = {
    "tool": {
        "tool": "fixed or nash",
        "protocol": "native or prompted",
        "status": "called, not_called, invalid (arguments that cannot be read) or unknown (no such tool)",
        "calls": "calls that the model asked for in this decision",
        "refused": "those of them that were not honoured",
        "stated": "payoffs as the model stated them: temptation, reward, punishment, sucker",
        "stated_right": "whether they are those of the game; null without",
        "as_text": "whether a number came as text, such as '5 years'",
        "best": "actions that are best by the stated payoffs: two where they tie",
        "early": "whether an answer came with the call or before its result",
    },
    "debate": {
        "status": "decided, stalled (the cap was reached) or unreadable",
        "turns": "turns of the assistant",
        "role_play": "turns that speak for the other side too",
        "early": "decisions stated before the assistant had a turn",
        "assistant_decided": "decisions that the assistant stated, which do not count",
        "restarts": "conversations that stalled and were begun again",
        "transcript": "list of speaker, text",
    },
    "private": {
        "stages": "together or apart: one reply, or one call per stage",
        "blocks": "private passages in the reply",
        "unbalanced": "whether a brace was left open or closed twice",
    },
    "public": {"stages": "together or apart"},
    "chain_of_thought": {"stages": "together or apart"},
    "table": {"refused": "list of reasons why replies were refused, in their order; the last one too"},
}
"""Architecture -> keys of the JSON objects in the column ``details`` of the moves."""

_SESSION = {
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

_DRY_RUN = {
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
    "conditions": "list of levels, game, players, n_games, decisions, calls, most_calls, prompt_tokens, "
    "reply_tokens, cost",
    "prompts": "list of levels, seat, role, stage, text, tools: the first prompt of each role and stage "
    "in round 2, after an invented round 1 and with … for replies that nobody gave",
    "notes": "what a reader should be warned of",
}
"""What playing would take."""

JSON_OBJECTS: dict[str, dict[str, str]] = {
    "metrics": {
        "path": "the table; null where none was asked for",
        "n": "trajectories",
        "n_games": "games they come from",
        "by": "columns that make the groups",
        "groups": "list of group, n, n_games, and per metric estimate, low, high, n (trajectories with an "
        "occasion), estimate_with_occasion",
        "questions": "list of group, question, n, correct, misunderstood, each with estimate, low, high",
        "skipped": "reason -> number of games without rows",
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
    "play": {
        **_SESSION,
        "labels": "what `intent label --json` prints; null without labels",
        "comparisons": "files within the run folder",
        "figures": "files within the run folder",
        "run_id": "of the tracked run; null where it was not tracked",
        "notes": "what a reader should be warned of",
    },
    "dry_run": _DRY_RUN,
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
        "format": "gamelog or fairgame",
        "n_games": "games written",
        "calls": "the table of calls; null where none was asked for",
        "n_calls": "calls written",
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
    "sfem": {
        "groups": "list of group, n_subjects, n_choices, log_likelihood, aic, bic, icl, tremble and gamma "
        "(by strategy where each has its own), tremble_interval (se, low, high), shares (strategy -> "
        "estimate, se, low, high), ridge (lists of strategies that the play does not tell apart), best "
        "(single strategy that agrees with most choices), match (share of choices that agree with it), "
        "converged; in a file also counted (n, best, confident)",
    },
    "compare": {
        "by": "columns that make the groups",
        "count": "how labels are counted (or metric: name of the numeric column)",
        "groups": "list of group, n, n_effective, and shares or mean with estimate, low, high",
        "tests": "list of factor, test, statistic, df, p, p_adjusted, effect",
    },
    "figures": {
        "folder": "where they are",
        "by": "columns that make panels or lines",
        "figures": "list of name, game, file, table (names within the folder), n_games; of the radar also "
        "outcome (payoff or cooperation) and missing (axis -> why it cannot be drawn)",
        "skipped": "list of name, game, why: figures that cannot be made of this play",
        "notes": "what a reader should be warned of",
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
    "generate": {
        "path": "the log",
        "n_games": "games written",
        "n_trajectories": "labelled trajectories written",
        "seed": "seed that reproduces the file",
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
    "games": {
        "games": "list of name, kind, actions, payoffs, class, cooperative_action, dominant, equilibria "
        "(pure), mixed (probabilities of the first action by seat; null without nashpy), pareto (efficient "
        "joint actions), focal (joint action or null), correlated (best for both: joint action -> "
        "probability)",
        "gamma": "list of name, title, family, rules, parameters, actions, answer (field of an answer's JSON "
        "object), cooperative_action, equilibrium, source: the games of gamma-bench",
    },
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
        **_SESSION,
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
        **_DRY_RUN,
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
"""Command -> keys of the one JSON object that ``--json`` prints, with their meaning."""

JSON_EXTRAS: dict[str, dict[str, str]] = {
    "label": {
        "conformal": "with --conformal: level, mean_size, singletons (share), sizes (size of a set -> n)",
    },
    "explain": {
        "explanations": "with --by or several targets, in place of all: list of such objects and their group",
        "skipped": "with it: list of target, group, why",
    },
    "sfem": {
        "tests": "with --by: list of tested (shares and tremble, shares, tremble), groups, statistic, df, p, "
        "boundary (an estimate lies on it), p_permutation and permutations (null and 0 without --bootstrap)",
    },
    "evolve": {
        "mixes": "with several --initial, in place of the keys from equilibria to long_run: list of objects "
        "with these keys, in the order given",
    },
}
"""Command -> further keys of that object, each only with the option that asks for it."""
