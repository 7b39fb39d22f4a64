"""Play of the sequential gamma-bench games, event by event: shots and survivors, proposals and votes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from intent.report.panels import hide, panels
from intent.report.style import wrapped
from intent.suites.gamma.sequential_plays import BattlePlays, PiratePlays

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_battles", "draw_pirates"]

_WIDE = 3
_HIT, _MISSED, _PURPOSE = "#D55E00", "#7A7A7A", "#0072B2"
_ACCEPT, _REJECT = "#009E73", "#D55E00"


def draw_battles(runs: Mapping[str, BattlePlays]) -> Figure:
    """A panel per run: a row per player while alive, an arrow from the shooter to the target of each shot.

    Parameters
    ----------
    runs : mapping of name -> run

    References
    ----------
    Huang et al. 2024, arXiv:2403.11807, section 2.3.
    """
    from matplotlib.lines import Line2D

    figure, axes = _grid(runs, across=4.0, down=2.9)
    for ax, (name, run) in zip(axes, runs.items(), strict=False):
        _draw_battle(ax, run)
        ax.set_title(wrapped(name, 34), loc="left", fontweight="bold")
        ax.set_xlabel("shot")
        ax.set_ylabel("player (hit rate in %)")
    dots = [
        Line2D([], [], color=_HIT, marker=">", linewidth=1.4, label="hit"),
        Line2D([], [], color=_MISSED, marker=">", linewidth=1.4, label="missed"),
        Line2D([], [], color=_PURPOSE, marker="o", linewidth=0, label="missed on purpose"),
    ]
    figure.legend(handles=dots, loc="outside right upper", frameon=False)
    return figure


def draw_pirates(runs: Mapping[str, PiratePlays]) -> Figure:
    """A panel per run: a row per proposal, a cell per pirate with its share, coloured by its vote.

    Parameters
    ----------
    runs : mapping of name -> run

    References
    ----------
    Stewart 1999, Scientific American 280(5):98; Huang et al. 2024, arXiv:2403.11807, section 2.3.
    """
    from matplotlib.patches import Patch

    figure, axes = _grid(runs, across=4.2, down=2.3)
    for ax, (name, run) in zip(axes, runs.items(), strict=False):
        _draw_pirate(ax, run)
        ax.set_title(wrapped(name, 36), loc="left", fontweight="bold")
        ax.set_xlabel("pirate, by seniority")
        ax.set_ylabel("proposal")
    patches = [
        Patch(facecolor=_ACCEPT, label="accepts"),
        Patch(facecolor=_REJECT, label="rejects"),
        Patch(facecolor="#CCCCCC", label="no vote"),
    ]
    figure.legend(handles=patches, loc="outside right upper", frameon=False)
    return figure


def _grid(runs: Mapping[str, Any], **size: float) -> tuple[Figure, list[Axes]]:
    wide = min(_WIDE, len(runs))
    figure, axes = panels(-(-len(runs) // wide), wide, least=7.0, **size)
    for ax in list(axes.flat)[len(runs) :]:
        hide(ax)
    return figure, list(axes.flat)


def _draw_battle(ax: Axes, run: BattlePlays) -> None:
    from matplotlib.ticker import MaxNLocator

    rates = dict(run.shots[0].rates) if run.shots else {}
    last = len(run.shots)
    for seat in rates:
        lived = [n for n, shot in enumerate(run.shots, start=1) if seat in dict(shot.rates)]
        ax.plot(
            [0.5, max(lived) + 0.5],
            [seat, seat],
            color="#DDDDDD",
            linewidth=5,
            solid_capstyle="butt",
            zorder=0,
        )
    for n, shot in enumerate(run.shots, start=1):
        if shot.target is None:
            ax.plot(n, shot.shooter, "o", color=_PURPOSE, markersize=5)
            continue
        after = dict(run.shots[n].rates) if n < last else {shot.target: 0.0}
        hit = shot.target not in after if shot.hit is None else shot.hit
        how: dict[str, Any] = {"arrowstyle": "->", "color": _HIT if hit else _MISSED, "linewidth": 1.4}
        ax.annotate("", xy=(n, shot.target), xytext=(n, shot.shooter), arrowprops=how)
    ax.set_yticks(list(rates), [f"{seat} ({rate:g})" for seat, rate in rates.items()])
    ax.set_xlim(0.4, last + 0.6)
    ax.set_ylim(0.4, max(rates, default=1) + 0.6)
    ax.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))


def _draw_pirate(ax: Axes, run: PiratePlays) -> None:
    from matplotlib.patches import Rectangle

    tones = {"accept": _ACCEPT, "reject": _REJECT, None: "#CCCCCC"}
    for number, vote in enumerate(run.held, start=1):
        shares = vote.shares or (None,) * (1 + len(vote.votes))
        for place, (share, choice) in enumerate(zip(shares, ("accept", *vote.votes), strict=True)):
            pirate = number + place
            tone = tones[choice] if vote.shares is not None or place else "#CCCCCC"
            ax.add_patch(
                Rectangle(
                    (pirate - 0.46, number - 0.42), 0.92, 0.84, facecolor=tone, alpha=0.75, edgecolor="none"
                )
            )
            text = "" if share is None else f"{share:g}"
            ax.text(pirate, number, text, ha="center", va="center", fontsize=7.5)
    most = max((1 + len(vote.votes) + n for n, vote in enumerate(run.held)), default=run.n_players)
    ax.set_xlim(0.4, most + 0.6)
    ax.set_ylim(len(run.held) + 0.6, 0.4)
    ax.set_xticks(range(1, most + 1))
    ax.set_yticks(range(1, len(run.held) + 1))
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
