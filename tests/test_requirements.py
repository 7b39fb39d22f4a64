"""What `make` installs: locked to hashes, with licences and advisories that can be listed offline."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "requirements"))

import audit  # noqa: E402
import lock  # noqa: E402


def test_the_locks_hold_the_constraints_and_nothing_else() -> None:
    constraints = lock.pins((ROOT / "constraints.txt").read_text("utf8"))
    locked: dict[str, str] = {}
    for level in lock.FILES:
        text = (ROOT / "requirements" / f"{level}.txt").read_text("utf8")
        for name, entry in lock.entries(text).items():
            assert name not in locked, f"{name} is locked twice"
            assert "--hash=sha256:" in entry, f"{name} has no hash"
            locked |= lock.pins(entry)
    assert locked == constraints, "run: make lock"
    cpu = lock.pins((ROOT / "requirements" / "torch-cpu.txt").read_text("utf8"))
    assert cpu == {"torch": constraints["torch"] + "+cpu"}


def _wheel(folder: Path, body: str) -> Path:
    path = folder / "harmless-1.0-py3-none-any.whl"
    info = "harmless-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("harmless.py", body)
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: harmless\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


def test_a_file_that_was_exchanged_on_the_index_is_not_installed(tmp_path: Path) -> None:
    honest = hashlib.sha256(_wheel(tmp_path, "x = 1\n").read_bytes()).hexdigest()
    (tmp_path / "lock.txt").write_text(f"harmless==1.0 --hash=sha256:{honest}\n", encoding="utf8")

    def install(target: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pip", "install", "-q", "--isolated", "--no-index", "--no-deps"]
        command += ["--find-links", str(tmp_path), "--target", str(tmp_path / target)]
        command += ["--require-hashes", "-r", str(tmp_path / "lock.txt")]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    assert install("first").returncode == 0
    _wheel(tmp_path, "x = 2\n")
    second = install("second")
    assert second.returncode != 0
    assert "DO NOT MATCH THE HASHES" in second.stderr
    assert not (tmp_path / "second" / "harmless.py").exists()


def test_the_makefile_installs_every_level_by_its_hashes() -> None:
    text = (ROOT / "Makefile").read_text("utf8")
    assert "--require-hashes" in text
    assert all(f"$(call LOCK,{level})" in text for level in lock.FILES)


def _record(**affected: Any) -> dict[str, Any]:
    package = {"ecosystem": "PyPI", "name": "Some_Package"}
    return {"id": "X-1", "affected": [{"package": package, **affected}]}


def _range(*events: tuple[str, str]) -> dict[str, Any]:
    return _record(ranges=[{"type": "ECOSYSTEM", "events": [{k: v} for k, v in events]}])


@pytest.mark.parametrize(
    ("record", "inside", "outside"),
    [
        (_record(versions=["1.2", "1.3"]), ["1.2", "1.3"], ["1.4", "1.1"]),
        (_range(("introduced", "0"), ("fixed", "1.10")), ["0.1", "1.9", "1.10rc1"], ["1.10", "2"]),
        (_range(("introduced", "1"), ("last_affected", "1.5")), ["1", "1.5"], ["0.9", "1.5.1"]),
        (_range(("introduced", "1"), ("fixed", "2"), ("introduced", "3")), ["1.1", "3.0"], ["2.5", "0"]),
    ],
)
def test_versions_that_an_advisory_concerns(
    record: dict[str, Any], inside: list[str], outside: list[str]
) -> None:
    assert all(audit.concerns(record, "some-package", v) for v in inside)
    assert not any(audit.concerns(record, "some-package", v) for v in outside)
    assert not any(audit.concerns(record | {"withdrawn": "2026-01-01"}, "some-package", v) for v in inside)
    assert not audit.concerns(record, "another", inside[0])


def test_advisories_are_listed_from_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = SimpleNamespace(
        metadata=_Metadata({"Name": "Some.Package", "License": "GPL-3.0"}), version="1.2", files=()
    )
    monkeypatch.setattr(audit.metadata, "distributions", lambda: [package])
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("X-1.json", json.dumps(_record(versions=["1.2"])))
    assert audit.main(["--advisories", str(tmp_path / "all.zip"), "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)["packages"]
    assert row["advisories"] == ["X-1"]
    assert row["level"] == "other"
    assert row["objection"] is None, "a tool of development may have any licence"
    assert audit.main([]) == 0
    with pytest.raises(SystemExit, match="no database of advisories"):
        audit.main(["--advisories", str(tmp_path / "none")])


class _Metadata(dict[str, str]):
    def get_all(self, name: str) -> list[str] | None:
        return None


@pytest.mark.parametrize(
    ("expression", "objection"),
    [
        ("MIT", False),
        ("GPL-3.0-only", True),
        ("MIT AND GPL-2.0-or-later", True),
        ("GPL-2.0-only OR BSD-3-Clause", False),
        ("(AGPL-3.0-only OR GPL-3.0-only)", True),
        ("LGPL-2.1", False),
        ("unknown", True),
    ],
)
def test_licences_that_need_a_decision(expression: str, objection: bool) -> None:
    assert (audit.Package("p", "1", "user", expression).objection is not None) == objection


def test_every_package_that_users_get_has_a_licence_that_binds_nobody() -> None:
    assert [p.name for p in audit.packages() if p.objection] == []
