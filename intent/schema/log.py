"""The tables of a game log, and what architectures add to its moves."""

from __future__ import annotations

from intent.schema.column import Column

__all__ = ["DETAILS", "GAMES", "MOVES", "MOVE_STATUSES", "QUESTIONS", "SCHEMA_VERSION", "SEATS", "TABLES"]

SCHEMA_VERSION = 2
"""Version of the game log's layout; readers of older versions migrate it (`logs.migrate`)."""

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
    "any": {"unread": "list of reasons why replies could not be read or were illegal; absent where none was"},
}
"""Architecture -> keys of the JSON objects in the column ``details`` of the moves."""
