"""A script that recurses without end, or builds very deep values, loses its own step and no more.

Code that walks through a list in a list in a list, 100,000 levels deep, recurses once for each level,
until its stack is full.
"""

import pytest

from controlplane.sandbox import Limits
from tests.sandbox.opened_sandboxes import memory_growth_below


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            """
def f(): f()
f()
""",
            id="a function",
        ),
        pytest.param(
            """
class C:
    def __repr__(self): return repr(self)
repr(C())
""",
            id="a repr",
        ),
        pytest.param(
            """
class C:
    def __getattr__(self, n): return getattr(self, n)
C().x
""",
            id="a getattr",
        ),
        pytest.param(
            """
import json
x = []
x.append(x)
json.dumps(x)
""",
            id="JSON of a list in itself",
        ),
        pytest.param(
            """
x = []
for _ in range(10 ** 5): x = [x]
repr(x)
""",
            id="a nested list",
        ),
        pytest.param(
            """
x = []
for _ in range(10 ** 5): x = [x]
y = []
for _ in range(10 ** 5): y = [y]
x == y
""",
            id="deep equality",
        ),
        pytest.param(
            """
x = []
for _ in range(500): x = [x]
scratchpad['x'] = x
""",
            id="a deep scratchpad",
        ),
        pytest.param(
            """
x = []
x.append(x)
scratchpad['x'] = x
""",
            id="a list in itself in the scratchpad",
        ),
        pytest.param(
            """
import sys
sys.setrecursionlimit(10 ** 9)
def f(): f()
f()
""",
            id="a raised limit",
        ),
        pytest.param(
            """
import json
json.loads('[' * 10 ** 5)
""",
            id="a deep JSON text",
        ),
        pytest.param(
            """
import re
re.compile('(' * 5000 + ')' * 5000)
""",
            id="a deep regular expression",
        ),
        pytest.param(
            """
def g(n):
    yield from g(n + 1)
list(g(0))
""",
            id="deep generators",
        ),
        pytest.param(
            """
C = object
for _ in range(3000):
    class C(C): pass
C()
""",
            id="a class chain",
        ),
        pytest.param(
            """
class C:
    def __format__(self, s): return format(self, s)
f'{C()}'
""",
            id="a format",
        ),
        pytest.param(
            """
import copy
x = []
for _ in range(10 ** 5): x = [x]
copy.deepcopy(x)
""",
            id="a deep copy",
        ),
    ],
)
def test_a_script_that_recurses_without_end_loses_only_its_own_step(
    script, open_sandbox
):
    with memory_growth_below(max_mib=64):
        sandbox = open_sandbox(limits=Limits(step_wall_s=2))

        result = sandbox.run(script)

        # The script may end as it likes, but its error is short, and the next step works.
        assert len(result.error) < 100_000
        assert sandbox.run("print('next')").output == "next\n"
