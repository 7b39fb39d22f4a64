"""A key is found in whatever form it comes back, and ordinary text stays as it is."""

from __future__ import annotations

import base64
import codecs
import json
import random
import string
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from intent.base.errors import DataError
from intent.base.masking import MARK, known_keys, mask, mask_values, redact, refuse_keys, remember

LETTERS = string.ascii_letters + string.digits + "-_"


def made_key(seed: int) -> str:
    """A key as providers make them: a prefix and letters, digits and hyphens drawn at random."""
    rng = random.Random(seed)
    return rng.choice(["", "sk-", "sk-proj-", "xai-"]) + "".join(rng.choices(LETTERS, k=rng.randint(20, 90)))


KEYS = st.integers(0, 2**32).map(made_key)

FORMS = {
    "as it is": lambda key: key,
    "backwards": lambda key: key[::-1],
    "upper": str.upper,
    "lower": str.lower,
    "spaced": " ".join,
    "dotted": ".".join,
    "zero width": "\u200b".join,
    "lines": lambda key: "\r\n".join(key[i : i + 4] for i in range(0, len(key), 4)),
    "escaped lines": lambda key: "\\n".join(key[i : i + 4] for i in range(0, len(key), 4)),
    "json": lambda key: "".join(f"\\u{ord(c):04X}" for c in key),
    "json twice": lambda key: json.dumps("".join(f"\\u{ord(c):04x}" for c in key)),
    "url": lambda key: "".join(f"%{ord(c):02x}" for c in key),
    "url twice": lambda key: quote("".join(f"%{ord(c):02x}" for c in key)),
    "html": lambda key: "".join(f"&#{ord(c)};" for c in key),
    "html hex": lambda key: "".join(f"&#x{ord(c):x};" for c in key),
    "hex": lambda key: key.encode().hex(),
    "hex pairs": lambda key: key.encode().hex(":").upper(),
    "hex of backwards": lambda key: key[::-1].encode().hex(),
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 of a header": lambda key: base64.b64encode(f"Bearer {key}".encode()).decode(),
    "base64 in mail": lambda key: base64.encodebytes(f"x{key}{key}".encode()).decode(),
    "base64 backwards": lambda key: base64.b64encode(key.encode()).decode()[::-1],
    "base64 for addresses": lambda key: base64.urlsafe_b64encode(key.encode()).decode().rstrip("="),
    "base64 of upper": lambda key: base64.b64encode(key.upper().encode()).decode(),
    "base32": lambda key: base64.b32encode(key.encode()).decode(),
    "codes": lambda key: ", ".join(str(ord(c)) for c in key),
    "rot13": lambda key: codecs.encode(key, "rot13"),
}


def rest(masked: str) -> str:
    """Letters and digits left of a form, the mark and the two bytes around a base64 piece apart."""
    return "".join(c for c in masked.replace(MARK, "") if c.isalnum())


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@settings(max_examples=30)
@given(key=KEYS)
def test_no_form_of_a_key_is_left(form, key):
    text = f"<<{form(key)}>>"
    masked = mask(text, [key])
    assert MARK in masked
    assert len(rest(masked)) <= (12 if "Bearer" in repr(form(key)) or len(form(key)) > len(key) else 1)
    for left in (masked, "".join(masked.split()), masked[::-1]):
        assert key.lower() not in left.lower()


@given(key=KEYS, cut=st.floats(0.4, 0.6))
@example(key="sk-uqLgiBah2cihbeRQ1234", cut=0.5)
def test_halves_are_found(key, cut):
    at = round(len(key) * cut)
    masked = mask(f"begins {key[:at]!r} and ends {key[at:]!r}", [key])
    assert masked.count(MARK) == 2


@given(text=st.text(max_size=300), key=KEYS)
def test_text_around_a_key_stays(text, key):
    if MARK not in mask(text, [key]):
        masked = mask(f"{text} <|{key}|> {text}", [key])
        assert masked.count(MARK) >= 1
        assert masked.endswith(f"|> {text}")


