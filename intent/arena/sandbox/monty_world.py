# mypy: ignore-errors
# ruff: noqa: B905, SIM110 - Monty has no `strict` and no lazy generators
"""What a player sees inside a monty session; fed as text before `monty_session.py`.

Each player has a world of its own (actions, classes, histories, generator): whatever it changes is its own.
"""


def zz_world(pay):
    """What one player is given: its library, its actions, the classes of its views."""

    class Action:
        def __init__(self, letter, value):
            self.name = letter
            self.value = value

        def flip(self):
            return D if self is C else C

        def __hash__(self):
            return self.value

        def __repr__(self):
            return self.name

    C = Action("C", 0)
    D = Action("D", 1)
    Action.C = C
    Action.D = D

    class Game:
        def score(self, pair):
            code = 2 * (pair[0] is D) + (pair[1] is D)
            return pay[code], pay[(0, 2, 1, 3)[code]]

        def RPST(self):
            return pay[0], pay[3], pay[1], pay[2]

    class Player:
        def first_round(self):
            return len(self.history) == 0

        def total_scores(self, mine, theirs):
            own = other = 0
            r, s, t, p = pay
            for a, b in zip(mine, theirs):
                if a is C:
                    if b is C:
                        own += r
                        other += r
                    else:
                        own += s
                        other += t
                elif b is C:
                    own += t
                    other += s
                else:
                    own += p
                    other += p
            return own, other

    class Opponent:
        pass

    class Library:
        pass

    axl = Library()
    axl.Action = Action
    axl.Player = Player
    axl.player = Library()
    axl.player.Player = Player
    return axl, C, D, Game, Player, Opponent


def zz_tally(side, name, action):
    """What stands for ``.cooperations`` and ``.defections``, which a list has not: counted as they grow."""
    done = [0, 0]
    counted = [0, 0]

    def count(of, *default):
        if of is side.own or of is side.me:
            moves, k = side.own, 0
        elif of is side.seen or of is side.other:
            moves, k = side.seen, 1
        else:
            return getattr(of, name, *default)
        n = len(moves)
        if n == done[k] + 1:
            if moves[-1] is action:
                counted[k] += 1
        elif n != done[k]:
            counted[k] = moves.count(action)
        done[k] = n
        return counted[k]

    return count


def zz_any(true, values):
    for value in values:
        if true(value):
            return True
    return False


def zz_all(true, values):
    for value in values:
        if not true(value):
            return False
    return True


def zz_next(kept, made, values, *default):
    for value in values:
        if kept(value):
            return made(value)
    if default:
        return default[0]
    raise StopIteration


def zz_automaton(chances, after, start, realised):
    """The function of an automaton, from its table."""

    def make(axl, cooperations, defections, ordered, side):
        C = side.C
        state = start
        meant = 0

        def strategy(self, opponent):
            nonlocal state, meant
            if self.history:
                own = (self.history[-1] is C) if realised else meant
                state = after[state][3 - 2 * own - (opponent.history[-1] is C)]
            move = side.random_choice(chances[state])
            meant = move is C
            return move

        return strategy

    return make


def zz_written(make):
    """The same for written code, whose factory takes less."""

    def enter(axl, cooperations, defections, ordered, side):
        return make(axl, cooperations, defections, ordered, side.C, side.D)

    return enter


def zz_ordered(C, D):
    """What stands for ``set``: moves in the order C, D, as hashes order them elsewhere."""

    def made(kind, values):
        if len(values) == 2 and C in values and D in values:
            return kind([C, D])
        return values

    return made
