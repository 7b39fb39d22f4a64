"""Experiments played with language models: experiment files, the asynchronous driver, limits and prices, the
durable store of a run, resuming.
"""
