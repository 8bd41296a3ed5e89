"""A script with values that are nested very deeply, or in themselves, loses its own step and no more.

Code that walks through a list in a list in a list, 100,000 levels deep, recurses once for each
level, until the stack of its process is full. The next script of the trial works.
"""

import pytest

from controlplane.sandbox import Limits
from tests.sandbox.opened_sandboxes import memory_growth_below


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "import json\nx = []\nx.append(x)\njson.dumps(x)",
            id="JSON of a list in itself",
        ),
        pytest.param(
            "x = []\nfor _ in range(10 ** 5): x = [x]\nrepr(x)", id="a nested list"
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
            "x = []\nfor _ in range(500): x = [x]\nscratchpad['x'] = x",
            id="a deep scratchpad",
        ),
        pytest.param(
            "x = []\nx.append(x)\nscratchpad['x'] = x",
            id="a list in itself in the scratchpad",
        ),
        pytest.param("import json\njson.loads('[' * 10 ** 5)", id="a deep JSON text"),
        pytest.param(
            "import re\nre.compile('(' * 5000 + ')' * 5000)",
            id="a deep regular expression",
        ),
        pytest.param(
            "import copy\nx = []\nfor _ in range(10 ** 5): x = [x]\ncopy.deepcopy(x)",
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
