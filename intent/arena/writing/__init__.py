"""Language models write strategies: the order, the questions, the answers on record, and the files that come
of them.
"""
