"""The codebook: name, type and meaning of every column and JSON object that leaves this package.

A column is defined here once; stores, readers, results and docs take it from here. Types are
``string``, ``int``, ``float``, ``bool``, ``strings`` and ``bools`` (lists), and ``category`` (few distinct
strings).

One column: name, type, meaning.

The tables of a game log, and what architectures add to its moves.

The tables that are made from a game log, or beside it.

Names of columns, as users give them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from intent.base.json_objects import JSON_EXTRAS, JSON_OBJECTS

__all__ = [
    "BENCH_SCORES",
    "CALLS",
    "CODEBOOK_VERSION",
    "COMPACT",
    "CONTRIBUTORS",
    "DETAILS",
    "GAMES",
    "JSON_EXTRAS",
    "JSON_OBJECTS",
    "LABELS",
    "METRICS",
    "MOVES",
    "MOVE_STATUSES",
    "PROBABILITY_PREFIX",
    "PUBLISHED",
    "QUESTIONS",
    "REJECTS",
    "REPLICATION",
    "REPORT_CELLS",
    "REPORT_FINDINGS",
    "REPORT_GROUPS",
    "REPORT_SHARES",
    "RESULT_TABLES",
    "SCHEMA_VERSION",
    "SEATS",
    "STANDINGS",
    "STATUSES",
    "TABLES",
    "Column",
    "Kind",
]


Kind = Literal["string", "int", "float", "bool", "strings", "category", "bools"]


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


CODEBOOK_VERSION = "1.0"
"""Version of the names that leave this package, MAJOR.MINOR: columns of tables, keys of JSON objects.

The minor number rises with what is new, the major one with what is gone or has another name, type or meaning;
``tests/codebook_versions.py`` holds each version's names.
"""

SCHEMA_VERSION = 2
"""Version of the game log's layout; readers of older versions migrate it (`logs.gamelog`)."""

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
    Column(
        "implementation_error",
        "float",
        "probability that the game plays the opposite of a decision; absent or null: none is known of",
        optional=True,
    ),
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
    Column(
        "cooperated",
        "bool",
        "whether the action, as it was played, is cooperation; null where undecidable or missing",
    ),
    Column(
        "decided",
        "bool",
        "whether the player chose cooperation, where the game may play something else; null: as played",
        optional=True,
    ),
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
    "informed": {
        "beliefs": "what the player was told of the other's ways of playing",
        "next_move": "probability that the other cooperates, as the observer had it",
    },
    "any": {"unread": "list of reasons why replies could not be read or were illegal; absent where none was"},
}
"""Architecture -> keys of the JSON objects in the column ``details`` of the moves."""


STATUSES = ("no_fit", "ambiguous", "low_confidence", "confident")
"""Status of a label, in the order in which the conditions are tested."""

PROBABILITY_PREFIX = "p_"

