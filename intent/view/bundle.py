"""The pages of chosen games in a folder, which opens without a server and can be passed on or published.

The templates are those of the server. Style and script stand in each page under a policy that knows them by
their hashes, so that a page runs and loads nothing else, from the disk or from a web site; addresses are
relative. What is written is what an export would write: no path of this machine, no key that is known here,
texts and names left out where that is wished.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from intent.base import codebook
from intent.base.errors import LimitError, UsageError
from intent.base.job import Result, Table
from intent.base.masking import redact
from intent.base.outputs import make_folder, writing
from intent.logs.gamelog import GameLog
from intent.logs.run_folder import is_run
from intent.report.page import visible
from intent.version import __version__
from intent.view.app import asset, page
from intent.view.detail import Text, bounded
from intent.view.game_page import ROUNDS_SHOWN, game_values
from intent.view.judging import SUMS
from intent.view.library import Library, open_library
from intent.view.list_page import Facet, list_values
from intent.view.places import Places, safe_name
from intent.view.query import MOST_ROWS, PageState, Query

if TYPE_CHECKING:
    from markupsafe import Markup

    from intent.logs.redaction import Without
    from intent.view.request import ViewRequest


__all__ = ["LIMIT_BUNDLE", "LIMIT_TEXT", "MANIFEST", "Bundle", "page_names", "write_bundle"]

MANIFEST = "bundle.json"
"""What is in the folder: name of a game -> its page."""

LIMIT_BUNDLE = 1 << 30
"""Most bytes of all pages."""

LIMIT_TEXT = 20_000
"""Characters of one text that stand in a page; longer ones are files beside it."""


@dataclass(frozen=True)
class Bundle(Result):
    """A folder with pages.

    Parameters
    ----------
    path : str
    n_games, n_chosen : int
        Games with a page, and those that there would have been without a bound.
    n_files, size : int
        Files, and bytes of them all.
    notes : tuple of str
    """

    path: str
    n_games: int
    n_chosen: int
    n_files: int
    size: int
    notes: tuple[str, ...] = ()
    config: Mapping[str, Any] = field(default_factory=dict)

    kind = "bundle"

    def fields(self) -> dict[str, Any]:
        """Its numbers."""
        return {name: getattr(self, name) for name in ("path", "n_games", "n_chosen", "n_files", "size")}

    def parts(self) -> Iterator[Table | str]:
        """The page to open."""
        yield os.path.join(self.path, "index.html")

    def remarks(self) -> Iterator[str]:
        """How much is there."""
        games = f"{self.n_games:,} game{'' if self.n_games == 1 else 's'}"
        yield f"{games}, {self.n_files:,} files, {self.size / 1e6:.1f} MB; index.html opens without a server"
        if self.n_chosen > self.n_games:
            yield f"{self.n_chosen - self.n_games:,} games have no page: --most {self.n_chosen} writes all"


def write_bundle(request: ViewRequest) -> Bundle:
    """Write the pages of the games that a request chooses.

    Raises
    ------
    UsageError
        No game, or several runs and logs.
    UnknownNameError
        A text to redact that there is not.
    LimitError
        More bytes than a folder may hold.
    OutputError
        The folder cannot be written.
    """
    without = request.without()
    assert request.bundle is not None
    with _opened(request) as library:
        chosen, n_chosen = _chosen(library, request)
        shared, notes = _shared(library, chosen, without)
    if n_chosen > len(chosen):
        notes.append(f"these are the first {len(chosen):,} of {n_chosen:,} games")
    with shared, writing(request.bundle, overwrite=request.overwrite) as draft:
        site = _Site(shared, make_folder(draft), notes)
        site.write(request.update)
    notes += without.notes if without is not None else ()
    return Bundle(str(request.bundle), len(chosen), n_chosen, site.n_files, site.size, tuple(notes))


def _opened(request: ViewRequest) -> Library:
    """The games; labelled beforehand where that decides which are chosen."""
    sources = [request.source] if isinstance(request.source, str | Path) else [*request.source]
    if len(sources) != 1:
        raise UsageError(
            f"--bundle of {len(sources)} runs and logs, expected one; a folder of runs is one log"
        )
    where = {column: tuple(values) for column, values in (request.where or {}).items()}
    computed = {*SUMS, *(column.name for column in codebook.LABELS)}
    judged = any(name in computed or name.startswith(codebook.PROBABILITY_PREFIX) for name in where)
    return open_library(
        sources[0],
        labels=request.labels,
        recogniser=request.recogniser,
        others=request.others,
        where=where,
        reading=request.file_reading(),
        background=not judged and not is_run(Path(sources[0])),
    )


def _chosen(library: Library, request: ViewRequest) -> tuple[list[str], int]:
    """Names of the games, as many as may be, and how many there are."""
    names: list[str] = []
    while True:
        size = min(MOST_ROWS, request.most - len(names))
        part = library.page(Query(offset=len(names), limit=max(1, size), order="log"))
        names += [str(row["game_id"]) for row in part.rows][:size]
        if len(names) >= min(part.total, request.most) or not part.rows:
            break
    if not names:
        raise UsageError("no game to write" + (", expected one that --where keeps" if request.where else ""))
    return names, part.total


def _shared(library: Library, names: Sequence[str], without: Without | None) -> tuple[Library, list[str]]:
    """The games as they may leave, in a library of their own, and what is to be known of it."""
    from intent.logs.redaction import without_places

    log = library.log(names)
    labels = library.labels(names)
    before = log.games["game_id"].astype(str).tolist()
    log = without_places(log if without is None else without.log(log))
    log = GameLog(
        _unkeyed(log.games),
        _unkeyed(log.seats),
        _unkeyed(log.moves),
        None if log.questions is None else _unkeyed(log.questions),
        provenance=log.provenance,
    )
    names_of = dict(zip(before, log.games["game_id"].astype(str).tolist(), strict=True))
    if labels is not None:
        labels = labels.assign(game_id=labels["game_id"].astype(str).map(names_of))
    run = None if library.run is None else _SharedCalls(library.run, without, names_of)
    facts = library.facts()
    notes = [
        one for one in facts.notes if os.sep not in one
    ]  # of places on this machine nothing leaves, whoever wrote them
    if without is not None and without.redaction is not None:
        notes.append(f"texts were left out: {', '.join(without.redaction.kinds)}")
    if without is not None and without.pseudonyms is not None:
        notes.append("names of players, games and sessions are pseudonyms")
    name = Path(facts.source).name or "games"
    return library.of_part(log, name, labels, run, notes), notes


def _unkeyed(table: pd.DataFrame) -> pd.DataFrame:
    """The table without whatever is known, or looks, like a key; its columns keep their types."""
    new = {}
    for name in table.columns:
        column = table[name]
        if name in ("game_id", "payoffs") or pd.api.types.is_numeric_dtype(column.dtype):
            continue
        words = {text: redact(text) for text in column.dropna().unique() if isinstance(text, str)}
        odd = {text: clean for text, clean in words.items() if clean != text}
        if odd:
            new[name] = column.astype(object).map(lambda text, odd=odd: odd.get(text, text))
    return table.assign(**new) if new else table


class _SharedCalls:
    """The calls of a run as they may leave; games by the names that they leave under."""

    live = False
    n_planned = None

    def __init__(self, run: Any, without: Without | None, names: Mapping[str, str]) -> None:
        self._run, self._without = run, without
        self._before = {new: old for old, new in names.items()}

    def calls(self, game_id: str, first: int, last: int) -> pd.DataFrame:
        """As `RunCalls.calls`."""
        table = self._run.calls(self._before[game_id], first, last)
        return _unkeyed(table if self._without is None else self._without.calls(table))

    def state(self, game_id: str) -> tuple[str | None, str | None]:
        """As `RunCalls.state`; what set a game aside may quote a reply, so it goes with the texts."""
        state, error = self._run.state(self._before[game_id])
        leaves = self._without is not None and self._without.redaction is not None
        return state, None if error is None else "the reason is left out" if leaves else redact(error)


_RESERVED = {"con", "prn", "aux", "nul", *(f"{name}{k}" for name in ("com", "lpt") for k in range(10))}
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")


def page_names(game_ids: Sequence[str]) -> dict[str, str]:
    """A name of a file for each game: safe and unique on every system, the same in every bundle.

    A plain name is its own; any other is its letters and a hash of it.

    Examples
    --------
    >>> page_names(["g001", "../Etc"])
    {'g001': 'g001', '../Etc': 'etc-1f32b7c2e0'}
    """
    names: dict[str, str] = {}
    pages: set[str] = set()
    for game_id in game_ids:
        name = game_id
        if not 0 < len(name) <= 40 or not _PLAIN.issuperset(name) or name[0] in "-_" or name in _RESERVED:
            digest = hashlib.blake2b(game_id.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
            name = f"{safe_name(game_id).lower() or 'game'}-{digest}"
        base, n = name.replace(".", "-"), 1
        name = base
        while name in pages:
            n += 1
            name = f"{base}-{n}"
        pages.add(name)
        names[game_id] = name
    return names


@dataclass(frozen=True)
class _Frame:
    """What a page on disk has in place of the files of the server."""

    style: Markup
    script: Markup
    policy: str
    icon: str


@cache
def _frame(*scripts: str) -> _Frame:
    from markupsafe import Markup

    style = asset("page.css")[0].decode()
    script = "\n".join(asset(name)[0].decode() for name in scripts)
    icon = "data:image/svg+xml;base64," + base64.b64encode(asset("icon.svg")[0]).decode()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return _Frame(Markup(style), Markup(script), policy, icon)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@dataclass(frozen=True)
class _ListState(PageState):
    """The list as the one page that it is."""

    def address(self) -> str:
        """Of that page."""
        return "index.html"


class _SitePlaces(Places):
    """The addresses of pages in a folder, from one of them."""

    def __init__(self, names: Mapping[str, str], texts: Mapping[tuple[str, str], str], up: str = "") -> None:
        super().__init__()
        self._names, self._texts, self._up = names, texts, up
        self.site = _frame("page.js") if up else _frame("page.js", "site.js")

    @property
    def home(self) -> str:
        return f"{self._up}index.html"

    def games(self, state: PageState) -> str:
        return self.home

    def game(self, game_id: str, state: PageState, first: int = 1) -> str:
        name = self._names[game_id] if first == 1 else f"{self._names[game_id]}.{first}"
        return f"{'' if self._up else 'games/'}{name}.html"

    def round(self, game_id: str, state: PageState, number: int) -> str:
        return f"#round-{number}"

    def unfolded(self, game_id: str, state: PageState, first: int) -> str | None:
        return None

    def text(self, game_id: str, key: str) -> str | None:
        name = self._texts.get((game_id, key))
        return None if name is None else f"{self._up}texts/{name}"


class _Site:
    """Pages on their way into a folder."""

    def __init__(self, library: Library, folder: Path, notes: Sequence[str]) -> None:
        self._library, self._folder = library, folder
        self._facts = replace(library.facts(), live=False, labelled=1.0, notes=tuple(notes))
        self._state = _ListState(Query(order="log"))
        self.n_files = self.size = 0

    def write(self, update: Callable[..., None]) -> None:
        """All of them; `update` is called with the games done, and in all."""
        listed = [*self._pages()]
        ids = [str(row["game_id"]) for part in listed for row in part.rows]
        names = page_names(ids)
        for name in ("games", "texts"):
            make_folder(self._folder / name)
        before, said_at = [None, *ids], 0.0
        update(0, len(ids))
        for i, game_id in enumerate(ids):
            around = before[i], ids[i + 1] if i + 1 < len(ids) else None
            self._game(game_id, names, around)
            if time.monotonic() - said_at > 0.1 or i + 1 == len(ids):
                update(i + 1, len(ids))
                said_at = time.monotonic()
        self._list(listed, names)
        pages = {game_id: f"games/{name}.html" for game_id, name in names.items()}
        facts = {"intent_bundle": 1, "version": __version__, "source": self._facts.source, "pages": pages}
        self._put(MANIFEST, json.dumps(facts, ensure_ascii=True, indent=1))

    def _pages(self) -> Iterator[Any]:
        offset = 0
        while True:
            part = self._library.page(Query(offset=offset, limit=MOST_ROWS, order="log"))
            yield part
            offset += len(part.rows)
            if not part.rows or offset >= part.total:
                return

    def _game(self, game_id: str, names: Mapping[str, str], around: tuple[str | None, str | None]) -> None:
        first = 1
        while True:
            texts: dict[tuple[str, str], str] = {}

            def keep(value: Any, key: str, texts: dict[tuple[str, str], str] = texts) -> Text | None:
                text = bounded(value, key, LIMIT_TEXT)
                if text is not None and text.is_cut:
                    name = f"{names[game_id]}.{hashlib.blake2b(key.encode(), digest_size=6).hexdigest()}.txt"
                    texts[game_id, key] = name
                    self._put(f"texts/{name}", visible(value))
                return text

            game = self._library.game(game_id, first=first, most=ROUNDS_SHOWN, keep=keep)
            at = _SitePlaces(names, texts, "../")
            values = game_values(self._facts, game, self._state, around, "", at=at)
            self._put(
                f"games/{at.game(game_id, self._state, first)}", page("game.html", **values, version="")
            )
            first += ROUNDS_SHOWN
            if first > game.n_rounds:
                return

    def _list(self, listed: Sequence[Any], names: Mapping[str, str]) -> None:
        whole = replace(listed[0], rows=[row for part in listed for row in part.rows], offset=0)
        values = list_values(self._facts, self._library.columns(), whole, self._state)
        at = _SitePlaces(names, {})
        rows = [
            replace(row, address=at.game(str(source["game_id"]), self._state))
            for row, source in zip(values["rows"], whole.rows, strict=True)
        ]
        headings = [replace(one, address="#results") for one in values["headings"]]
        facets = [facet for _, group in values["groups"] for facet in group if _is_offered(facet)]
        columns = {one.column: one.per_seat for one in headings}
        columns |= {facet.column.name: facet.column.table != "games" for facet in facets}
        values |= {
            "at": at,
            "rows": rows,
            "headings": headings,
            "groups": [(title, [f for f in group if _is_offered(f)]) for title, group in values["groups"]],
            "previous": None,
            "following": None,
            "jumps": (),
            "orders": (),
            "counts": "{}",
            "is_run": False,
            "account": None,
            "site_values": _values(whole.rows, columns, [one.column for one in headings]),
        }
        self._put("index.html", page("list.html", **values, version=""))

    def _put(self, name: str, text: str) -> None:
        """Write a file, within the bound of all."""
        data = text.encode("utf-8", "backslashreplace")
        self.n_files, self.size = self.n_files + 1, self.size + len(data)
        if self.size > LIMIT_BUNDLE:
            raise LimitError(
                f"the pages take more than {LIMIT_BUNDLE / 1e9:.1f} GB at {name}, expected fewer games "
                "(--where, --most) or texts (--redact)"
            )
        (self._folder / name).write_bytes(data)


def _is_offered(facet: Facet) -> bool:
    """Whether the filters of a page on disk have the column."""
    column = facet.column
    if column.name.startswith(codebook.PROBABILITY_PREFIX):
        return False
    return bool(facet.options) or (column.kind == "number" and column.low != column.high)


def _values(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, bool], headings: Sequence[str]) -> str:
    """What the script of the list filters and sorts by, as JSON.

    ``seats`` says of each column whether it is of seats; a game has ``game`` and ``seats`` with a list of
    values for each column.
    """
    games = [
        {
            "game": {name: _listed(row.get(name)) for name, per_seat in columns.items() if not per_seat},
            "seats": [
                {name: _listed(seat.get(name)) for name, per_seat in columns.items() if per_seat}
                for seat in row.get("seats") or ()
            ],
        }
        for row in rows
    ]
    facts = {"seats": [name for name, per_seat in columns.items() if per_seat], "headings": list(headings)}
    return json.dumps({**facts, "games": games}, ensure_ascii=True)


def _listed(value: Any) -> list[Any]:
    if value is None:
        return [""]
    if isinstance(value, bool):
        return ["true" if value else "false"]
    if isinstance(value, list):
        return [str(one) for one in value]
    return [value]
