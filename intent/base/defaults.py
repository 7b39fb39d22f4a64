"""What labels and estimated shares assume where nothing is said; light, so that signatures can name it."""

from __future__ import annotations

__all__ = ["BACKGROUND", "DEFAULT_RECOGNISER", "DEFAULT_STRATEGIES"]

BACKGROUND = True
"""Whether RANDOM competes with the strategies for play (see `intent.recognise.bayes`)."""

DEFAULT_RECOGNISER = "bayes-canonical4"

DEFAULT_STRATEGIES = "canonical4"
