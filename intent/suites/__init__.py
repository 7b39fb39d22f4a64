"""Suites of games that score a model: gamma-bench."""
