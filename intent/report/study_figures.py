"""All figures of a study, with titles and captions, written to a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from intent.report.study_lines import draw_by_opponent, draw_by_size, draw_reliability
from intent.report.study_maps import draw_mismatch, draw_regret_maps
from intent.report.style import caption, look, save

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["REGRET", "write_study_figures"]

REGRET = (
    "Regret: accuracy of the exact Bayes rule that knows the noise of the play, minus that of the "
    "recogniser, which does not know it (unless it says so); on the same play."
)


def write_study_figures(
    folder: Path,
    *,
    best: pd.DataFrame,
    opponent: str,
    learners: pd.DataFrame,
    sizes: Sequence[str],
    noises: Sequence[str],
    reliability: pd.DataFrame,
    trained: str,
    n: int,
) -> list[Path]:
    """Write the figures for which there are cells, as .png.

    Parameters
    ----------
    folder : where to write
    best : cells of each recogniser as trained most generally (label, set, opponent, rounds, noise, ...)
    opponent : the opponent of the maps
    learners : cells against it of all that were trained, with label, train_size and train_noise
    sizes, noises : of training, in order
    reliability : as `draw_reliability`
    trained : how the recognisers of `best` were trained, in a sentence
    n : trajectories per point
    """
    tests = f"{n:,} fresh trajectories a point, shared by all recognisers."
    against = f"Opponent: {opponent}."
    written = []

    def write(name: str, title: str, lines: Sequence[str], draw: Callable[[], Figure]) -> None:
        with look():
            figure = draw()
            caption(figure, title, lines)
            path = folder / f"{name}.png"
            written.append(save(figure, path, title=title, description=" ".join(lines), overwrite=True))

    met = best[best["opponent"] == opponent]
    for set_name, part in met.groupby("set", sort=False):
        write(
            f"regret_{set_name}",
            f"Regret by noise and rounds, {set_name}",
            [REGRET, f"{trained} {against} {tests}"],
            partial(draw_regret_maps, part),
        )
    if best["opponent"].nunique() > 1:
        common = best.groupby("opponent")["rounds"].max().min()
        write(
            "regret_by_opponent",
            "Regret by opponent",
            [
                REGRET + " Means over the noise of the play and over rounds up to "
                f"{common}, which all opponents have.",
                f"Ceiling: accuracy of that rule. {trained} {tests}",
            ],
            partial(draw_by_opponent, best[best["rounds"] <= common]),
        )
    several = learners[learners["train_size"] == _shared_size(learners, sizes)]
    several = several[several.groupby(["label", "set"])["train_noise"].transform("nunique") > 1]
    if len(several):
        size = str(several["train_size"].iloc[0])
        write(
            "mismatch",
            "Regret by noise of training and of the play",
            [
                REGRET,
                f"Trained on {int(size):,} trajectories. " * size.isdigit()
                + f"Means over rounds. {against} {tests}",
            ],
            partial(draw_mismatch, several, noises),
        )
    widest = learners[learners["train_noise"] == (noises[-1] if noises else "")]
    if widest["train_size"].nunique() > 1:
        write(
            "regret_by_size",
            "Regret by size of training",
            [
                REGRET,
                f"Trained with noise {noises[-1].replace('-', ' to ')}. Means over noise and rounds. "
                f"{against} {tests}",
            ],
            partial(draw_by_size, widest, sizes),
        )
    if len(reliability):
        write(
            "calibration",
            "Are the probabilities right?",
            [
                "Accuracy of the most probable class by its probability, all noise levels and rounds "
                "together; on the dashed line the two agree. ECE: mean distance, in the order of the legend.",
                f"{trained} {against} {tests}",
            ],
            partial(draw_reliability, reliability),
        )
    return written


def _shared_size(learners: pd.DataFrame, sizes: Sequence[str]) -> str:
    """The size at which most recognisers were trained with several noises; of equals the last."""
    counts = learners.groupby(["train_size", "label", "set"])["train_noise"].nunique()
    found = counts[counts > 1].groupby("train_size").size()
    if found.empty:
        return ""
    return max((s for s in sizes if s in found), key=lambda s: (found[s], sizes.index(s)))
