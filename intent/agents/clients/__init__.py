"""Clients of language models, one file for each kind of endpoint, and what they share: addresses and keys,
bodies of requests, HTTP.
"""
