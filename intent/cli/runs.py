"""The commands ``play``, ``resume`` and ``status``: from an experiment file to a run folder with its log.

Also the options of all commands that play games, and what these show: progress on a terminal, a summary at
the end, a dry run, scores of a benchmark.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from intent.base.errors import UsageError, one_line, shorten
from intent.base.offline import Contact, contacts_line
from intent.cli.console import note, print_blocks, print_json, print_table, say, show_text, unfiltered
from intent.cli.console import terminal_line as console_one_line
from intent.cli.options import JsonFlag, Overwrite

__all__ = [
    "Budget",
    "Cache",
    "Concurrency",
    "DryRun",
    "Journal",
    "Limit",
    "NoTrack",
    "Price",
    "RunFolder",
    "Set",
    "Tracking",
    "Window",
    "check_journal",
    "live_progress",
    "one_or_all",
    "parse_limits",
    "parse_names",
    "parse_prices",
    "play",
    "play_source",
    "print_dry_run",
    "print_expected",
    "resume",
    "run_changes",
    "run_folder",
    "show_bench",
    "show_played",
    "show_run",
    "shown_cost",
    "status",
    "tracker_of",
]


Budget = Annotated[
    float | None, typer.Option(metavar="AMOUNT", help="What the run may cost, in the currency of the prices.")
]
Concurrency = Annotated[
    int | None, typer.Option(min=1, help="Calls in flight per endpoint; default: what the endpoint takes.")
]
Window = Annotated[int | None, typer.Option(min=1, help="Games in play at a time.")]
Limit = Annotated[
    list[str] | None,
    typer.Option(
        "--limit",
        metavar="ENDPOINT:LIMIT=N",
        help="requests_per_minute, tokens_per_day, … of an endpoint or model (repeatable).",
    ),
]
Price = Annotated[
    list[str] | None,
    typer.Option(
        "--price", metavar="MODEL=IN,OUT", help="Price per million tokens of prompt and reply (repeatable)."
    ),
]
Cache = Annotated[bool, typer.Option("--cache", help="Keep replies, and use those of the same draws again.")]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Any key of the file, dotted, with a YAML value (repeatable).",
    ),
]
RunFolder = Annotated[
    Path | None, typer.Option("-o", "--output", help="Run folder to make; default runs/NAME.")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only count games, calls, tokens and cost, and show prompts.")
]
Journal = Annotated[str, typer.Option(help="wal, or delete for network file systems.")]
NoTrack = Annotated[bool, typer.Option("--no-track", help="Do not record the run in MLflow.")]
Tracking = Annotated[str | None, typer.Option(help="MLflow tracking URI or SQLite file.")]


def run_changes(
    budget: float | None,
    concurrency: int | None,
    window: int | None,
    price: list[str] | None,
    limit: list[str] | None,
    cache: bool,
    **further: Any,
) -> dict[str, Any]:
    """The options that were given, as keys of an experiment by their values; `further` are such keys too.

    Raises
    ------
    UsageError
        A price or limit that is none.
    """
    changes = {
        **further,
        "budget": budget,
        "concurrency": concurrency,
        "window": window,
        "prices": parse_prices(price) or None,
        "limits": parse_limits(limit) or None,
        "cache": cache or None,
    }
    return {key: value for key, value in changes.items() if value is not None}


def check_journal(journal: str) -> None:
    """Refuse a journal that the run store does not have.

    Raises
    ------
    UsageError
    """
    if journal not in ("wal", "delete"):
        raise UsageError(f"--journal {shorten(journal)!r}, expected wal or delete")


def one_or_all(values: list[Any] | None) -> Any:
    """The values of a repeatable option: one as itself, several as a factor, none as None."""
    return None if not values else values[0] if len(values) == 1 else values


def run_folder(output: Path | None, name: str) -> Path:
    """The folder of a run: as given, or the one below ``runs`` that its name says.

    Raises
    ------
    UsageError
        None is given, and the name is none of a folder.
    """
    if output is not None:
        return output
    if not name.isprintable() or set("/\\") & set(name) or not name.strip(". ") or len(name.encode()) > 200:
        raise UsageError(f"no folder can be called {one_line(name, 40)!r}, expected -o FOLDER")
    return Path("runs") / name


def parse_prices(items: list[str] | None) -> dict[str, Any]:
    """``MODEL=IN,OUT`` options as model -> price.

    Raises
    ------
    UsageError
    """
    prices = {}
    for item in items or []:
        model, equals, numbers = item.rpartition("=")
        try:
            parts = [float(number) for number in numbers.replace("/", ",").split(",")]
        except ValueError:
            parts = []
        if not equals or not model or len(parts) not in (2, 3):
            raise UsageError(f"--price {shorten(item)!r}, expected MODEL=IN,OUT per million tokens")
        prices[model] = parts
    return prices


def parse_limits(items: list[str] | None) -> dict[str, Any]:
    """``ENDPOINT:LIMIT=N`` options as endpoint -> limit -> number.

    Raises
    ------
    UsageError
    """
    limits: dict[str, Any] = {}
    for item in items or []:
        name, equals, number = item.rpartition("=")
        endpoint, colon, limit = name.rpartition(":")
        if not (equals and colon and endpoint and limit and number.isdecimal()):
            raise UsageError(f"--limit {shorten(item)!r}, expected ENDPOINT:LIMIT=N")
        limits.setdefault(endpoint, {})[limit] = int(number)
    return limits


def parse_names(items: list[str] | None) -> dict[str, str]:
    """``NAME=MODEL`` options as name -> model."""
    names = {}
    for item in items or []:
        name, equals, model = item.partition("=")
        if not (name and equals and model):
            raise UsageError(f"--map-model {shorten(item)!r}, expected NAME=MODEL")
        names[name.strip()] = model.strip()
    return names


def tracker_of(no_track: bool, tracking: str | None) -> Any:
    """The tracker that the options ask for; ``mlflow.db`` in the working folder by default."""
    from intent.base.tracking import make_tracker

    return make_tracker(None if no_track else (tracking or str(Path("mlflow.db"))))


def play_source(
    source: Any,
    output: Path | None,
    *,
    dry_run: bool,
    prompts_shown: int | None,
    no_track: bool,
    tracking: str | None,
    overwrite: bool,
    journal: str,
    json: bool,
) -> None:
    """Play what was loaded, or count what it takes, and show what came of it.

    Parameters
    ----------
    source : Experiment, or a source of another kind of run
    output, dry_run, prompts_shown, no_track, tracking, overwrite, journal, json : options of the command
    """
    from intent.runner.dry_run import dry_run as count
    from intent.runner.play import has_human, play

    benchmark = source.run_key == "benchmark"
    if dry_run or (benchmark and not json):
        need = count(
            source, prompts_shown=prompts_shown if dry_run else 0, tracking=None if no_track else tracking
        )
        if not dry_run:
            print_expected(need)
        elif json:
            print_json(need)
        elif benchmark:
            print_dry_run(
                need, shown="prompt of a second turn, or of the only one, among equilibrium players"
            )
        else:
            print_dry_run(need)
    if dry_run:
        return
    quiet = json or has_human(source.plans())
    with live_progress(source.name, quiet=quiet) as on_live:
        result = play(
            source,
            run_folder(output, source.name),
            tracker=tracker_of(no_track, tracking),
            overwrite=overwrite,
            journal=journal,
            on_live=on_live,
        )
    show_run(result.summary, json=json)


def show_run(summary: Mapping[str, Any], *, json: bool) -> None:
    """What came of a run: `show_bench` where it has a leaderboard, else `show_played`."""
    (show_bench if "leaderboard" in summary else show_played)(summary, json=json)


@contextmanager
def live_progress(what: str, *, quiet: bool) -> Iterator[Callable[[Any], None]]:
    """A bar of games with calls per second, cost and troubles; nothing in a pipe."""
    if quiet or not sys.stderr.isatty():
        yield lambda live: None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.table import Column

    # Troubles stand last and are cut, so that the counts stay in sight on a narrow terminal.
    columns = (
        TextColumn("{task.description}", table_column=Column(no_wrap=True, max_width=20)),
        BarColumn(bar_width=16),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TextColumn("games  {task.fields[told]}", table_column=Column(no_wrap=True)),
        TimeElapsedColumn(table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[trouble]}", table_column=Column(no_wrap=True, ratio=1)),
    )
    with Progress(*columns, console=Console(file=unfiltered(sys.stderr)), transient=True, expand=True) as bar:
        task = bar.add_task(escape(console_one_line(what)), total=None, told="", trouble="")

        def update(live: Any) -> None:
            now = live.progress
            parts = [f"{now.calls:,} calls", f"{now.calls_per_second:.1f}/s"]
            if live.cost:
                parts.append(f"cost {live.cost:.4g}")
            if now.interrupted:
                parts.append(f"{now.interrupted} set aside")
            trouble = f"{_count(live.troubles, 'trouble')}, last: {live.trouble}" if live.troubles else ""
            bar.update(
                task,
                completed=now.finished,
                total=now.games,
                told=escape(console_one_line("  ".join(parts))),
                trouble=escape(console_one_line(trouble)),
            )

        yield update


def show_played(summary: Mapping[str, Any], *, json: bool) -> None:
    """The summary of a run, for programs or for people; the command ends with 3 where games are left.

    Raises
    ------
    typer.Exit
        The run is not finished.
    """
    if json:
        print_json(summary)
    else:
        _print_played(summary)
    if summary["state"] != "finished":
        raise typer.Exit(3)


def _print_played(summary: Mapping[str, Any]) -> None:
    """The summary of a run for people: one table of players, lines around it."""
    done, planned = summary["n_finished"], summary["n_games"]
    say(f"{summary['name']}: {done:,} of {planned:,} games, {summary['n_moves']:,} moves\n")
    use = {model["player"]: model for model in summary["models"]}
    rows = []
    for player in summary["players"]:
        model = use.get(player["player"], {})
        rows.append(
            (
                player["player"],
                f"{player['n_moves']:,}",
                _share(player["readable"]),
                _share(player["cooperation_rate"]),
                player["mean_payoff"],
                f"{model['calls']:,}" if model else "–",
                f"{model['prompt_tokens'] + model['completion_tokens']:,}" if model else "–",
                shown_cost(model.get("cost")),
            )
        )
    heads = ("player", "moves", "readable", "cooperation", "mean payoff", "calls", "tokens", "cost")
    if rows:
        print_table(heads, rows)
    failed = sum(summary["failures"].values())
    say(
        f"\n{summary['new_calls']:,} new calls, {summary['seconds']:.1f} s of play in all"
        + (f", {summary['resent']:,} sent again" if summary["resent"] else "")
        + (f", {_count(failed, 'request')} failed" if failed else "")
    )
    if summary["labels"] is not None:
        statuses = summary["labels"]["statuses"]
        say("labels: " + ", ".join(f"{n} {status}" for status, n in reversed(statuses.items())))
    path = summary["path"]
    for name in (*summary["comparisons"], *summary["figures"]):
        say(f"{path}/{name}")
    for line in summary["notes"]:
        note(line)
    if summary["state"] == "finished":
        note(f"run: {path}, log: {summary['log']}")
        return
    why = summary["reason"] or f"{_count(summary['n_interrupted'], 'game')} set aside with an error"
    note(f"{why}; intent resume {path} goes on")


def print_dry_run(
    counts: Mapping[str, Any], *, shown: str = "prompt of round 2 after an invented round 1"
) -> None:
    """The grid as a table, totals, and prompts; `shown` says what these are."""
    factors = list(dict.fromkeys(key for c in counts["conditions"] for key in c["levels"]))
    varied = any(len(set(c["players"])) > 1 for c in counts["conditions"]) and "table" not in factors
    heads = [
        *factors,
        *(() if "game" in factors else ("plays",)),
        *(("players",) if varied or not {"model", "players", "table"} & set(factors) else ()),
        "games",
        "calls",
        "tokens in",
        "cost",
    ]
    rows = []
    for c in counts["conditions"]:
        row: list[object] = [c["levels"].get(factor, "–") for factor in factors]
        row += [c["game"]] if "plays" in heads else []
        row += [" ".join(dict.fromkeys(c["players"]))] if "players" in heads else []
        row += [
            f"{c['n_games']:,}",
            f"{c['calls']:,.0f}",
            f"{c['prompt_tokens']:,.0f}",
            shown_cost(c["cost"]),
        ]
        rows.append([str(cell) for cell in row])
    print_table(heads, rows)
    say(
        f"\n{_count(counts['n_games'], 'game')} ({_count(counts['n_conditions'], 'condition')} x "
        f"{counts['repetitions']:,}), "
        f"{counts['decisions']:,.0f} decisions, {counts['calls']:,.0f} calls expected, at most "
        f"{counts['most_calls']:,}"
    )
    if counts["calls"]:
        say(
            f"about {counts['prompt_tokens']:,.0f} tokens of prompts and {counts['reply_tokens']:,.0f} of "
            f"replies (reasoning not counted); cost "
            + ("unknown without prices (--price)" if counts["cost"] is None else shown_cost(counts["cost"]))
        )
    say(contacts_line(Contact(**one) for one in counts["contacts"]))
    for prompt in counts["prompts"]:
        levels = ", ".join(f"{key} {value}" for key, value in prompt["levels"].items())
        who = f"seat {prompt['seat']}, {prompt['role']}, {prompt['stage']}"
        say(f"\n--- {shown}: {who}{levels and f' ({levels})'} ---\n")
        show_text(prompt["text"])
        for tool in prompt["tools"]:
            show_text("\ntool: " + json.dumps(tool, ensure_ascii=False))
    n_asked = sum(c["calls"] > 0 for c in counts["conditions"])
    if len(counts["prompts"]) == 1 < n_asked:
        note(f"--prompts-shown {n_asked} shows a prompt of every condition")
    for line in counts["notes"]:
        note(line)


def _count(n: int, what: str) -> str:
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def shown_cost(cost: float | None) -> str:
    """A cost with four significant digits, a dash where no price is known."""
    return "–" if cost is None else f"{cost:.4g}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.1%}"


_COLUMNS = 4
"""Most models that are columns of the table."""

_KINDS = 12
"""Most games and settings that are."""


def print_expected(counts: Mapping[str, Any]) -> None:
    """One line on what is about to be played, and what a reader should know of it."""
    if counts["calls"]:
        cost = "unknown without prices (--price)" if counts["cost"] is None else shown_cost(counts["cost"])
        games = f"{counts['n_games']:,} game{'s' * (counts['n_games'] != 1)}"
        note(f"{games}, {counts['calls']:,.0f} calls expected, at most {counts['most_calls']:,}; cost {cost}")
        for line in counts["notes"]:
            note(line)


def show_bench(summary: Mapping[str, Any], *, json: bool) -> None:
    """Scores and summary of a run, for programs or for people; ends with 3 where games are left.

    Raises
    ------
    typer.Exit
        The run is not finished.
    """
    if not json and summary["scores"]:
        _print_scores(summary)
    show_played(summary, json=json)


def _print_scores(summary: Mapping[str, Any]) -> None:
    """Games and settings by models, or the other way round; one score a row where many are empty."""
    rows = summary["scores"]
    models = list(dict.fromkeys(row["model"] for row in rows))
    cells = {(row["model"], row["game"], row["setting"]): row for row in rows}
    kinds = list(dict.fromkeys((row["game"], row["setting"]) for row in rows))
    overall = {one["model"]: one["overall"] for one in summary["leaderboard"]}
    title = "Scores (code): mean ± sd over repetitions"
    heads: list[str]
    body: list[list[str]]
    if len(models) <= _COLUMNS:
        heads = ["game", "setting", *models]
        body = [
            [game, setting, *(_shown(cells.get((model, game, setting))) for model in models)]
            for game, setting in kinds
        ]
        if any(overall.values()):
            body.append(["overall", "", *(_shown(overall.get(model)) for model in models)])
        print_blocks(heads, body, title=title, fixed=2)
    elif len(kinds) > _KINDS or len(rows) <= len(models) * len(kinds) / 2:
        body = [[row["model"], row["game"], row["setting"], _shown(row)] for row in rows]
        print_table(("model", "game", "setting", "score"), body, title=title)
    else:
        heads = ["model", *(game if setting == "default" else f"{game} {setting}" for game, setting in kinds)]
        body = [[model, *(_shown(cells.get((model, *kind))) for kind in kinds)] for model in models]
        if any(overall.values()):
            heads.append("overall")
            body = [[*row, _shown(overall.get(row[0]))] for row in body]
        print_blocks(heads, body, title=title)
    say()


def _shown(cell: Mapping[str, Any] | None) -> str:
    if cell is None:
        return "–"
    return f"{cell['mean']:.1f}" if cell["sd"] is None else f"{cell['mean']:.1f} ± {cell['sd']:.1f}"


def play(
    file: Annotated[
        Path, typer.Argument(metavar="EXPERIMENT", help="Our YAML, or a FAIRGAME configuration (.json).")
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "-m",
            "--model",
            help="In place of the file's models: openai/NAME, openai/NAME@URL, anthropic/NAME, local/NAME, "
            "gguf:PATH, scripted/STRATEGY, human (repeatable).",
        ),
    ] = None,
    output: RunFolder = None,
    dry_run: DryRun = False,
    prompts_shown: Annotated[
        int | None,
        typer.Option(min=0, help="With --dry-run: most prompts to show; by default all, one of each role."),
    ] = None,
    set_: Set = None,
    language: Annotated[
        list[str] | None, typer.Option(help="In place of the file's languages (repeatable).")
    ] = None,
    repetitions: Annotated[int | None, typer.Option(min=1, help="Games per condition.")] = None,
    rounds: Annotated[int | None, typer.Option(min=1, help="Rounds per game.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all random numbers.")] = None,
    prompts: Annotated[
        str | None, typer.Option(metavar="DIR", help="Folder of templates, FAIRGAME's or yours; or intent.")
    ] = None,
    map_model: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=MODEL", help="Which model a name in the file stands for (repeatable)."),
    ] = None,
    payoff_kind: Annotated[
        str | None, typer.Option(help="reward or penalty, where a FAIRGAME file has a game of its own.")
    ] = None,
    budget: Budget = None,
    price: Price = None,
    concurrency: Concurrency = None,
    window: Window = None,
    limit: Limit = None,
    cache: Cache = False,
    journal: Journal = "wal",
    no_track: NoTrack = False,
    tracking: Tracking = None,
    overwrite: Overwrite = False,
    json: JsonFlag = False,
) -> None:
    """Let language models, strategies or you play an experiment.

    Ctrl-C stops cleanly; `intent resume` goes on. Keys come from the environment.
    """
    from intent.runner.play import load_source

    check_journal(journal)
    changes = run_changes(
        *(budget, concurrency, window, price, limit, cache),
        language=one_or_all(language),
        repetitions=repetitions,
        rounds=rounds,
        seed=seed,
        prompts=prompts,
    )
    names: dict[str, Any] = {"map_models": parse_names(map_model), "payoff_kind": payoff_kind}
    changes |= {key: value for key, value in names.items() if value}
    play_source(
        load_source(file, set=set_ or (), models=model or (), **changes),
        output,
        dry_run=dry_run,
        prompts_shown=prompts_shown,
        no_track=no_track,
        tracking=tracking,
        overwrite=overwrite,
        journal=journal,
        json=json,
    )


def resume(
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="[EXPERIMENT]", help="Take limits, prices and `after` from this file; same games only."
        ),
    ] = None,
    set_: Set = None,
    budget: Budget = None,
    price: Price = None,
    concurrency: Concurrency = None,
    window: Window = None,
    limit: Limit = None,
    cache: Cache = False,
    no_track: NoTrack = False,
    tracking: Tracking = None,
    json: JsonFlag = False,
) -> None:
    """Go on with a run: no stored call is made again, games set aside are tried again.

    A finished run gets its log, labels or scores, and figures anew.
    """
    from intent.runner.play import resume as go_on

    changes = run_changes(budget, concurrency, window, price, limit, cache)
    with live_progress(run.name, quiet=json) as on_live:
        result = go_on(
            run,
            file,
            set=set_ or (),
            tracker=tracker_of(no_track, tracking),
            on_live=on_live,
            **changes,
        )
    show_run(result.summary, json=json)


def status(
    run: Annotated[Path, typer.Argument(help="The run folder.")],
    watch: Annotated[
        bool, typer.Option("--watch", help="Again every two seconds, until it is over.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Show how a run is going: games, calls, rates, cost, errors; also while it is played."""
    from intent.runner.run import run_status

    while True:
        current = run_status(run)
        if json:
            print_json(current)
        else:
            _print(current)
        if not watch or current["state"] != "playing":
            return
        time.sleep(2)


