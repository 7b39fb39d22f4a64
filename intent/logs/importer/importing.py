"""The job `import`: what a file is read as, one game decoded, what is open, a mapping to keep, a log."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.base.errors import DataError, UsageError
from intent.base.job import JSON, OVERWRITE, Result, Table, Text, here, job, option
from intent.logs.reading import LOG, REJECTS, FileReading

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.logs.importer.mapping import LogMapping
    from intent.logs.importer.proposals import Proposal, Question
    from intent.logs.importer.reader import Weighed
    from intent.logs.readers.reader import Settings, Source

__all__ = ["ImportRequest", "Imported", "decoded_game", "import_log"]

_OPTION = re.compile(r"--(?:map|cooperate|payoff-kind|game) [^\s;]+[^\s,;]")
"""An option of reading in a line."""

_EITHER = re.compile(r"(--payoff-kind) (reward) or (penalty)")

_OPEN = re.compile(r"[=: |](?:NAME|ACTION|SESSION|PARTNER|FIRST|SECOND|COOPERATING|DEFECTING)\b")
"""What a user has to put a name in the place of, in an option."""

_HEADER = "--map header="
"""What gives names to the columns of a file that has none, which can be asked like anything else."""

_ROUNDS = 6
"""Rounds of the game that is shown."""

_NAMES = 8
"""Actions that the first line lists."""

_CANDIDATES = 6
"""Readings that ``--explain`` lists."""


class ImportRequest(FileReading, job="import", function="intent.logs.importer.importing.import_log"):
    """Say what a file is read as and why, show one game, ask what is open; keep the mapping, write a log."""

    log: str | Path = replace(LOG, help="File or folder of games in any layout.", words=Path)
    reading = here(FileReading)
    explain: bool = option(False, "List every reading that was weighed, with what speaks for and against it.")
    keep: str | Path | None = option(
        None, "Where to write the mapping (YAML), for --map and files alike.", words=Path | None
    )
    output: str | Path | None = option(
        None,
        "Where to write the log; the suffix says how, as in export.",
        "-o",
        "--output",
        words=Path | None,
    )
    rejects: str | Path | None = replace(REJECTS, words=Path | None, only="", file=False)
    overwrite: bool = replace(OVERWRITE, only="", file=False)
    json: bool = JSON
    ask: Callable[[str, tuple[str, ...]], int | None] | None = option(
        None, "Called with a question and its answers where one is open.", only="python", recorded=False
    )

    def claim_outputs(self) -> None:
        """Refuse outputs that cannot be written, before the file is read."""
        from intent.base.outputs import claim

        for path in (self.keep, self.output, self.rejects):
            if path is not None:
                claim(path, overwrite=self.overwrite)

    def write_outputs(self, result: Any) -> list[Path]:
        """The log, its rejected rows and the mapping; none while a question is open."""
        from intent.base.job import write_text
        from intent.logs.gamelog import write_rejects
        from intent.logs.stores import write_log

        imported: Imported = result
        files = []
        if self.keep is not None and imported.mapping is not None:
            files.append(write_text(imported.mapping.to_yaml(), Path(self.keep), overwrite=self.overwrite))
        if imported.games is not None:
            if self.output is not None:
                files.append(write_log(imported.games, self.output, overwrite=self.overwrite))
            if self.rejects is not None:
                files.append(write_rejects(imported.games.rejects, self.rejects, overwrite=self.overwrite))
        return files


@dataclass(frozen=True, eq=False)
class Imported(Result):
    """What a file is read as.

    Attributes
    ----------
    name : str, of the file
    format : str
        Reader that took it; ``import`` where the importer chose among readings.
    games : GameLog or None
        None while a question is open.
    mapping : LogMapping or None
        How it is read; None where the format says everything itself.
    columns : tuple of (column, what it is, why)
    decoded : tuple of mappings
        One game, a mapping for each round and seat: round, seat, player, action, cooperated, payoff.
    questions : tuple of Question
        What is open.
    refusal : str
        Why there is no log; empty where there is one.
    candidates : tuple of (shape, score, what speaks for it, what is against it)
        The readings that were weighed, where they were asked for.
    """

    name: str
    format: str
    games: "GameLog | None" = None
    mapping: "LogMapping | None" = None
    columns: tuple[tuple[str, str, str], ...] = ()
    decoded: tuple[dict[str, Any], ...] = ()
    questions: "tuple[Question, ...]" = ()
    refusal: str = ""
    candidates: tuple[tuple[str, float, str, str], ...] = ()

    kind = "import"

    @property
    def exit_code(self) -> int:
        """2 while a question is open: nothing was read."""
        return 0 if self.games is not None else 2

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """What was decided on the way."""
        return () if self.games is None else tuple(map(str, self.games.provenance.get("notes", ())))

    def fields(self) -> Mapping[str, Any]:
        """The object that ``intent import --json`` prints."""
        log = self.games
        return {
            "format": self.format,
            "mapping": None if self.mapping is None else self.mapping.to_json(),
            "n_games": 0 if log is None else len(log.games),
            "n_players": 0 if log is None else _n_players(log),
            "actions": [] if log is None else _actions(log),
            "cooperation": [] if log is None else _cooperation(log),
            "decoded": list(self.decoded),
            "questions": [{"question": text, "answers": list(answers)} for text, answers in self._open()],
            "refusal": self.refusal or None,
            "rejects": 0 if log is None else len(log.rejects),
        }

    def _open(self) -> list[tuple[str, Sequence[str]]]:
        """What is open with the options that answer it; a refusal is a question, too."""
        if self.questions or not self.refusal:
            return [(q.text, q.answers) for q in self.questions]
        return [(self.refusal, _OPTION.findall(_EITHER.sub(r"\1 \2 or \1 \3", self.refusal)))]

    @property
    def question(self) -> tuple[str, tuple[str, ...]] | None:
        """What is open, with the answers that can be given as they stand; None where there are none."""
        for text, answers in self._open():
            if ready := tuple(answer for answer in answers if not _OPEN.search(answer)):
                return text, ready
        return None

    def parts(self) -> Iterator[Table | str]:
        """What each column is, one game, the readings that were weighed."""
        log = self.games
        if log is None:
            yield f"{self.name}: not read, since it is not sure what it holds"
        else:
            cooperation = _listed(_cooperation(log)) or "none is known"
            who = "players" if log.seats["player"].notna().any() else "seats, in which nobody is named"
            yield (
                f"{self.name}: {self.format}, {len(log.games):,} games, {_n_players(log):,} {who}; "
                f"actions {_listed(_actions(log)) or 'are numbers'}; cooperation: {cooperation}"
            )
        if self.columns:
            yield ""
            yield Table(("column", "is", "because"), self.columns)
        if self.decoded:
            yield ""
            yield _shown_game(self.decoded)
        if self.candidates:
            yield ""
            yield Table(("reading", "score", "for", "against"), self.candidates, "readings, the best first")
        if self.mapping is not None and self.candidates:
            yield ""
            yield Text(self.mapping.to_yaml().rstrip())

    def remarks(self) -> Iterator[str]:
        """What is open, and how it is answered."""
        for question in self.questions:
            yield f"open: {question}"
        if self.refusal and not any(self.refusal.endswith(str(q)) for q in self.questions):
            yield f"open: {self.refusal}"
        if self.games is not None and len(self.games.rejects):
            yield f"{len(self.games.rejects):,} rows cannot be read (--rejects FILE lists them)"


def _n_players(log: "GameLog") -> int:
    """Subjects that are named, or seats where nobody is."""
    named = int(log.seats["player"].nunique())
    return named or int(log.seats["focal"].sum())


def _actions(log: "GameLog") -> list[str]:
    return sorted(log.moves["action"].dropna().astype(str).unique().tolist())


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many there are where that is not all."""
    shown = ", ".join(names[:_NAMES])
    return f"{shown} … ({len(names):,} of them)" if len(names) > _NAMES else shown


