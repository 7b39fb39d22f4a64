"""What the numbers of a model say: tests, verdict, files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from intent.analysis.sampling.distributions import Distribution

__all__ = ["measured", "notes_on", "verdict", "write_files"]


def measured(
    replies: Mapping[Distribution, Sequence[str]], n: int, rng: np.random.Generator
) -> tuple[list[dict[str, Any]], pd.DataFrame]:
    """Facts by distribution, and the numbers as a table.

    Parameters
    ----------
    replies : distribution -> texts of the replies
    n : int
        Numbers that each was asked for; of more, the first n count.
    rng : Generator
        Of the honest sampler.

    Returns
    -------
    list of dict
        As ``distributions`` in `schema.JSON_OBJECTS`.
    DataFrame
        distribution, origin (model or honest), value.
    """
    import numpy as np
    import pandas as pd

    from intent.agents.replies.reasoning import strip_reasoning
    from intent.analysis.sampling.distributions import DEFAULTS
    from intent.analysis.sampling.listed_numbers import listed_numbers
    from intent.analysis.sampling.sampling_tests import compatible, sample_facts

    found: list[dict[str, Any]] = []
    parts: list[pd.DataFrame] = []
    for law, texts in replies.items():
        read = [listed_numbers(strip_reasoning(text)[0]) for text in texts]
        values = np.array([value for numbers in read for value in numbers[:n]], dtype=float)
        honest = law.draw(n * len(texts), rng)
        facts = sample_facts(law, values)
        beside = sample_facts(law, honest)
        found.append(
            {
                "distribution": law.name,
                "parameters": list(law.parameters),
                "n": n * len(texts),
                "n_read": sum(map(len, read)),
                **facts,
                "compatible": compatible(facts, 2 * len(replies)),
                "honest": {**beside, "compatible": compatible(beside, 2 * len(replies))},
                "default_parameters": law.parameters == DEFAULTS[law.name],
            }
        )
        for origin, sample in (("model", values), ("honest", honest)):
            parts.append(pd.DataFrame({"distribution": str(law), "origin": origin, "value": sample}))
    return found, pd.concat(parts, ignore_index=True)


def verdict(found: list[dict[str, Any]]) -> str:
    """Whether what could be tested looks like what was asked for."""
    answers = [item["compatible"] for item in found]
    if all(answer is None for answer in answers):
        return "undecided"
    if all(answers):
        return "all compatible"
    return "some compatible" if any(answers) else "none compatible"


def notes_on(found: list[dict[str, Any]], n: int, repetitions: int) -> list[str]:
    notes = ["the study gives no parameters of its distributions; those here are ours, and settable"]
    for item in found:
        name = item["distribution"]
        if item["n_read"] < item["n"]:
            notes.append(f"{name}: {item['n_read']} of {item['n']} numbers could be read")
        if item["n_read"] > item["n"]:
            notes.append(f"{name}: {item['n_read']} numbers came, the first {n} of each reply count")
        if item["outside"]:
            notes.append(f"{name}: {item['outside']} values are impossible under the distribution")
    if repetitions > 1:
        notes.append("the numbers of all replies to a request are tested together, as if drawn independently")
    return notes


def write_files(
    target: Path,
    result: Any,
    table: pd.DataFrame,
    laws: Iterable[Distribution],
    facts: dict[str, Any],
    image: str = "png",
) -> None:
    """Write ``sampling.json``, ``samples.csv`` and ``samples.png``, in place of earlier ones."""
    from intent.logs.jsonfile import write_object
    from intent.logs.tablefile import write_table
    from intent.report.play_figures import write_play_figure
    from intent.report.sampling_histograms import draw_samples

    write_object(target / "sampling.json", result, overwrite=True)
    write_table(table, target / "samples.csv", facts, overwrite=True)
    write_play_figure(
        lambda: draw_samples(table, [(str(law), law.discrete, law.frozen) for law in laws]),
        target / f"samples.{image}",
        title="Numbers asked for as a sample",
        lines=[
            f"Model: {facts['model']}, {facts['n']} numbers a request.",
            "Lines and points: the distribution asked for. Below: as many numbers of an honest sampler.",
        ],
        description=json.dumps(facts, default=str),
        overwrite=True,
    )
