"""The command line: one file per family of commands, each command a function that calls a job and prints."""
