"""The compact form of a log: one row per seat with its moves as a list, for corpora larger than memory."""
