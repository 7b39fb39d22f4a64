"""WHO plays, in theory: the automaton, its step, likelihood, noise, and the catalogue."""
