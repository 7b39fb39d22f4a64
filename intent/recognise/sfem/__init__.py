"""Strategy-frequency estimation: the shares of strategies in a population, and how often they tremble."""
