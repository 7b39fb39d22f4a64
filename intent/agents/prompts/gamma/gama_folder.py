"""Reading a folder of GAMA-Bench's templates that nobody vouches for."""

from __future__ import annotations

from pathlib import Path

from intent.agents.prompts.gamma.gama_facts import FOLDERS
from intent.agents.prompts.gamma.templates import COT, ROLES, GamaTemplates
from intent.agents.prompts.template import MOST_CHARACTERS
from intent.errors import DataError, PromptError, located
from intent.files.text import file_text

__all__ = ["is_gama_folder", "read_gama_templates"]

MOST_FILES = 2_000


def is_gama_folder(folder: str | Path) -> bool:
    """Whether there is a folder of one of the games, with a description in it."""
    return any(any((Path(folder) / name).glob("description_*.txt")) for name in FOLDERS.values())


def read_gama_templates(folder: str | Path, *, upstream_window: bool = False) -> GamaTemplates:
    """The templates below a folder: ``guessing_game/description_v1.txt``, ``cot_prompts/cot1.txt``, ….

    Other folders and files are left alone. A template that a plan needs and that is missing or odd is
    reported by `GamaTemplates.check`.

    Parameters
    ----------
    folder : str or Path
        ``prompt_template`` of GAMA-Bench.
    upstream_window : bool
        See `GamaTemplates`.

    Raises
    ------
    PromptError
        No such folder, none of the games' folders in it, too many files, or one that is too large, no text,
        or a link that leads out of the folder.
    """
    root = Path(folder)
    if not root.is_dir():
        raise PromptError(f"no such folder of templates: {root}")
    paths = [path for name in (*FOLDERS.values(), COT, ROLES) for path in sorted((root / name).glob("*.txt"))]
    if not paths:
        expected = f"{FOLDERS['guessing']}/description_v1.txt"
        raise PromptError(f"{root}: no templates of GAMA-Bench, expected files such as {expected}")
    if len(paths) > MOST_FILES:
        raise PromptError(f"{root}: {len(paths):,} templates, expected at most {MOST_FILES:,}")
    files: dict[str, dict[str, str]] = {}
    for path in paths:
        files.setdefault(path.parent.name, {})[path.stem] = _text(path, root)
    return GamaTemplates(root.resolve().name or "gama", files, upstream_window=upstream_window)


def _text(path: Path, root: Path) -> str:
    if root.resolve() not in path.resolve().parents:
        raise PromptError(located(path, "a link that leads out of the folder, expected a file in it"))
    if not path.is_file():
        raise PromptError(located(path, "no file, expected text"))
    try:
        text = file_text(path, 4 * MOST_CHARACTERS)
    except DataError as error:
        raise PromptError(str(error)) from None
    if len(text) > MOST_CHARACTERS or "\0" in text:
        raise PromptError(located(path, f"{len(text):,} characters or binary data, expected text"))
    return text.replace("\r\n", "\n").replace("\r", "\n")
