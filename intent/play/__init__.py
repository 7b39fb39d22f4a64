"""Theory in motion: the referee without I/O, what players see, matches, and corpora of noisy play."""
