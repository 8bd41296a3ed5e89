"""Prints what a trial costs beside a bare script that does only what cannot be left out.

    python tests/bench/trial_cost.py [--trials 100]
    python tests/bench/trial_cost.py --over-the-wire     (some 31 platform calls a trial)
    python tests/bench/trial_cost.py --memory            (100 trials beside 1,000)
    python tests/bench/trial_cost.py --tools             (the second solver, three native tool calls a turn)

A *trial* is one attempt at a task: here five steps, each with a reply of a model. Three *sides*
play the same trials against a local model server: "ours" is the control plane; "floor" and
"untyped floor" are scripts which only make the requests, with typed or plain replies.
"""

# How it is measured: ten trials run at a time. CPU and wall time are those of whole processes,
# children included. Start-up is taken out by the difference of a short and a long run. Over the
# wire, the platform is our own server, in a process that is not counted.
# `tests.bench.trial_phases` prints where the time goes.

import argparse
import statistics
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.local_servers import (
    canned_replies,
    canned_replies_with_tools,
    model_server,
    platform_server,
)
from tests.bench.sides.cost_sides import Side
from tests.bench.sides.trial_sides import CONCURRENT_TRIALS, FLOORS


class TrialCost(NamedTuple):
    """What one trial costs, without the start of the process."""

    cpu_ms: float
    wall_ms: float


@dataclass(frozen=True)
class RunLengths:
    """The numbers of trials of a short and a long run. Both cost the same start-up.

    So the difference of their costs is that of the further trials alone.
    """

    short: int
    long: int

    @property
    def further_trials(self) -> int:
        return self.long - self.short


def measure_trial(side: Side, lengths: RunLengths) -> TrialCost:
    """Play a short and a long run; print and return what each of the further trials costs."""
    short_run = side.play(lengths.short)
    long_run = side.play(lengths.long)
    cpu_s = long_run.cpu_s - short_run.cpu_s
    wall_s = long_run.wall_s - short_run.wall_s
    cost = TrialCost(
        cpu_ms=cpu_s / lengths.further_trials * 1000,
        wall_ms=wall_s / lengths.further_trials * 1000,
    )
    print(
        f"{side.name:>13}: {cost.cpu_ms:6.2f} ms CPU and {cost.wall_ms:6.2f} ms wall a trial; "
        f"PSS {long_run.peak_pss_mb:5.1f} MiB"
    )
    return cost


class CostRatio(NamedTuple):
    """How many times as much as a bare script our trial costs."""

    cpu: float
    wall: float

    def __str__(self) -> str:
        return f"{self.cpu:.2f} CPU, {self.wall:.2f} wall"


def compare_with_floors(
    ours: Side, floors: Sequence[Side], lengths: RunLengths, rounds: int
) -> None:
    """Print what a trial costs each side, and how many times as much ours as each bare script.

    All sides are measured in each round, so that the load of the machine is the same for all.
    """
    ratios_by_floor: dict[str, list[CostRatio]] = {floor.name: [] for floor in floors}
    for _ in range(rounds):
        floor_costs = {floor.name: measure_trial(floor, lengths) for floor in floors}
        our_cost = measure_trial(ours, lengths)
        for name, floor_cost in floor_costs.items():
            ratio = CostRatio(
                cpu=our_cost.cpu_ms / floor_cost.cpu_ms,
                wall=our_cost.wall_ms / floor_cost.wall_ms,
            )
            ratios_by_floor[name].append(ratio)
            heading = f"ratio to {name}"
            print(f"{heading:>24}: {ratio}")

    for name, ratios in ratios_by_floor.items():
        median_ratio = CostRatio(
            cpu=statistics.median(ratio.cpu for ratio in ratios),
            wall=statistics.median(ratio.wall for ratio in ratios),
        )
        print(f"median ratio to the {name} over {rounds} rounds: {median_ratio}")


def print_memory(ours: Side) -> None:
    """Print the highest proportional memory of 100 and of 1,000 trials, and their ratio."""
    few_mb = ours.play(100).peak_pss_mb
    many_mb = ours.play(1000).peak_pss_mb
    print(
        f"PSS of all processes: 100 trials {few_mb:.1f} MiB, "
        f"1,000 trials {many_mb:.1f} MiB, ratio {many_mb / few_mb:.2f}"
    )


def measure_all_sides(options: argparse.Namespace) -> None:
    """Start the servers and compare the sides; or, with `--memory`, print the memory of ours."""
    our_replies = canned_replies_with_tools() if options.tools else canned_replies()
    with (
        model_server(canned_replies()) as floor_port,
        model_server(our_replies) as our_port,
        ExitStack() as platforms,
    ):
        if options.memory:
            print_memory(Side("ours", our_port))
            return

        short = max(options.trials // 5, CONCURRENT_TRIALS)
        lengths = RunLengths(short=short, long=short + options.trials)
        our_flags: dict[int, list[str]] = {}
        for trials in (lengths.short, lengths.long):
            our_flags[trials] = []
            if options.tools:
                our_flags[trials] += ["--agent", "exoskeleton"]
            if options.over_the_wire:
                url = platforms.enter_context(platform_server(trials))
                our_flags[trials] += ["--platform", url]

        ours = Side("ours", our_port, our_flags)
        floors = [Side(name, floor_port) for name in FLOORS]
        compare_with_floors(ours, floors, lengths, options.rounds)


def parsed_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--over-the-wire", action="store_true")
    parser.add_argument("--tools", action="store_true")
    return parser.parse_args()


def main() -> None:
    measure_all_sides(parsed_options())


if __name__ == "__main__":
    main()
