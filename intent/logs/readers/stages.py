"""The game behind the play: its payoffs, their kind, and which action is cooperation.

Payoff tables from play: what the scores say about the game that was played.

The two actions of a game in a foreign log: words for no move, what the user says, and strays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import DataError, GameError, UnknownNameError, UsageError, shorten
from intent.games.game import Game, MatrixGame
from intent.logs.readers.reader import Settings

__all__ = [
    "COOPERATIVE_WORDS",
    "MISSING",
    "NULLS",
    "OPEN",
    "SIGNS",
    "MatrixFit",
    "PublicGoodsFit",
    "Stage",
    "check_two",
    "cooperative_codes",
    "fit_matrix",
    "fit_public_goods",
    "matrix_stage",
    "one_sided",
    "settle",
    "show_table",
    "spellings",
    "unused_game",
    "words_for_no_move",
]


_TOLERANCE = 1e-6
_DIGITS = 9


@dataclass(frozen=True)
class MatrixFit:
    """The table of a 2x2 game as seen in play.

    Parameters
    ----------
    payoffs : (2, 2, 2) float
        ``payoffs[i, j]`` = payoffs of seats 1 and 2 for actions i and j; NaN where unknown.
    explained : (m,) bool
        Rounds whose scores agree with the table.
    mirrored : bool
        Whether a never-played outcome was filled in from its mirror image, all others being symmetric.
    """

    payoffs: NDArray[np.float64]
    explained: NDArray[np.bool_]
    mirrored: bool

    @property
    def is_complete(self) -> bool:
        """Whether all four outcomes are known."""
        return bool(np.isfinite(self.payoffs).all())


def fit_matrix(joint: NDArray[np.integer], scores: NDArray[np.float64]) -> MatrixFit | None:
    """The most frequent pair of scores of each joint action.

    Parameters
    ----------
    joint : (m,) int, 2 * (action of seat 1) + action of seat 2
    scores : (m, 2) float

    Returns
    -------
    MatrixFit or None
        None where fewer than half of the rounds of some outcome agree: the scores do not follow from
        the joint action.
    """
    payoffs = np.full((4, 2), np.nan)
    for outcome in range(4):
        row = np.flatnonzero(joint[:_USUAL] == outcome)[:1]
        payoffs[outcome] = scores[row[0]] if len(row) else np.nan
    explained = _agree(scores, payoffs, joint)
    rounds_of, agreed = np.bincount(joint, minlength=4), np.bincount(joint[explained], minlength=4)
    for outcome in np.flatnonzero(2 * agreed <= rounds_of).tolist():
        payoffs[outcome] = np.nan
        rounds = np.flatnonzero(joint == outcome)
        if not len(rounds):
            continue
        pairs, first, counts = np.unique(scores[rounds], axis=0, return_index=True, return_counts=True)
        best = int(np.lexsort((first, -counts))[0])
        if 2 * counts[best] < len(rounds):
            return None
        payoffs[outcome] = pairs[best]
        explained[rounds] = (scores[rounds] == pairs[best]).all(axis=1)
    table = payoffs.reshape(2, 2, 2)
    mirror = table.transpose(1, 0, 2)[:, :, ::-1]
    known = np.isfinite(table) & np.isfinite(mirror)
    mirrored = not np.isfinite(table).all() and bool((table[known] == mirror[known]).all())
    if mirrored:
        filled = np.where(np.isfinite(table), table, mirror)
        mirrored = bool((np.isfinite(filled) != np.isfinite(table)).any())
        table = filled
    return MatrixFit(table, explained, mirrored)


_USUAL = 10_000
"""Rounds in which each outcome is looked for whose scores may be the most frequent ones."""


def _agree(
    scores: NDArray[np.float64], payoffs: NDArray[np.float64], joint: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """(m,), whether both scores are those of the outcome; one side at a time, which is faster than pairs."""
    first, second = (scores[:, side] == payoffs[:, side][joint] for side in (0, 1))
    return np.asarray(first & second)


@dataclass(frozen=True)
class PublicGoodsFit:
    """Cost and factor of a linear public goods game as seen in the play of each game.

    Parameters
    ----------
    parameters : (p, 2) float, cost and factor of the games found, the most frequent first
    which : (n,) int, row of `parameters` for each game; -1 where its play does not tell
    explained : (n,) bool, whether the scores of a game agree with some such game
    """

    parameters: NDArray[np.float64]
    which: NDArray[np.int64]
    explained: NDArray[np.bool_]


def fit_public_goods(
    gives: NDArray[np.bool_], scores: NDArray[np.float64], game: NDArray[np.integer], n_games: int
) -> PublicGoodsFit:
    """Least squares of score = s * k - c * gave in each game, with k contributors; factor = s * N / c.

    Parameters
    ----------
    gives : (m, N) bool, whether each player contributed in each round
    scores : (m, N) float
    game : (m,) int, the game of each round, 0 to n_games - 1
    n_games : int

    Notes
    -----
    Play in which k and the own choice never vary apart (nobody contributes, or all do) leaves cost and
    factor open; such a game takes the parameters found elsewhere if exactly one pair explains it.
    """
    n = gives.shape[1]
    k = np.broadcast_to(gives.sum(axis=1, keepdims=True), gives.shape).astype(float)

    def total(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(game, values.sum(axis=1), n_games), dtype=np.float64)

    g = gives.astype(float)
    kk, kg, gg, ky, gy = total(k * k), total(k * g), total(g), total(k * scores), total(g * scores)
    determinant = kk * gg - kg * kg
    open_ = determinant < 1e-9
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (ky * gg - gy * kg) / determinant
        cost = -(kk * gy - kg * ky) / determinant
        rounded = np.column_stack([_rounded(cost), _rounded(share * n / cost)])
    rounded[open_ | ~(rounded > 0).all(axis=1) | ~np.isfinite(rounded).all(axis=1)] = np.nan
    scale = np.maximum(1.0, total(np.abs(scores)))

    def error(parameters: NDArray[np.float64]) -> NDArray[np.float64]:
        of_round = parameters[game] if parameters.ndim == 2 else np.broadcast_to(parameters, (len(game), 2))
        c, factor = of_round[:, :1], of_round[:, 1:]
        return total(np.abs(k * c * factor / n - g * c - scores)) / scale

    own = (error(rounded) <= _TOLERANCE) & np.isfinite(rounded).all(axis=1)
    pairs, counts = (
        np.unique(rounded[own], axis=0, return_counts=True) if own.any() else (np.empty((0, 2)), np.empty(0))
    )
    pairs = pairs[np.argsort(-counts, kind="stable")][:64]
    fits = np.array([error(pair) <= _TOLERANCE for pair in pairs]).reshape(len(pairs), n_games)
    certain = own | (open_ & (fits.sum(axis=0) == 1))
    which = np.where(certain & fits.any(axis=0), fits.argmax(axis=0) if len(pairs) else 0, -1)
    explained = fits.any(axis=0) | own | (open_ & (len(pairs) == 0))
    return PublicGoodsFit(pairs, which.astype(np.int64), np.asarray(explained, dtype=bool))


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values to nine significant digits, to undo the rounding of sums."""
    with np.errstate(divide="ignore", invalid="ignore"):
        size = np.where(values > 0, 10.0 ** (_DIGITS - 1 - np.floor(np.log10(values))), np.nan)
        return np.asarray(np.round(values * size) / size)


