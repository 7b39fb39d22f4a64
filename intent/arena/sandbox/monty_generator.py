# mypy: ignore-errors
"""Random numbers inside a monty session; fed as text before `monty_world.py`.

The one function of the host is ``zz_more(player)``: the next 32-bit words of that player's generator.
"""


def zz_generator(player, C, D):
    """Random numbers as those of numpy's legacy ``RandomState``, from words that the host draws."""
    words = []
    at = 0

    def word():
        nonlocal words, at
        if at == len(words):
            words = zz_more(player)  # noqa: F821
            at = 0
        at += 1
        return words[at - 1]

    def random():
        nonlocal at
        if at + 2 <= len(words):
            at += 2
            return ((words[at - 2] >> 5) * 67108864 + (words[at - 1] >> 6)) / 9007199254740992
        high = word() >> 5
        return (high * 67108864 + (word() >> 6)) / 9007199254740992

    def below(n):
        top = n - 1
        if top == 0:
            return 0
        mask = 1
        while mask < top:
            mask = 2 * mask + 1
        while True:
            got = word()
            if top > 4294967295:
                got = got * 4294967296 + word()
            got = got & mask
            if got <= top:
                return got

    def one(low, high):
        low, high = int(low), int(high)
        if high <= low:
            raise ValueError("low >= high")
        if low < -9223372036854775808 or high > 9223372036854775808:
            raise ValueError("high is out of bounds for int64")
        return low + below(high - low)

    def shaped(draw, shape):
        if len(shape) == 1:
            return [draw() for _ in range(shape[0])]
        return [shaped(draw, shape[1:]) for _ in range(shape[0])] if shape else draw()

    def several(draw, size):
        if size is None:
            return draw()
        return shaped(draw, (size,) if isinstance(size, int) else tuple(size))

    def uniform(*shape):
        return shaped(random, shape) if shape else random()

    def randint(low, high=None, size=None, dtype=None):
        if high is None:
            low, high = 0, low
        return several(lambda: one(low, high), size)

    def choice(a, size=None, replace=True, p=None):
        items = list(range(a)) if isinstance(a, int) else list(a)
        if len(items) == 0:
            raise ValueError("a cannot be empty")
        if size is not None and not replace:
            raise NotImplementedError("choice without replacement")
        if p is None:
            return several(lambda: items[one(0, len(items))], size)
        steps, total = [], 0
        for x in p:
            total += x
            steps.append(total)
        if len(steps) != len(items) or min(p) < 0 or abs(total - 1) > 1e-8:
            raise ValueError("p is no distribution over a")

        def weighted():
            u = random()
            return items[sum([step / total <= u for step in steps])]

        return several(weighted, size)

    def random_choice(p=0.5):
        if p == 0:
            return D
        if p == 1:
            return C
        return C if random() < p else D

    class Generator:
        pass

    made = Generator()
    made.random, made.randint, made.choice, made.random_choice = uniform, randint, choice, random_choice
    return made
