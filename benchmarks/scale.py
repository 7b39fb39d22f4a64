"""What a population study of 10^9 trajectories takes: rates of this machine, and what they come to elsewhere.

For ten rounds (where most plays repeat and are looked up) and fifty (where each is judged) a corpus in
compact form is generated and labelled by the exact Bayes rule, its shares are estimated and its metrics
measured: each in this process and in one core's time (processor seconds, which other work hardly lengthens).
Sizes are those of the files. Reading and writing Parquet are timed alone, since one process writes what all
workers label. A Dask scheduler with one worker is given pieces that do nothing. Where s3fs and moto are
installed the same labels are made on a server of this machine that speaks S3, and its requests are counted.

``--write docs/scale.md`` sets the tables between its marks anew: the measured figures, and the arithmetic of
``scale_inputs.yaml`` (``--inputs``) on them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

HOME = Path(__file__).resolve().parent
LENGTHS = (10, 50)
PIECE = 1 << 17
MARKS = ("<!-- measured: benchmarks/scale.py -->", "<!-- end -->")


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def rates(n: int, rounds: int, folder: Path) -> dict[str, float]:
    """Microseconds of a core, and bytes, for each trajectory."""
    import pyarrow.parquet as pq

    from intent.base.tables import table_writer
    from intent.behaviour.requests import MetricsRequest
    from intent.estimate.sfem import sfem
    from intent.play.dataset import make_spec
    from intent.play.generate import generate_to
    from intent.recognise.labels.label import label_to

    corpus, labels = folder / f"corpus{rounds}.parquet", folder / f"labels{rounds}.parquet"
    spec = make_spec({"n": n, "rounds": rounds, "seed": 1})
    warm = make_spec({"n": 1000, "rounds": rounds, "seed": 1})
    generate_to(folder / "warm.parquet", warm, form="compact", overwrite=True)
    label_to(folder / "warm.parquet", None)
    request = MetricsRequest(
        log=corpus, output=[folder / f"metrics{rounds}.parquet"], cluster=["game_id"], rows=False
    )
    spent = {
        "generate": seconds(lambda: generate_to(corpus, spec, form="compact")),
        "label": seconds(lambda: label_to(corpus, labels)),
        "sfem": seconds(lambda: sfem(corpus, by=["strategy"], bootstrap=0)),
        "metrics": seconds(lambda: request.run()),
        "read": seconds(lambda: [None for _ in groups(corpus)]),
    }
    table = pq.read_table(labels)

    def written() -> None:
        with table_writer(folder / "again.parquet", True) as (write, close):
            for first in range(0, len(table), PIECE):
                write(table.slice(first, PIECE))
            close({})

    spent["write"] = seconds(written)
    return {
        **{f"{what}_us": 1e6 * value / n for what, value in spent.items()},
        "corpus_bytes": corpus.stat().st_size / n,
        "labels_bytes": labels.stat().st_size / n,
        "metrics_bytes": (folder / f"metrics{rounds}.parquet").stat().st_size / n,
    }


def groups(path: Path) -> Iterator[Any]:
    """Row groups of a file, one after the other."""
    from intent.base.binary import open_parquet

    with open_parquet(path) as file:
        for number in range(file.metadata.num_row_groups):
            yield file.read_row_group(number)


def nothing(number: int) -> int:
    """A piece of work that is none."""
    return number


def per_piece(pieces: int) -> float | None:
    """Milliseconds on the clock that a piece without work takes, given by Dask; None without it."""
    try:
        from distributed import LocalCluster
    except ImportError:
        return None
    from intent.base.workers import open_workers

    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", memory_limit=0)
    with cluster, open_workers(1, cluster.scheduler_address) as spread:
        list(spread.map(nothing, range(20)))
        start = time.perf_counter()
        list(spread.map(nothing, range(pieces)))
        return 1e3 * (time.perf_counter() - start) / pieces


def requests() -> dict[str, float] | None:
    """Requests of labelling on object storage, in all and for each further piece; None without moto."""
    try:
        import boto3
        import s3fs
        from moto.server import ThreadedMotoServer
    except ImportError:
        return None
    import logging

    from intent.play.dataset import make_spec
    from intent.play.generate import generate_to
    from intent.recognise.labels.label import label_to

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    os.environ.update(
        AWS_ENDPOINT_URL=f"http://{host}:{port}",
        AWS_ACCESS_KEY_ID="benchmark",
        AWS_SECRET_ACCESS_KEY="benchmark",
        AWS_DEFAULT_REGION="us-east-1",
    )
    boto3.client("s3").create_bucket(Bucket="bucket")
    counts: dict[str, int] = {}
    plain = s3fs.S3FileSystem._call_s3

    async def counted(self: Any, method: str, *arguments: Any, **more: Any) -> Any:
        counts[method] = counts.get(method, 0) + 1
        return await plain(self, method, *arguments, **more)

    s3fs.S3FileSystem._call_s3 = counted
    try:
        seen = []
        for pieces in (1, 5):
            corpus = f"s3://bucket/{pieces}.parquet"
            generate_to(corpus, make_spec({"n": pieces * PIECE, "seed": 1}), form="compact")
            counts.clear()
            label_to(corpus, f"s3://bucket/labels{pieces}.parquet")
            seen.append(sum(counts.values()))
    finally:
        s3fs.S3FileSystem._call_s3 = plain
        server.stop()
    return {"first": seen[0], "further": (seen[1] - seen[0]) / 4}


def measured(n: int, folder: Path) -> dict[str, Any]:
    """All that this machine tells."""
    by_rounds = {str(rounds): rates(n if rounds == 10 else n // 4, rounds, folder) for rounds in LENGTHS}
    return {
        "n": n,
        "rounds": by_rounds,
        "piece_ms": per_piece(500),
        "requests": requests(),
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
    }


def study(figures: dict[str, Any], inputs: dict[str, Any], rounds: int) -> dict[str, float]:
    """The arithmetic of one length of games; hours, terabytes, requests and prices."""
    one, n = figures["rounds"][str(rounds)], inputs["trajectories"]
    cores = inputs["nodes"] * inputs["cores_per_node"]
    stages = ("generate", "label", "sfem", "metrics")
    work = {what: n * one[f"{what}_us"] / 1e6 / 3600 for what in stages}  # core hours
    pieces = math.ceil(n / PIECE)
    bytes_of = {what: n * one[f"{what}_bytes"] for what in ("corpus", "labels", "metrics")}
    # read: label, sfem and metrics each read the corpus; written: corpus, labels, metrics
    moved = 3 * bytes_of["corpus"] + sum(bytes_of.values())
    moving = moved / (inputs["nodes"] * inputs["node_mb_per_second"] * 1e6) / 3600
    start = inputs["start_minutes"] / 60
    per_request = (figures["requests"] or {"further": 0, "first": 0})["further"]
    reads = 3 * pieces * per_request
    writes = sum(bytes_of.values()) / (inputs["part_mb"] * 1e6)
    serial = n * one["write_us"] / 1e6 / 3600
    scheduling = pieces * (figures["piece_ms"] or 0) / 1e3 / 3600
    total = sum(work.values())
    return {
        **{f"{what}_core_hours": value for what, value in work.items()},
        "core_hours": total,
        "array_hours": start + total / cores + moving,
        "dask_label_hours": start + max(work["label"] / cores, serial, scheduling),
        "serial_hours": serial,
        "scheduling_hours": scheduling,
        "moving_hours": moving,
        "corpus_tb": bytes_of["corpus"] / 1e12,
        "labels_tb": bytes_of["labels"] / 1e12,
        "metrics_tb": bytes_of["metrics"] / 1e12,
        "pieces": pieces,
        "reads": reads,
        "writes": writes,
        "compute_price": total * inputs["price_core_hour"],
        "storage_price": sum(bytes_of.values()) / 1e9 * inputs["price_gb_month"] * inputs["months"],
        "request_price": reads / 1e3 * inputs["price_1000_reads"]
        + writes / 1e3 * inputs["price_1000_writes"],
    }


def tables(figures: dict[str, Any], inputs: dict[str, Any]) -> str:
    """The tables of the page."""

    def rows(head: list[str], body: list[list[str]]) -> str:
        lines = [head, ["---"] * len(head), *body]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def number(value: float) -> str:
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"

    lengths = [str(rounds) for rounds in LENGTHS]
    by = figures["rounds"]
    words = {
        "generate_us": "generate, µs of a core for each trajectory",
        "label_us": "label (exact Bayes rule, statuses, fit)",
        "sfem_us": "count plays and estimate shares by group",
        "metrics_us": "measure metrics",
        "read_us": "read Parquet alone",
        "write_us": "write labels alone (one process, whoever labels)",
        "corpus_bytes": "corpus, bytes for each trajectory",
        "labels_bytes": "labels",
        "metrics_bytes": "metrics",
    }
    first = rows(
        ["measured", *(f"{rounds} rounds" for rounds in lengths)],
        [[text, *(number(by[rounds][key]) for rounds in lengths)] for key, text in words.items()],
    )
    asked = figures["requests"]
    notes = [
        f"Processor time of one core, {figures['n']:,} trajectories of ten rounds and a quarter of that of "
        f"fifty ({figures['machine']}).",
        ""
        if figures["piece_ms"] is None
        else f"A piece given by Dask: {figures['piece_ms']:.1f} ms on the clock.",
        ""
        if asked is None
        else f"Requests to object storage: {asked['first']:.0f} to label a log of one piece, "
        f"{asked['further']:.1f} for each further piece of {PIECE:,} rows.",
    ]
    cores = inputs["nodes"] * inputs["cores_per_node"]
    studies = {rounds: study(figures, inputs, int(rounds)) for rounds in lengths}
    labels = {
        "generate_core_hours": "generate, core hours",
        "label_core_hours": "label, core hours",
        "sfem_core_hours": "shares, core hours",
        "metrics_core_hours": "metrics, core hours",
        "core_hours": "**all, core hours**",
        "array_hours": f"**an array of {cores} cores, hours on the clock**",
        "dask_label_hours": "`label --dask` into one file, hours on the clock",
        "serial_hours": "… of which one process writes",
        "scheduling_hours": "… of which the scheduler gives pieces",
        "moving_hours": "moving data to and from storage, hours (in the array's)",
        "corpus_tb": "corpus, TB",
        "labels_tb": "labels, TB",
        "metrics_tb": "metrics, TB",
        "pieces": "pieces",
        "reads": "requests that read",
        "writes": "requests that write",
        "compute_price": "price of cores",
        "storage_price": f"price of storage for {inputs['months']} months",
        "request_price": "price of requests",
    }
    second = rows(
        [f"{inputs['trajectories']:,} trajectories", *(f"{r} rounds" for r in lengths)],
        [[text, *(number(studies[r][key]) for r in lengths)] for key, text in labels.items()],
    )
    third = rows(
        ["assumed", f"on {inputs['date']}"],
        [
            [name.replace("_", " "), f"{value:,}" if isinstance(value, int) else str(value)]
            for name, value in inputs.items()
            if name != "date"
        ],
    )
    return "\n\n".join([first, " ".join(filter(None, notes)), second, third])


def main() -> None:
    """Measure and print, or set the page anew."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=200_000, help="trajectories of ten rounds (default 200,000)")
    parser.add_argument("--inputs", type=Path, default=HOME / "scale_inputs.yaml", help="what is assumed")
    parser.add_argument(
        "--figures", type=Path, help="take these measured figures (of --json), measure nothing"
    )
    parser.add_argument("--write", type=Path, help="page whose tables are set anew")
    parser.add_argument("--folder", type=Path, help="where the temporary folder is made")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    inputs = yaml.safe_load(options.inputs.read_text(encoding="utf-8"))
    if options.figures is not None:
        figures = json.loads(options.figures.read_text(encoding="utf-8"))["measured"]
    else:
        with tempfile.TemporaryDirectory(dir=options.folder) as folder:
            figures = measured(options.n, Path(folder))
    text = tables(figures, inputs)
    if options.write is not None:
        page = options.write.read_text(encoding="utf-8")
        before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
        options.write.write_text(f"{before}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{after}", encoding="utf-8")
    if options.json:
        studies = {str(rounds): study(figures, inputs, rounds) for rounds in LENGTHS}
        print(
            json.dumps(
                {"measured": figures, "inputs": {**inputs, "date": str(inputs["date"])}, "study": studies}
            )
        )
    else:
        print(text)


if __name__ == "__main__":
    main()