HOW = "give --payoff-kind reward or penalty, --game NAME, or --cooperate ACTION"


@dataclass(frozen=True)
class Stage:
    """What is known of the game that a group of games is about.

    Parameters
    ----------
    name, payoffs, kind, label : str or None
        As the columns game, payoffs, payoff_kind and cooperative_action of a game log.
    cooperative : tuple of (str or None)
        The cooperative action by seat.
    note : str
        What a reader of the log should know about it.
    """

    name: str | None
    payoffs: str | None
    kind: str | None
    label: str | None
    cooperative: tuple[str | None, ...]
    note: str = ""

    @classmethod
    def of(cls, game: Game, name: str | None = None, note: str = "") -> Stage:
        """The stage of a known game, under the name that the log gives it."""
        by_seat = tuple(game.cooperative_action(seat) for seat in range(1, game.n_players + 1))
        if game.cooperative_label is None:
            note = "; ".join(filter(None, [note, "no action is cooperation by its payoffs"]))
        return cls(name or game.name, game.to_json(), game.kind, game.cooperative_label, by_seat, note)

    @classmethod
    def unknown(cls, name: str | None, kind: str | None, n_seats: int, note: str) -> Stage:
        """A game whose payoffs the play does not tell."""
        return cls(name, None, kind, None, (None,) * n_seats, note)

    def with_cooperation(self, action: str) -> Stage:
        """The stage in which the user says which action is cooperation."""
        return Stage(self.name, self.payoffs, self.kind, action, (action,) * len(self.cooperative), "")


def cooperative_codes(stages: Sequence[Stage], labels: Sequence[str]) -> NDArray[np.int32]:
    """(stages, N), code of the cooperative action by seat among `labels`; -1 where there is none."""
    code = {label: i for i, label in enumerate(labels)}
    unseen = len(labels)
    rows = [[-1 if a is None else code.get(a, unseen) for a in stage.cooperative] for stage in stages]
    return np.array(rows, dtype=np.int32)


