"""Experiment files: what is to be played, as typed values, and the games that follow from it."""
