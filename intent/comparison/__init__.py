"""Comparison of groups: shares and means with intervals and tests, regressions, findings, power and
sensitivity.
"""