def unused_game(game: str | None, named: Iterable[str | None]) -> list[str]:
    """A note where the user names a game and the file names all of its own."""
    names = list(named)
    if game is None or not names or None in names:
        return []
    return [f"--game {game} is not used: the file names its games"]


def matrix_stage(
    fit: MatrixFit | None, labels: tuple[str, str], name: str | None, kind: str | None, cooperate: str | None
) -> Stage:
    """The stage of a two-player game whose payoffs were read off its scores.

    Raises
    ------
    DataError
        The scores give a table, but nobody says whether they are rewards or penalties.
    """
    if fit is None:
        return Stage.unknown(name, kind, 2, "the scores do not follow from the joint actions")
    if not fit.is_complete:
        return Stage.unknown(name, kind, 2, OPEN)
    if kind is None and cooperate is None:
        raise DataError(
            f"nothing says whether the scores {show_table(fit, labels)} are rewards or penalties; {HOW}"
        )
    rows = [[(float(a), float(b)) for a, b in row] for row in fit.payoffs]
    note = "one outcome was never played and is filled in by symmetry" if fit.mirrored else ""
    try:
        game = MatrixGame(
            name or "unnamed",
            labels,
            ((rows[0][0], rows[0][1]), (rows[1][0], rows[1][1])),
            "penalty" if kind == "penalty" else "reward",
        )
    except GameError as error:
        return Stage.unknown(name, kind, 2, str(error))
    stage = Stage.of(game, name, "; ".join(filter(None, ["payoffs inferred from the scores", note])))
    return Stage(name, stage.payoffs, kind, stage.label, stage.cooperative, stage.note)


OPEN = "not all joint actions were played, so that the payoffs stay open"
"""What is said of a game whose play does not tell all payoffs."""


def show_table(fit: MatrixFit, labels: tuple[str, str]) -> str:
    """The payoffs on one line."""
    cells = [
        f"{labels[i]},{labels[j]}: {fit.payoffs[i, j, 0]:g},{fit.payoffs[i, j, 1]:g}"
        for i in (0, 1)
        for j in (0, 1)
    ]
    return "(" + "; ".join(cells) + ")"


NULLS = frozenset({"", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "none", "null"})
"""Words, in lower case, by which programs write that there is no value."""

MISSING = NULLS | {
    *("missing", "timeout", "time out", "timed out", "timed_out", "refused", "invalid", "error"),
    *("no answer", "no response", "no decision", "no move", "skipped"),
}
"""Words, in lower case, that stand in an action cell where no move was made."""

SIGNS = frozenset({".", "-", "--", "–", "—", "?"})
"""Signs for no value, unless they are one of two actions, as + and - may be."""

COOPERATIVE_WORDS = {
    "c": "d",
    "coop": "def",
    "cooperate": "defect",
    "cooperated": "defected",
    "cooperation": "defection",
    "kooperieren": "defektieren",
    "kooperiert": "defektiert",
    "kooperation": "defektion",
    "coopérer": "trahir",
    "cooperer": "trahir",
    "coopération": "trahison",
    "cooperar": "traicionar",
    "cooperación": "traición",
    "cooperare": "tradire",
    "samenwerken": "verraden",
    "合作": "背叛",
    "協力": "裏切り",
    "hợp tác": "phản bội",
    "تعاون": "خيانة",
}
"""Names of actions that say what they are, in lower case, each with the name of its counterpart."""

_SHOWN = 6

_MOSTLY = 0.9
"""Share of the moves that two actions have where further ones are slips."""


def words_for_no_move(
    words: Iterable[str], cooperate: str | None, cooperative: Collection[str] = ()
) -> list[str]:
    """The words that stand for no move; a word that the user or the file names as an action is one.

    Parameters
    ----------
    words : iterable of str
        Distinct contents of action cells.
    cooperate : str, optional
        As the user gave it: ``ACTION`` or ``COOPERATING:DEFECTING``.
    cooperative : collection of str
        Actions that the file itself names.
    """
    named = {*cooperative, *((cooperate, *cooperate.split(":")) if cooperate else ())}
    words = list(words)
    gone = [word for word in words if word.strip().casefold() in MISSING and word not in named]
    signs = [word for word in words if word.strip() in SIGNS and word not in named]
    return gone if len(words) - len(gone) - len(signs) < 2 else [*gone, *signs]


