"""`intent view` in a real browser: seconds until a person sees the first page, a filtered list, a game.

A log of noisy play is made and served by the command itself. In a headless Chromium, times run from the click
(or the start of the navigation) to the first frame after the new content stands in the page. ``labelling``:
while the server still labels the games behind the scenes. Each beside a log of 100 games, which costs what
a page costs; the ratio is what the size of the log adds. The first page is opened in a fresh browser context,
so no file is cached.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

_COMMAND = [sys.executable, "-c", "from intent.cli.main import main; main()"]
_TARGETS = {
    "first page": 1.0,
    "first page, labelling": 1.0,
    "filter": 0.3,
    "jump": 0.3,
    "sort": 0.3,
    "game": 0.2,
}
_PAINTED = """() => new Promise((done) => new PerformanceObserver((list) => {
  if (list.getEntriesByName("first-contentful-paint").length) done(true);
}).observe({ type: "paint", buffered: true }))"""
_TIMED = """([selector, wanted]) => new Promise((done) => {
  const one = document.querySelector(selector), start = performance.now();
  document.addEventListener("htmx:after:swap", () => requestAnimationFrame(() => setTimeout(() => {
    done([(performance.now() - start) / 1000, !!document.querySelector(wanted)]);
  })), { once: true });
  one.click();
})"""


@contextlib.contextmanager
def served(log: Path) -> Iterator[tuple[str, float]]:
    """The command on a log; yields its address, and the seconds that it took to print it."""
    start = time.perf_counter()
    with subprocess.Popen(
        [*_COMMAND, "view", str(log), "--no-browser"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip(), time.perf_counter() - start
        finally:
            process.terminate()


def clicked(page: Any, selector: str, wanted: str) -> float:
    """Seconds from a click to the frame that shows what it led to."""
    seconds, there = page.evaluate(_TIMED, [selector, wanted])
    assert there, f"{wanted} did not appear"
    return float(seconds)


def first_page(browser: Any, address: str) -> float:
    """Seconds from the navigation to the end of loading, or to the first paint where that is later."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address, wait_until="load")
    page.wait_for_selector("a.game")
    page.evaluate(_PAINTED)
    seconds = page.evaluate(
        "Math.max(performance.getEntriesByType('navigation')[0].loadEventEnd,"
        "performance.getEntriesByName('first-contentful-paint')[0].startTime) / 1000"
    )
    context.close()
    return float(seconds)


def labelled(page: Any, address: str) -> float:
    """Wait until all games have labels; seconds."""
    start = time.perf_counter()
    while True:
        page.goto(address)
        if "labelling" not in page.inner_text(".pulse"):
            return time.perf_counter() - start
        time.sleep(0.5)


def measured(browser: Any, log: Path, runs: int) -> dict[str, Any]:
    """Medians of all actions on one log."""
    with served(log) as (address, start):
        found: dict[str, list[float]] = {"first page, labelling": [first_page(browser, address)]}
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        waited = labelled(page, address)
        best = 'input[value="where=best%3DTFT"]'
        actions: dict[str, tuple[str, str, str]] = {
            "filter": ("", best, ".chips"),
            "jump": ("", ".jumps a:nth-child(2)", "a.game"),
            "sort": ("", "thead th:last-child a", "a.game"),
            "game": ("", "tr:nth-child(7) a.game", ".game-page svg"),
            "next game": ("game", "#game-following", ".game-page svg"),
        }
        take: dict[str, Callable[[], float]] = {"first page": lambda: first_page(browser, address)}
        for name, (where, selector, wanted) in actions.items():

            def act(where: str = where, selector: str = selector, wanted: str = wanted) -> float:
                page.goto(address)
                if where == "game":
                    clicked(page, "a.game", ".game-page")
                return clicked(page, selector, wanted)

            take[name] = act
        for name, action in take.items():
            action()
            found[name] = [action() for _ in range(runs)]
        page.close()
    seconds = {name: statistics.median(times) for name, times in found.items()}
    return {"start": start, "labelled_after": waited, "seconds": seconds}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=2_000, help="games of the log (default 2,000)")
    parser.add_argument("--runs", type=int, default=7, help="runs per action (default 7)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        sys.exit("playwright is not installed; run: pip install playwright")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        result = {}
        for n in (100, options.games):
            log = Path(folder) / f"games-{n}"
            made = [*_COMMAND, "generate", "-n", str(n), "--eps", "0-0.2", "-o", str(log), "--json"]
            subprocess.run(made, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            result[n] = measured(browser, log, options.runs)
        browser.close()
    small, large = result[100]["seconds"], result[options.games]["seconds"]
    rows = [
        {"action": name, "seconds": large[name], "of_100": small[name], "ratio": large[name] / small[name]}
        | {"target": _TARGETS.get(name)}
        for name in large
    ]
    facts = {key: result[options.games][key] for key in ("start", "labelled_after")}
    if options.json:
        print(json.dumps({"games": options.games, "runs": options.runs, **facts, "actions": rows}))
        return
    title = f"{options.games:,} games, medians of {options.runs}"
    print(f"{title:<32}{'seconds':>9}{'100 games':>11}{'ratio':>7}{'target':>8}")
    for row in rows:
        target = f"{row['target']:>8.1f}" if row["target"] else ""
        print(f"{row['action']:<32}{row['seconds']:>9.3f}{row['of_100']:>11.3f}{row['ratio']:>7.2f}{target}")
    print(f"command to address {facts['start']:.2f} s; all labelled {facts['labelled_after']:.1f} s later")


if __name__ == "__main__":
    main()
