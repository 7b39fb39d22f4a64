"""Can a language model draw from a distribution? Ask it for numbers, and test them.

Numbers are read where they stand plainly, never guessed; the tests are Kolmogorov-Smirnov and chi-square.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from intent.base.errors import DataError, UnknownNameError, UsageError, shorten
from intent.base.files import file_text
from intent.base.job import Result, Table, job
from intent.base.outputs import json_values
from intent.base.replies import digits
from intent.runner.caller import in_own_loop
from intent.runner.requests import SamplingRequest

if TYPE_CHECKING:
    import pandas as pd

    from intent.agents.client import Client, Message, Settings
    from intent.runner.caller import Replies


__all__ = [
    "ALPHA",
    "DEFAULTS",
    "LEAST",
    "PROMPT",
    "Distribution",
    "SamplingResult",
    "compatible",
    "listed_numbers",
    "parse_distributions",
    "read_samples",
    "sample_facts",
    "sample_numbers",
    "verdict",
    "write_files",
]


PROMPT = (
    "Draw {n} independent random numbers from {law}. Write only the numbers, one per line, and nothing else: "
    "no code, no words, no numbering."
)
"""The request, in our words; {n}, {law} and {distribution} are filled in."""

_LAWS = {
    "gaussian": "a normal distribution with mean {0:g} and standard deviation {1:g}, with three decimals",
    "poisson": "a Poisson distribution with mean {0:g}",
    "uniform": "a uniform distribution between {0:g} and {1:g}, with three decimals",
}


@dataclass(frozen=True)
class _Request:
    """One request for numbers."""

    distribution: Distribution
    repetition: int
    messages: tuple[Message, ...]
    settings: Settings
    key: str
    draw: str


@dataclass(frozen=True, eq=False)
class SamplingResult(Result):
    """Numbers that a model drew, and tests of them beside those of an honest sampler.

    Attributes
    ----------
    values : dict, as `codebook.JSON_OBJECTS` describes ``sampling``
    numbers : DataFrame with distribution, origin (model or honest), value
    image : suffix of the figure
    """

    kind = "sampling"
    noun = "a sample of numbers"

    values: dict[str, Any]
    numbers: pd.DataFrame
    image: str

    def fields(self) -> dict[str, Any]:
        """Verdict and tests."""
        return self.values

    def table(self) -> pd.DataFrame:
        """The numbers."""
        return self.numbers

    def facts(self) -> dict[str, Any]:
        """Which model drew them."""
        return {"kind": self.kind, "model": self.values["model"]}

    def parts(self) -> Iterator[Table | str]:
        """Two rows for every distribution: the model and the honest sampler."""
        rows: list[list[object]] = []
        for item in self.values["distributions"]:
            name = f"{item['distribution']}({', '.join(f'{p:g}' for p in item['parameters'])})"
            for who, facts, read in (
                (self.values["model"], item, f"{item['n_read']}/{item['n']}"),
                ("honest sampler", item["honest"], f"{item['n']}"),
            ):
                moments = [_digits(facts["mean"]), _digits(facts["sd"]), facts["distinct"]]
                tests = [_digits(test["p"] if (test := facts[what]) else None) for what in _TESTS]
                rows.append([name, who, read, *moments, *tests, _ANSWERS[facts["compatible"]]])
        heads = ("distribution", "from", "read", "mean", "sd", "distinct", "KS p", "chi² p", "compatible")
        yield Table(heads, rows)

    def warnings(self) -> Iterator[str]:
        """What a reader should beware of."""
        yield from self.values["notes"]

    def remarks(self) -> Iterator[str]:
        """The files."""
        yield f"{self.values['path']}: replies.jsonl, samples.csv, samples.{self.image}, sampling.json"


_TESTS = ("ks", "chi_square")
_ANSWERS = {None: "too few", True: "yes", False: "no"}


def _digits(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g}"


@job(SamplingRequest)
def sample_numbers(request: SamplingRequest) -> SamplingResult:
    """Ask a model for numbers from each distribution, test them, and draw them.

    Replies are stored in ``replies.jsonl`` as they come and not asked for again; ``samples.csv`` (the
    numbers, and those of an honest sampler), ``samples.png`` and ``sampling.json`` are made anew each time.

    Raises
    ------
    UsageError
        A number, distribution or model that cannot be.
    EndpointError
        The model gave no answer; what it answered before is kept.
    OutputError, DataError

    References
    ----------
    Poje et al. 2024, Entropy 26:524, hypothesis H1, figure 2: looked at histograms; the tests are ours.
    """
    from intent.agents.clients.registry import LIMITED, make_client, provider_of
    from intent.base.outputs import claim
    from intent.report.figures import check_image
    from intent.runner.caller import Replies

    n, repetitions, seed = request.n, request.repetitions, request.seed
    check_image(request.image)
    if not 1 <= n <= 10_000 or not 1 <= repetitions <= 1_000:
        raise UsageError(
            f"--n {n} --repetitions {repetitions}, expected up to 10000 numbers and 1000 requests"
        )
    laws, wording = parse_distributions(request.distributions), _wording(request.prompt)
    target = claim(request.folder, overwrite=True, into=True)
    client = make_client(request.model) if isinstance(request.model, str) else request.model
    if request.max_tokens is None and provider_of(client.name) in LIMITED:
        request = request.replace(max_tokens=12 * n + 200)
    requests = [_request(client, law, k, wording, request) for law in laws for k in range(1, repetitions + 1)]
    client.body(requests[0].messages, requests[0].settings)
    target.mkdir(parents=True, exist_ok=True)
    replies = Replies(target / "replies.jsonl", ("distribution", "repetition"))
    _ask(client, [r for r in requests if r.key not in replies.known], replies, request.update)
    texts = {law: [replies.known[r.key]["text"] for r in requests if r.distribution == law] for law in laws}
    rows, table = read_samples(texts, n, np.random.default_rng(seed))
    values = json_values(
        {
            "path": str(target),
            "model": client.name,
            "distributions": rows,
            "verdict": verdict(rows),
            "notes": [*notes_on(rows, n, repetitions), *_cut_off(requests, replies)],
        }
    )
    facts = {"kind": "sampling", "model": client.name, "n": n, "repetitions": repetitions, "seed": seed}
    write_files(target, values, table, laws, facts, request.image)
    return SamplingResult(dict(values), table, request.image)


def _wording(path: str | Path | None) -> str:
    if path is None:
        return PROMPT
    try:
        text = file_text(path, 100_000, "a prompt")
    except DataError as error:
        raise DataError(f"cannot read the prompt {path}: {error}") from None
    if "{law}" not in text and "{distribution}" not in text:
        raise DataError(f"the prompt {path} holds neither {{law}} nor {{distribution}}: {shorten(text)!r}")
    return text


def _request(
    client: Client, law: Distribution, repetition: int, wording: str, request: SamplingRequest
) -> _Request:
    from intent.agents.client import Message, Settings
    from intent.agents.clients.registry import SEEDED, provider_of
    from intent.runner.caller import reply_key

    values = {
        "{n}": str(request.n),
        "{law}": _LAWS[law.name].format(*law.parameters),
        "{distribution}": str(law),
    }
    text = wording
    for place, value in values.items():
        text = text.replace(place, value)
    settings = Settings(
        temperature=request.temperature,
        max_tokens=request.max_tokens,
        seeded=provider_of(client.name) in SEEDED,
        timeout=600.0,
    )
    facts = {
        "model": client.name,
        "text": text,
        "settings": settings.model_dump(mode="json", exclude_defaults=True),
        "repetition": repetition,
        "seed": request.seed,
    }
    draw = f"sampling/{request.seed}/{law}/{repetition}"
    return _Request(law, repetition, (Message("user", text),), settings, reply_key(facts), draw)


def _ask(
    client: Client,
    requests: list[_Request],
    replies: Replies,
    update: Callable[[int, int], None],
) -> None:
    """Ask what is not known yet, within the limits of the endpoint."""
    from intent.runner.caller import make_callers
    from intent.runner.driver import together

    caller = make_callers([client])[client.name]
    done = 0

    async def one(request: _Request) -> None:
        nonlocal done
        called = await caller.call(request.messages, request.settings, draw=request.draw)
        replies.add(_row(request, called))
        done += 1
        update(done, len(requests))

    async def work() -> None:
        try:
            await together([one(request) for request in requests])
        finally:
            await client.close()

    in_own_loop(work)


def _cut_off(requests: list[_Request], replies: Replies) -> list[str]:
    """A warning where replies ended at the limit of their length."""
    short = sum(replies.known[r.key].get("finish_reason") == "length" for r in requests)
    return (
        [f"{short} of {len(requests)} replies were cut off at their longest (--max-tokens)"] if short else []
    )


def _row(request: _Request, called: Any) -> dict[str, Any]:
    """What is kept of a reply; bodies and headers are not."""
    reply = called.reply
    return {
        "key": request.key,
        "distribution": str(request.distribution),
        "repetition": request.repetition,
        "model": reply.model,
        "prompt": request.messages[0].content,
        "text": reply.text,
        "finish_reason": reply.finish_reason,
        "seconds": round(called.seconds, 3),
    }


def read_samples(
    replies: Mapping[Distribution, Sequence[str]], n: int, rng: np.random.Generator
) -> tuple[list[dict[str, Any]], pd.DataFrame]:
    """Facts by distribution, and the numbers as a table.

    Parameters
    ----------
    replies : distribution -> texts of the replies
    n : numbers that each was asked for; of more, the first n count
    rng : of the honest sampler

    Returns
    -------
    list of dict
        As ``distributions`` in `codebook.JSON_OBJECTS`.
    DataFrame
        distribution, origin (model or honest), value.
    """
    import pandas as pd

    from intent.base.replies import strip_reasoning

    rows: list[dict[str, Any]] = []
    parts: list[pd.DataFrame] = []
    for law, texts in replies.items():
        read = [listed_numbers(strip_reasoning(text)[0]) for text in texts]
        values = np.array([value for numbers in read for value in numbers[:n]], dtype=float)
        honest = law.draw(n * len(texts), rng)
        facts = sample_facts(law, values)
        beside = sample_facts(law, honest)
        rows.append(
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
    return rows, pd.concat(parts, ignore_index=True)


def verdict(rows: list[dict[str, Any]]) -> str:
    """Whether what could be tested looks like what was asked for."""
    answers = [item["compatible"] for item in rows]
    if all(answer is None for answer in answers):
        return "undecided"
    if all(answers):
        return "all compatible"
    return "some compatible" if any(answers) else "none compatible"


def notes_on(rows: list[dict[str, Any]], n: int, repetitions: int) -> list[str]:
    notes = ["the study gives no parameters of its distributions; those here are ours, and settable"]
    for item in rows:
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
    from intent.base.outputs import write_object
    from intent.base.tables import write_table
    from intent.behaviour.figures import draw_samples
    from intent.figures.style import Drawing

    write_object(target / "sampling.json", result, overwrite=True)
    write_table(table, target / "samples.csv", facts, overwrite=True)
    drawing = Drawing(
        "Numbers asked for as a sample",
        lambda: draw_samples(table, [(str(law), law.discrete, law.frozen) for law in laws]),
        [
            f"Model: {facts['model']}, {facts['n']} numbers a request.",
            "Lines and points: the distribution asked for. Below: as many numbers of an honest sampler.",
        ],
    )
    drawing.write(target / f"samples.{image}", description=json.dumps(facts, default=str), overwrite=True)


DEFAULTS = {"gaussian": (0.0, 1.0), "poisson": (4.0,), "uniform": (0.0, 1.0)}
"""Name -> parameters: mean and standard deviation; mean; lower and upper end.