def _cooperation(log: "GameLog") -> list[str]:
    return sorted(log.games["cooperative_action"].dropna().astype(str).unique().tolist())


def decoded_game(log: "GameLog", rounds: int = _ROUNDS) -> list[dict[str, Any]]:
    """The first rounds of one game as a person would write them: round, seat, who, what, payoff.

    The game is the first one of at least three rounds, or else the longest.

    Parameters
    ----------
    log : GameLog
    rounds : int

    Returns
    -------
    list of dict of game_id, round, seat, player, action, cooperated, payoff
    """
    import pandas as pd

    played = log.games["rounds_played"].fillna(0)
    if played.empty:
        return []
    at = int((played >= 3).to_numpy().argmax()) if (played >= 3).any() else int(played.to_numpy().argmax())
    game = log.games["game_id"].iloc[at]
    seats = log.seats[log.seats["game_id"] == game].set_index("seat")["player"]
    moves = log.moves[(log.moves["game_id"] == game) & (log.moves["round"] <= rounds)]
    shown = []
    for row in moves.sort_values(["round", "step", "seat"]).astype(object).to_dict("records"):
        cells: dict[Any, Any] = {key: None if pd.isna(value) else value for key, value in row.items()}
        action = cells["value"] if cells["action"] is None else str(cells["action"])
        player = seats.get(cells["seat"])
        shown.append(
            {
                "game_id": str(game),
                "round": int(cells["round"]),
                "seat": int(cells["seat"]),
                "player": None if pd.isna(player) else str(player),
                "action": action,
                "cooperated": None if cells["cooperated"] is None else bool(cells["cooperated"]),
                "payoff": cells["payoff"],
            }
        )
    return shown


