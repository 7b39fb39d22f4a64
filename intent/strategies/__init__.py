"""Who plays, in theory: automata with their catalogue, the likelihood of a history, and how far it is from
play without noise.
"""