References
----------
Poje et al. 2024, Entropy 26:524, figure 2, asks for these three and gives no parameters.
"""

_ITEM = re.compile(r"\s*([^(),]{1,40})(?:\(([^()]{0,80})\))?\s*(?:,|$)")


@dataclass(frozen=True)
class Distribution:
    """A distribution.

    Parameters
    ----------
    name : {"gaussian", "poisson", "uniform"}
    parameters : as in `DEFAULTS`

    Raises
    ------
    UnknownNameError
        Another name.
    UsageError
        Parameters that make no such distribution.
    """

    name: str
    parameters: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.name not in DEFAULTS:
            raise UnknownNameError("distribution", self.name, DEFAULTS)
        if not self._sound():
            got = ", ".join(f"{p:g}" for p in self.parameters)
            wanted = {"gaussian": "mean and positive deviation", "poisson": "a mean between 0 and 1000"}
            expected = wanted.get(self.name, "lower and upper end")
            raise UsageError(f"{self.name}({got}): expected {expected}")

    def _sound(self) -> bool:
        if len(self.parameters) != len(DEFAULTS[self.name]) or not all(map(math.isfinite, self.parameters)):
            return False
        if self.name == "poisson":
            return 0 < self.parameters[0] <= 1000
        low, high = self.parameters
        return high > 0 if self.name == "gaussian" else high > low

    @property
    def discrete(self) -> bool:
        """Whether its values are whole numbers."""
        return self.name == "poisson"

    @property
    def frozen(self) -> Any:
        """The distribution of scipy."""
        from scipy import stats

        makers: dict[str, Callable[..., Any]] = {
            "gaussian": stats.norm,
            "poisson": stats.poisson,
            "uniform": lambda low, high: stats.uniform(low, high - low),
        }
        return makers[self.name](*self.parameters)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{p:g}' for p in self.parameters)})"

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """(n,), an honest sample."""
        return np.asarray(self.frozen.rvs(size=n, random_state=rng), dtype=float)

    def possible(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether each value can come from it."""
        if self.name == "gaussian":
            return np.ones(len(values), dtype=bool)
        whole = self.name == "poisson"
        low, high = (0.0, np.inf) if whole else self.parameters
        inside: NDArray[np.bool_] = (values >= low) & (values <= high)
        return inside & (values == np.floor(values)) if whole else inside


