"""Who plays, in practice: clients of language models, prompts, replies, scripted and human players.

============================ ==================================================================
plan, players, personas      what is planned of a game: its seats, what their names and personas mean
agent, build                 what takes a seat (view in, decision out), and who makes it from a plan
plain, scripted, human       the agents: a language model, a strategy, somebody at the terminal
client, clients              the protocol of a language model, and one file per kind of endpoint
prompts                      a view put into words, in five languages or in a paper's wording
replies                      words read as one of the labels, or refused
local_models, cache_folder   models that run here without a key, and where their files are kept
scripted_server              an endpoint for tests and trials that answers, and fails, by rule
============================ ==================================================================
"""
