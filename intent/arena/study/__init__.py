"""The study of written strategies as one chain: sets are written or read, validated, played, evolved and
compared with what the paper printed.
"""