def _print(status: Mapping[str, Any]) -> None:
    rate, eta = status["calls_per_second"], status["eta"]
    say(
        f"{status['name']}: {status['state']}, {status['finished']:,} of {status['games']:,} games "
        f"finished, {status['in_progress']:,} in play, {status['interrupted']:,} set aside, "
        f"{status['waiting']:,} waiting"
    )
    say(
        f"{status['progress']:.1%} of all rounds, {status['calls']:,} calls ({rate:.1f}/s), "
        f"{status['seconds']:.0f} s played"
        + (f", about {eta:.0f} s to go" if eta is not None else "")
        + (f", {status['resent']:,} sent again" if status["resent"] else "")
    )
    if status["models"]:
        say()
        rows = [
            (
                m["player"],
                ", ".join(m["models"]) or "–",
                f"{m['calls']:,}",
                f"{m['cached']:,}",
                f"{m['prompt_tokens']:,}",
                f"{m['completion_tokens']:,}",
                m["seconds"],
                shown_cost(m["cost"]),
            )
            for m in status["models"]
        ]
        heads = ("model", "snapshot", "calls", "cached", "tokens in", "tokens out", "s per call", "cost")
        print_table(heads, rows)
    if status["failures"]:
        say()
        print_table(("failed requests", "n"), [(kind, f"{n:,}") for kind, n in status["failures"].items()])
    for error in status["errors"]:
        note(f"game {error['game_id']}: {error['error']}")
    if status["state"] == "stopped":
        why = status["stopped"] or "not begun"
        if why == "finished":
            why = f"games set aside with an error: {status['interrupted']:,}"
        note(f"{why}; intent resume {status['path']} goes on")
