"""Shares in populations, from play: strategies by strategy-frequency estimation, and types of contributors
to public goods, with errors, intervals and tests between groups.
"""
