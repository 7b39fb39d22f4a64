"""The chain of the study of written strategies: write or read sets, validate, play, evolve, compare."""
