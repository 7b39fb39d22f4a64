"""Search of `intent view`: seconds for an answer over games with messages, and for reading all texts.

A log of noisy play is made as `intent generate` makes it; every move gets a message of some words, one in
eight in Chinese, Arabic or Vietnamese, and every second player a private thought. One process, no browser:
seconds are those from a request to the whole page, counts and context included; beside them those of the
processor, which a busy machine does not change, and the share of the texts that was read before the search
stopped. ``while it is read``: the slowest search while the texts are still being read.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any

import numpy as np

_COMMAND = [sys.executable, "-c", "from intent.cli.main import main; main()"]
_TARGET = 0.5
_ASIDE = (", of the processor", ", share of the texts")

_WORDS = """I will cooperate defect trust you again this round because last time we both gained more than
alone so let us keep to it unless somebody breaks the promise then I answer in kind and we return to mutual
benefit """.split()  # noqa: SIM905
_OTHERS = ("我们应该继续合作，双方都会受益", "سأتعاون معك في هذه الجولة", "Tôi sẽ hợp tác với bạn ở vòng này")

QUERIES = {
    "frequent word": "cooperate",
    "phrase": "so let us",
    "rare word": "zanzibar",
    "absent": "nowhere to be seen",
    "two letters": "us",
    "one letter": "e",
    "Chinese, two characters": "合作",
    "Arabic": "سأتعاون",
    "Vietnamese": "hợp tác",
    "as if it were syntax": 'NEAR("a" OR b*)',
}


def with_messages(path: str, seed: int = 0) -> int:
    """Write messages into the log of a folder; returns their bytes."""
    from intent.logs.gamelog import GameLog
    from intent.logs.readers import read_log
    from intent.logs.stores import write_log

    log = read_log(path)
    rng = np.random.default_rng(seed)
    n = len(log.moves)
    lengths, words = rng.integers(6, 18, n), rng.integers(len(_WORDS), size=(n, 18))
    other = rng.integers(8 * len(_OTHERS), size=n)
    texts = [
        _OTHERS[o] if o < len(_OTHERS) else " ".join(_WORDS[w] for w in row[:k])
        for o, row, k in zip(other.tolist(), words.tolist(), lengths.tolist(), strict=True)
    ]
    for place in rng.choice(n, 20, replace=False):
        texts[int(place)] += " zanzibar"
    thought = np.where(np.arange(n) % 2 == 0, "I keep this to myself and wait for what comes", None)
    moves = log.moves.assign(message=texts, private_thought=thought)
    write_log(GameLog(log.games, log.seats, moves), path, overwrite=True)
    return sum(len(text.encode()) for text in texts)


def measured(path: str, times: int) -> dict[str, Any]:
    """Seconds of each search, and of the reading before."""
    from starlette.testclient import TestClient

    from intent.view.app import make_app
    from intent.view.library import open_library
    from intent.view.query import Query

    with open_library(path) as library:
        client = TestClient(make_app(library, 80), base_url="http://localhost")

        def searched(words: str, **more: str) -> float:
            start = time.perf_counter()
            answer = client.get("/search", params={"q": words, **more})
            assert answer.status_code == 200
            return time.perf_counter() - start

        start, worst = time.perf_counter(), 0.0
        while library.texts()[1] < 1:
            worst = max(worst, searched("cooperate"))
            time.sleep(1)
        result: dict[str, Any] = {"all read after": time.perf_counter() - start, "while it is read": worst}
        client.get("/")
        result["texts"] = library.texts()[0]
        asked = {name: {"words": words} for name, words in QUERIES.items()}
        asked["frequent word, within a filter"] = {"words": "cooperate", "where": "best=TFT"}
        for name, more in asked.items():
            searched(**more)
            taken, worked = [], time.process_time()
            for _ in range(times):
                taken.append(searched(**more))
            result[name] = statistics.median(taken)
            result[f"{name}, of the processor"] = (time.process_time() - worked) / times
            found, _, _ = library.search(more["words"], Query())
            result[f"{name}, share of the texts"] = found.share
        return result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--times", type=int, default=5, help="runs per search (default 5)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/play"
        made = ["generate", "--n", str(options.games), "--rounds", str(options.rounds), "-o", path, "--json"]
        subprocess.run([*_COMMAND, *made], check=True, capture_output=True)
        size = with_messages(path)
        result = measured(path, options.times)
    facts = {"games": options.games, "rounds": options.rounds, "message_bytes": size}
    if options.json:
        print(json.dumps({**facts, **result}))
        return
    texts = f"{result.pop('texts'):,} texts, messages of {size:,} bytes"
    print(f"{options.games:,} games of {options.rounds} rounds, {texts}")
    print(f"{'':<34} {'seconds':>9} {'processor':>10} {'texts read':>11}")
    for name, value in result.items():
        if name.endswith(_ASIDE):
            continue
        worked, share = (result.get(f"{name}{more}") for more in _ASIDE)
        aside = "" if worked is None else f" {worked:>10.3f} {share:>11.0%}"
        beyond = f"  beyond {_TARGET} s" if aside and value > _TARGET else ""
        print(f"{name:<34} {value:>9.3f}{aside}{beyond}")


if __name__ == "__main__":
    main()
