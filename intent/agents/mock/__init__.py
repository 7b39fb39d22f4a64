"""Artificial language models that answer by rule, for tests and dry trials: no network, and the same answer
to the same request.
"""
