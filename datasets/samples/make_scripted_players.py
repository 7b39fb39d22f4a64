"""Make ``scripted_players.jsonl.gz``: 240 games between scripted, noisy players, with conditions to compare.

Run from the repository root: ``python datasets/samples/make_scripted_players.py``. Nothing in it comes from a
language model; the mixtures below are our own invention, made so that the groups differ.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from intent.games.catalogue import game
from intent.logs.stores import write_log
from intent.play.match import Horizon, to_log
from intent.play.players import AutomatonPlayer
from intent.play.referee import play
from intent.strategies.catalogue import strategy

HERE = Path(__file__).resolve().parent
SEED = 7
MIXTURES = {
    ("scripted-reciprocal", "cooperative"): {"TFT": 0.6, "ALLC": 0.3, "WSLS": 0.1},
    ("scripted-reciprocal", "selfish"): {"TFT": 0.4, "GRUDGER": 0.3, "ALLD": 0.3},
    ("scripted-learner", "cooperative"): {"WSLS": 0.7, "ALLC": 0.2, "RANDOM": 0.1},
    ("scripted-learner", "selfish"): {"WSLS": 0.4, "ALLD": 0.4, "RANDOM": 0.2},
    ("scripted-tough", "cooperative"): {"TFT": 0.3, "ALLD": 0.5, "DTFT": 0.2},
    ("scripted-tough", "selfish"): {"ALLD": 0.9, "BULLY": 0.1},
}
NOISE = {"en": 0.02, "fr": 0.08}
PAIRINGS = (("cooperative", "cooperative"), ("cooperative", "selfish"))


def main() -> None:
    """Play and write."""
    rng = np.random.default_rng(SEED)
    matches = []
    for name in ("prisoner-dilemma", "snow-drift"):
        for model in ("scripted-reciprocal", "scripted-learner", "scripted-tough"):
            for language, eps in NOISE.items():
                for personas in PAIRINGS:
                    for repetition in range(1, 11):
                        players, seats = [], []
                        for persona in personas:
                            mixture = MIXTURES[model, persona]
                            chosen = str(rng.choice(list(mixture), p=list(mixture.values())))
                            players.append(AutomatonPlayer(strategy(chosen), eps))
                            seats.append({"model": model, "persona": persona})
                        columns = {"language": language, "repetition": repetition}
                        match = play(game(name), players, Horizon(20, known=False), rng, columns=columns)
                        described = tuple(
                            {**own, **more} for own, more in zip(match.seats, seats, strict=True)
                        )
                        matches.append(replace(match, seats=described))
    write_log(
        to_log(matches, source="datasets/samples/make_scripted_players.py"),
        HERE / "scripted_players.jsonl.gz",
        overwrite=True,
    )


if __name__ == "__main__":
    main()
