# mypy: ignore-errors
# ruff: noqa: SIM110 - Monty runs this text too
"""Python's own operations where interpreters differ, the same on every engine.

Fed to monty sessions as text and imported by the CPython engines; so in plain Python, without imports and
names of the outside. Names begin with ``zz_``, which written code cannot say.
"""

zz_LARGEST = 2**4096
zz_WORD = 2**64
zz_BITS = 1048576
zz_DEEPEST = 300
zz_depth = [0]


def zz_plain(value, moves, depth):
    """Whether a value has a text that every run and every interpreter writes alike."""
    if value is None or value is moves[0] or value is moves[1]:
        return True
    if isinstance(value, (float, str)):
        return True
    if isinstance(value, int):
        return -zz_LARGEST < value < zz_LARGEST
    if depth > 0 and isinstance(value, (list, tuple)):
        for part in value:
            if not zz_plain(part, moves, depth - 1):
                return False
        return True
    return False


def zz_text(moves):
    """What stands for ``str``: numbers, texts, moves, and lists and tuples of them."""

    def text(value=""):
        if not zz_plain(value, moves, 20):
            raise TypeError("str() takes numbers, texts, moves, and lists or tuples of them")
        return str(value)

    return text


def zz_pow(a, b):
    """``a ** b`` of real numbers, a whole one with at most a million bits."""
    if isinstance(a, int) and isinstance(b, int):
        small = -zz_WORD < a < zz_WORD and b <= 16384
        if not small and b > 1 and not -2 < a < 2 and (b > zz_BITS or abs(a) >= 2 ** (zz_BITS // b + 1)):
            raise OverflowError("a whole number of more than a million bits")
    elif isinstance(a, (int, float)) and isinstance(b, (int, float)) and a < 0 and b % 1 != 0:
        raise ValueError("a power of a negative number with a fraction")
    return a**b


def zz_shift(a, b):
    """``a << b`` with at most a million bits added."""
    if isinstance(a, int) and isinstance(b, int) and b > zz_BITS:
        raise OverflowError("a whole number of more than a million bits")
    return a << b


def zz_deeper():
    """Begin a function that may call itself."""
    if zz_depth[0] >= zz_DEEPEST:
        raise RecursionError("functions call each other more than 300 deep")
    zz_depth[0] += 1


def zz_back():
    """End a function that may call itself."""
    zz_depth[0] -= 1


def zz_within(function):
    """The value of a lambda that may call itself."""
    zz_deeper()
    try:
        return function()
    finally:
        zz_back()


def zz_is(a, b):
    """``a is b``; of numbers, texts and tuples, which no interpreter promises to keep apart, equality."""
    if a is b:
        return True
    if isinstance(a, (bool, float, str, tuple)) or isinstance(b, (bool, float, str, tuple)):
        for kind in (bool, float, str, tuple):
            if isinstance(a, kind) != isinstance(b, kind):
                return False
        return a == b
    return isinstance(a, int) and isinstance(b, int) and a == b


def zz_truth(value):
    """True or False."""
    return bool(value)


def zz_keys(of):
    """``of.keys()`` as a list."""
    if not isinstance(of, dict):
        raise AttributeError("only a dict has keys")
    return list(of)


def zz_values(of):
    """``of.values()`` as a list."""
    if not isinstance(of, dict):
        raise AttributeError("only a dict has values")
    return [of[key] for key in of]


def zz_items(of):
    """``of.items()`` as a list."""
    if not isinstance(of, dict):
        raise AttributeError("only a dict has items")
    return [(key, of[key]) for key in of]


def zz_mapping(of):
    """What ``**of`` adds to a dict, as pairs."""
    if not isinstance(of, dict):
        raise TypeError("only a dict can be unpacked by **")
    return zz_items(of)


def zz_sort(of, key=None, reverse=False):
    """``of.sort()``; a list that cannot be sorted stays as it is."""
    if not isinstance(of, list):
        raise AttributeError("only a list can be sorted in its place")
    of[:] = sorted(of, key=key, reverse=reverse)


def zz_any(true, values):
    """``any``, which stops early."""
    for value in values:
        if true(value):
            return True
    return False


def zz_all(true, values):
    """``all``, which stops early."""
    for value in values:
        if not true(value):
            return False
    return True


def zz_next(fits, value_of, values, *default):
    """``next`` of a generator expression."""
    for value in values:
        if fits(value):
            return value_of(value)
    if default:
        return default[0]
    raise StopIteration


def zz_parts(value, n):
    """The `n` parts that a value is unpacked into."""
    parts = list(value)
    if len(parts) != n:
        raise ValueError("a wrong number of values to unpack")
    return parts
