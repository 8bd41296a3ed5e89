"""Measures how often the functions of a shop's workspace find what is true, decline, or are wrong.

    python -m tests.bench.finding_truths [WORLDS] [NAMES] [PROFILE] [FAMILY ...]

Prints a line for each family and function: calls, right, declined, wrong, and the most calls that one made. Only seeds
that 3 divides are played, which development leaves alone; WORLDS as `dev:20` plays odd ones that it does not, and shows
what was not right.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict

from tests.support.finding_truths import CALLS
from tests.support.shop_findings import judged, opened

VERDICTS = ("right", "declined", "wrong")
SHOWN = 3
"""Calls that were not right, of a family and function, that are shown while developing."""


def seeds(worlds: str) -> list[int]:
    if worlds.startswith("dev:"):
        return [seed for seed in range(1, 20_000, 2) if seed % 3][: int(worlds[4:])]
    return list(range(3, 3 * int(worlds) + 3, 3))


def played(family: str, worlds: str, names: str, profile: str) -> dict[str, Counter[str]]:
    """Return, by function, how many calls of a family's worlds were right, declined and wrong, and the most `calls`."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for seed in seeds(worlds):
        task, environment = opened(family, seed, names=names, profile=profile)
        for call in CALLS[family](task):
            result = judged(environment, call)
            count = counts[call.function]
            count[result.verdict] += 1
            count["calls"] = max(count["calls"], result.calls)
            if result.verdict != "right" and worlds.startswith("dev:") and count[result.verdict] <= SHOWN:
                print(
                    f"  {seed} {task.instruction}\n    {call.function}{dict(call.arguments)}\n    {result}", flush=True
                )
    return counts


def main(worlds: str = "200", names: str = "mixed", profile: str = "prod", *families: str) -> None:
    total: Counter[str] = Counter()
    for family in families or CALLS:
        for function, each in sorted(played(family, worlds, names, profile).items()):
            total.update(each)
            told = "  ".join(f"{each[verdict]:4} {verdict}" for verdict in VERDICTS)
            print(f"{family:22} {function:18} {told}  at most {each['calls']} calls", flush=True)
    print(", ".join(f"{total[verdict]} {verdict}" for verdict in VERDICTS), f"({names}, {profile})")


if __name__ == "__main__":
    main(*sys.argv[1:])
