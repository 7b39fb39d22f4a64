"""A round robin of strategies: who wins, what groups earn from one another, what was played."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from intent.errors import UsageError
from intent.workflows.tournament_result import TournamentResult

if TYPE_CHECKING:
    from intent.arena.match import Fidelity
    from intent.arena.tournament.matches import FaultPolicy

__all__ = ["tournament"]

LOGS = ("first", "all", "none")


def tournament(
    paths: str | Path | Sequence[str | Path] = (),
    *,
    against: str | None = None,
    turns: int | None = None,
    noise: float | None = None,
    repetitions: int | None = None,
    game: str | None = None,
    self_play: bool = True,
    agents: bool = False,
    singles: bool = False,
    seed: int = 0,
    salt: str | None = None,
    workers: int | None = None,
    dask: str | None = None,
    engine: str = "auto",
    fidelity: Fidelity = "axelrod",
    reuse_instances: bool = False,
    faults: FaultPolicy = "disqualify",
    log: str = "first",
    label: str | None = None,
    single_matches: bool = False,
    output: str | Path | None = None,
    figures: bool = True,
    image: str = "png",
    models: Sequence[str] = (),
    model_settings: Mapping[str, Any] | None = None,
    callables: Mapping[str, Callable[..., Any]] | None = None,
    update: Callable[[int, int], None] = lambda done, total: None,
) -> TournamentResult:
    """Play strategies of files against each other, and against those of the literature.

    Parameters
    ----------
    paths : file or folder of strategies, or a sequence of such
    against : str, optional
        Opponents as `intent.arena.field.opponents` takes them: ``humans,catalogue``.
    turns, noise, game : optional
        Default: what the files say, else 1,000 rounds, no noise, the classic Prisoner's Dilemma.
    repetitions : int, optional
        Default: 20, or 1 where nothing is random.
    self_play : bool
    agents : bool
        One agent for each attitude, which draws one of its strategies for each match.
    singles : bool
        With `agents`: the strategies also play by themselves.
    seed : int
    salt : str, optional
        That of another tournament, as its result says it, to play the same matches again, on any machine.
        Default: `intent.arena.streams.Salt.of_field`.
    workers : int, optional, default: one per processor
    dask : str, optional, as `arena_engine`
    engine : {"auto", "seccomp", "strict", "monty"}
        ``auto`` plays automata, where there is nothing else, without a sandbox.
    fidelity : {"axelrod", "clean"}
    reuse_instances : bool
        As in `MatchRules`.
    faults : {"disqualify", "void"}
        As in `play_round_robin`.
    log : {"first", "all", "none"}
        Repetitions whose moves are written as a game log; needs `output`.
    label : str, optional
        Recogniser that labels the log.
    single_matches : bool
        Whether the table of the result must hold every match by itself, in memory for all of them. Else
        repetitions are added up, except among agents and with language models.
    output : folder, optional
        Matches in its store are not played again.
    figures : bool
    image : {"png", "svg", "pdf"}
    models : sequence of str
        Language models that join, as in an experiment file. All pairs then have 10 rounds and one
        repetition unless others are given, no noise, and the replies are kept in ``output/models``.
    model_settings : mapping, optional
        Keys of an experiment file for them: settings, prices, budget, cache, prompts, …
    callables : mapping of name -> async function, for models ``python/NAME``
    update : called with (done, total) matches

    Returns
    -------
    TournamentResult

    Raises
    ------
    UsageError, UnknownNameError
        Settings that make no tournament.
    OutputError
        The folder holds something else.

    References
    ----------
    Willis, Du, Leibo & Luck 2025, arXiv:2501.16173, section 4.
    """
    from time import perf_counter

    from intent.arena.streams import Salt
    from intent.arena.tournament.agents import attitude_seats, play_line_up
    from intent.arena.tournament.matches import check_field
    from intent.arena.tournament.round_robin import play_round_robin
    from intent.workflows.figures import check_image
    from intent.workflows.own_folder import own_folder
    from intent.workflows.tournament_calls import MODEL_REPETITIONS, MODEL_TURNS
    from intent.workflows.tournament_field import arena_engine, read_entries, stage, usual_repetitions
    from intent.workflows.tournament_files import LOCK, STORE, kept_matches, write_files
    from intent.workflows.tournament_models import check_models, play_models

    began = perf_counter()
    paths = [paths] if isinstance(paths, str | Path) else list(paths)
    check_image(image)
    _check(log, label, output, singles, agents)
    if models:
        _check_models(models, output, agents)
        turns, repetitions = turns or MODEL_TURNS, repetitions or MODEL_REPETITIONS
        noise = noise or 0.0
    entries = read_entries(paths, against)
    the_game, rules, notes = stage(
        entries.field,
        game=game,
        turns=turns,
        noise=noise,
        fidelity=fidelity,
        reuse_instances=reuse_instances,
    )
    if repetitions is None:
        repetitions = usual_repetitions(entries.field, rules, agents=agents)
    streams = Salt.of_field(entries.field, seed) if salt is None else Salt.from_hex(salt)
    seats = attitude_seats(entries.field, singles=singles) if agents else ()
    check_field(entries.field, repetitions)
    folder = (
        None
        if output is None
        else own_folder(output, kind="tournament", marks=[STORE], lock=LOCK, make=False)
    )
    if models:
        check_models(
            entries.field,
            models,
            rules,
            the_game,
            seed=seed,
            self_play=self_play,
            changes=model_settings,
            callables=callables,
        )
    config = {
        "paths": [Path(path).name for path in paths],
        "against": against,
        "turns": rules.turns,
        "noise": rules.noise,
        "repetitions": repetitions,
        "game": the_game.name,
        "self_play": self_play,
        "agents": agents,
        "singles": singles,
        "seed": seed,
        "salt": streams.hex,
        "fidelity": fidelity,
        "reuse_instances": reuse_instances,
        "faults": faults,
        "log": log,
        "label": label,
        "models": list(models),
    }
    with arena_engine(engine, entries.field, workers, dask) as runs, kept_matches(folder) as store:
        settings: dict[str, Any] = {
            "repetitions": repetitions,
            "seed": seed,
            "salt": streams,
            "engine": runs,
            "store": store,
            "self_play": self_play,
            "faults": faults,
            "update": update,
        }
        if seats:
            line_up = play_line_up(entries.field, seats, rules, **settings)
            table, matches = line_up.table, line_up.matches
        else:
            line_up = None
            table = matches = play_round_robin(
                entries.field, rules, added=not (models or single_matches), **settings
            )
        if models and folder is not None:
            played = play_models(
                table,
                models,
                the_game,
                folder,
                streams,
                seed=seed,
                self_play=self_play,
                changes=model_settings,
                callables=callables,
            )
            table = matches = played.table
            notes += played.notes
        result = TournamentResult(
            table=table,
            matches=matches,
            game=the_game,
            engine=runs.name,
            salt=streams,
            left_out=entries.left_out,
            notes=(*entries.notes, *notes, *getattr(runs, "notes", ())),
            seconds=perf_counter() - began,
            path=folder,
            config=config,
        )
        if folder is not None and store is not None:
            write_files(result, folder, store, line_up, figures=figures, image=image)
    return result


def _check(log: str, label: str | None, output: object, singles: bool, agents: bool) -> None:
    """Refuse settings that do not go together, before any work."""
    if log not in LOGS:
        raise UsageError(f"--log {log!r}, expected one of {', '.join(LOGS)}")
    if label is not None:
        if output is None or log == "none":
            raise UsageError("--label needs the log of the tournament: -o FOLDER, and --log first or all")
        from intent.recognise.storage import load_recogniser

        load_recogniser(label)
    if singles and not agents:
        raise UsageError("--singles goes with --agents: without them all strategies play by themselves")


def _check_models(models: Sequence[str], output: object, agents: bool) -> None:
    if output is None:
        raise UsageError("--model needs -o FOLDER, where replies that cost money are kept")
    if agents:
        raise UsageError("--model and --agents do not go together: models meet the strategies one by one")
