"""Prints what a trial costs beside a bare script that does only what cannot be left out.

    python tests/bench/trial_cost.py [--trials 100]
    python tests/bench/trial_cost.py --over-the-wire     (some 31 platform calls a trial)
    python tests/bench/trial_cost.py --memory            (100 trials beside 1,000)
    python tests/bench/trial_cost.py --tools             (the second solver, three native tool calls a turn)

A *trial* is one attempt at a task: here five steps, each with a reply of a model. Three *sides*
play the same trials against a local model server: "ours" is the control plane; "floor" and
"untyped floor" are scripts which only make the requests, with typed or plain replies.
"""

# Ten trials run at a time. CPU and wall time are those of whole processes, children included. Over
# the wire, the platform is our own server, in a process that is not counted.
# `tests.bench.trial_phases` prints where the time goes.

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.canned_replies import canned_replies
from tests.bench.canned_tool_replies import canned_replies_with_tools
from tests.bench.local_servers import model_server, platform_server
from tests.bench.sides.compared_sides import compare_with_floors
from tests.bench.sides.cost_sides import Side
from tests.bench.sides.floors import CONCURRENT_TRIALS, FLOORS
from tests.bench.sides.further_trials import RunLengths


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
