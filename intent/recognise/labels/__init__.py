"""Labels of logs: the command `label`, in memory or piece by piece, the label sets with a guarantee, and
labels that a user hands over.
"""