def spellings(labels: Mapping[str, int], named: Collection[str] = ()) -> dict[str, str]:
    """Each label with the usual spelling of its action: COOPERATE and cooperate are one, 1.0 and 1.

    Two letters that are all labels there are, such as ``a`` and ``A``, are two actions.

    Parameters
    ----------
    labels : mapping of label -> how often it was played
    named : collection of str
        Labels that the user or the file names, which are spelt so.
    """
    alike: dict[str, list[str]] = {}
    for label in labels:
        alike.setdefault(_plain(label), []).append(label)
    if len(labels) < 3 and all(len(label) < 2 for label in labels):
        return {label: label for label in labels}
    usual = {
        key: min(group, key=lambda label: (label not in named, len(label) > size, -labels[label], label))
        for key, group in alike.items()
        for size in [len(key)]
    }
    return {label: usual[_plain(label)] for label in labels}


def _plain(label: str) -> str:
    """A label without what does not tell it from others: case, blanks, the point of a whole number."""
    text = " ".join(label.split()).casefold()
    whole, point, zeros = text.partition(".")
    return whole if point and not zeros.strip("0") and whole.lstrip("-").isdecimal() else text


def settle(settings: Settings, labels: Collection[str]) -> Settings:
    """The settings with ``COOPERATING:DEFECTING`` taken apart, once they fit the actions of the log.

    A text that is itself an action is one, whatever colons it has.

    Raises
    ------
    UsageError
        A payoff kind that is none, or half a pair of actions.
    UnknownNameError
        An action that the log does not have.
    """
    text = settings.cooperate
    if settings.payoff_kind not in (None, "reward", "penalty"):
        raise UsageError(f"--payoff-kind {settings.payoff_kind!r}, expected reward or penalty")
    if text is None or text in labels:
        return settings
    if ":" not in text:
        raise UnknownNameError("action (--cooperate)", text, map(shorten, labels))
    cuts = [i for i, letter in enumerate(text) if letter == ":"]
    pairs = [(text[:i].strip(), text[i + 1 :].strip()) for i in cuts]
    cooperating, defecting = max(pairs, key=lambda pair: len({*pair} & {*labels}))
    if not cooperating or not defecting or cooperating == defecting:
        raise UsageError(f"--cooperate {text!r}, expected ACTION or COOPERATING:DEFECTING")
    pair = {cooperating, defecting}
    unknown = [action for action in (cooperating, defecting) if action not in labels]
    if unknown and not (pair & {*labels} and {*labels} <= pair):
        raise UnknownNameError("action (--cooperate)", unknown[0], map(shorten, labels))
    return replace(settings, cooperate=cooperating, defect=defecting)


def one_sided(name: str) -> str:
    """What is said of a log with the moves of one side alone, in the column of a name."""
    name = "action" if name.startswith("_") else name
    return (
        f"no game has a second player: column {name} holds the moves of one side, and nothing says what "
        f'the other did; give --map other=NAME for the other\'s move, --map "action={name}|NAME" for columns '
        "of both players, or --map game_id=NAME for a number that both share"
    )


def check_two(counts: Mapping[str, int], cooperate: str | None, game: str | None = None) -> None:
    """Refuse a third action: nobody says what it is, and it is no defection by default.

    Parameters
    ----------
    counts : mapping of action -> how often it was played
    cooperate : str, optional
        The action that is cooperation.
    game : str, optional

    Raises
    ------
    DataError
    """
    actions = {*counts, *([cooperate] if cooperate is not None else [])}
    if len(actions) <= 2:
        return
    ranked = sorted(actions, key=lambda action: (-counts.get(action, 0), action))
    shown = ", ".join(f"{shorten(a, 40)} ({counts.get(a, 0):,})" for a in ranked[:_SHOWN])
    more = f" and {len(ranked) - _SHOWN:,} more" if len(ranked) > _SHOWN else ""
    first = "COOPERATING" if cooperate is None else shorten(cooperate, 40)
    ways = [f"{first}:DEFECTING"]
    usual = [action for action in ranked if counts.get(action, 0)][:2]
    if sum(counts.get(action, 0) for action in usual) >= _MOSTLY * sum(counts.values()):
        both = [pair for pair in (usual, usual[::-1]) if cooperate in (None, pair[0])]
        named = [p for p in both if COOPERATIVE_WORDS.get(p[0].casefold()) == p[-1].casefold()]
        ways = [":".join(pair) for pair in named or both if len(pair) == 2] or ways
    of = f" of {shorten(game)}" if game else ""
    raise DataError(
        f"{len(ranked):,} actions{of}, expected two: {shown}{more}; "
        f"give {' or '.join(f'--cooperate {way}' for way in ways)}, which rejects rows with any other"
    )
