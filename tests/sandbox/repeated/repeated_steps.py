"""The result of a script that runs again and again as the fourth step of a trial.

result_of_step_4("print(1)", server).output   # "1\\n"
"""

from typing import NamedTuple

from controlplane.sandbox import ForkServer
from tests.sandbox.opened_sandboxes import new_sandbox


class Result(NamedTuple):
    """All of the result of a step but the time it took."""

    output: str
    error: str
    ending: str
    scratchpad: object


NOISY_STEP = """
import re, json, random, decimal, sys
xs = [object() for _ in range(5000)]
re.compile('a+b')
random.seed(5)
decimal.getcontext().prec = 5
sys.setrecursionlimit(500)
class A: pass
print({A() for _ in range(50)}, [A()] * 3)
1 / 0
"""
"""A script that changes memory, caches, random state and settings of its process."""


def result_of_step_4(
    script: str, server: ForkServer, *, after_noisy_steps: bool = False
) -> Result:
    """Run a script as step 4 of a trial with the seed 7, in a new process of a server.

    The steps 1 to 3 are left out or, with `after_noisy_steps`, are each a `NOISY_STEP`.
    """
    with new_sandbox(server, seed=7) as sandbox:
        if after_noisy_steps:
            for earlier_step in (1, 2, 3):
                sandbox.run(NOISY_STEP, step=earlier_step)
        result = sandbox.run(script, step=4)
    return Result(result.output, result.error, result.ending, result.scratchpad)
