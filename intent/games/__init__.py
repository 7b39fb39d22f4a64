"""What is played: games in normal form and by rounds, their catalogue, the class of the dilemma and its
equilibria.
"""
