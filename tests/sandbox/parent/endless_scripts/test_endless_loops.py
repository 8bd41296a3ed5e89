"""A step whose script loops without end is ended at its deadline, and the next step works.

A step is one script. Some scripts catch the exception that ends them, and some run in C, where
Python cannot raise one: `sum(range(10 ** 13))`.
"""

import pytest

from controlplane.sandbox import Ending, Limits


@pytest.mark.parametrize(
    "endless_script",
    [
        pytest.param("while True: pass", id="a loop"),
        pytest.param(
            """
while True:
    try:
        while True: pass
    except BaseException: pass
""",
            id="a loop that catches all exceptions",
        ),
        pytest.param("sum(range(10 ** 13))", id="a sum in C"),
        pytest.param(
            """
x = 7 ** (10 ** 8)
print(len(str(x)))
""",
            id="a power in C",
        ),
        pytest.param(
            """
import re
re.match('(a+)+$', 'a' * 64 + 'b')
""",
            id="a regular expression that backtracks",
        ),
        pytest.param("any(iter(int, 1))", id="an endless iterator"),
        pytest.param(
            """
import itertools
max(itertools.product(range(100), repeat=9))
""",
            id="a product in C",
        ),
        pytest.param(
            """
str(10 ** 4000) * 1
import math
math.factorial(10 ** 7)
""",
            id="digits in C",
        ),
        pytest.param(
            "while True: harness.stat('/docs')", id="endless calls of the harness"
        ),
    ],
)
def test_a_step_is_ended_at_its_deadline_and_the_next_step_works(
    endless_script, open_sandbox
):
    """What the script printed before is kept."""
    sandbox = open_sandbox(limits=Limits(step_wall_s=0.2, step_calls=10**9))

    result = sandbox.run(f"print('began')\nharness.stat('/docs')\n{endless_script}")
    next_result = sandbox.run("print('next')")

    assert result.ending is Ending.LIMIT, result
    assert result.error.startswith("the step ran longer than 0.2 s")
    assert result.output.startswith("began\n")
    assert next_result.output == "next\n"
