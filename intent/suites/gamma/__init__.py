"""gamma-bench (Huang et al. 2024, arXiv:2403.11807): what was played, its scores, and the leaderboard.

What was played comes from GAMA-Bench's saved files (`saved`) or from a game log (`from_log`); both make the
records of `plays`, and `scores` takes these.
"""
