"""A mapping that is kept: how files of one kind are read, as YAML that people can edit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from intent.base.errors import DataError, shorten

__all__ = ["VERSION", "LogMapping", "read_mapping"]

VERSION: Final = 1
_KEY = "intent_mapping"
"""Of the format of the file."""

Text = Annotated[str, Field(min_length=1)]


class LogMapping(BaseModel):
    """How a file is read: the shape of its table, its columns, and what it does not say itself.

    Attributes
    ----------
    intent_mapping : int, version of this format
    shape : str, name of a row of `shapes.SHAPES`
    columns : mapping of our column -> theirs
        Of shapes with one column per round or seat, the pattern of the names: ``choice_{round}_{seat}``.
    by : tuple of str
        Further columns that tell games apart.
    rows : mapping, optional
        How the rows lie in a tree of JSON.
    names : str, optional
        Pattern of the names of files: ``{model}_{game}_v{version}_{repetition}``.
    options : mapping, optional
        What only the shape needs.
    practice : str, optional
        Column that marks rows of practice, which are left out.
    header : tuple of str
        Names of the columns, of a file that has none.
    cooperate, payoff_kind, game : str, optional
        As the options of the same names.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    intent_mapping: Literal[1] = VERSION
    shape: Text
    columns: dict[str, Text] = {}
    by: tuple[Text, ...] = ()
    rows: dict[str, Any] | None = None
    names: Text | None = None
    options: dict[str, Any] | None = None
    practice: Text | None = None
    header: tuple[Text, ...] = ()
    cooperate: Text | None = None
    payoff_kind: Literal["reward", "penalty"] | None = None
    game: Text | None = None

    def to_json(self) -> dict[str, Any]:
        """What is set."""
        values = self.model_dump(mode="json", exclude_none=True)
        return {key: value for key, value in values.items() if value not in ({}, [])}

    def to_yaml(self) -> str:
        """The file's text; what is not set is left out."""
        import yaml

        text: str = yaml.safe_dump(self.to_json(), sort_keys=False, allow_unicode=True)
        return text


def read_mapping(path: str | Path) -> LogMapping | None:
    """Read a kept mapping; None where the file holds plain pairs of columns.

    Raises
    ------
    DataError
        The file is no YAML, or has a key or value that a mapping does not have.
    """
    from intent.base.settings import read_document

    file = Path(path)
    document = read_document(file, texts=True)
    values = dict(document.values)
    if _KEY not in values:
        return None
    version = str(values[_KEY])
    values[_KEY] = int(version) if version.isdecimal() else version
    try:
        return LogMapping.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = [str(part) for part in first["loc"]]
        where = document.where(place[:1]) or file.name
        got = shorten(first.get("input"))
        raise DataError(f"{where}: {'.'.join(place)} is {got}: {first['msg'].lower()}") from None
