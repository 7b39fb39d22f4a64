"""From play to intent: recognisers of strategies, their training, evaluation and ceilings, and how they are
saved. Verdicts say how sure a label is, and what fair coins would get.
"""
