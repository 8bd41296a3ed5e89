"""Prints how fast and how small the sandbox is, which runs untrusted scripts of models.

    python tests/bench/sandbox_speed.py [--rounds 300] [--table]

A *fork server* forks a child process for each sandbox, in which a trial's scripts run one by one:
each is a *step*. This prints median times with all layers of isolation, beside that of a fresh
`python` process. `--table` runs the corpus of attacks instead, if the kernel layer works here.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.bench.attack_table import print_table
from tests.bench.sandbox.step_times import (
    print_cpu_of_a_call,
    print_first_step,
    print_further_steps,
    print_memory,
    print_overruns,
    print_plain_python,
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=300)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    if options.table:
        print_table()
        return
    print("medians; in brackets the goals")
    print_first_step(options.rounds)
    print_further_steps(options.rounds)
    print_cpu_of_a_call(options.rounds)
    print_plain_python(options.rounds)
    print_overruns()
    print_memory()


if __name__ == "__main__":
    main()
