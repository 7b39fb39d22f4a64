"""WHAT is played: payoffs, roles of the actions, reward or penalty."""
