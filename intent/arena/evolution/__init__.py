"""What survives selection: Moran processes over matches played once, their exact chains, replicator
dynamics, stability.
"""
