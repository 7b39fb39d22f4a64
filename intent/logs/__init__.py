"""What happened: game logs and their trajectories, in memory or piece by piece, the stores they are written
to and the readers of foreign logs.
"""