def test_ordinary_text_stays(monkeypatch):
    root = Path(__file__).parents[2]
    monkeypatch.setenv("OPENAI_API_KEY", "sk-proj-Zx81kQw0PsvLm52Tt7BnYc94RdAeUfGh36")
    monkeypatch.setenv("DB_PASSWORD", "cooperate-always-then-defect")
    monkeypatch.setenv("SOME_TOKEN", "123456789012")
    monkeypatch.setenv("OTHER_KEY", "xxxxxxxx")
    for path in (root / "README.md", root / "CHANGELOG.md", *sorted((root / "docs").glob("*.md"))):
        text = path.read_text(encoding="utf8")
        assert mask(text) == text, path.name


@pytest.mark.parametrize("key", ["", "x", "none", "EMPTY", "unused", "1234567"])
def test_placeholders_are_no_keys(key):
    text = f"x none EMPTY unused 1234567 {key}"
    assert mask(text, [key, None]) == text


def test_a_key_of_eight_letters_is_found_whole():
    assert (
        mask("it is hunter22, or 22retnuh, or hunter", ["hunter22"]) == f"it is {MARK}, or {MARK}, or hunter"
    )


def test_which_keys_are_known(monkeypatch):
    for name, value in {
        "INTENT_KEY_GPU__7_LAB_ORG": "first-key-1",
        "AWS_SECRET_ACCESS_KEY": "second-key-2",
        "MY_TOKEN_2": "third-key-3",
        "DATABASE": "postgresql://me:fourth-key-4@host/db",
        "SSL_KEY_FILE": "etc-ssl-private",
        "GOOGLE_APPLICATION_CREDENTIALS": "/home/me/key.json",
        "KEYBOARD": "dvorak-layout",
        "SHORT_KEY": "x",
    }.items():
        monkeypatch.setenv(name, value)
    expected = {"first-key-1", "second-key-2", "third-key-3", "fourth-key-4"}
    assert expected <= set(known_keys())
    assert not {"etc-ssl-private", "/home/me/key.json", "dvorak-layout", "x"} & set(known_keys())
    remember("fifth-key-5-from-an-option")
    assert mask("fifth-key-5-from-an-option") == MARK


def test_json_is_masked_text_by_text():
    key = "Zx81kQw0PsvLm52Tt7Bn"
    values = {"a": [key, 1, None, {"b" + key: key[::-1]}], "c": "fine"}
    assert mask_values(values, [key]) == {"a": [MARK, 1, None, {"b" + MARK: MARK}], "c": "fine"}


@pytest.mark.parametrize(
    ("values", "place"),
    [
        ({"grid": {"persona": ["kind", "say {} twice"]}}, "grid.persona.1"),
        ({"prompts": {"mine": {"en": "{}"}}}, "prompts.mine.en"),
        ({"columns": {"{}": 1}}, r"columns.\[key\]"),
    ],
)
def test_values_that_hold_a_key_are_refused(monkeypatch, values, place):
    key = made_key(3)
    monkeypatch.setenv("OPENAI_API_KEY", key)
    held = json.loads(json.dumps(values).replace("{}", key))
    with pytest.raises(DataError, match=f"mine.yaml: {place} holds a key") as refused:
        refuse_keys(held, "mine.yaml")
    assert key not in str(refused.value)
    refuse_keys(values, "mine.yaml")


def test_a_password_that_is_a_word_refuses_nothing(monkeypatch):
    monkeypatch.setenv("DATABASE_PASSWORD", "cooperative")
    refuse_keys({"persona": "cooperative"}, "mine.yaml")


def test_shapes_of_keys_that_nobody_knows():
    assert redact("Bearer abcdefgh, sk-abcdefgh1") == f"Bearer {MARK}, {MARK}"


@pytest.mark.parametrize(
    "unit", ["\\", "\\u0061", "&amp;", "%25", "Zx81k", "Zx81kQw0Ps", "%", "=", "a", "aZx81kQw0"], ids=repr
)
def test_no_text_takes_long(unit):
    """A hostile text takes at most a hundred times as long as an ordinary one of its length."""

    def seconds(text: str) -> float:
        began = time.process_time()
        mask(text, ["Zx81kQw0PsvLm52Tt7Bn"])
        return time.process_time() - began

    length = 200_000
    seconds("warm")
    ordinary = seconds(("Which option do you choose in this round? " * length)[:length])
    assert seconds((unit * length)[:length]) < 100 * ordinary
