"""Measures trials in containers: their cost beside plain podman, and what is left after kills.

    python -m tests.bench.container_trials                 overhead, eight side by side, memory
    python -m tests.bench.container_trials --kills 100     100 trials, killed at random and resumed

A *trial* is one attempt at a task. Tasks of the benchmark `harbor:DIR` are played in a container
each, here by their own solutions. It needs podman, runc and busybox, and the rights of root.
"""

from __future__ import annotations

import argparse
import sys

from tests.bench.containers.trial_costs import (
    TASKS_IN_FOLDER,
    measured_run,
    print_cost_beside_podman,
    print_cost_of_concurrency,
    print_kills,
)
from tests.benchmarks.harbor.base_image import missing_reason


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--kills", type=int, default=0, help="trials of the run that is killed"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    reason = missing_reason()
    if reason:
        sys.exit(f"no containers here: {reason}")
    if options.kills:
        print_kills(options.kills, options.seed)
        return
    # The first run builds all images, which takes long and is not measured.
    measured_run("--concurrency", str(TASKS_IN_FOLDER))
    print_cost_beside_podman(options.rounds)
    print_cost_of_concurrency(options.rounds)


if __name__ == "__main__":
    main()
