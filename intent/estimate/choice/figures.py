"""Figures of a comparison of models of choice: losses, losses by round, portraits of types, checks."""

FIGURES = {}
