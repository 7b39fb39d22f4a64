"""The local page: games of a log or a run, one by one, with the reasons of their labels."""
