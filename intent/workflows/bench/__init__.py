"""Benchmarks: what is played, played and resumed, scored, compared."""
