"""Strategies as code against each other: who enters, what a match is, which engine plays it, and what is
known of written code before it is used.
"""
