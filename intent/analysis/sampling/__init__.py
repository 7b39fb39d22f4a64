"""Whether numbers that a model names can be a sample of the distribution that it was asked for."""
