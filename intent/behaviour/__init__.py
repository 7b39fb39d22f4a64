"""How players behave: metrics of play, comprehension, deception, choices and payoffs, and what drives a
metric. Also how far recognisers agree on the play.
"""
