"""The release's dry run: its cheap steps pass here, and each refuses what it is there to refuse."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "requirements"))

import container  # noqa: E402
import release  # noqa: E402
import sbom  # noqa: E402

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.fixture
def work(tmp_path) -> release.Work:
    return release.Work(dist=tmp_path / "dist", tag="", linked=True, scratch=tmp_path)


@pytest.fixture
def texts(monkeypatch) -> dict[str, str]:
    """Files of the repository that a test may replace by a text."""
    replaced: dict[str, str] = {}
    real = release.text_of
    monkeypatch.setattr(release, "text_of", lambda name: replaced.get(name) or real(name))
    return replaced


@pytest.mark.parametrize("step", [s for s in release.STEPS if s.cheap], ids=lambda s: s.name)
def test_cheap_steps_are_in_order(step, work, texts):
    # between two releases something may wait for the next one
    texts["CHANGELOG.md"] = re.sub(
        r"(?s)(## \[Unreleased\]\n).*?(?=\n## \[)", r"\1", release.text_of("CHANGELOG.md")
    )
    state, line = release.attempt(step, work)
    assert state == "ok" or (state == "not tried" and "not installed" in line), line


@pytest.mark.slow
def test_the_archives_that_are_built_may_be_published(tmp_path, capsys):
    """All that needs neither the network nor tools of the extra `release`."""
    steps = ["version", "build", "contents", "notices", "wheel", "sources"]
    code = release.main(["--only", *steps, "--linked", "--json", "--output", str(tmp_path)])
    rows = json.loads(capsys.readouterr().out)["steps"]
    assert [(row["step"], row["state"]) for row in rows] == [(step, "ok") for step in steps], rows
    assert code == 0


def test_a_tag_of_another_version_is_refused(work):
    work.tag = "v0.9"
    with pytest.raises(release.FailedError, match=r"the tag is v0\.9"):
        release.check_version(work)


def test_a_citation_of_another_version_is_refused(work, texts):
    cited = yaml.safe_load(release.text_of("CITATION.cff"))
    cited["preferred-citation"]["version"] = "0.9"
    texts["CITATION.cff"] = yaml.safe_dump(cited)
    with pytest.raises(release.FailedError, match=r"preferred-citation: version: 0\.9"):
        release.check_version(work)


def test_a_final_release_freezes_the_names_first(work, texts):
    now = release.version()
    final = now.partition("rc")[0]
    for name in ("intent/version.py", "CITATION.cff"):
        texts[name] = release.text_of(name).replace(now, final)
    frozen = json.loads(release.text_of("tests/codebook_versions.json"))
    texts["tests/codebook_versions.json"] = json.dumps(
        {v: {**entry, "package": "1.0.0rc1"} for v, entry in frozen.items()}
    )
    with pytest.raises(release.FailedError, match=r"run python tests/codebook_versions\.py"):
        release.check_version(work)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("## [{v}] - 2026-01-02\n", "begins with no"),
        ("## [Unreleased]\n\n- new\n\n## [{v}] - 2026-01-02\n", "holds 1 lines"),
        ("## [Unreleased]\n\n## [0.9] - 2026-01-02\n", "newest heading is"),
        ("## [Unreleased]\n\n## [{v}]\n", "has no date"),
        ("## [Unreleased]\n\n## [{v}] - 2026-01-02\n\n## [0.9] - 2026-02-01\n", "not in order"),
        ("## [Unreleased]\n\n## [{v}] - 1999-01-02\n", "date-released"),
    ],
)
def test_a_changelog_that_does_not_end_in_this_version_is_refused(text, what, work, texts):
    texts["CHANGELOG.md"] = text.format(v=release.version())
    with pytest.raises(release.FailedError, match=what):
        release.check_changelog(work)


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("intent/model.pkl", b"x", "of a kind that is not shipped"),
        ("intent/.env", b"x", "of a kind that is not shipped"),
        ("intent/big.bin", b"x" * 5_000_001, r"has 5\.0 MB"),
        ("intent/a.py", b"# in /home/somebody/intent/a.py", "names a path of a machine"),
        ("intent/a.py", rb"# in C:\Users\somebody", "names a path of a machine"),
        ("intent/table.csv", b"choices of others", "may not be shipped: rr/choices.csv"),
    ],
)
def test_what_an_archive_may_not_hold(name, data, what):
    foreign = {release.hashlib.sha256(b"choices of others").hexdigest(): "rr/choices.csv"}
    (fault,) = release.faults_of(name, data, foreign)
    assert re.search(what, fault)


def test_what_an_archive_may_hold():
    assert [*release.faults_of("intent/a.py", b"x = 1\n", {})] == []


@pytest.mark.parametrize("name", ["../a.py", "/a.py", "intent/a:b.csv", "intent\\a.py"])
def test_names_that_lead_out_or_that_not_every_system_has(name, tmp_path):
    with zipfile.ZipFile(tmp_path / "a.whl", "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(release.FailedError, match="names that lead out"):
        release.members(tmp_path / "a.whl")


def test_links_in_an_archive_of_sources_are_refused(tmp_path):
    with tarfile.open(tmp_path / "a-1.tar.gz", "w:gz") as archive:
        link = tarfile.TarInfo("a-1/b")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    with pytest.raises(release.FailedError, match="more than plain files"):
        release.members(tmp_path / "a-1.tar.gz")
    with tarfile.open(tmp_path / "b-1.tar.gz", "w:gz") as archive:
        file = tarfile.TarInfo("b-1/c.txt")
        file.size = 1
        archive.addfile(file, io.BytesIO(b"x"))
    assert release.members(tmp_path / "b-1.tar.gz") == {"c.txt": b"x"}


def test_data_without_a_line_in_the_notices_shows():
    names = [
        "intent/a.py",
        "models/x/w.safetensors",
        "intent/static/page.js",
        "intent/static/other.min.js",
        "data.csv",
    ]
    assert release.unnoticed(names, ["models/*/*"]) == ["intent/static/other.min.js", "data.csv"]
    assert release.noticed("Words\n\nmodels/*/*\n    Trained.\na/b.csv\n") == ["models/*/*", "a/b.csv"]


def test_a_missing_tool_is_not_tried_and_strict_counts_it(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(release.shutil, "which", lambda *a, **k: None)
    words = ["--only", "workflows", "--output", str(tmp_path), "--linked"]
    assert release.main(words) == 0
    assert "not tried" in capsys.readouterr().out
    assert release.main([*words, "--strict"]) == 1


@pytest.mark.skipif(os.name == "nt", reason="stands in by a shell script")
def test_what_a_step_runs_is_linted_and_the_step_named(tmp_path, monkeypatch):
    stand_in = tmp_path / "shellcheck"
    stand_in.write_text('#!/bin/sh\nif grep -q "fault word"; then echo "line 1: fault"; exit 1; fi\n')
    stand_in.chmod(0o755)
    monkeypatch.setattr(release, "tool", lambda name: str(stand_in))
    workflow = tmp_path / "w.yml"
    workflow.write_text("jobs:\n  a:\n    steps:\n      - uses: x\n      - run: fault ${{ github.sha }}\n")
    with pytest.raises(release.FailedError, match=r"w\.yml, a, step 2: line 1: fault"):
        release.lint_scripts(workflow)
    workflow.write_text("jobs:\n  a:\n    steps:\n      - run: fine ${{ github.sha }}\n")
    release.lint_scripts(workflow)


def tiny_wheel(folder: Path, *asks: str) -> Path:
    path = folder / "strategy_intent-1.0-py3-none-any.whl"
    facts = "Metadata-Version: 2.4\nName: strategy-intent\nVersion: 1.0\nSummary: s\n"
    facts += "License-Expression: Apache-2.0\nProvides-Extra: more\nProvides-Extra: dev\n" + "".join(
        f"Requires-Dist: {ask}\n" for ask in asks
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("strategy_intent-1.0.dist-info/METADATA", facts)
        archive.writestr("intent/_shipped/models/m/recogniser.json", "{}")
        archive.writestr("intent/view/static/htmx-4.0.1.min.js", "x")
        archive.writestr("intent/view/static/htmx-LICENSE", "Zero-Clause BSD\n===\n")
    return path


def test_the_bill_of_materials_lists_what_is_inside_and_what_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "315532800")  # a zip file knows no earlier year
    asks = (
        "pandas>=2",
        'jinja2; extra == "more"',
        "no-such-package",
        'strategy-intent[more]; extra == "more"',
        'pytest; extra == "dev"',
    )
    wheel = tiny_wheel(tmp_path, *asks)
    document = sbom.bill(wheel)
    parts = {c["name"]: c for c in document["components"]}
    assert parts["htmx"]["version"] == "4.0.1"
    assert parts["m"]["type"] == "machine-learning-model"
    assert (parts["pandas"]["scope"], parts["numpy"]["scope"]) == ("required", "required")
    assert (parts["jinja2"]["scope"], parts["markupsafe"]["scope"]) == ("optional", "optional")
    assert not {"pytest", "strategy-intent"} & set(parts)
    assert parts["no-such-package"]["purl"] == "pkg:pypi/no-such-package", "not dropped where it is not known"
    assert "no-such-package" in sbom.without_licence(document)
    edges = {edge["ref"]: edge["dependsOn"] for edge in document["dependencies"]}
    assert parts["numpy"]["purl"] in edges[parts["pandas"]["purl"]]
    assert document["metadata"]["timestamp"] == "1980-01-01T00:00:00Z"
    assert document == sbom.bill(wheel), "made again, it is the same"


def test_the_bill_of_materials_is_valid_by_its_schema(tmp_path):
    pytest.importorskip("cyclonedx.validation.json")
    document = sbom.bill(tiny_wheel(tmp_path, "pandas>=2"))
    assert sbom.faults(json.dumps(document)) == ""
    document["components"][0]["type"] = "pudding"
    assert "pudding" in sbom.faults(json.dumps(document))


def test_a_dockerfile_is_read_by_stages():
    text = "# c\nARG A=1\nFROM x AS one\nRUN a \\\n && b\nFROM x\nCOPY --from=one /o /o\n"
    arguments, (first, second) = container.stages(text)
    assert arguments == {"A": "1"}
    assert (first.name, first.steps) == ("one", [("RUN", "a   && b")])
    assert (second.name, second.steps) == ("1", [("COPY", "--from=one /o /o")])


def test_what_the_image_is_built_from_holds_what_builds_the_wheel():
    files = set(container.tracked([*container.ignored(ROOT)]))
    for name in (
        "pyproject.toml",
        "constraints.txt",
        "NOTICE",
        "intent/figures/style.py",
        "intent/runner/run.py",
    ):
        assert name in files, name
    assert not [f for f in files if f.startswith(("tests/", "docs/", ".github/"))]


def test_the_container_does_not_run_as_root():
    _, (*_, last) = container.stages((ROOT / "Dockerfile").read_text("utf8"))
    users = [rest for word, rest in last.steps if word == "USER"]
    assert users == ["10001"]
    assert "useradd --create-home --uid 10001" in dict(last.steps)["RUN"]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_workflows_pin_every_action_and_may_nothing_by_default(path):
    text = path.read_text("utf8")
    uses = re.findall(r"uses: (\S+)( # v\d+\.\d+\.\d+)?", text)
    assert uses
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action) and version for action, version in uses)
    read = yaml.safe_load(text)
    assert read["permissions"] == {}
    assert "concurrency" in read
    assert all("timeout-minutes" in job for job in read["jobs"].values())


def test_publishing_needs_a_tag_a_person_and_no_secret():
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text("utf8")
    publish = yaml.safe_load(text)["jobs"]["publish"]
    assert publish["environment"] == "pypi"
    assert publish["permissions"] == {"id-token": "write"}
    assert "ref_type == 'tag'" in publish["if"]
    assert "secrets." not in text
    assert "password" not in text


@pytest.mark.parametrize(
    "path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda p: p.stem
)
def test_issue_forms_ask_for_something(path):
    form = yaml.safe_load(path.read_text("utf8"))
    if path.stem == "config":
        return
    assert {"name", "description", "body"} <= form.keys()
    fields = [part for part in form["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in fields}) == len(fields) > 0
    assert any(part.get("validations", {}).get("required") for part in fields)
