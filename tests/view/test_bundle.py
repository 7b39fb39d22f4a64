"""Pages of games in a folder: the server's own, safe to pass on, whatever the games are called and say."""

from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from play_logs import PD, log_of, match
from stub_runs import make, plans, play
from view_library import HOSTILE, sample_log

from intent.base.errors import LimitError, OutputError, UnknownNameError, UsageError
from intent.base.masking import MARK
from intent.logs.gamelog import GameLog
from intent.logs.stores import write_log
from intent.recognise.labels.label import label
from intent.report.page import visible
from intent.view import bundle
from intent.view.bundle import page_names, write_bundle
from intent.view.request import ViewRequest
from intent.view.serve import view

FILE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,60}(\.[0-9a-f]+)?\.(html|txt)")


def written(log: Path, target: Path, **settings) -> Path:
    view(log, bundle=target, **settings)
    return target


def texts(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): p.read_text("utf8") for p in sorted(folder.rglob("*")) if p.is_file()}


class Addresses(HTMLParser):
    """All that a page could load or lead to, and what it runs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.tags: list[str] = []
        self.handlers: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("href", "src", "action", "srcset", "data", "xlink:href"):
                self.addresses.append(value or "")
            if name.startswith("on") or name == "style":
                self.handlers.append(name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("pages")
    return written(write_log(sample_log(), place / "log"), place / "site")


def test_a_folder_holds_a_list_and_a_page_for_each_game(folder):
    pages = json.loads((folder / "bundle.json").read_text())["pages"]
    assert list(pages) == [f"game_{i}" for i in range(6)]
    index = (folder / "index.html").read_text("utf8")
    for name, page in pages.items():
        assert f'href="{page}"' in index
        assert f"<bdi>{name}</bdi></h1>" in (folder / page).read_text("utf8")


def test_every_address_is_relative_and_leads_somewhere(folder):
    for name, page in texts(folder).items():
        if not name.endswith(".html"):
            continue
        reader = Addresses(page)
        assert reader.handlers == []
        for address in reader.addresses:
            if address.startswith("data:image/svg+xml;base64,"):
                continue
            path, _, place = address.partition("#")
            assert not re.match(r"[a-z]+:|/", path), (name, address)
            target = (folder / name).parent / path if path else folder / name
            assert target.is_file(), (name, address)
            assert not place or f'id="{place}"' in target.read_text("utf8"), (name, address)


def test_pages_are_allowed_their_own_style_and_script_alone(folder):
    import base64
    import hashlib

    for name, page in texts(folder).items():
        if name.endswith(".html"):
            policy = html.unescape(
                re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
            )
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            for tag in ("script", "style"):
                inside = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
                assert len(inside) == 1
                digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
                assert f"{tag}-src 'sha256-{digest}'" in policy


def test_hostile_text_stays_text(folder):
    for name, page in texts(folder).items():
        assert not {"img", "iframe", "object", "base"} & {*Addresses(page).tags}, name
        assert "\u202e" not in page
        assert "\x00" not in page
    assert html.escape(visible(HOSTILE)).replace("&#x27;", "&#39;") in (
        folder / "games/game_5.html"
    ).read_text("utf8")


@pytest.mark.parametrize(
    "odd", ["../../etc/passwd", "a/b", "CON", "x" * 5_000, "", ".", "é漢", "<script>", "A", "a", "\u202e"]
)
def test_games_of_any_name_have_a_page(odd, tmp_path):
    log = log_of(match(PD, "CD", "DD"), match(PD, "CC", "DD"))
    ids = {"game_0": odd, "game_1": "a.2"}
    tables = {n: t.assign(game_id=t["game_id"].astype(str).map(ids)) for n, t in log.tables().items()}
    renamed = GameLog(tables["games"], tables["seats"], tables["moves"])
    target = written(write_log(renamed, tmp_path / "log"), tmp_path / "site")
    pages = json.loads((target / "bundle.json").read_text())["pages"]
    assert set(pages) == {odd, "a.2"}
    for page in pages.values():
        assert FILE_NAME.fullmatch(page.removeprefix("games/"))
        assert (target / page).is_file()
    assert {p.name for p in tmp_path.iterdir()} == {"log", "site"}


@given(st.lists(st.text(st.characters(exclude_categories=()), max_size=60), unique=True, max_size=30))
def test_names_of_pages_are_safe_unique_and_the_same_in_every_folder(ids):
    names = page_names(ids)
    assert len({name.lower() for name in names.values()}) == len(ids)
    assert all(FILE_NAME.fullmatch(f"{name}.html") for name in names.values())
    assert page_names([*reversed(ids)]).keys() == names.keys()


def test_a_name_that_another_game_would_get_by_its_hash_is_still_its_own():
    first = page_names(["../Etc"])["../Etc"]
    assert len(set(page_names(["../Etc", first]).values())) == 2


def test_which_games(tmp_path):
    log = write_log(sample_log(), tmp_path / "log")
    some = json.loads((written(log, tmp_path / "fr", where={"language": ["fr"]}) / "bundle.json").read_text())
    assert list(some["pages"]) == ["game_2", "game_3"]
    by_label = written(log, tmp_path / "tied", where={"status": ["ambiguous"]})
    assert 0 < len(json.loads((by_label / "bundle.json").read_text())["pages"]) < 6
    result = write_bundle(ViewRequest(source=log, bundle=tmp_path / "two", most=2))
    assert (result.n_games, result.n_chosen) == (2, 6)
    assert "4 games have no page: --most 6 writes all" in list(result.remarks())
    assert "these are the first 2 of 6 games" in (tmp_path / "two/index.html").read_text("utf8")
    with pytest.raises(UsageError, match="no game to write, expected one that --where keeps"):
        written(log, tmp_path / "none", where={"language": ["xx"]})
    assert not (tmp_path / "none").exists()


def test_progress_is_told_in_games(tmp_path):
    steps: list[tuple[int, int]] = []
    log = write_log(sample_log(), tmp_path / "log")
    written(log, tmp_path / "site", update=lambda done, total: steps.append((done, total)))
    assert (steps[0], steps[-1]) == ((0, 6), (6, 6))


def test_what_is_there_is_replaced_only_where_that_is_asked_for(tmp_path):
    log = write_log(sample_log(), tmp_path / "log")
    target = written(log, tmp_path / "site")
    before = texts(target)
    with pytest.raises(OutputError, match="exists; choose another path or give --overwrite"):
        written(log, target)
    written(log, target, overwrite=True)
    assert texts(target) == before
    (tmp_path / "own").mkdir()
    (tmp_path / "own/thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="so it is not ours"):
        written(log, tmp_path / "own", overwrite=True)
    assert (tmp_path / "own/thesis.txt").read_text() == "mine"


def test_too_much_is_a_line_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(bundle, "LIMIT_BUNDLE", 100_000)
    log = write_log(sample_log(), tmp_path / "log")
    with pytest.raises(LimitError, match="expected fewer games"):
        written(log, tmp_path / "site")
    assert [p.name for p in tmp_path.iterdir()] == ["log"]


def test_long_texts_are_files_beside_the_page(tmp_path):
    log = log_of(match(PD, "CD", "DD"))
    line = "ab\u202e" * 400_000
    log = GameLog(log.games, log.seats, log.moves.assign(message=line))
    target = written(write_log(log, tmp_path / "log"), tmp_path / "site")
    page = (target / "games/game_0.html").read_text("utf8")
    assert "The first 20000 of 1,200,000 characters" in page.replace("20,000", "20000")
    (first, *_) = sorted((target / "texts").iterdir())
    assert f'href="../texts/{first.name}"' in page
    assert first.read_text("utf8") == visible(line)
    assert len(page) < 1_000_000


def test_a_long_game_has_a_page_for_every_hundred_rounds(tmp_path):
    log = write_log(log_of(match(PD, "CD" * 110, "DC" * 110)), tmp_path / "log")
    target = written(log, tmp_path / "site")
    assert {p.name for p in (target / "games").iterdir()} == {
        f"game_0{part}.html" for part in ("", ".101", ".201")
    }
    assert 'href="game_0.101.html">later rounds' in (target / "games/game_0.html").read_text("utf8")


def test_a_run_brings_its_calls_and_leaves_no_place(tmp_path):
    run = make(tmp_path / "run", plans(2))
    play(run)
    target = written(run.folder, tmp_path / "site")
    page = (target / "games/g001.html").read_text("utf8")
    assert "Request as it was sent, JSON" in page
    assert "Your move. Round 2" in page
    for name, text in texts(target).items():
        assert str(tmp_path) not in text, name
        assert "token=" not in text


def test_texts_and_names_stay_behind_where_that_is_wished(tmp_path):
    run = make(tmp_path / "run", plans(2))
    play(run)
    target = written(run.folder, tmp_path / "site", redact=["all"], pseudonyms=True)
    for name, text in texts(target).items():
        assert "Your move" not in text, name
        assert "g001" not in text, name
    index = (target / "index.html").read_text("utf8")
    assert "texts were left out: all" in index
    assert "names of players, games and sessions are pseudonyms" in index
    assert "kept nowhere" not in index
    with pytest.raises(UnknownNameError):
        written(run.folder, tmp_path / "other", redact=["nothing"])
    with pytest.raises(UsageError, match="--key is the key of"):
        written(run.folder, tmp_path / "other", key=tmp_path / "key")


def test_messages_and_thoughts_can_be_left_out_of_a_log(tmp_path):
    log = write_log(sample_log(), tmp_path / "log")
    page = (written(log, tmp_path / "site", redact=["private"]) / "games/game_0.html").read_text("utf8")
    assert "I play round 3" in page
    assert "keep it quiet" not in page
    assert "⟨redacted 13 characters⟩" in page


def test_keys_are_never_in_it(tmp_path, monkeypatch):
    key = "Zq7" + "wX4vB9nM2kL8pR5t" * 2
    monkeypatch.setenv("SOME_API_KEY", key)
    log = sample_log()
    log = GameLog(
        log.games.assign(note=f"with {key}"),
        log.seats.assign(persona=f"p {key}"),
        log.moves.assign(message=f"my key is {key}"),
    )
    target = written(write_log(log, tmp_path / "log"), tmp_path / "site")
    assert MARK in (target / "games/game_0.html").read_text("utf8")
    for name, text in texts(target).items():
        assert key not in text, name


def test_labels_of_a_table_go_with_their_games(tmp_path):
    log = write_log(sample_log(), tmp_path / "log")
    label(log).to_parquet(tmp_path / "plain.parquet")
    rows = pd.read_parquet(tmp_path / "plain.parquet")
    rows = rows.assign(status="no_fit", best="WSLS")
    rows.to_parquet(tmp_path / "labels.parquet")
    target = written(log, tmp_path / "site", labels=tmp_path / "labels.parquet", pseudonyms=True, most=3)
    index = (target / "index.html").read_text("utf8")
    results = index.partition('id="results"')[2]
    assert results.count("no fit") == 6
    assert str(tmp_path) not in index


def test_settings_of_a_folder_need_one(tmp_path):
    for settings in ({"most": 3}, {"overwrite": True}, {"redact": ["all"]}, {"pseudonyms": True}):
        with pytest.raises(UsageError, match="is of pages in a folder, expected --bundle FOLDER"):
            ViewRequest(source="log", **settings).claim_outputs()
    with pytest.raises(UsageError, match="--bundle of 2 runs and logs, expected one"):
        write_bundle(ViewRequest(source=["a", "b"], bundle=tmp_path / "site"))
