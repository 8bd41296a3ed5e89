"""Prints what a trial costs beside a bare script that does only what cannot be left out.

    python tests/bench/trial_cost.py [--trials 100] [--rounds 3]     (runs each side three times)
    python tests/bench/trial_cost.py --over-the-wire     (some 31 platform calls a trial)
    python tests/bench/trial_cost.py --memory            (100 trials beside 1,000)
    python tests/bench/trial_cost.py --tools             (the second solver, three native tool calls a turn)

A *trial* is one attempt at a task: here five steps, each with a reply of a model. Three *sides*
play the same trials, ten at a time, against a local model server: "ours" is the control plane;
"floor" and "untyped floor" are scripts which only make the requests, with typed or plain replies.

Each side plays a short and a long run, which cost the same start-up. The cost of a trial is the
difference of their costs, by `--trials`: of CPU and wall time of whole processes and their children.
The servers are processes that are not counted. `tests.bench.trial_phases` prints where the time goes.
"""

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.canned_tool_replies import canned_replies, canned_replies_with_tools
from tests.bench.local_servers import model_server
from tests.bench.sides.compared_sides import (
    CONCURRENT_TRIALS,
    FLOORS,
    RunLengths,
    compare_with_floors,
    our_side,
    print_memory,
)
from tests.bench.sides.cost_sides import Side


def measure_all_sides(options: argparse.Namespace) -> None:
    """Start the servers and compare the sides; or, with `--memory`, print the memory of ours."""
    # With `--tools` the replies are tool calls, which the scripts of the floors do not know.
    our_replies = canned_replies_with_tools() if options.tools else canned_replies()
    with (
        model_server(canned_replies()) as floor_port,
        model_server(our_replies) as our_port,
        ExitStack() as platforms,
    ):
        if options.memory:
            print_memory(Side("ours", our_port))
            return

        # A short run has as many trials at a time as a long one.
        short = max(options.trials // 5, CONCURRENT_TRIALS)
        lengths = RunLengths(short=short, long=short + options.trials)
        ours = our_side(
            our_port,
            lengths,
            tools=options.tools,
            platforms=platforms if options.over_the_wire else None,
        )
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


if __name__ == "__main__":
    measure_all_sides(parsed_options())
