"""Statistics that know no game: groups and clusters of rows, covariances clustered by game, and intervals of
means and shares.
"""
