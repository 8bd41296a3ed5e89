"""A script of calls without end, or of a long chain of classes, loses its own step and no more.

`def f(): f()` recurses until the stack of its process is full. In a chain, each class derives from
the one before. The error is short, and the next script of the trial works.
"""

import pytest

from controlplane.sandbox import Limits
from tests.sandbox.opened_sandboxes import memory_growth_below


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("def f(): f()\nf()", id="a function"),
        pytest.param(
            "class C:\n    def __repr__(self): return repr(self)\nrepr(C())",
            id="a repr",
        ),
        pytest.param(
            "class C:\n    def __getattr__(self, n): return getattr(self, n)\nC().x",
            id="a getattr",
        ),
        pytest.param(
            "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()",
            id="a raised limit",
        ),
        pytest.param(
            "def g(n):\n    yield from g(n + 1)\nlist(g(0))", id="deep generators"
        ),
        pytest.param(
            "C = object\nfor _ in range(1000):\n    class C(C): pass\nC()",
            id="a chain of 1,000 classes",
        ),
        pytest.param(
            "C = object\nwhile True:\n    class C(C): pass",
            id="an endless chain of classes",
            marks=pytest.mark.heavy,  # It takes its whole time.
        ),
        pytest.param(
            "class C:\n    def __format__(self, s): return format(self, s)\nf'{C()}'",
            id="a format",
        ),
    ],
)
def test_a_script_of_deep_calls_or_classes_loses_only_its_own_step(
    script, open_sandbox
):
    with memory_growth_below(max_mib=64):
        sandbox = open_sandbox(limits=Limits(step_wall_s=2))

        result = sandbox.run(script)

        # The script may end as it likes, but its error is short, and the next step works.
        assert len(result.error) < 100_000
        assert sandbox.run("print('next')").output == "next\n"
