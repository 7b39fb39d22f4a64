"""A headless browser for tests of pages, where there is one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def chromium() -> Iterator[Any]:
    """A Chromium without a window; skips the test where it or its driver is missing."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    with sync_api.sync_playwright() as driver:
        path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        try:
            browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        except sync_api.Error:
            pytest.skip("needs a Chromium")
        yield browser
        browser.close()


def barriers(page: Any) -> list[tuple[str, str | None, str]]:
    """What axe holds against a page: rule, impact, beginning of the first element; skips without axe."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
    # not every element that passes, of which a page has thousands
    violations = axe.Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(one["id"], one["impact"], one["nodes"][0]["html"][:300]) for one in violations]
