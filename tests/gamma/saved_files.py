"""Objects as GAMA-Bench saves them, written out by hand or drawn at random."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

META: dict[str, dict[str, Any]] = {
    "guessing": {"min": 0, "max": 100, "ratio": 2 / 3, "ratio_str": "2/3"},
    "bar": {"min": 0, "max": 10, "home": 5, "ratio": 0.6, "ratio_str": "60%", "mode": "implicit"},
    "divide_dollar": {"golds": 100},
    "public_goods": {
        "tokens": 20,
        "ratio": 2,
        "token_initialization": "fixed",
        "reset": True,
        "rand_min": 11,
    },
    "diner": {"cheap_cost": 10, "cheap_utility": 15, "exp_cost": 20, "exp_utility": 20},
    "auction": {"valuation_min": 0, "valuation_max": 200, "interval": 10, "seed": 62, "mode": "highest bid"},
    "battle_royale": {"base_hit_rate": 35, "interval": 5},
    "pirate": {"gold": 100},
}


def saved(game: str, *records: dict[str, Any], n: int = 10, model: str = "m", **meta: Any) -> dict[str, Any]:
    """A saved object of a game, with the default parameters unless `meta` has others."""
    head = {
        "name_exp": game,
        "player_num": n,
        **META[game],
        "round_id": len(records),
        "version": "v1",
        **meta,
    }
    players = [{"model": model, "id": f"player_{i}", "prompt": [], "utility": []} for i in range(n)]
    return {"meta": head, "round_records": list(records), "player_data": players}


def shots(text: str, n: int = 10, lowest: int = 35, step: int = 5) -> list[dict[str, Any]]:
    """Rounds of battle royale: ``0>9`` shoots, ``1>0!`` hits, ``2-`` misses on purpose; players from 0."""
    alive, records = {i: lowest + step * i for i in range(n)}, []
    for word in text.split():
        shooter, _, target = word.rstrip("!-").partition(">")
        records.append(
            {
                "responses": [target or "null"],
                "player_shooting": shooter,
                "initial_players": [[f"player_{i}", rate] for i, rate in alive.items()],
                "shot_player": target or "null",
                "removed_player_info": ["player_0", "player_1"],
                "action": "shoot" if target else "miss",
                "out": word.endswith("!"),
            }
        )
        if word.endswith("!"):
            del alive[int(target)]
    return records


def votes(*rounds: str) -> list[dict[str, Any]]:
    """Rounds of the pirate game: shares and the juniors' votes, as ``98,0,1 ra``."""
    words = {"a": "accept", "r": "reject"}
    return [
        {
            "gold_distribution": [int(x) for x in shares.split(",")],
            "responses": ["accept", *(words[v] for v in cast)],
        }
        for shares, cast in (one.split() for one in rounds)
    ]


@st.composite
def saved_games(draw: st.DrawFn, game: str) -> dict[str, Any]:
    """Any file of a game that upstream could have saved."""
    n, k = draw(st.integers(2, 13)), draw(st.integers(1, 4))
    meta: dict[str, Any] = {}

    def rows(values: st.SearchStrategy[Any]) -> list[list[Any]]:
        return draw(st.lists(st.lists(values, min_size=n, max_size=n), min_size=k, max_size=k))

    if game == "guessing":
        low = draw(st.integers(0, 40))
        meta = {
            "min": low,
            "max": draw(st.integers(low + 1, 100)),
            "ratio": draw(st.sampled_from([0, 0.5, 1, 1.5])),
        }
        records = [{"responses": r, "mean": sum(r) / n} for r in rows(st.integers(0, 100))]
    elif game == "bar":
        meta = {"ratio": draw(st.sampled_from([0.0, 0.2, 0.6, 1.0]))}
        records = [{"responses": r, "go_num": r.count("go")} for r in rows(st.sampled_from(["go", "stay"]))]
    elif game in ("divide_dollar", "public_goods"):
        key = "total_proposal" if game == "divide_dollar" else "total_tokens"
        meta = (
            {"golds": draw(st.integers(1, 800))}
            if game == "divide_dollar"
            else {"ratio": draw(st.integers(0, 20))}
        )
        records = [{"responses": r, key: sum(r)} for r in rows(st.integers(0, 60))]
    elif game == "diner":
        drawn = rows(st.sampled_from(["cheap", "costly"]))
        records = [{"responses": r, "cheap_player": r.count("cheap")} for r in drawn]
    elif game == "auction":
        worth, bids = rows(st.integers(0, 20).map(lambda x: 10 * x)), rows(st.integers(0, 250))
        records = [{"responses": b, "valuations": v} for b, v in zip(bids, worth, strict=True)]
    elif game == "battle_royale":
        records = shots(draw(_shot_texts(n)), n)
    else:
        k = min(k, n - 1)
        gold = draw(st.integers(4, 400))
        meta = {"gold": gold}
        records = []
        for i in range(k):
            cut = sorted(draw(st.lists(st.integers(0, gold), min_size=n - i - 1, max_size=n - i - 1)))
            shares = [b - a for a, b in zip([0, *cut], [*cut, gold], strict=True)]
            cast = draw(st.lists(st.sampled_from("ar"), min_size=n - i - 1, max_size=n - i - 1))
            records += votes(f"{','.join(map(str, shares))} {''.join(cast)}")
    return saved(game, *records, n=n, **meta)


@st.composite
def _shot_texts(draw: st.DrawFn, n: int) -> str:
    alive, words = list(range(n)), []
    for _ in range(draw(st.integers(1, 30))):
        if len(alive) < 2:
            break
        shooter = draw(st.sampled_from(alive))
        target = draw(st.sampled_from([None, *(i for i in alive if i != shooter)]))
        hit = target is not None and draw(st.booleans())
        words.append(f"{shooter}-" if target is None else f"{shooter}>{target}{'!' if hit else ''}")
        if hit:
            alive.remove(target)
    return " ".join(words)
