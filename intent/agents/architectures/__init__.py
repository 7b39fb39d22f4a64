"""Agent architectures: what happens between a view and a decision, one file for each family."""
