"""A log whose shares are known: who plays what in which treatment."""

from __future__ import annotations

from intent import GameLog, generate


def two_treatments(*, players: bool = False, rounds: int = 20, each: int = 40, seed: int = 1) -> GameLog:
    """Treatment ``calm`` holds as many ALLC as TFT, treatment ``harsh`` only ALLD; noise .05.

    With `players`, each has two games of its strategy.
    """
    log = generate("ALLC,TFT,ALLD", 3 * each, rounds=rounds, eps=0.05, seed=seed)
    focal = log.seats[log.seats["focal"]].set_index("game_id")["strategy"]
    of_game = log.games["game_id"].map(focal)
    log.games["treatment"] = of_game.map(lambda name: "harsh" if name == "ALLD" else "calm")
    if players:
        place = of_game.groupby(of_game).cumcount() // 2
        names = dict(zip(log.games["game_id"], of_game + place.astype(str), strict=True))
        log.seats["player"] = log.seats["game_id"].map(names).where(log.seats["focal"])
    return log
