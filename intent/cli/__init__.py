"""The command line: one thin file per command, each a function that calls a workflow and prints."""
