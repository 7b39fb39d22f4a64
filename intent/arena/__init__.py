"""Strategies against each other: written code in its sandbox, tournaments, evolution, writing."""
