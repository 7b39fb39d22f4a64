"""Every step of a release but publishing, in one command: what is in order, and what to do about the rest.

    python requirements/release.py                     all steps (make release-check)
    python requirements/release.py --only version changelog
    python requirements/release.py --tag v1.0.0 --strict --output dist     as the workflow `release` calls it

Nothing is published or tagged, nothing written but the folder of `--output`. A step that cannot be tried here
is `not tried`, which `--strict` counts as a failure. The exit code is 1 where a step failed.
"""

from __future__ import annotations

import argparse
import datetime
import fnmatch
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import textwrap
import time
import tomllib
import venv
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sbom
import yaml
from lock import ROOT
from packaging.version import Version

WHEEL_LIMIT = SDIST_LIMIT = 20_000_000
"""Bytes; most of both are the forests among the recognisers."""

FILE_LIMIT = 5_000_000
"""Bytes of one file, as for a recogniser."""

NEVER = (
    *("*.pkl", "*.pickle", "*.joblib", "*.pt", "*.pth", "*.gguf", "*.db", "*.sqlite*", "*.pyc", "*.ipynb"),
    *("*.pem", "*.key", "*.env", "*/.env", "*.log", "*/mlruns/*", "*/.git/*", "*/__pycache__/*"),
)
"""What no archive may hold: programs that run when they are read, models of others, stores, keys."""

HOMES = re.compile(rb"/(?:home|root|Users|work|private|builds?)/[\w.-]+/|[A-Z]:\\\\?Users\\")
"""Paths of the machine that built it."""

LICENCES = ("LICENSE", "NOTICE", "htmx-LICENSE")
"""What the wheel's licences folder holds."""

OWN_TEXTS = (".py", ".md", ".txt", ".toml", ".yaml", ".html", ".css", ".js", ".svg", ".typed")
"""Suffixes of code and texts of our own; every other file, and whatever is minified, stands in NOTICE."""


class FailedError(Exception):
    """A step failed; the text says what to do."""


class NotTriedError(Exception):
    """A step cannot be tried here; the text says what it needs."""


@dataclass
class Work:
    """What the steps share.

    Attributes
    ----------
    dist : folder of wheel, archive of sources and bill of materials
    tag : str, that the release will have or has; empty: v and the version
    linked : whether nothing is fetched: archives are installed beside the packages of this environment
    scratch : folder for environments, removed at the end
    """

    dist: Path
    tag: str
    linked: bool
    scratch: Path
    archives: dict[str, Path] = field(default_factory=dict)

    def archive(self, suffix: str) -> Path:
        """Wheel (``.whl``) or archive of sources (``.tar.gz``) of this version.

        Raises
        ------
        NotTriedError
            It was not built.
        """
        files = list(self.dist.glob(f"strategy_intent-{version()}*{suffix}"))
        if len(files) != 1:
            raise NotTriedError(
                f"{self.dist} holds {len(files)} files *{suffix} of {version()}: the step build makes one"
            )
        return files[0]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf8")


def version() -> str:
    """That of intent/version.py."""
    return str(re.search(r'^__version__ = "(.+)"$', text_of("intent/version.py"), flags=re.M)[1])  # type: ignore[index]


def expect(right: bool, what: str) -> None:
    if not right:
        raise FailedError(what)


def called(words: Sequence[str | Path], what: str, **how: Any) -> str:
    """Output of a program.

    Raises
    ------
    FailedError
        It ends with another code than 0; the text ends with its last lines.
    """
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False, **how)
    if done.returncode:
        lines = (done.stdout + done.stderr).strip().splitlines()
        raise FailedError(f"{what}: " + " / ".join(lines[-12:]))
    return done.stdout


def tool(name: str) -> str:
    """Path of a program, beside this Python or anywhere.

    Raises
    ------
    NotTriedError
        It is not installed.
    """
    place = shutil.which(name, path=sysconfig.get_path("scripts")) or shutil.which(name)
    if place is None:
        raise NotTriedError(f"{name} is not installed: pip install '.[release]'")
    return place


