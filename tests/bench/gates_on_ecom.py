"""Prints what share of spoiled reference solutions of the embedded shop the gates catch, by kind of spoiling.

Usage: python tests/bench/gates_on_ecom.py [SEEDS]    (default 3 seeds a task)
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from gates.verdict import Judgement
from tests.benchmarks.ecom.variants import variant_ids
from tests.gates.shop_trials import SPOILERS, family_mistakes, submit


def main(seeds: int) -> None:
    """Judge every reference solution, spoil it in every way, and print the shares."""
    spoiled: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    by_gate: dict[str, Counter[str]] = defaultdict(Counter)
    references = 0

    def count(name: str, judgement: Judgement) -> None:
        spoiled[name] += 1
        caught[name] += not judgement.accepted
        by_gate[name].update(one.key for one in judgement.verdicts if one.result == "reject")

    for variant_id in variant_ids():
        for number in range(seeds):
            seed = f"bench {number}"
            submitted = submit(variant_id, seed)
            reference = submitted.judged()
            references += 1
            if not reference.accepted:
                print(f"REFERENCE REJECTED {variant_id} {seed}: {reference.message}")
            for name, spoil in SPOILERS.items():
                found = spoil(submitted)
                if found is not None:
                    count(name, found)
            for name, mistake in family_mistakes(variant_id, seed).items():
                count(f"mistake: {name}", submit(variant_id, seed, mistake).judged())
    print(f"{references} reference solutions judged")
    for name, number in spoiled.items():
        shares = ", ".join(f"{gate} {hits}" for gate, hits in by_gate[name].most_common(4))
        print(f"{100 * caught[name] / number:6.1f} %  {caught[name]:5} of {number:5}  {name:45} {shares}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
