"""What the second solver's preflight closes on the embedded benchmark, and how much of it is right. Run it by hand:

    python -m tests.bench.exoskeleton_parts [--seeds 1,2] [--names mixed] [--wordings unseen]
        [--classifier right|mute|wrong] [--without P] [--first-step] [--faults]

The main model is a script that only completes with what the toolkit found. `--without` names parts to switch off;
with `--first-step` nothing is played behind the preflight, which is four times as fast. SEEDS may be ranges: 1-50.
With `--faults` that script makes one fault of `tests.support.honest_faults` in every trial; scores are told by fault.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import replace
from typing import Any

from agent.exoskeleton import Part
from benchmarks.ecom.identifiers import TrialId
from benchmarks.ecom.tasks.posing import pose_task, task_ids
from benchmarks.ecom.world.profiles import PLAYED
from tests.support.honest_faults import FAULTS, fault_of
from tests.support.shop_players import Played, play


def all_played(
    seeds: list[int],
    names: str = PLAYED.names,
    wordings: str = PLAYED.wordings,
    limit: int | None = None,
    **options: Any,
) -> list[Played]:
    """Play a default run of each seed, or its first tasks; `options` are those of `play`."""
    found = []
    settings = replace(PLAYED, names=names, wordings=wordings)
    for seed in seeds:
        for task_id in task_ids()[:limit]:
            key = TrialId(task_id, 0, seed, settings.profile, "t").world_seed
            family = task_id.rpartition(".")[0]
            found.append(play(family, pose_task(task_id, key, settings), key, **options))
    return found


def seeds_of(text: str) -> range:
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main(options: argparse.Namespace) -> None:
    parts = frozenset(Part) - frozenset(filter(None, options.without.split(",")))
    seeds = [seed for each in options.seeds.split(",") for seed in seeds_of(each)]
    trials = all_played(
        seeds,
        options.names,
        options.wordings,
        classifier=options.classifier,
        parts=parts,
        first_step_alone=options.first_step,
        with_faults=options.faults,
    )
    closed = [each for each in trials if each.closed_by]
    wrong = [each for each in closed if each.score < 1]
    refused = [each for each in wrong if each.truth != "OUTCOME_DENIED_SECURITY" and each.closed_by == "refuse_request"]
    for each in [*wrong, *(one for one in trials if one.is_changed)][: options.show]:
        print(f"- {each.family} [{each.closed_by or 'open'}] {each.instruction[:160]!r}")
        print(f"    {each.details} {each.sent_back}")
    mean = sum(each.score for each in trials) / len(trials)
    right = sum(each.score for each in closed) / (len(closed) or 1)
    worlds = f"names {options.names}, wordings {options.wordings}"
    print(f"{len(trials)} trials, {options.classifier} classifier, {worlds}, without {options.without}")
    print(f"closed {len(closed)} ({len(closed) / len(trials):.1%}), right {right:.2%}, false refusals {len(refused)}")
    print(f"mean score of all trials {mean:.4f}")
    print(dict(Counter(each.closed_by for each in closed)), dict(Counter(each.family for each in closed)))
    for fault in FAULTS if options.faults else ():
        scores = [each.score for each in trials if fault_of(each.instruction) == fault]
        print(f"  {fault:<24}{len(scores):>5}{sum(scores) / len(scores):>8.3f}")
    for name in sorted({each.family for each in trials}):
        scores = [each.score for each in trials if each.family == name]
        print(f"  {name:<24}{len(scores):>5}{sum(scores) / len(scores):>8.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", default="1,2,5")
    parser.add_argument("--names", default=PLAYED.names)
    parser.add_argument("--wordings", default=PLAYED.wordings)
    parser.add_argument("--classifier", default="right", choices=["right", "mute", "wrong"])
    parser.add_argument("--without", default="")
    parser.add_argument("--first-step", action="store_true")
    parser.add_argument("--faults", action="store_true")
    parser.add_argument("--show", type=int, default=20)
    main(parser.parse_args())
