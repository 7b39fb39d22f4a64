"""Small FAIRGAME files for tests."""

from __future__ import annotations

from pathlib import Path

HEADER = (
    "game_id;language;n_rounds_is_known;max_rounds;played_rounds;agents_communicate;"
    "agent1_name;agent1_llm;agent1_personality;agent1_knows_opponent_with_prob;"
    "agent1_strategies;agent1_scores;agent1_messages;"
    "agent2_name;agent2_llm;agent2_personality;agent2_knows_opponent_with_prob;"
    "agent2_strategies;agent2_scores;agent2_messages;game;known;payoff_type"
)
PD = {"AA": (6, 6), "AB": (0, 10), "BA": (10, 0), "BB": (2, 2)}


def row(play: str = "AB BB", payoffs: dict[str, tuple[float, float]] = PD, **cells: object) -> str:
    """One line; `play` holds a joint action per round, `cells` replaces columns by name."""
    rounds = play.split()
    values: dict[str, object] = {
        "game_id": "game_0",
        "language": "en",
        "n_rounds_is_known": True,
        "max_rounds": len(rounds),
        "played_rounds": len(rounds),
        "agents_communicate": False,
        "game": "prisoner-dilemma",
        "known": "known",
        "payoff_type": "conventional",
    }
    for i in (1, 2):
        values |= {
            f"agent{i}_name": f"agent{i}",
            f"agent{i}_llm": "M",
            f"agent{i}_personality": "selfish",
            f"agent{i}_knows_opponent_with_prob": 0.0,
            f"agent{i}_strategies": [f"Option{joint[i - 1]}" for joint in rounds],
            f"agent{i}_scores": [payoffs[joint][i - 1] for joint in rounds],
            f"agent{i}_messages": [],
        }
    values |= cells
    return ";".join(str(values[name]) for name in HEADER.split(";"))


def write(path: Path, *rows: str, header: str = HEADER) -> Path:
    """A file of these rows."""
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path