def check_version(work: Work) -> str:
    now = version()
    expect(
        str(Version(now)) == now,
        f"{now} is not in the form of PEP 440: write {Version(now)} in intent/version.py",
    )
    tag = work.tag or f"v{now}"
    expect(tag == f"v{now}", f"the tag is {tag}, the version {now}: tag v{now}, or change intent/version.py")
    cited = yaml.safe_load(text_of("CITATION.cff"))
    for place, stated in (("version", cited), ("preferred-citation: version", cited["preferred-citation"])):
        expect(stated["version"] == now, f"CITATION.cff, {place}: {stated['version']}; write {now}")
    frozen = json.loads(text_of("tests/codebook_versions.json"))
    codebook = re.search(r'^CODEBOOK_VERSION = "(.+)"$', text_of("intent/base/codebook.py"), flags=re.M)[1]  # type: ignore[index]
    by = Version(frozen[codebook]["package"])
    final = not Version(now).is_prerelease
    expect(
        not (final and by.is_prerelease),
        "names are frozen by a candidate: run python tests/codebook_versions.py",
    )
    return f"{now}, tag {tag}, codebook {codebook}"


def releases(text: str) -> list[tuple[str, str]]:
    """Version and date of every heading of a changelog, newest first."""
    return re.findall(r"^## \[([^\]]+)\](?: - (\S+))?$", text, flags=re.M)


def check_changelog(work: Work) -> str:
    text = text_of("CHANGELOG.md")
    (first, _), *rest = releases(text)
    expect(first == "Unreleased", "CHANGELOG.md begins with no `## [Unreleased]`: add it on top")
    waiting = text.split("## [Unreleased]")[1].split("\n## ")[0].strip()
    expect(
        not waiting,
        f"[Unreleased] holds {len(waiting.splitlines())} lines: move them under `## [{version()}]`",
    )
    expect(rest[0][0] == version(), f"the newest heading is [{rest[0][0]}]: write `## [{version()}] - DATE`")
    dates = [datetime.date.fromisoformat(date) for _, date in rest if date]
    expect(len(dates) == len(rest), "a heading has no date: write `## [VERSION] - YYYY-MM-DD`")
    expect(dates == sorted(dates, reverse=True), "dates are not in order, newest first")
    versions = [Version(v) for v, _ in rest]
    expect(versions == sorted(versions, reverse=True), "versions are not in order, newest first")
    cited = yaml.safe_load(text_of("CITATION.cff"))["date-released"]
    expect(cited == dates[0], f"CITATION.cff, date-released: {cited}; write {dates[0]}")
    return f"[{rest[0][0]}] of {dates[0]}, {len(rest)} versions"


def check_citation(work: Work) -> str:
    """By the Citation File Format's schema; its validator needs an older jsonschema, so it stands apart."""
    place = shutil.which("cffconvert") or _own_environment(work, "cffconvert")
    called([place, "--validate", "-i", ROOT / "CITATION.cff"], "CITATION.cff is not valid")
    form = called([place, "-f", "bibtex", "-i", ROOT / "CITATION.cff"], "CITATION.cff gives no BibTeX")
    expect(version() in text_of("CITATION.cff"), "CITATION.cff names another version")
    return f"valid, with a preferred form; as BibTeX {len(form.splitlines())} lines"


def _own_environment(work: Work, name: str) -> str:
    """A program of a package in an environment of its own."""
    folder = work.scratch / name
    venv.create(folder, with_pip=True)
    python = _python(folder)
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "-qq", name], capture_output=True, check=False
    )
    place = shutil.which(name, path=str(python.parent))
    if done.returncode or place is None:
        raise NotTriedError(f"{name} cannot be installed here: pipx install {name}")
    return place


