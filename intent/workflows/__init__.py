"""Where layers meet: one module per job, typed settings in, results out; no printing."""
