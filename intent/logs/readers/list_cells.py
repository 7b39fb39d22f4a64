"""Cells that hold a Python list, such as ``['OptionA', 'OptionB']`` or ``[0, 10]``, to flat arrays.

Cells repeat (ten rounds of two options have 1,024 forms), so each distinct cell is parsed once, all of
them by Arrow's string kernels; a cell that is written in another way is read token by token. Nothing
is evaluated: a token is a quoted text, a number, a truth value or None.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from intent.errors import shorten

__all__ = ["ListCells", "parse_numbers", "parse_texts"]

_TOKEN = re.compile(
    r"\s*(?:(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<word>None|True|False|[-+]?(?:\d{1,40}\.?\d{0,40}|\.\d{1,40})(?:[eE][-+]?\d{1,4})?|nan|[-+]?inf))\s*(?P<end>,|\Z)",
    re.DOTALL,
)
_MANY = 100_000


@dataclass(frozen=True)
class ListCells:
    """A column of lists, flattened.

    Parameters
    ----------
    lengths : (n,) int64, length of each row's list; -1 where the cell is no list
    starts : (n,) int64, where the distinct list of each row begins in `values`
    values : (m,) int32 codes into `labels`, or float64; -1 or NaN for None
    labels : tuple of str
        Distinct texts in order of first appearance; empty for numbers.
    errors : dict of row -> what is wrong with the cell
    """

    lengths: NDArray[np.int64]
    starts: NDArray[np.int64]
    values: NDArray[np.int32] | NDArray[np.float64]
    labels: tuple[str, ...]
    errors: dict[int, str]

    def flat(self, rows: NDArray[np.intp]) -> NDArray[np.int32] | NDArray[np.float64]:
        """The values of some rows, one list after the other."""
        lengths = self.lengths[rows]
        ends = np.cumsum(lengths)
        shift = np.repeat(self.starts[rows] - (ends - lengths), lengths)
        return self.values[shift + np.arange(len(shift))]


def parse_texts(column: pa.Array, *, strip: bool = True, nulls: bool = False) -> ListCells:
    """Lists of texts, as labels stripped of outer spaces or as they are; None is -1 where nulls may be."""
    return _parse(column, quoted=True, strip=strip, nulls=nulls)


def parse_numbers(column: pa.Array, *, nulls: bool = False) -> ListCells:
    """Lists of finite numbers; None is NaN where nulls may be."""
    return _parse(column, quoted=False, nulls=nulls)


def _parse(column: pa.Array, *, quoted: bool, strip: bool = True, nulls: bool = False) -> ListCells:
    coded = column.dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.intp)
    cells = coded.dictionary
    lengths, pieces = _split(
        cells, "['" if quoted else "[", "', '" if quoted else ", ", "']" if quoted else "]"
    )
    tokens = pieces.dictionary_encode()
    token_codes = tokens.indices.to_numpy(zero_copy_only=False)
    words = tokens.dictionary.to_pylist()
    labels: dict[str, int] = {}
    if quoted:
        table = np.array([_label(word, labels, strip) for word in words], dtype=np.int32)
        bad_tokens = table < 0
    else:
        table = np.array([_number(word) for word in words], dtype=np.float64)
        bad_tokens = np.isnan(table)
    values = table[token_codes] if len(words) else table
    starts = np.cumsum(lengths) - lengths
    odd = np.zeros(len(cells), dtype=bool)
    if bad_tokens.any():
        owner = np.repeat(np.arange(len(cells)), lengths)
        odd[owner[bad_tokens[token_codes]]] = True
    odd |= lengths == 0
    errors: dict[int, str] = {}
    extra: list[NDArray[np.int32] | NDArray[np.float64]] = []
    end = len(values)
    for i in np.flatnonzero(odd):
        read = _tokens(cells[int(i)].as_py(), quoted, labels, strip, nulls)
        if isinstance(read, str):
            errors[int(i)], lengths[i] = read, -1
            continue
        extra.append(np.array(read, dtype=values.dtype))
        lengths[i], starts[i] = len(read), end
        end += len(read)
    if extra:
        values = np.concatenate([values, *extra])
    wrong = np.flatnonzero(np.isin(codes, list(errors))).tolist() if errors else []
    return ListCells(
        lengths[codes],
        starts[codes],
        values,
        tuple(labels),
        {row: errors[int(codes[row])] for row in wrong},
    )


def _split(cells: pa.Array, opening: str, between: str, closing: str) -> tuple[NDArray[np.int64], pa.Array]:
    """Lengths (0 where the cell is not written so) and the pieces of all cells in a row."""
    regular = pc.and_(pc.starts_with(cells, opening), pc.ends_with(cells, closing))
    inner = pc.utf8_slice_codeunits(cells, len(opening), -len(closing))
    lists = pc.split_pattern(inner, between)
    plain = pc.and_(regular, pc.greater(pc.utf8_length(inner), 0))
    lists = pc.if_else(plain, lists, pa.scalar([], lists.type))
    lengths = pc.list_value_length(lists).to_numpy(zero_copy_only=False).astype(np.int64)
    return lengths, lists.flatten()


def _label(word: str, labels: dict[str, int], strip: bool) -> int:
    """Code of a text between two quotes, -1 where it needs the careful way."""
    if not word or not _PLAIN.fullmatch(word):
        return -1
    return labels.setdefault(word.strip() if strip else word, len(labels))


_PLAIN = re.compile(r"[^'\"\\\[\]]*")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)


def _number(word: str) -> float:
    """The number, NaN where it is none or not finite."""
    if len(word) > 64 or not _NUMBER.fullmatch(word):
        return float("nan")
    value = float(word)
    return value if abs(value) != float("inf") else float("nan")


def _tokens(cell: str, quoted: bool, labels: dict[str, int], strip: bool, nulls: bool) -> list[float] | str:
    """The list in a cell, read token by token, or what is wrong with it."""
    wanted = "a list of texts" if quoted else "a list of numbers"
    body = cell.strip()
    if not (body.startswith("[") and body.endswith("]")):
        return f"{shorten(cell, 40)!r}, expected {wanted}"
    body = body[1:-1].strip()
    found: list[float] = []
    at = 0
    while at < len(body):
        match = _TOKEN.match(body, at)
        if match is None or len(found) >= _MANY:
            return f"{shorten(body[at:], 40)!r} at item {len(found) + 1}, expected {wanted}"
        text, word = match["text"], match["word"]
        if nulls and word == "None":
            found.append(-1 if quoted else float("nan"))
        elif quoted:
            if text is None:
                return f"{word} at item {len(found) + 1}, expected {wanted}"
            try:
                label = str(ast.literal_eval(text))
            except (ValueError, SyntaxError):
                return f"{shorten(text, 40)} at item {len(found) + 1}, expected {wanted}"
            label = label.strip() if strip else label
            found.append(labels.setdefault(label, len(labels)))
        else:
            value = _number(word or "")
            if value != value:
                return f"{shorten(text or word, 40)} at item {len(found) + 1}, expected {wanted}"
            found.append(value)
        at = match.end()
    return found