def parse_distributions(text: str) -> tuple[Distribution, ...]:
    """Distributions from text such as ``gaussian,poisson(4),uniform(0,1)``.

    Raises
    ------
    UnknownNameError
        Another name.
    UsageError
        No name, one twice, or parameters that are none.
    """
    distributions: list[Distribution] = []
    place = 0
    while place < len(text) or not distributions:
        match = _ITEM.match(text, place)
        if match is None or match.end() == place:
            raise UsageError(
                f"--distributions {shorten(text)!r}, expected names such as gaussian,poisson(4),uniform(0,1)"
            )
        name, parameters = match[1].strip().casefold(), match[2]
        distributions.append(
            Distribution(name, DEFAULTS.get(name, ()) if parameters is None else _numbers(name, parameters))
        )
        place = match.end()
    if len({str(d) for d in distributions}) < len(distributions):
        raise UsageError(f"--distributions {shorten(text)!r} names one twice")
    return tuple(distributions)


def _numbers(name: str, text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"{name}({shorten(text)}): expected numbers") from None


ALPHA = 0.05
LEAST = 20
"""Numbers below which nothing is tested."""

_EXPECTED = 5.0
"""Expected count of a bin, at the least; Cochran's rule."""

_MOST_BINS = 20
_MOST_DECIMALS = 6


