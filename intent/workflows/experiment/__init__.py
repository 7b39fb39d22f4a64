"""Experiment files: what is to be played, as typed values, and the games that follow from it.

====================================== ========================================================
load                                   the door: a file or mapping, with changes, as an Experiment
model, condition, game_spec            the typed values
aliases, put, merge, changes           short keys, dotted keys, includes, the command line's changes
grid, patterns                         every combination of the factors, as conditions
plans, seats                           conditions times repetitions, as plans of games
prompt_names, prompt_sets              the prompts that the plans are played with
fairgame, fairgame_agents/_matrix      FAIRGAME's configuration files as such mappings
====================================== ========================================================
"""