def _shown_game(decoded: tuple[dict[str, Any], ...]) -> Table:
    """A row per round, a column per seat: what was played, and what it brought."""
    who = {
        move["seat"]: f"seat {move['seat']}" + (f" ({move['player']})" if move["player"] else "")
        for move in decoded
    }
    rounds: dict[int, dict[int, str]] = {}
    for move in decoded:
        what = "–" if move["action"] is None else str(move["action"])
        if move["cooperated"] is not None:
            what += " (cooperates)" if move["cooperated"] else " (defects)"
        if move["payoff"] is not None:
            what += f", gets {move['payoff']:g}"
        rounds.setdefault(move["round"], {})[move["seat"]] = what
    rows = [[number, *(cells.get(seat, "–") for seat in who)] for number, cells in rounds.items()]
    return Table(("round", *who.values()), rows, f"game {decoded[0]['game_id']}, as it is read")


@job(ImportRequest)
def import_log(request: ImportRequest) -> Imported:
    """Read a file or folder of games of any layout, or say what is open about it.

    Raises
    ------
    DataError, UsageError, UnknownNameError
        The file cannot be read at all, or an option names what is not there.
    """
    from intent.logs.readers.reader import Source, read_log, read_settings

    reading = request.values(FileReading)
    form = reading.pop("format")
    while True:
        settings = read_settings(**reading)
        source = Source(request.log, settings.header)
        read = partial(read_log, request.log, format=form, **reading)
        imported = _imported(source, settings, read, request)
        if imported.games is not None or request.ask is None or imported.question is None:
            return imported
        text, answers = imported.question
        answer = request.ask(text, answers)
        if answer is None:
            return imported
        answered = _answered(reading, answers[answer])
        if answered == reading:  # which was no answer: the same would be asked again
            return imported
        reading = answered


