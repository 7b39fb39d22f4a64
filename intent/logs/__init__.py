"""WHAT happened: the game log, its trajectories, its stores and the readers of foreign logs."""
