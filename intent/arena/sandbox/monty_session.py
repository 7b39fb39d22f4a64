# mypy: ignore-errors
# ruff: noqa: BLE001, F821 - whatever a player raises is told; the names are those of the texts fed before
"""The loop over rounds inside a monty session.

Fed to the interpreter as text, after `monty_generator.py` and `monty_world.py`, and never imported here. The
record of the match is in the locals of `zz_play`, which no player reaches. Names that begin with ``zz_`` are
refused in written code.
"""


def zz_words(error):
    return repr(error)[:300]


def zz_shown(value):
    if value is None or value is True or value is False:
        return str(value)
    if isinstance(value, str):
        return repr(value[:60])
    if isinstance(value, int) and -1000000 < value < 1000000:
        return str(value)
    return str(type(value))[:60]


class zz_Side:
    """A player at the table."""

    def __init__(self, player, enter, length, noise, pay):
        self.player, self.length, self.noise = player, length, noise
        self.axl, self.C, self.D, self.Game, Player, self.Opponent, total_scores = zz_world(pay)
        self.acts = (self.D, self.C)
        self.me = Player()
        self.me.total_scores = total_scores
        self.me.first_round = lambda: len(self.own) == 0
        self.enter = enter
        self.sit_down()

    def sit_down(self):
        """Fresh histories, score and generator; what the player stored on itself stays."""
        self.own, self.seen = [], []
        self.other = self.Opponent()
        self.me.history, self.other.history = self.own, self.seen
        self.me.score = self.other.score = 0
        self.me.match_attributes = {"length": self.length, "game": self.Game(), "noise": self.noise}
        self.me._random = zz_generator(self.player, self.C, self.D)
        self.random_choice = self.me._random.random_choice
        cooperations = zz_tally(self, "cooperations", self.C)
        defections = zz_tally(self, "defections", self.D)
        self.play = self.enter(self.axl, cooperations, defections, zz_ordered(self.C, self.D), self)


def zz_seat(player, enter, length, noise, pay, reuse):
    """Put a player at the table of a new match; nothing, or (player, turn, kind, words) of a fault."""
    try:
        if reuse and zz_sides[player] is not None:
            zz_sides[player].sit_down()
        else:
            zz_sides[player] = zz_Side(player, enter, length, noise, pay)
    except BaseException as error:
        return player, None, "error", zz_words(error)
    return None


def zz_step(player, own, seen, score, other_score):
    """One move of one player after the realised moves of the round before (-1: none): 1, 0 or a fault."""
    side = zz_sides[player]
    if own >= 0:
        side.own.append(side.acts[own])
        side.seen.append(side.acts[seen])
    side.me.score = score
    side.other.score = other_score
    try:
        chosen = side.play(side.me, side.other)
    except BaseException as error:
        return player, len(side.own), "error", zz_words(error)
    if chosen is side.C:
        return 1
    if chosen is side.D:
        return 0
    return player, len(side.own), "value", zz_shown(chosen)


def zz_match(enter_0, enter_1, turns, length, noise, pay, current, reuse, flips):
    """One match of two players; `pay` after CC, CD, DC, DD, `current` whether all scores are.

    Returns the moves of both as two texts of 0 and 1, or (player, turn, kind, words) of a fault.
    """
    for player, enter in ((0, enter_0), (1, enter_1)):
        fault = zz_seat(player, enter, length, noise, pay, reuse)
        if fault is not None:
            return fault
    return zz_play(turns, pay, current, flips)


def zz_play(turns, pay, current, flips):
    """The rounds of a match whose sides are seated."""
    first, second = zz_sides[0], zz_sides[1]
    play_0, me_0, other_0, C_0, D_0 = first.play, first.me, first.other, first.C, first.D
    play_1, me_1, other_1, C_1, D_1 = second.play, second.me, second.other, second.C, second.D
    own_0, seen_0, own_1, seen_1 = first.own, first.seen, second.own, second.seen
    acts_0, acts_1 = first.acts, second.acts
    moves_0, moves_1, digits = [], [], ("0", "1")
    score_0 = score_1 = late = 0
    noisy = len(flips) > 0
    for turn in range(turns):
        me_0.score = score_0
        other_0.score = score_1 if current else late
        try:
            chosen = play_0(me_0, other_0)
        except BaseException as error:
            return 0, turn, "error", zz_words(error)
        if chosen is C_0:
            a = 1
        elif chosen is D_0:
            a = 0
        else:
            return 0, turn, "value", zz_shown(chosen)
        me_1.score = score_1
        other_1.score = score_0
        try:
            chosen = play_1(me_1, other_1)
        except BaseException as error:
            return 1, turn, "error", zz_words(error)
        if chosen is C_1:
            b = 1
        elif chosen is D_1:
            b = 0
        else:
            return 1, turn, "value", zz_shown(chosen)
        late = score_1
        if noisy:
            if flips[2 * turn]:
                a = 1 - a
            if flips[2 * turn + 1]:
                b = 1 - b
        score_0 += pay[3 - 2 * a - b]
        score_1 += pay[3 - 2 * b - a]
        own_0.append(acts_0[a])
        seen_0.append(acts_0[b])
        own_1.append(acts_1[b])
        seen_1.append(acts_1[a])
        moves_0.append(digits[a])
        moves_1.append(digits[b])
    return "".join(moves_0), "".join(moves_1)


zz_sides = [None, None]
