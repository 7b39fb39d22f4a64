"""Round robins that resume: their matches, the table of their counts, and the standings, logs and folders
made from it.
"""
