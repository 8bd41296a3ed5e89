"""A step is ended at its deadline, whatever its script does, and the next step works.

The scripts would run for minutes or forever. Some catch the exception that ends a script, and some
run in C, where Python cannot raise one.
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
        pytest.param(
            """
def f(x):
    while True: pass
sorted([1, 2], key=f)
""",
            id="a sort with an endless key function",
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
        pytest.param(
            """
try:
    while True: pass
finally:
    while True: pass
""",
            id="a finally that loops",
        ),
        pytest.param(
            """
class C:
    def __enter__(self): pass
    def __exit__(self, *a):
        while 1: pass
with C(): 1 / 0
""",
            id="the end of a with block that loops",
        ),
        pytest.param(
            """
def g():
    try:
        yield
    finally:
        while True: pass
next(g())
""",
            id="the end of a generator that loops",
        ),
        pytest.param(
            """
class C:
    def __repr__(self):
        while True: pass
print(C())
""",
            id="a repr that loops",
        ),
        pytest.param(
            """
class E(Exception):
    def __str__(self):
        while True: pass
raise E
""",
            id="an exception whose text loops",
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
