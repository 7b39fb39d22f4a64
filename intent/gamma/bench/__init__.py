"""Benchmarks of models on the eight games: what is played under which conditions, played and resumed,
scored, ranked, analysed.
"""
