"""A script that takes too much memory loses only its own step, and costs the parent process little.

The process of a script may take 64 MB here. The scripts need gigabytes, at once or bit by bit.
"""

import resource

import pytest

from controlplane.sandbox import Ending, Limits

RAISED_FOR_MEMORY = ("MemoryError", "OverflowError", "ValueError")
"""What Python raises if it cannot make a value, depending on its type."""


@pytest.mark.parametrize(
    "greedy_script",
    [
        pytest.param("x = [0] * 10 ** 9", id="a list"),
        pytest.param("x = 'a' * (1 << 33)", id="a string"),
        pytest.param(
            "x = []\nwhile True: x.append('a' * 10 ** 6)", id="a list that grows"
        ),
        pytest.param("x = 'ab'\nwhile True: x += x", id="a string that doubles"),
        pytest.param("x = bytearray(1 << 32)", id="bytes"),
        pytest.param(
            "x = {}\nfor i in range(10 ** 9): x[i] = str(i) * 100", id="a dict"
        ),
        pytest.param("x = 1 << (1 << 40)", id="a shift"),
        pytest.param("x = f'{1:{10 ** 10}}'", id="the width of a format"),
        pytest.param("x = '%*d' % (10 ** 9, 1)", id="the width of a percent format"),
        pytest.param(
            """
import json
x = [1]
for _ in range(60): x = [x, x]
print(len(json.dumps(x)))
""",
            id="JSON of nested lists that repeat each other",
        ),
        pytest.param(
            "import itertools\nx = list(itertools.product(range(200), repeat=4))",
            id="a product",
        ),
    ],
)
def test_a_script_that_takes_too_much_memory_loses_only_its_own_step(
    greedy_script, open_sandbox
):
    """The script gets an exception, or its step is ended, depending on what takes the memory."""
    peak_before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sandbox = open_sandbox(limits=Limits(memory_mb=64, step_wall_s=1.5))

    result = sandbox.run(f"print('began')\n{greedy_script}\n")
    next_result = sandbox.run("print('next')")

    assert result.ending in (Ending.RAISED, Ending.LIMIT, Ending.KILLED), result
    if result.ending is Ending.RAISED:
        assert any(name in result.error for name in RAISED_FOR_MEMORY), result
    assert next_result.output == "next\n"
    peak_after_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert peak_after_kib - peak_before_kib < 64 * 1024
