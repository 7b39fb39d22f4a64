"""What survives selection: Moran processes, their exact chains, replicator dynamics, stability."""
