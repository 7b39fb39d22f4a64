"""Behaviour metrics of trajectories: what each counts, over which occasions, and their table."""
