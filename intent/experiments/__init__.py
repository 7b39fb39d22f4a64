"""What serves one published paper only: its tables, figures and verdicts, made from a log. A step on the way
out of the package.
"""
