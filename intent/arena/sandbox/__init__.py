"""Where written strategies run: confined processes that give back moves and nothing else."""