LABELS = (
    Column("game_id", "string", "the game", required=True),
    Column("seat", "int", "position at the table, from 1", required=True),
    Column("n_games", "int", "with --per player: games of the player", optional=True),
    Column("n_rounds", "int", "rounds with a known own move", required=True),
    Column("label", "string", "the strategy; null unless status is confident"),
    Column("best", "string", "most probable strategy, or RANDOM; ties in catalogue order", required=True),
    Column(
        "tied", "bool", "whether other strategies explain the play equally well (within 1e-9)", required=True
    ),
    Column("tied_with", "strings", "strategies whose log-likelihood ties with that of best", required=True),
    Column("confidence", "float", "posterior probability of best", required=True),
    Column(
        "consistent",
        "strings",
        "strategies that give the play positive probability without noise; never RANDOM",
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
``p_<STRATEGY>`` per class, ``p_RANDOM`` among them unless ``--no-background``. With ``--per player`` there is
one row per player: ``player`` stands in place of ``game_id`` and ``seat``, and of the other columns those
stay that have one value for all games of a player."""

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

COMPACT = (
    Column(
        "game_id", "string", "the game, as text or a whole number; its rows stand together", required=True
    ),
    Column("seat", "int", "position at the table, 1 or 2", required=True),
    Column("own", "bools", "own moves by round: true = cooperate, null = unknown", required=True),
    Column("other", "bools", "moves of the other player, as many", required=True),
    Column("evidence", "bools", "false where an own move replaced an unreadable reply", optional=True),
)
"""The compact form of a log, one row per seat. Any further column describes the game, or the seat where it is
one of seats' or named in the metadata."""

BASELINES = (
    Column("name", "string", "study and treatment; of shares estimated anew `:` and the set", required=True),
    Column("citation", "string", "the study", required=True),
    Column("doi", "string", "of the study", required=True),
    Column("licence", "string", "of the choices, which are not here", required=True),
    Column("game", "string", "what was played", required=True),
    Column("treatment", "string", "parameters of the treatment", required=True),
    Column("how", "string", "published, or re-estimated by a command of this package", required=True),
    Column("n_subjects", "int", "people of the treatment", required=True),
    Column("n_choices", "int", "their choices", required=True),
    Column("tremble", "float", "probability per move of not playing the strategy; null: not published"),
    Column("strategy", "string", "one of those that competed", required=True),
    Column("share", "float", "of the people, by maximum likelihood", required=True),
    Column("se", "float", "standard error of the share; null: not published, or on the boundary"),
    Column("seen", "string", "where the numbers were read, or what estimates them", required=True),
    Column("note", "string", "who played, which games, how far they can be compared", required=True),
)
"""Shares of strategies of people, a row for each strategy of each baseline (`compare --baseline list`)."""

PUBLISHED = (
    Column("table", "string", "table or figure of the paper, such as Table 3", required=True),
    Column("row", "string", "row of the table; conditions as key=value, separated by commas", required=True),
    Column("column", "string", "column of the table: what was measured", required=True),
    Column("value", "float", "the number as printed; null where only a word is printed"),
    Column("spread", "float", "standard deviation or error as printed, which the note tells"),
    Column("n", "int", "observations behind the number; null: not printed"),
    Column("unit", "string", "share, percent, payoff per round, …"),
    Column("page", "string", "page of the paper, or section where pages have no numbers", required=True),
    Column("note", "string", "what a reader should know, such as a misprint"),
)
"""Numbers that a paper prints, one row per cell (``experiments/<paper>/published.csv``)."""

REPLICATION = (
    Column("table", "string", "table or figure of the paper", required=True),
    Column("row", "string", "row of the table", required=True),
    Column("column", "string", "what was measured", required=True),
    Column("published", "float", "the number as printed"),
    Column("published_se", "float", "its standard error: printed, following from what is, or assumed"),
    Column(
        "assumed",
        "bool",
        "whether that error is made of the spread of ours, since the paper prints none",
        required=True,
    ),
    Column("ours", "float", "the same quantity, measured here; null: not measured"),
    Column("se", "float", "standard error of ours"),
    Column("low", "float", "lower end of the 95 % interval of ours"),
    Column("high", "float", "upper end of it"),
    Column("n", "int", "observations behind ours"),
    Column("p", "float", "two-sided p of no difference, corrected by Holm's method over the page"),
    Column(
        "verdict",
        "string",
        "equal, within error, unclear, differs, too few, withheld, not measured",
        required=True,
    ),
    Column("unit", "string", "share, percent, payoff per round, …"),
    Column("page", "string", "page of the paper", required=True),
    Column("note", "string", "what a reader should know, such as games left out"),
)
"""Published beside ours, cell by cell (`intent replicate`), one row per published cell."""

REPORT_FINDINGS = (
    Column("rank", "int", "place among the findings; null: not shown"),
    Column("state", "string", "shown; open (a difference, but of no single contrast); silent", required=True),
    Column("sentence", "string", "the finding in words; null where none is shown"),
    Column("game", "string", "the game that it is about"),
    Column("kind", "string", "rate (cooperation), share (of strategies) or interaction", required=True),
    Column("factors", "strings", "one column; of an interaction the one that moderates, then the other"),
    Column("levels", "strings", "the highest and the lowest level, or those that are compared"),
    Column("outcome", "strings", "strategies that the share is of"),
    Column("estimate", "float", "the difference, or difference of two differences, in percentage points"),
    Column("low", "float", "lower end of its interval, simultaneous over the contrasts of the question"),
    Column("high", "float", "upper end of it"),
    Column("p", "float", "of the question"),
    Column("p_adjusted", "float", "corrected by Holm's method over all questions of the report"),
    Column("unit", "string", "what is taken as independent", required=True),
    Column("counted", "string", "how many of them there are, in words"),
    Column("n_compared", "int", "contrasts that the interval allows for"),
    Column("reverses", "bool", "of an interaction: whether some effects are above zero and some below"),
    Column("games", "strings", "game_id of games that show it"),
)
"""Every question of a report, one row each (``findings.csv`` beside the page of `intent report`)."""

REPORT_GROUPS = (
    Column("rank", "int", "place of the finding that it belongs to; null: not shown"),
    Column("game", "string", "the game that it is about"),
    Column("kind", "string", "rate, share or interaction, as in ``findings.csv``", required=True),
    Column("factors", "strings", "columns that make the group", required=True),
    Column("values", "strings", "of these columns", required=True),
    Column("outcome", "strings", "strategies that the share is of; none for cooperation"),
    Column("estimate", "float", "share of moves that cooperate, or of trajectories", required=True),
    Column("low", "float", "lower end of the interval of this group alone"),
    Column("high", "float", "upper end of it"),
    Column("n", "int", "trajectories of the group", required=True),
)
"""The groups behind every question of a report (``groups.csv`` beside the page)."""

REPORT_SHARES = (
    Column("game", "string", "the game that it is about"),
    Column("factor", "string", "column that makes the groups; null for all trajectories of the game"),
    Column("value", "string", "of that column"),
    Column("outcome", "string", "strategy, several that play does not tell apart, or status", required=True),
    Column(
        "count",
        "string",
        "estimate, or how labels are counted: status, posterior, split, best",
        required=True,
    ),
    Column("estimate", "float", "share of trajectories", required=True),
    Column("low", "float", "lower end of its interval"),
    Column("high", "float", "upper end of it"),
    Column("se", "float", "its standard error"),
    Column("n", "int", "trajectories", required=True),
    Column("n_effective", "float", "independent ones worth as much"),
)
"""Estimated shares of strategies and counted labels of a report (``shares.csv`` beside the page)."""

REPORT_CELLS = (
    Column("section", "string", "address of the section on the page", required=True),
    Column("table", "string", "caption of the table", required=True),
    Column("row", "int", "row of the table, from 1", required=True),
    Column("name", "string", "what names the row"),
    Column("column", "string", "heading of the column"),
    Column("cell", "string", "what stands there, in words and rounded numbers; null: nothing"),
)
"""Every cell of every table of a report, also of rows that the page leaves out (``cells.csv`` beside it)."""

RESULT_TABLES: dict[str, tuple[Column, ...]] = {
    "labels": LABELS,
    "metrics": METRICS,
    "standings": STANDINGS,
    "rejects": REJECTS,
    "calls": CALLS,
    "contributors": CONTRIBUTORS,
    "bench_scores": BENCH_SCORES,
    "compact": COMPACT,
    "baselines": BASELINES,
    "published": PUBLISHED,
    "replication": REPLICATION,
    "report_findings": REPORT_FINDINGS,
    "report_groups": REPORT_GROUPS,
    "report_shares": REPORT_SHARES,
    "report_cells": REPORT_CELLS,
}
"""The tables that are made from a game log, or beside it."""
