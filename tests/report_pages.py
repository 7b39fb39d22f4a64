"""Logs that a report is made of, among them one whose every text is hostile."""

from __future__ import annotations

import numpy as np
from play_logs import log_of, match

from intent import GameLog
from intent.games.catalogue import game as named_game

PD = named_game("prisoner-dilemma")

HOSTILE = (
    "<script>document.title='run'</script>",
    "</td></table></style><style>body{display:none}</style>",
    '"><img src=http://evil.example/x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}&amp;",
    "\u202eright to left\u2069 \x07 \ufffe\ufdd0",
    "<svg onload=alert(1)><!-- ",
    "long " + "x" * 5_000,
)


def two_games() -> GameLog:
    """Prisoner's Dilemmas of two models in two languages, and battles of the sexes that have no labels."""
    rng = np.random.default_rng(5)
    made = []
    for model, p in (("A", 0.9), ("B", 0.2)):
        for language in ("en", "vi"):
            for repetition in range(1, 9):
                play = ["".join("DC"[int(rng.random() < p)] for _ in range(8)) for _ in range(2)]
                columns = {"language": language, "repetition": repetition}
                made.append(match(PD, *play, model=model, persona=("selfish", "cooperative"), **columns))
    battle = named_game("battle-sexes")
    made += [match(battle, "CDCD", "CDDC", model="A", language="en") for _ in range(3)]
    return log_of(*made)


def hostile_games() -> GameLog:
    """Games whose models, personas, languages and messages are `HOSTILE`."""
    rng = np.random.default_rng(6)
    made = []
    for k, text in enumerate(HOSTILE * 2):
        play = ["".join("DC"[int(x)] for x in rng.integers(0, 2, 10)) for _ in range(2)]
        columns = {"language": HOSTILE[(k + 1) % 3], "note": HOSTILE[k % 2]}
        made.append(match(PD, *play, model=text, persona=[HOSTILE[(k + 2) % 7]] * 2, **columns))
    log = log_of(*made)
    n = len(log.moves)
    texts = [HOSTILE[k % len(HOSTILE)] for k in range(n)]
    moves = log.moves.assign(message=texts, private_thought=texts[::-1], reply=texts)
    return GameLog(log.games, log.seats, moves)
