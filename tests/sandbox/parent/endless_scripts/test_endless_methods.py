"""A step is ended at its deadline, even in a method that loops without end. The next step works.

A step is one script. Python runs some of its code without a call in the script: the method
`__repr__` when an object is printed, the end of a `with` block even after an error.
"""

import pytest

from controlplane.sandbox import Ending, Limits


@pytest.mark.parametrize(
    "endless_script",
    [
        pytest.param(
            "def f(x):\n    while True: pass\nsorted([1, 2], key=f)",
            id="a sort with an endless key function",
        ),
        pytest.param(
            "try:\n    while True: pass\nfinally:\n    while True: pass",
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
            "class C:\n    def __repr__(self):\n        while True: pass\nprint(C())",
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
    sandbox = open_sandbox(limits=Limits(step_wall_s=0.2))

    # With its first call, the script sends what it has printed to the parent process.
    result = sandbox.run(f"print('began')\nharness.stat('/docs')\n{endless_script}")
    next_result = sandbox.run("print('next')")

    assert result.ending is Ending.LIMIT, result
    assert result.error.startswith("the step ran longer than 0.2 s")
    assert result.output.startswith("began\n")
    assert next_result.output == "next\n"