def sample_facts(distribution: Distribution, values: NDArray[np.float64]) -> dict[str, Any]:
    """Tests and moments of a sample.

    Numbers that are all rounded to the same decimal (0.1, -1.3) are what a sampler of a continuous
    distribution gives when asked for short numbers. Both tests then compare at the middles between two such
    numbers, where rounding changes no count; that of Kolmogorov and Smirnov keeps at most its level. A step
    of more than half a standard deviation is no rounding: such values are tested as they stand.

    Parameters
    ----------
    values : (n,) float

    Returns
    -------
    dict
        ks (statistic, p; None for a discrete distribution, for which the test does not hold), chi_square
        (statistic, df, p; over bins of equal probability, or of values joined until 5 are expected in each),
        grain (the step that numbers are rounded to, 0 for none), outside (values that the distribution cannot
        give, left out of chi_square), mean, sd, distinct (different values), lag_1 (correlation of each value
        with the next). None where fewer than `LEAST` numbers are given, or nothing varies.

    References
    ----------
    Massey 1951, JASA 46:68; Cochran 1954, Biometrics 10:417.
    """
    n = len(values)
    facts: dict[str, Any] = dict.fromkeys(("ks", "chi_square", "mean", "sd", "lag_1"))
    facts |= {"outside": int((~distribution.possible(values)).sum()), "distinct": len(np.unique(values))}
    facts["grain"] = _grain(distribution, values)
    if n:
        facts["mean"] = float(values.mean())
    if n > 1:
        facts["sd"] = float(values.std(ddof=1))
    if n < LEAST:
        return facts
    if values[:-1].std() > 0 and values[1:].std() > 0:
        facts["lag_1"] = float(np.corrcoef(values[:-1], values[1:])[0, 1])
    if not distribution.discrete:
        facts["ks"] = _kolmogorov_smirnov(distribution, values, facts["grain"])
    facts["chi_square"] = _chi_square(distribution, values[distribution.possible(values)], facts["grain"])
    return facts


def compatible(facts: dict[str, Any], tests: int) -> bool | None:
    """Whether a sample passes every test at `ALPHA` over the number of tests made (Bonferroni).

    False, too, where a value is impossible; None where too few numbers were read to tell.
    """
    if facts["outside"]:
        return False
    p = [facts[name]["p"] for name in ("ks", "chi_square") if facts[name] is not None]
    return min(p) >= ALPHA / tests if p else None


def _grain(distribution: Distribution, values: NDArray[np.float64]) -> float:
    """The step that all values are rounded to, 0 where they are not or the step is too coarse."""
    if distribution.discrete or not len(values):
        return 0.0
    for decimals in range(-2, _MOST_DECIMALS + 1):
        if np.allclose(values, np.round(values, decimals), rtol=0, atol=1e-9):
            step = 10.0**-decimals
            return step if step <= float(distribution.frozen.std()) / 2 else 0.0
    return 0.0


