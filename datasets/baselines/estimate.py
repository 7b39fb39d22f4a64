"""Estimate shares of strategies from choices of people, and write them into `human_shares.json`.

    python datasets/baselines/estimate.py DATA

DATA is a folder with the public files that `STUDIES` names, as their authors published them. Each treatment
is fitted by `intent.sfem` (one tremble, subjects independent) with each set of strategies; shares are kept to
four decimals. Rows of the file that were published by others stay as they are.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

import intent

FILE = Path(__file__).with_name("human_shares.json")
SETS = {"canonical4": None, "df2011": "df2011", "rr20": "rr20"}
"""Set of a baseline -> strategies as `intent.sfem` takes them; None: its default, canonical4 and RANDOM."""


@dataclass(frozen=True)
class Study:
    """Choices of people in a public file.

    Attributes
    ----------
    file : below DATA
    tidy : function of the file's table, gives treatment, player, game, round, action (C, D), other
    treatments : name of a treatment -> its parameters
    """

    file: str
    tidy: Callable[[pd.DataFrame], pd.DataFrame]
    treatments: Mapping[str, Mapping[str, float]]


def of_df2011(choices: pd.DataFrame) -> pd.DataFrame:
    """All choices of the file, which holds the later games of each session."""
    named = {"id": "player", "period": "round", "choice": "action", "other.choice": "other"}
    tidy = choices.rename(columns=named)
    code = tidy["treatment"].str.extract(r"D(?P<delta>\d+)R(?P<R>\d+)")
    delta = code["delta"].str.ljust(2, "0")
    return tidy.assign(
        treatment="d" + delta + "-r" + code["R"],
        action=tidy["action"].str.upper(),
        other=tidy["other"].str.upper(),
    )


def of_rr2018(choices: pd.DataFrame) -> pd.DataFrame:
    """Supergames 31 to 50, of each the first twenty rounds: the part that its authors estimate from."""
    part = choices[choices["supergame"].between(31, 50) & (choices["period"] <= 20)]
    named = {"subject": "player", "supergame": "game", "period": "round", "opponentAction": "other"}
    return part.rename(columns=named).assign(treatment="t" + part["subject"].str[1])


def of_akata2025(choices: pd.DataFrame) -> pd.DataFrame:
    """The Prisoner's Dilemma: the other's move follows from the score, where it is 8, 0, 10 or 5."""
    part = choices[choices["game"] == "PD"]
    other = {(1, 8): "C", (1, 0): "D", (0, 10): "C", (0, 5): "D"}
    pairs = zip(part["action"], part["score"], strict=True)
    return pd.DataFrame(
        {
            "treatment": part["opponent"].map({"Base": "plain", "Prompted": "scot"}),
            "player": part["id"],
            "game": 1,
            "round": part.groupby("id").cumcount() + 1,
            "action": part["action"].map({1: "C", 0: "D"}),
            "other": [other.get(pair) for pair in pairs],
        }
    )


STUDIES = {
    "df2011": Study(
        "df2011/choices.csv.gz",
        of_df2011,
        {f"d{d}-r{r}": {"delta": d / 100, "R": r} for d in (50, 75) for r in (32, 40, 48)},
    ),
    "rr2018": Study(
        "romero_rosokha/choices.csv.gz",
        of_rr2018,
        {"t1": {"delta": 0.95, "treatment": 1}, "t2": {"delta": 0.95, "treatment": 2}},
    ),
    "akata2025": Study(
        "repeatedgames/repgames.csv",
        of_akata2025,
        {"plain": {"rounds": 10, "scot": 0}, "scot": {"rounds": 10, "scot": 1}},
    ),
}


def log_of(study: Study, data: Path) -> intent.GameLog:
    """The choices of a study as a log, with the column treatment."""
    tidy = study.tidy(pd.read_csv(data / study.file))
    columns = ["treatment", "player", "game", "round", "action", "other"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "choices.csv"
        tidy[columns].to_csv(path, index=False)
        return intent.read_log(path, mapping={c: c for c in columns[1:]}, cooperate="C")


def estimates(data: Path) -> Iterator[dict[str, Any]]:
    """A row of the file for every treatment and set, in the order of `STUDIES` and `SETS`."""
    for source, study in STUDIES.items():
        log = log_of(study, data)
        for set_name, strategies in SETS.items():
            fitted = intent.sfem(log, strategies, by="treatment", test=False).to_dict()["groups"]
            groups = {group["group"]["treatment"]: group for group in fitted}
            for name, treatment in study.treatments.items():
                yield _row(f"{source}-{name}:{set_name}", source, treatment, groups[name], study)


def _row(
    name: str, source: str, treatment: Mapping[str, float], group: Mapping[str, Any], study: Study
) -> dict[str, Any]:
    shares = {k: round(share["estimate"], 4) for k, share in group["shares"].items()}
    errors = {k: round(share["se"], 4) for k, share in group["shares"].items() if _known(share["se"])}
    return {
        "name": name,
        "source": source,
        "how": "re-estimated",
        "treatment": dict(treatment),
        "n_subjects": group["n_subjects"],
        "n_choices": group["n_choices"],
        "tremble": round(group["tremble"], 4),
        "strategies": list(shares),
        "shares": shares,
        "se": errors,
        "seen": f"python datasets/baselines/estimate.py DATA, from the choices in {study.file}",
    }


def _known(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def main() -> None:
    """Write the file anew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    content = json.loads(FILE.read_text(encoding="utf-8"))
    rows = [row for row in content["baselines"] if row["how"] == "published"]
    rows += estimates(parser.parse_args().data)
    head = json.dumps(
        {key: value for key, value in content.items() if key != "baselines"}, indent=2, ensure_ascii=False
    )
    lines = ",\n".join(f"    {json.dumps(row, ensure_ascii=False)}" for row in rows)
    FILE.write_text(f'{head[:-2]},\n  "baselines": [\n{lines}\n  ]\n}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