def _imported(
    source: "Source", settings: "Settings", read: "Callable[[], GameLog]", request: ImportRequest
) -> Imported:
    try:
        log, refusal = read(), ""
    except DataError as error:
        log, refusal = None, str(error)
    name = source.path.name
    if log is not None and log.provenance["format"] != "import":
        weighed = _weighed(source, settings) if "mapping" in log.provenance else None
        chosen = weighed.decision.chosen if weighed is not None else None
        columns = _columns(source.columns, chosen) if chosen is not None else _columns_of_plain(log)
        decoded = tuple(decoded_game(log))
        return Imported(name, str(log.provenance["format"]), log, None, columns, decoded)
    weighed = _weighed(source, settings)
    best = next(iter(weighed.decision.proposals), None) if weighed is not None else None
    unreadable = weighed is None or (best is None and not weighed.opened.table.columns)
    if log is None and unreadable and _HEADER not in refusal:
        raise DataError(refusal)
    decision = weighed.decision if weighed is not None else None
    candidates = (
        tuple(map(_candidate, decision.proposals[:_CANDIDATES])) if decision and request.explain else ()
    )
    return Imported(
        name,
        "import",
        log,
        _mapping(log),
        _columns(weighed.opened.table.columns, best) if weighed is not None else (),
        tuple(decoded_game(log)) if log is not None else (),
        decision.questions if decision is not None and log is None else (),
        "" if log is not None else refusal,
        candidates,
    )


def _weighed(source: "Source", settings: "Settings") -> "Weighed | None":
    """What the importer makes of a source; None where it holds no table."""
    from intent.base.errors import IntentError
    from intent.logs.importer.reader import weigh

    try:
        return weigh(source, settings)
    except IntentError:
        return None


def _mapping(log: "GameLog | None") -> "LogMapping | None":
    from intent.logs.importer.mapping import LogMapping

    return LogMapping.model_validate(log.provenance["mapping"]) if log is not None else None


def _columns(names: Iterable[str], proposal: "Proposal | None") -> tuple[tuple[str, str, str], ...]:
    """Every column of the file with what it is taken for, and why."""
    from intent.logs.importer.wide import is_pattern, matching

    if proposal is None:
        return ()
    names = [*names]
    rows = [(r.column, r.role, r.why) for r in proposal.reasons]
    explained = {r.column for r in proposal.reasons}
    roles = {r.role for r in proposal.reasons}
    why = "it fits the others" if proposal.reasons else "the mapping says so"
    ours = proposal.mapping.columns
    rows += [(c, role, why) for role, c in ours.items() if role not in roles and c not in explained]
    rows += [(name, "tells games apart", "") for name in proposal.mapping.by if name not in explained]
    mapped = {part for column, _, _ in rows for part in column.split(" | ")}
    for pattern in filter(is_pattern, proposal.mapping.columns.values()):
        mapped |= {*matching(names, pattern).values()}
    rows += [(name, "condition", "nothing else is known of it") for name in names if name not in mapped]
    return tuple(rows)


def _columns_of_plain(log: "GameLog") -> tuple[tuple[str, str, str], ...]:
    columns = log.provenance.get("columns")
    return (
        tuple((theirs, ours, "its name") for ours, theirs in columns.items())
        if isinstance(columns, dict)
        else ()
    )


def _candidate(proposal: "Proposal") -> tuple[str, float, str, str]:
    evidence = proposal.evidence
    against = [*evidence.faults, *(q.text for q in (*proposal.questions, *evidence.questions))]
    columns = ", ".join(f"{ours}={theirs}" for ours, theirs in proposal.mapping.columns.items())
    return (
        f"{proposal.mapping.shape}: {columns}",
        round(proposal.total, 2),
        "; ".join(evidence.supports) or "–",
        "; ".join(against) or "–",
    )


def _answered(reading: dict[str, Any], answer: str) -> dict[str, Any]:
    """The options of a reading with an answer such as ``--map round=t`` or ``--cooperate C``.

    Raises
    ------
    UsageError
        An answer to a mapping that is a file.
    """
    flag, _, value = answer.partition(" ")
    name = flag.removeprefix("--").replace("-", "_")
    if name != "map":
        return {**reading, name: value}
    from intent.logs.readers.reader import parse_mapping

    if isinstance(reading["mapping"], str) and reading["mapping"].endswith((".yaml", ".yml")):
        raise UsageError(f"{answer}: write it into {reading['mapping']}")
    return {**reading, "mapping": {**parse_mapping(reading["mapping"]), **parse_mapping(value)}}
