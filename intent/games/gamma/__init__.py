"""The eight games of GAMA-Bench (Huang et al. 2024, arXiv:2403.11807): rules, legal answers, rational play.

One module per game; each game is a `intent.games.course.CourseGame`. Below are its name, the key of the
JSON object that a player answers with, and its facts, which are the placeholders of prompts: those of the
rules (`facts()`), of a request (`asked`), and of a round that was played (`told`).

guessing : ``chosen_number``
    rules: low, high, ratio (as written: "2/3"). told: own, mean, target, winning, won.
bar : ``decision``, one of go, stay
    rules: low, high, home, ratio ("60%"), mode (explicit, implicit). told: own, gain; in the explicit
    game, and to those who went, also went, stayed, share ("70%"), crowded.
divide_dollar : ``bid_amount``
    rules: gold. told: own, total, within, gain.
public_goods : ``tokens_contributed``
    rules: tokens (endowment), factor, reset. asked: tokens (what the seat holds now). told: own,
    contributions (by seat), total, gain, tokens (own, after the round), holdings (by seat, after the
    round).
diner : ``chosen_dish``, one of cheap, costly
    rules: cheap_price, cheap_utility, costly_price, costly_utility. told: own, costly, cheap (numbers of
    players), total_cost, share (to pay), gain.
auction : ``bid``
    rules: price ("first", "second"), top (largest possible valuation). asked: valuation. told: valuation,
    own, highest, price, won, gain.
battle_royale : ``target``, a player's number, or null for a miss on purpose
    rules: rates (by seat, per cent). asked: alive (seats in shooting order), rates (of those), rank (own,
    from 1), hit_rate (own). told: shooter, target (seat, None: missed on purpose), hit (None then), left
    (seats still alive), own (the action, of the shooter only).
pirate : ``proposal`` of the proposer, ``decision`` of the voters, one of accept, reject
    rules: gold. asked: proposer (seat), left (seats from the proposer down), role ("propose", "vote"), of
    voters proposal (shares by `left`) and share (own). told: proposer, proposal, accepted (votes for it,
    the proposer's included), voters (number), passed, own (vote, None of the proposer), gain.

Actions in a log: a whole number as text; ``go``, ``stay``; ``cheap``, ``costly``; the target's seat as
text or ``miss``; shares from the proposer down as ``98,0,1,0,1``; ``accept``, ``reject``. A seat whose
move is missing takes no part: it is not counted in the guessing game's mean, stays home without fun, bids
and contributes nothing, orders and pays nothing, does not bid, misses on purpose, does not accept; a
missing proposal is rejected by all.
"""

from intent.games.gamma.catalogue import GAMMA_GAMES, gamma_from_json, gamma_game

__all__ = ["GAMMA_GAMES", "gamma_from_json", "gamma_game"]
