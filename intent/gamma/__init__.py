"""gamma-bench (Huang et al. 2024, arXiv:2403.11807): the eight games, each in a file, with their words,
records of play, scores and pictures.
"""
