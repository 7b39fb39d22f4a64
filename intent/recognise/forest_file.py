"""A random forest as a skops file, of which only the tables of its trees are believed.

scikit-learn follows the child indices of a tree without checking them, so a crafted file could make it read
anywhere in memory. Reading therefore goes in three steps: unpack within bounds; let skops build only types
that a forest has need of; check the tables of every tree and put them into a new forest.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from intent.errors import DataError, RecogniserError
from intent.files.archive import Archive
from intent.files.json_text import check_json

if TYPE_CHECKING:
    from sklearn.ensemble import RandomForestClassifier

__all__ = ["dump_forest", "load_forest"]

_TRUSTED = frozenset({"numpy.dtype", "sklearn.tree._tree.Tree"})
"""Types beyond skops' own defaults that a saved forest may hold."""

_NAME = "forest.skops"
_SCHEMA = "schema.json"
_LARGEST_SCHEMA = 16 << 20
"""JSON takes some twenty times its size in memory, so it has a bound of its own (a thousand trees)."""


def dump_forest(forest: RandomForestClassifier) -> bytes:
    """The forest as a compressed skops file; the same forest gives the same bytes.

    Raises
    ------
    RecogniserError
        The forest is larger than what `load_forest` reads.
    """
    from skops.io import dumps

    content = _canonical(dumps(forest))
    _unpacked(content)
    return content


def _canonical(content: bytes) -> bytes:
    """The archive with its members numbered in order, without dates: skops names them by memory address."""
    with Archive(content, name=_NAME) as archive:
        members = {name: archive.read(name) for name in archive.names}
    numbers: dict[str, str] = {}

    def renamed(found: re.Match[str]) -> str:
        return found[1] + numbers.setdefault(found[2], str(len(numbers) + 1)) + found[3]

    outline = re.sub(r'("(?:__id__|file)": "?)(\d+)(\D)', renamed, members.pop(_SCHEMA).decode("utf8"))
    files = {f"{numbers[name.removesuffix('.npy')]}.npy": data for name, data in members.items()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as written:
        for name in sorted(files, key=lambda name: int(name.removesuffix(".npy"))):
            written.writestr(zipfile.ZipInfo(name), files[name], zipfile.ZIP_DEFLATED, 9)
        written.writestr(zipfile.ZipInfo(_SCHEMA), outline, zipfile.ZIP_DEFLATED, 9)
    return packed.getvalue()


def load_forest(
    content: bytes, *, n_classes: int, n_features: int, parameters: Mapping[str, Any]
) -> RandomForestClassifier:
    """The forest of a skops file.

    Parameters
    ----------
    content : bytes
    n_classes, n_features : int
        What every tree must have.
    parameters : mapping
        Of the new forest; they say nothing about its trees.

    Raises
    ------
    RecogniserError
        It unpacks to more than the bounds, holds types that a forest has no need of, or a tree is none.
    """
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier
    from skops.io import get_untrusted_types, loads

    plain = _unpacked(content)
    foreign = set(get_untrusted_types(data=plain)) - _TRUSTED
    if foreign:
        raise RecogniserError(f"forest.skops holds types that are not trusted: {', '.join(sorted(foreign))}")
    found = loads(plain, trusted=sorted(_TRUSTED))
    if type(found) is not RandomForestClassifier:
        raise RecogniserError(f"forest.skops holds a {type(found).__name__}, expected a random forest")
    members = vars(found).get("estimators_")
    if not isinstance(members, list) or not members:
        raise RecogniserError("forest.skops holds no list of trees")
    forest = RandomForestClassifier(**{**parameters, "n_estimators": len(members)})
    forest.estimators_ = []
    for number, member in enumerate(members):
        tree = vars(member).get("tree_") if type(member) is DecisionTreeClassifier else None
        _check_tree(tree, number, n_classes, n_features)
        kept = DecisionTreeClassifier()
        kept.tree_ = tree
        forest.estimators_.append(kept)
    for model in (forest, *forest.estimators_):
        model.n_features_in_, model.n_outputs_ = n_features, 1
        model.n_classes_, model.classes_ = n_classes, np.arange(n_classes)
    return forest


def _unpacked(content: bytes) -> bytes:
    """The archive without compression, within bounds: what it says of its sizes may be a lie."""
    plain = io.BytesIO()
    try:
        with Archive(content, name=_NAME, bound="numbers_bytes") as archive:
            schema = archive.read(_SCHEMA)
            if len(schema) > _LARGEST_SCHEMA:
                raise RecogniserError(
                    f"{len(schema) >> 20} MB of {_SCHEMA}, at most {_LARGEST_SCHEMA >> 20} MB are read; "
                    "train fewer trees or larger leaves"
                )
            check_json(schema)
            with zipfile.ZipFile(plain, "w") as copy:
                for name in archive.names:
                    copy.writestr(name, schema if name == _SCHEMA else archive.read(name))
    except (DataError, ValueError) as error:
        raise RecogniserError(f"{error}; train fewer trees or larger leaves") from None
    return plain.getvalue()


def _check_tree(tree: Any, number: int, n_classes: int, n_features: int) -> None:
    """Refuse a tree that would be followed out of its tables, or whose leaves hold no probabilities.

    Sizes come first: the arrays of a tree are views of as many nodes as it says it has.
    """
    from sklearn.tree._tree import Tree

    where = f"forest.skops: tree {number}"
    if type(tree) is not Tree:
        raise RecogniserError(f"{where} is a {type(tree).__name__}, expected a decision tree")
    got = (tree.n_outputs, tree.max_n_classes, tree.n_features)
    if got != (1, n_classes, n_features):
        raise RecogniserError(
            f"{where} has {got[0]} outputs, {got[1]} classes and {got[2]} features, "
            f"expected 1, {n_classes} and {n_features}"
        )
    n = tree.node_count
    if n < 1 or n != tree.capacity:
        raise RecogniserError(f"{where} says it has {n} nodes, its table has {tree.capacity}")
    left, right, feature = tree.children_left, tree.children_right, tree.feature
    inner = (left != -1) | (right != -1)
    for child in (left[inner], right[inner]):
        if (child <= np.flatnonzero(inner)).any() or (child >= n).any():
            raise RecogniserError(f"{where} has a child that does not exist or comes before its parent")
    if (feature[inner] < 0).any() or (feature[inner] >= n_features).any():
        raise RecogniserError(
            f"{where} splits on a feature that does not exist, expected 0..{n_features - 1}"
        )
    value = tree.value
    if value.shape != (n, 1, n_classes) or not (
        np.isfinite(value).all() and (value >= 0).all() and np.allclose(value.sum(axis=2), 1)
    ):
        raise RecogniserError(f"{where} has a node whose values are no {n_classes} probabilities")
