"""``intent label``: any log and a recogniser, or several, -> strategy labels."""

from __future__ import annotations

from pathlib import Path

from intent.cli.jobs import run
from intent.cli.options import command
from intent.recognise.labels.request import LabelRequest

__all__ = ["label"]


@command(LabelRequest)
def label(request: LabelRequest) -> None:
    """Label every agent of a log with the strategy it played, and say how sure that is."""
    names = str(request.recogniser)
    if "," in names and not Path(names).is_dir():
        from intent.behaviour.agreement import AgreementRequest

        run(AgreementRequest(**vars(request)))
    else:
        run(request.replace(rows=False))
