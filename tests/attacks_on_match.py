"""Attacks on the record of the match and on what both players share."""

from __future__ import annotations

from attack_rows import ENDED, attack, plain

ROWS = (
    # the record of the match
    plain(
        "own_history",
        "empty its own history",
        "self.history.clear()",
        frozenset({"error"}),
        harmless=True,
        quick=True,
    ),
    plain(
        "own_item",
        "change a move of its own",
        "if self.history:\n    self.history[0] = axl.Action.D",
        frozenset({"error"}),
        harmless=True,
    ),
    plain(
        "own_list",
        "change its history past its methods",
        "list.append(self.history, axl.Action.D)\nlist.clear(self.history)",
        frozenset({"error"}),
        harmless=True,
    ),
    plain(
        "own_replaced",
        "put another history in place",
        "self.history = [axl.Action.D] * 5",
        frozenset({"error"}),
        harmless=True,
    ),
    plain(
        "other_history",
        "change the opponent's history",
        "opponent.history.append(axl.Action.D)",
        frozenset({"error"}),
        harmless=True,
        quick=True,
    ),
    plain(
        "other_list",
        "change the opponent's history past its methods",
        "list.clear(opponent.history)",
        frozenset({"error"}),
        harmless=True,
    ),
    plain(
        "other_replaced",
        "put another history in place of the opponent's",
        "opponent.history = [axl.Action.C] * 5",
        frozenset({"error"}),
        harmless=True,
    ),
    plain(
        "own_score",
        "set its own score",
        "self.score = 10 ** 9",
        frozenset({"error"}),
        harmless=True,
        quick=True,
    ),
    plain(
        "other_score",
        "set the opponent's score",
        "opponent.score = -(10 ** 9)",
        frozenset({"error"}),
        harmless=True,
        quick=True,
    ),
    plain(
        "other_method",
        "replace what the opponent plays",
        "opponent.strategy = lambda *a: axl.Action.C",
        frozenset({"error"}),
        harmless=True,
        quick=True,
    ),
    plain(
        "length",
        "change the length of the match",
        "self.match_attributes['length'] = 3",
        frozenset({"error"}),
        harmless=True,
    ),
    # what both players share
    attack(
        "class_of_player",
        "change the class of players",
        "self.__class__.first_round = lambda s: True",
        ENDED,
        harmless=True,
        inside=True,
    ),
    attack(
        "class_of_opponent",
        "change the class of views",
        "opponent.__class__.score = 99",
        ENDED,
        harmless=True,
        inside=True,
    ),
    attack(
        "builtins",
        "change the builtins",
        "modules()['builtins'].len = lambda x: 0",
        ENDED,
        harmless=True,
        inside=True,
        quick=True,
    ),
    attack(
        "own_builtins",
        "change its own builtins",
        "strategy.__globals__['__builtins__']['len'] = lambda x: 0",
        ENDED,
        harmless=True,
    ),
    attack(
        "runtime_globals",
        "change the code that plays the match",
        """
    for name, module in list(modules().items()):
        if "runtime" in name or "views" in name:
            module.D = module.C
            module.play_match = module.take_seat = None
    """,
        ENDED,
        harmless=True,
        inside=True,
        quick=True,
    ),
    attack(
        "generator_patched",
        "change the random generator of all",
        "self._random.__class__.random_choice = lambda self, p=0.5: axl.Action.C",
        ENDED,
        harmless=True,
        inside=True,
    ),
    plain("generator_seeded", "seed its generator", "self._random.seed(3)", frozenset({"error"}), quick=True),
    plain(
        "generator_replaced",
        "take the generator away",
        "self._random = None",
        frozenset({"error"}),
        harmless=True,
    ),
    plain(
        "generator_drained",
        "draw more numbers than the host can give",
        "while True:\n    self._random.random()",
        frozenset({"time"}),
    ),
    plain(
        "generator_huge",
        "draw a list without end",
        "self._random.randint(0, 2, size=10 ** 12)",
        frozenset({"time", "memory", "error"}),
    ),
    plain(
        "action_patched",
        "make defection cooperation",
        "axl.Action.C = axl.Action.D",
        frozenset({"error", "value"}),
        harmless=True,
        inside=True,
        quick=True,
    ),
    plain(
        "action_flip",
        "change what a flip is",
        "axl.Action.flip = lambda a: axl.Action.D",
        frozenset({"error"}),
        harmless=True,
    ),
    plain("library_patched", "change the library", "axl.Action = None", frozenset({"error"}), harmless=True),
    attack(
        "trace",
        "watch and change what others run",
        "modules()['sys'].settrace(lambda *a: 1 / 0)",
        ENDED,
        harmless=True,
        inside=True,
    ),
    attack(
        "frames",
        "walk the frames up to the record",
        """
    try:
        1 / 0
    except ZeroDivisionError as error:
        frame = error.__traceback__.tb_frame
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if isinstance(value, modules()["builtins"].bytearray):
                value.extend(b"\\x01" * 30)
        frame = frame.f_back
    """,
        ENDED,
        harmless=True,
        inside=True,
        quick=True,
    ),
    attack(
        "garbage",
        "find all lists and empty them",
        """
    for thing in bring("gc").get_objects():
        if isinstance(thing, list) and thing and thing[0] is axl.Action.C:
            list.clear(thing)
    """,
        ENDED,
        harmless=True,
        inside=True,
    ),
    attack("subclasses", "list all classes", "().__class__.__base__.__subclasses__()", ENDED, harmless=True),
    attack(
        "finaliser",
        "act when it is thrown away",
        """
    def gone(self):
        while True:
            pass
    kind = ().__class__.__class__("Bomb", (), {"__del__": gone})
    kind()
    """,
        ENDED,
    ),
    attack(
        "eval",
        "run text",
        "modules()['builtins'].eval('1 + 1')\nmodules()['builtins'].exec('x = 1')",
        ENDED,
        harmless=True,
    ),
    plain(
        "exec_session",
        "run text in the session",
        "exec('zz_sides[1 - 0].C = zz_sides[0].D')",
        frozenset({"error", "refused"}),
    ),
    plain(
        "session_names",
        "use names of the session",
        "zz_sides[0].own = zz_sides[1].own",
        frozenset({"error", "refused"}),
        quick=True,
    ),
    plain(
        "session_function",
        "ask for the opponent's random numbers",
        "zz_more(0)\nzz_more(1)",
        frozenset({"error", "refused"}),
    ),
    plain(
        "global_name",
        "leave something behind for the next",
        "global left\nleft = 1",
        frozenset({"refused", "error"}),
        harmless=True,
    ),
)
