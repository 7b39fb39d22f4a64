"""Models of choice: what predicts the next move, and how much of the play each of them explains.

A model of choice gives, before every move, the probability of each action from what was played until then.
All are held against one contract (`model.ChoiceModel`), whatever they stand on: automata, types with free
response, hidden states, regression, learning, or trees and networks, which show how much can be predicted.
"""
