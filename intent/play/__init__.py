"""Theory in motion: the referee, the player's view, matches and corpora of noisy play."""
