"""How good the data are: moves that are no replies, rows that could not be read, games that have no "
"labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from intent.logs.gamelog import GameLog
    from intent.report.document import Block, Section
    from intent.workflows.report.material import Material

__all__ = ["quality_section"]

_SHOWN = 20
"""Rejected rows that are listed, and models."""


def quality_section(material: Material, notes: list[str]) -> tuple[Section, list[str]]:
    """Moves by status and model, skipped games, rejects.

    Parameters
    ----------
    material : Material
    notes : list of str
        What is said on the data elsewhere, such as copies of one game.

    Returns
    -------
    section : Section
    findings : list of str
    """
    from intent.report.document import Listing, Section, Words

    log = material.log
    if log is None:
        blocks: list[Block] = [Words("Only labels are here; moves, replies and rejected rows are not known.")]
        blocks += [Listing(tuple(notes), "caution")] if notes else []
        return Section("quality", "Data quality", tuple(blocks)), []
    blocks, findings = _moves(log)
    skipped = log.skipped()
    if skipped:
        told = "; ".join(f"{n:,} games: {why}" for why, n in skipped.items())
        names = log.games.loc[~log.has_cooperation(), "game"].dropna().unique()
        which = f" ({', '.join(map(str, names[:6]))})" if len(names) else ""
        text = f"Games without labels{which}: {told}. They are counted here and nowhere else in this report."
        blocks.append(Words(text))
        why = told if len(skipped) > 1 else next(iter(skipped))
        findings.append(f"{sum(skipped.values()):,} of {len(log):,} games have no strategy labels ({why}).")
    blocks += _rejects(log)
    kept = [*map(str, log.provenance.get("notes") or ()), *notes]
    if kept:
        blocks.append(Listing(tuple(kept), "caution"))
    return Section("quality", "Data quality", tuple(blocks)), findings


def _moves(log: GameLog) -> tuple[list[Block], list[str]]:
    from intent.report.document import Words, grid

    status = log.moves["status"].astype(str)
    bad = {s: int((status == s).sum()) for s in ("defaulted", "missing")}
    n = len(status)
    told = " and ".join(f"{k:,} ({k / max(n, 1):.1%}) {s}" for s, k in bad.items() if k)
    if told:
        text = f"Of {n:,} moves {told}: what replaced an unreadable reply, or is absent, is no evidence."
        findings = [f"Data quality: of {n:,} moves {told}."]
    else:
        text = f"All {n:,} moves were read; none was missing, none replaced by a default."
        findings = []
    blocks: list[Block] = [Words(text)]
    if told and log.seats["model"].notna().any():
        seats = log.seats[["game_id", "seat", "model"]].astype({"game_id": str})
        moves = log.moves[["game_id", "seat"]].astype({"game_id": str}).assign(status=status)
        joined = moves.merge(seats, on=["game_id", "seat"])
        counts = (
            joined.groupby(joined["model"].fillna("(none)"))["status"].value_counts().unstack(fill_value=0)
        )
        rows = [
            (str(model), int(row.sum()), *(float(row.get(s, 0) / row.sum()) for s in bad))
            for model, row in counts.head(_SHOWN).iterrows()
        ]
        header = ("model", "moves", "share defaulted", "share missing")
        blocks.append(grid("Moves that are no reply of the model, by model", header, rows))
    return blocks, findings


def _rejects(log: GameLog) -> list[Block]:
    from intent.report.document import Words, grid

    n = len(log.rejects)
    if not n:
        return [Words("No row of the source was rejected.")]
    reasons = log.rejects["reason"].astype(str).value_counts()
    return [
        Words(f"{n:,} rows of the source could not be read; intent validate lists them all."),
        grid(
            "Why rows were rejected",
            ("reason", "rows"),
            [(str(reason)[:300], int(k)) for reason, k in reasons.head(_SHOWN).items()],
        ),
    ]
