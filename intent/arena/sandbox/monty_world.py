# mypy: ignore-errors
# ruff: noqa: B905, F821, RUF005, RUF015, SIM110 - Monty has no `strict`; names are of other texts
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

    table = {
        (C, C): (pay[0], pay[0]),
        (C, D): (pay[1], pay[2]),
        (D, C): (pay[2], pay[1]),
        (D, D): (pay[3], pay[3]),
    }

    class Game:
        def score(self, pair):
            return table[pair]

        def RPST(self):
            return pay[0], pay[3], pay[1], pay[2]

    class Player:
        pass

    def total_scores(mine, theirs):
        own = other = 0
        r, s, t, p = pay
        for a, b in zip(mine, theirs):
            if a is C and b is C:
                own += r
                other += r
            elif a is C and b is D:
                own += s
                other += t
            elif a is D and b is C:
                own += t
                other += s
            elif a is D and b is D:
                own += p
                other += p
            else:
                raise KeyError("no pair of moves")
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
    return axl, C, D, Game, Player, Opponent, total_scores


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
    """The same for written code, whose factory takes more."""

    def enter(axl, cooperations, defections, ordered, side):
        return make(axl, cooperations, defections, side.C, side.D, *zz_kit(side, cooperations, defections))

    return enter


def zz_ordered(C, D):
    """What puts the moves of a set in the order C, D and before the rest, where both are there."""

    def order(members):
        if len(members) > 1 and C in members and D in members:
            rest = [x for x in members if x is not C and x is not D]
            members.clear()
            members.update([C, D] + rest)
        return members

    return order


def zz_round(value, ndigits=None):
    """``round`` to the nearest decimal of what a float is exactly, ties to even."""
    if not isinstance(value, (int, float)):
        raise TypeError("round() takes a number")
    if isinstance(value, int) or ndigits is None:
        return round(value, ndigits)
    if not isinstance(ndigits, int):
        raise TypeError("round() takes a whole number of digits")
    if value != value or value - value != 0 or ndigits > 323 or value == 0:
        return value
    if ndigits < -308:
        return 0.0 * value
    over, under, exact = 1, 1, abs(value)
    while exact != int(exact):
        exact *= 2.0
        under *= 2
    over = int(exact)
    if ndigits >= 0:
        over *= 10**ndigits
    else:
        under *= 10**-ndigits
    whole, rest = over // under, over % under
    if 2 * rest > under or (2 * rest == under and whole % 2 == 1):
        whole += 1
    near = whole / 10**ndigits if ndigits >= 0 else float(whole * 10**-ndigits)
    return -near if value < 0 else near


def zz_count(of, value):
    """``of.count(value)``, of a range too."""
    if isinstance(of, range):
        return 1 if value in of else 0
    return of.count(value)


def zz_index(of, *args):
    """``of.index(value)``, of a range too."""
    if isinstance(of, range):
        of = list(of)
    return of.index(*args)


def zz_numbers(key):
    """Whether there is a number in a key."""
    if isinstance(key, tuple):
        for part in key:
            if zz_numbers(part):
                return True
        return False
    return isinstance(key, (int, float))


def zz_key(of, key):
    """The key under which a dict is to store: the one that it has, where 1 and True are equal."""
    if isinstance(key, str) or not isinstance(of, dict) or key not in of or not zz_numbers(key):
        return key
    for held in of:
        if held == key:
            return held
    return key


def zz_dict(values=(), **named):
    """``dict``, which keeps the first of keys that are equal."""
    if isinstance(values, dict):
        made = dict(values)
    else:
        made = {}
        for pair in values:
            key, value = zz_parts(pair, 2)
            made[zz_key(made, key)] = value
    for name in named:
        made[name] = named[name]
    return made