def _python(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def lint_scripts(workflow: Path) -> None:
    """Lint what the steps of a workflow run; what GitHub fills in stands as a word there."""
    for job, steps in yaml.safe_load(workflow.read_text("utf8"))["jobs"].items():
        for number, step in enumerate(steps.get("steps", ()), start=1):
            script = re.sub(r"\$\{\{.*?\}\}", "word", step.get("run", ""))
            called(
                [tool("shellcheck"), "--shell=bash", "-"],
                f"shellcheck objects to {workflow.name}, {job}, step {number}",
                input=script,
            )


def check_workflows(work: Work) -> str:
    folder = ROOT / ".github"
    called([tool("zizmor"), "--offline", "--no-progress", "--quiet", folder], "zizmor objects")
    files = sorted((folder / "workflows").glob("*.yml"))
    forms = sorted(
        set((folder / "ISSUE_TEMPLATE").glob("*.yml")) - {folder / "ISSUE_TEMPLATE" / "config.yml"}
    )
    schemas = {"workflows": files, "issue-forms": forms}
    for kind, held in schemas.items():
        command = [tool("check-jsonschema"), "--builtin-schema", f"vendor.github-{kind}"]
        called([*command, *held], f"not by the schema of {kind}")
    called(
        [tool("check-jsonschema"), "--builtin-schema", "vendor.dependabot", folder / "dependabot.yml"],
        "not by the schema of Dependabot",
    )
    for workflow in files:
        lint_scripts(workflow)
    called([tool("shellcheck"), ROOT / ".ci" / "run"], "shellcheck objects")
    matrix = yaml.safe_load(text_of(".github/workflows/tests.yml"))["jobs"]["tests"]["strategy"]["matrix"]
    stated = tomllib.loads(text_of("pyproject.toml"))["project"]["classifiers"]
    pythons = [m[1] for c in stated if (m := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", c))]
    expect(matrix["python"] == pythons, f"tests run with {matrix['python']}, pyproject.toml names {pythons}")
    linters = ["zizmor", "shellcheck", "the published schemas"]
    found = shutil.which("actionlint", path=sysconfig.get_path("scripts")) or shutil.which("actionlint")
    if found is not None:
        called([found, *files], "actionlint objects")
        linters.append("actionlint")
    return f"{len(files)} files, by {', '.join(linters)}"


def check_container(work: Work) -> str:
    called([tool("hadolint"), ROOT / "Dockerfile"], "hadolint objects")
    docker = shutil.which("docker")
    if docker and not subprocess.run([docker, "info"], capture_output=True, check=False).returncode:
        called([docker, "build", "-q", "-t", "intent-release-check", str(ROOT)], "docker build fails")
        shown = called(
            [docker, "run", "--rm", "intent-release-check", "--version"], "the image does not start"
        )
        expect(shown.strip() == version(), f"the image says {shown.strip()}")
        return "linted by hadolint, built and started by Docker"
    if work.linked:
        raise NotTriedError("linted; building it needs Docker or the network")
    done = subprocess.run(
        [sys.executable, str(ROOT / "requirements" / "container.py")],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 3:
        raise NotTriedError(
            "linted; Docker is not running, and its steps need Linux and root to be tried without it"
        )
    expect(done.returncode == 0, f"a step fails: {(done.stdout + done.stderr).strip()[-500:]}")
    return "linted by hadolint; no Docker here: its steps tried in an overlay of this system"


def build(work: Work) -> str:
    work.dist.mkdir(parents=True, exist_ok=True)
    for old in (*work.dist.glob("strategy_intent-*"), *work.dist.glob("*.cdx.json")):
        old.unlink()
    how = ["--no-isolation"] if work.linked else []
    called([sys.executable, "-m", "build", *how, "--outdir", work.dist, ROOT], "the build fails")
    wheel, sources = (work.archive(suffix).stat().st_size / 1e6 for suffix in (".whl", ".tar.gz"))
    return f"wheel {wheel:.1f} MB, made from the archive of sources, {sources:.1f} MB"


def check_metadata(work: Work) -> str:
    files = [work.archive(".whl"), work.archive(".tar.gz")]
    called([tool("twine"), "check", "--strict", *files], "twine objects")
    return "twine check --strict passes both"


def members(archive: Path) -> dict[str, bytes]:
    """Name -> content of every file; of an archive of sources below its one folder.

    Raises
    ------
    FailedError
        A member that is no plain file, or that leads out of the archive.
    """
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            content = {n: wheel.read(n) for n in wheel.namelist()}
    else:
        with tarfile.open(archive) as sources:
            parts = sources.getmembers()
            expect(all(m.isfile() for m in parts), f"{archive.name} holds more than plain files")
            content = {m.name: sources.extractfile(m).read() for m in parts}  # type: ignore[union-attr]
        top = {name.partition("/")[0] for name in content}
        expect(top == {archive.name.removesuffix(".tar.gz")}, f"{archive.name} has not one folder but {top}")
        content = {name.partition("/")[2]: data for name, data in content.items()}
    bad = [n for n in content if n.startswith(("/", "\\")) or ".." in Path(n).parts or ":" in n or "\\" in n]
    expect(not bad, f"{archive.name}: names that lead out, or that not every system has: {bad[:3]}")
    return content


def faults_of(name: str, data: bytes, foreign: Mapping[str, str]) -> Iterator[str]:
    """Why a file may not be in an archive."""
    if any(fnmatch.fnmatch(f"/{name}", pattern) for pattern in NEVER):
        yield "is of a kind that is not shipped"
    if len(data) > FILE_LIMIT:
        yield f"has {len(data) / 1e6:.1f} MB, at most {FILE_LIMIT / 1e6:.0f}"
    if place := HOMES.search(data):
        yield f"names a path of a machine: {place[0]!r}"
    if other := foreign.get(hashlib.sha256(data).hexdigest()):
        yield f"is a file of others that may not be shipped: {other}"


def public_data() -> dict[str, str]:
    """SHA-256 -> name of every file of the public logs in INTENT_DATA, none of which may be shipped."""
    folder = Path(os.environ.get("INTENT_DATA") or ROOT.parent / "shared" / "data")
    files = [
        f for f in folder.rglob("*") if f.is_file() and f.stat().st_size and not f.name.startswith("LICENSE")
    ]
    return {hashlib.sha256(f.read_bytes()).hexdigest(): str(f.relative_to(folder)) for f in files}


def check_contents(work: Work) -> str:
    wheel, sources = work.archive(".whl"), work.archive(".tar.gz")
    for archive, limit in ((wheel, WHEEL_LIMIT), (sources, SDIST_LIMIT)):
        size = archive.stat().st_size
        expect(size <= limit, f"{archive.name} has {size / 1e6:.1f} MB, at most {limit / 1e6:.0f}")
    foreign = public_data()
    held = {archive.name: members(archive) for archive in (wheel, sources)}
    faults = [
        f"{archive}: {name} {fault}"
        for archive, content in held.items()
        for name, data in content.items()
        for fault in faults_of(name, data, foreign)
    ]
    expect(not faults, "; ".join(faults[:5]))
    known = f"none of {len(foreign)} files of others" if foreign else "no files of others here to compare"
    counts = ", ".join(f"{len(content)} files" for content in held.values())
    return f"{counts} (wheel, sources); {known}"


def noticed(text: str) -> list[str]:
    """Paths and patterns that NOTICE names, in the places of a repository."""
    return re.findall(r"^([\w./*-]+/[\w./*-]+)$", text, flags=re.M)


def unnoticed(names: Sequence[str], patterns: Sequence[str]) -> list[str]:
    """Files of data and of others that no line of NOTICE names."""
    doubtful = [name for name in names if not name.endswith(OWN_TEXTS) or ".min." in name]
    return [name for name in doubtful if not any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]


SHIPPED = ("intent/_shipped/", "")
"""Where models, datasets and experiments lie in a wheel, and where in the repository."""


def check_notices(work: Work) -> str:
    patterns = noticed(text_of("NOTICE"))
    here = [
        str(p.relative_to(ROOT).as_posix())
        for top in ("intent", "models", "datasets", "experiments")
        for p in (ROOT / top).rglob("*")
    ]
    empty = [pattern for pattern in patterns if not any(fnmatch.fnmatch(name, pattern) for name in here)]
    expect(not empty, f"NOTICE names what is not there: {empty}")
    wheel = work.archive(".whl")
    names = [n for n in members(wheel) if ".dist-info/" not in n]
    bare = unnoticed([n.replace(*SHIPPED) for n in names], patterns)
    expect(not bare, f"files without a line in NOTICE: {bare[:5]}")
    licences = {Path(n).name for n in members(wheel) if "/licenses/" in n}
    expect(
        licences == set(LICENCES),
        f"the wheel holds the licences {sorted(licences)}, expected {sorted(LICENCES)}",
    )
    return f"{len(patterns)} entries cover the wheel; {', '.join(sorted(licences))} are in it"


def make_materials(work: Work) -> str:
    wheel = work.archive(".whl")
    target = work.dist / f"{wheel.name.partition('-py3')[0]}.cdx.json"
    document = sbom.bill(wheel)
    text = json.dumps(document, indent=1, ensure_ascii=False) + "\n"
    try:
        fault = sbom.faults(text)
    except ImportError:
        raise NotTriedError("cyclonedx-python-lib is not installed: pip install '.[release]'") from None
    expect(not fault, f"no CycloneDX: {fault}")
    bare = sbom.without_licence(document)
    if absent := [name for name in bare if not sbom.installed(name)]:
        raise NotTriedError(
            f"not installed here: {', '.join(absent[:8])}; make the list where the extra `all` is"
        )
    expect(not bare, f"no licence is stated by {bare[:5]}: ask its makers, or do without")
    target.write_text(text, encoding="utf8")
    return f"{target.name}: {len(document['components'])} components, each with a licence"


def install(work: Work, suffix: str) -> str:
    """Install an archive into an empty environment, and label the sample there."""
    archive, folder = work.archive(suffix), work.scratch / f"env{suffix}"
    venv.create(folder, with_pip=False)
    python = _python(folder)
    began = time.monotonic()
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "install", "-qq"]
    if work.linked:
        (site,) = folder.glob("[Ll]ib/**/site-packages")
        (site / "linked.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf8")
        pip += ["--no-deps", "--no-build-isolation"]
    else:
        pip += ["-c", str(ROOT / "constraints.txt")]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    called([*pip, archive], f"{archive.name} cannot be installed", cwd=work.scratch)
    took = time.monotonic() - began
    size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file() and not f.is_symlink())
    intent = python.with_name("intent")
    how = {"cwd": work.scratch, "env": environment}
    shown = called([intent, "--version"], "intent does not start", **how).strip()
    expect(shown == version(), f"it says {shown}")
    sample = called(
        [python, "-c", "from intent.demo import sample_log; print(sample_log())"], "no sample", **how
    ).strip()
    expect(
        str(folder.resolve()) in str(Path(sample).resolve()),
        f"the sample is {sample}, expected one below {folder}",
    )
    labels = json.loads(called([intent, "label", sample, "--json"], "the sample is not labelled", **how))
    expect(labels["n"] == 480, f"{labels['n']} trajectories of the sample are labelled, expected 480")
    packages = (
        "beside the packages of this environment" if work.linked else f"{size / 1e6:,.0f} MB in {took:.0f} s"
    )
    return f"{packages}; --version and label answer"


@dataclass(frozen=True)
class Step:
    """One step: its name, what it shows, and what does it and returns a line.

    Attributes
    ----------
    cheap : whether it takes seconds, and needs neither the network nor what an earlier step made
    """

    name: str
    about: str
    do: Callable[[Work], str]
    cheap: bool = False


STEPS = (
    Step("version", "version, tag, citation and frozen names agree", check_version, cheap=True),
    Step("changelog", "the changelog has this version with its date", check_changelog, cheap=True),
    Step("citation", "CITATION.cff is valid", check_citation),
    Step(
        "workflows",
        "GitHub's workflows are linted and test every Python that is named",
        check_workflows,
        cheap=True,
    ),
    Step("build", "archive of sources, and the wheel from it", build),
    Step("metadata", "what the index shows renders", check_metadata),
    Step("contents", "nothing is in them that may not be, and not too much", check_contents),
    Step("notices", "licences and notices of everything in the wheel", check_notices),
    Step("materials", "bill of materials in CycloneDX", make_materials),
    Step("wheel", "the wheel labels in an empty environment", lambda work: install(work, ".whl")),
    Step("sources", "so does the archive of sources", lambda work: install(work, ".tar.gz")),
    Step("container", "the Dockerfile is linted, and its steps work", check_container),
)


def attempt(step: Step, work: Work) -> tuple[str, str]:
    """State (ok, failed, not tried) and what came out, or what to do."""
    try:
        return "ok", step.do(work)
    except FailedError as error:
        return "failed", str(error)
    except NotTriedError as error:
        return "not tried", str(error)


def main(words: list[str] | None = None) -> int:
    """Run the steps and print the table; returns the exit code."""
    parser = argparse.ArgumentParser(description="Every step of a release but publishing.")
    parser.add_argument("--only", nargs="+", choices=[s.name for s in STEPS], help="these steps")
    parser.add_argument(
        "--skip", nargs="+", choices=[s.name for s in STEPS], default=[], help="not these steps"
    )
    parser.add_argument("--tag", default="", help="tag that the release has; default: v and the version")
    parser.add_argument(
        "--output", type=Path, default=ROOT / "dist", help="folder of what is made (default dist)"
    )
    parser.add_argument(
        "--linked", action="store_true", help="fetch nothing: use the packages that are installed here"
    )
    parser.add_argument("--strict", action="store_true", help="a step that cannot be tried here is a failure")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    options = parser.parse_args(words)
    chosen = [
        s for s in STEPS if s.name in (options.only or [s.name for s in STEPS]) and s.name not in options.skip
    ]
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        work = Work(options.output.resolve(), options.tag, options.linked, Path(scratch).resolve())
        for step in chosen:
            state, line = attempt(step, work)
            rows.append({"step": step.name, "state": state, "line": line})
            if not options.json:
                wrapped = textwrap.wrap(f"{step.about}. {line}", 100) or [""]
                print(f"{step.name:10} {state:10} {wrapped[0]}", flush=True)
                print("".join(f"{'':22}{part}\n" for part in wrapped[1:]), end="", flush=True)
    states = [row["state"] for row in rows]
    bad = states.count("failed") + (states.count("not tried") if options.strict else 0)
    if options.json:
        print(json.dumps({"version": version(), "steps": rows}, indent=1))
    else:
        print(f"{states.count('ok')} of {len(states)} steps in order, {states.count('not tried')} not tried")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