def _kolmogorov_smirnov(
    distribution: Distribution, values: NDArray[np.float64], grain: float
) -> dict[str, float]:
    from scipy import stats

    if not grain:
        ks = stats.kstest(values, distribution.frozen.cdf)
        return {"statistic": float(ks.statistic), "p": float(ks.pvalue)}
    n = len(values)
    middles = np.unique(np.concatenate([values - grain / 2, values + grain / 2]))
    reached = np.searchsorted(np.sort(values), middles) / n
    statistic = float(np.abs(reached - distribution.frozen.cdf(middles)).max())
    return {"statistic": statistic, "p": float(stats.kstwo.sf(statistic, n))}


def _chi_square(
    distribution: Distribution, values: NDArray[np.float64], grain: float
) -> dict[str, Any] | None:
    n = len(values)
    if n < LEAST:
        return None
    from scipy import stats

    edges = _whole_edges(distribution, n) if distribution.discrete else _even_edges(distribution, n)
    if grain:
        edges = _joined(distribution, (np.floor(edges / grain) + 0.5) * grain, n)
    cdf = np.concatenate([[0.0], distribution.frozen.cdf(edges), [1.0]])
    counts = np.bincount(np.searchsorted(edges, values), minlength=len(edges) + 1)
    expected = n * np.diff(cdf)
    statistic = float(((counts - expected) ** 2 / expected).sum())
    df = len(counts) - 1
    return {"statistic": statistic, "df": df, "p": float(stats.chi2.sf(statistic, df))} if df else None


def _even_edges(distribution: Distribution, n: int) -> NDArray[np.float64]:
    """Upper ends of all bins of equal probability but the last."""
    bins = min(_MOST_BINS, int(n // _EXPECTED))
    return np.asarray(distribution.frozen.ppf(np.arange(1, bins) / bins), dtype=float)


def _whole_edges(distribution: Distribution, n: int) -> NDArray[np.float64]:
    """Upper ends of runs of whole numbers, each with 5 expected values, but the last."""
    return _joined(distribution, np.arange(distribution.frozen.ppf(1 - 1e-9) + 1), n)


def _joined(distribution: Distribution, edges: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Those of the upper ends, in order, that leave 5 expected values in every bin, the last one too."""
    ends: list[float] = []
    below = 0.0
    for edge, reached in zip(edges.tolist(), distribution.frozen.cdf(edges).tolist(), strict=True):
        if n * (reached - below) >= _EXPECTED and n * (1 - reached) >= _EXPECTED:
            ends.append(edge)
            below = reached
    return np.array(ends)


_LONGEST = 400_000
_NUMBER = re.compile(r"[+-]?(?:\d{1,18}(?:\.\d{0,18})?|\.\d{1,18})(?:[eE][+-]?\d{1,3})?")
_NUMBERED = re.compile(r"\s*\(?\d{1,6}\s*[.):]\s+(?=\S)|\s*[-*•]\s+(?=\S)")
_SEPARATORS = re.compile(r"[\s,;|]+")
_BRACKETS = str.maketrans(dict.fromkeys("[](){}`*\"'", " "))


def listed_numbers(text: str) -> list[float]:
    """The numbers of the lines that hold nothing but numbers.

    1. Digits of any script and minus signs of any shape are read; commas separate.
    2. A line's own number or bullet ("12. 0.31", "- 0.31") goes; of a line with other words, only what
       follows its last colon is looked at.
    3. Each remaining piece must be a finite number as a whole; a line with any other piece is not read.

    Parameters
    ----------
    text : a reply without reasoning; its first 400,000 characters count

    Examples
    --------
    >>> listed_numbers("Here are 3 numbers with mean 0: 0.1, -2,\\n3.5")
    [0.1, -2.0, 3.5]
    """
    plain = unicodedata.normalize("NFKC", text[:_LONGEST])
    plain = digits(plain.replace("\u2212", "-").replace("،", ","))
    numbers: list[float] = []
    for line in plain.splitlines():
        numbers += _of_line(line)
    return numbers


def _of_line(line: str) -> list[float]:
    if any(c.isalpha() and c not in "eE" for c in line):
        head, colon, line = line.rpartition(":")
        if not colon or not head:
            return []
    else:
        line = _NUMBERED.sub("", line, count=1)
    pieces = [piece for piece in _SEPARATORS.split(line.translate(_BRACKETS)) if piece]
    pieces = [piece.removesuffix(".") for piece in pieces]
    if not all(_NUMBER.fullmatch(piece) for piece in pieces):
        return []
    values = [float(piece) for piece in pieces]
    return values if all(map(math.isfinite, values)) else []