class zz_Once:
    """An iterator that can be a member and a key, as every object can."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.values)


def zz_once(values):
    """``iter(values)``."""
    return values if isinstance(values, zz_Once) else zz_Once(iter(values))


def zz_map(function, *values):
    """``map``, whose function may draw."""
    return zz_once([function(*parts) for parts in zip(*values)])


def zz_filter(function, values):
    """``filter``, whose function may draw."""
    return zz_once([value for value in values if (value if function is None else function(value))])


def zz_best(values, key, named, larger):
    """``max`` or ``min``, whose key may draw."""
    if len(values) == 1:
        values = list(values[0])
    elif "default" in named:
        raise TypeError("a default needs one argument that is iterated")
    if key is None:
        key = lambda value: value  # noqa: E731
    keys = [key(value) for value in values]
    if not keys:
        if "default" in named:
            return named["default"]
        raise ValueError("nothing to choose from")
    at = 0
    for i in range(1, len(keys)):
        if (keys[i] > keys[at]) if larger else (keys[i] < keys[at]):
            at = i
    return values[at]


def zz_max(*values, key=None, **named):
    return zz_best(values, key, named, True)


def zz_min(*values, key=None, **named):
    return zz_best(values, key, named, False)


zz_methods = (
    (bool, ()),
    (int, ()),
    (float, ()),
    (
        list,
        ["append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse", "sort"],
    ),
    (tuple, ("count", "index")),
    (range, ("count", "index")),
    (dict, ["clear", "copy", "get", "items", "keys", "pop", "popitem", "setdefault", "update", "values"]),
    (
        set,
        ["add", "clear", "copy", "difference", "discard", "intersection", "isdisjoint", "issubset"]
        + ["issuperset", "pop", "remove", "union", "update"],
    ),
    (frozenset, ["copy", "difference", "intersection", "isdisjoint", "issubset", "issuperset", "union"]),
    (
        str,
        [
            "count",
            "endswith",
            "find",
            "index",
            "join",
            "lower",
            "lstrip",
            "replace",
            "rstrip",
            "split",
            "startswith",
            "strip",
            "upper",
        ],
    ),
)


def zz_able(of, name):
    """`of`, which has the method: Python looks for it before it works out the arguments, and Monty after."""
    for kind, names in zz_methods:
        if isinstance(of, kind):
            if name in names:
                return of
            raise AttributeError("no " + name + " is there")
    if of is None or not hasattr(of, name):
        raise AttributeError("no " + name + " is there")
    return of


def zz_sorted(values, key=None, reverse=False):
    """``sorted``, whose key may draw."""
    values = list(values)
    if key is None:
        return sorted(values, reverse=reverse)
    keys = [key(value) for value in values]
    if reverse:
        return [values[-i] for _, i in sorted([(k, -i) for i, k in enumerate(keys)], reverse=True)]
    return [values[i] for _, i in sorted([(k, i) for i, k in enumerate(keys)])]


class zz_Fixed:
    """What stands for a history where a list would be changed: asked for that, it raises as histories do."""

    def fixed(self, *values, **named):
        raise TypeError("a history is read, not changed")


zz_fixed = zz_Fixed()
zz_fixed.append = zz_fixed.extend = zz_fixed.insert = zz_fixed.pop = zz_fixed.fixed
zz_fixed.remove = zz_fixed.clear = zz_fixed.reverse = zz_fixed.fixed


def zz_sliced(of):
    """What is sliced; in some Pythons a dict has no key for a slice, in others a slice can be no key."""
    if isinstance(of, dict) and not zz_slices_hash:
        raise TypeError("a dict cannot be sliced")
    return of


def zz_kit(side, cooperations, defections):
    """What stands for operations of Python that Monty has otherwise; in the order of `monty_source.KIT`."""
    C, D, own, seen = side.C, side.D, side.own, side.seen
    order = zz_ordered(C, D)

    def get(thing, name, *default):
        if not isinstance(name, str) or name.startswith("__"):
            raise AttributeError("a name cannot be read")
        if thing is side.me or name in zz_readable:
            if name == "cooperations":
                return cooperations(thing, *default)
            if name == "defections":
                return defections(thing, *default)
            return getattr(thing, name, *default)
        if default:
            return default[0]
        raise AttributeError(name + " cannot be read")

    def has(thing, name):
        try:
            get(thing, name)
        except AttributeError:
            if not isinstance(name, str) or name.startswith("__"):
                raise
            return False
        return True

    def free(of):
        return zz_fixed if of is own or of is seen else of

    def put(value, of, key):
        free(of)[zz_key(of, key)] = value

    def sort(of, key=None, reverse=False):
        if not isinstance(of, list):
            raise AttributeError("only a list can be sorted in its place")
        free(of)[:] = sorted(of, key=key, reverse=reverse)

    def sort_by(of, key=None, reverse=False):
        if not isinstance(of, list):
            raise AttributeError("only a list can be sorted in its place")
        free(of)[:] = zz_sorted(of, key, reverse)

    def grown(of, value):
        if isinstance(of, list):
            if of is own or of is seen:
                raise TypeError("a history is read, not changed")
            return value if isinstance(value, list) else list(value)
        return value

    def times(of, value):
        if of is own or of is seen:
            raise TypeError("a history is read, not changed")
        return value

    def made(values=()):
        return order(set(values))

    def frozen(values=()):
        return frozenset(list(order(set(values))))

    def like(of, values):
        return made(values) if isinstance(of, set) else frozen(values)

    def held(of):
        return isinstance(of, (set, frozenset))

    def join(a, b):
        if held(a) and held(b):
            return like(a, list(a) + list(b))
        if isinstance(a, dict) and isinstance(b, dict):
            return zz_dict(zz_items(a) + zz_items(b))
        return a | b

    def meet(a, b):
        if held(a) and held(b):
            return like(a, [x for x in a if x in b])
        return a & b

    def differ(a, b):
        if held(a) or held(b):
            raise TypeError("sets have no ^; write (a - b) | (b - a)")
        return a ^ b

    def join_in(a, b):
        if isinstance(a, set) and held(b):
            a.update(list(b))
            return order(a)
        if held(a):
            return join(a, b)
        if isinstance(a, dict):
            update(a, b)
            return a
        a |= b
        return a

    def meet_in(a, b):
        if isinstance(a, set) and held(b):
            for value in [x for x in a if x not in b]:
                a.remove(value)
            return a
        return meet(a, b)

    def differ_in(a, b):
        return differ(a, b)

    def less(a, b):
        if held(a) or held(b):
            raise TypeError("sets are compared with ==, <= and >=")
        return a < b

    def add(of, *args):
        of.add(*args)
        order(of)

    def update(of, *others, **named):
        if isinstance(of, dict):
            if len(others) > 1:
                raise TypeError("update expected at most 1 argument")
            for other in [*others, named]:
                pairs = zz_items(other) if isinstance(other, dict) else [zz_parts(pair, 2) for pair in other]
                for key, value in pairs:
                    of[zz_key(of, key)] = value
            return
        if not isinstance(of, set):
            raise AttributeError("only dicts and sets have update")
        for other in others:
            of.update(list(other))
            order(of)
        return

    def union(of, *others):
        if not held(of):
            raise AttributeError("only a set has union")
        values = list(of)
        for other in others:
            values += list(other)
        return like(of, values)

    def intersection(of, *others):
        if not held(of):
            raise AttributeError("only a set has intersection")
        common = of
        for other in others:
            among = set(other)
            common = like(of, [x for x in common if x in among])
        return like(of, common)

    def pop(of):
        if not isinstance(of, set):
            return free(of).pop()
        if len(of) == 0:
            raise KeyError("an empty set")
        value = list(of)[0]
        of.remove(value)
        return value

    sets = (
        made,
        frozen,
        join,
        meet,
        differ,
        join_in,
        meet_in,
        differ_in,
        less,
        put,
        sort,
        sort_by,
        add,
        update,
        union,
        intersection,
        pop,
    )
    return (zz_text((C, D)), get, has, free, grown, times, *sets)
