"""The search of the site, in a browser: a query finds the page that answers it among the first three."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.browser import chromium
from tests.test_docs_site import built

ROOT = Path(__file__).resolve().parent.parent
PLACES = 3
QUERIES = {
    "tit for tat": "docs/strategies",
    "win stay lose shift": "docs/strategies",
    "pavlov": "docs/strategies",
    "ALLD": "docs/strategies",
    "grim trigger": "docs/strategies",
    "confidence interval": "docs/comparing",
    "p-value": "docs/comparing",
    "multiple comparisons Holm": "docs/comparing",
    "is the difference significant": "docs/comparing",
    "standard errors": "docs/estimating",
    "BIC": "docs/estimating",
    "mixture model": "docs/estimating",
    "maximum likelihood": "docs/equations/mixtures",
    "noise": "docs/labels",
    "trembling hand": "docs/glossary",
    "unit of independence": "docs/glossary",
    "ambiguous": "docs/labels",
    "no_fit": "docs/labels",
    "how many games": "docs/power",
    "how many games do I need?": "docs/power",
    "sample size": "docs/power",
    "API key": "docs/limits",
    "where do I put my API key": "docs/limits",
    "cost": "docs/limits",
    "rate limit": "docs/limits",
    "csv": "docs/reading",
    "read a csv file": "docs/reading",
    "oTree": "docs/reading",
    "excel": "docs/reading",
    "penalty": "docs/reading",
    "resume": "docs/playing",
    "temperature": "docs/playing",
    "ollama": "docs/playing",
    "local model": "docs/playing",
    "own prompts": "docs/prompts",
    "chain of thought": "docs/architectures",
    "tool use": "docs/architectures",
    "MLflow": "docs/training",
    "LSTM": "docs/training",
    "scikit-learn": "docs/features",
    "SHAP": "docs/explain",
    "reinforcement learning": "docs/models_of_choice",
    "hidden markov": "docs/discovery",
    "how much is explained": "docs/explained",
    "conformal prediction": "docs/calibration",
    "slurm": "docs/cluster",
    "out of memory": "docs/large_logs",
    "anonymise": "docs/sharing",
    "public goods": "docs/contributors",
    "free rider": "docs/contributors",
    "moran process": "docs/evolution",
    "axelrod": "docs/field",
    "custom strategy": "docs/own_strategies",
    "latex table": "docs/tutorials/write_it_up",
    "getting started": "docs/tutorials/label_a_log",
    "replicate a paper": "docs/replication",
    "figures": "docs/gallery",
    "look at the transcript": "docs/view",
    "install": "docs/installation",
    "JSON output": "docs/codebook",
    "python api": "docs/api",
    "inspect ai": "docs/inspect",
}


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    """What the search of a site without its Python pages answers, in order, by query."""
    site = built(tmp_path_factory.mktemp("search"), "-t", "quick")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        with chromium() as browser:
            yield answers(browser, f"http://127.0.0.1:{server.server_port}", QUERIES)
    finally:
        server.shutdown()
        server.server_close()


def answers(browser, address: str, queries) -> dict[str, list[str]]:
    """The pages that the search lists for each query, best first, each once."""
    page = browser.new_page()
    page.goto(f"{address}/search.html")
    page.wait_for_function("Search.hasIndex()")
    listed = "query => Search._performSearch(...Search._parseQuery(query)).map(one => one[0]).reverse()"
    return {query: list(dict.fromkeys(page.evaluate(listed, query))) for query in queries}


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_a_query_finds_its_page(ranked, query):
    assert QUERIES[query] in ranked[query][:PLACES]


def test_every_page_that_is_looked_for_is_there():
    assert [page for page in QUERIES.values() if not (ROOT / f"{page}.md").is_file()] == []
