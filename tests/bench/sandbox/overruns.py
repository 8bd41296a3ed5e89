"""Prints how long after its deadline a script without end is stopped, in a sandbox.

    an overrun in a loop       ended after its deadline       4.2 ms  (100)

The goal, in brackets, is 100 ms.
"""

from controlplane.sandbox import ForkServer, Limits
from tests.bench.sandbox.printed_times import median_ms
from tests.sandbox.opened_sandboxes import new_sandbox

ENDLESS_SCRIPTS = {"a loop": "while True: pass", "C code": "sum(range(10 ** 13))"}


DEADLINE_S = 0.5
"""When an endless script is stopped."""


def print_overruns() -> None:
    """Print how long after its deadline a script without end is stopped. The goal is 100 ms."""
    for title, script in ENDLESS_SCRIPTS.items():
        late_ms = step_ms_with_deadline(script) - DEADLINE_S * 1000
        print(
            f"an overrun in {title:<12} ended after its deadline  {late_ms:8.1f} ms  (100)"
        )


def step_ms_with_deadline(script: str) -> float:
    """Return the median time of a script's step, which is ended at its deadline."""
    limits = Limits(step_wall_s=DEADLINE_S)
    with ForkServer() as server, new_sandbox(server, limits=limits) as sandbox:
        sandbox.ready_child()  # so that the first step need not wait for its process
        return median_ms(lambda: sandbox.run(script), 5)
