"""A script that is hard to parse loses its own step and no more.

A careless parser recurses once for each nested or chained part, until its stack is full. That must
not end the process that other steps run in, or cost its parent memory.
"""

import pytest

from controlplane.sandbox import Limits
from tests.sandbox.opened_sandboxes import memory_growth_below


def nested_blocks(head, levels):
    """Return a script of blocks in blocks: `if 1:`, and in it ` if 1:`, down to a `pass`."""
    lines = [" " * level + head for level in range(levels)]
    lines.append(" " * levels + "pass")
    return "\n".join(lines)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("(" * 90_000, id="parentheses"),
        pytest.param("(" * 5_000 + ")" * 5_000, id="balanced parentheses"),
        pytest.param("-" * 50_000 + "1", id="minus signs"),
        pytest.param("[" * 150 + "]" * 150, id="nested lists"),
        pytest.param("x" + ".a" * 50_000, id="a chain of attributes"),
        pytest.param("f" + "()" * 50_000, id="a chain of calls"),
        pytest.param("1" + "+1" * 50_000, id="a long sum"),
        pytest.param("1" + "<1" * 40_000, id="a long comparison"),
        pytest.param("lambda:" * 10_000 + "0", id="nested lambdas"),
        pytest.param(nested_blocks("if 1:", 95), id="nested ifs"),
        pytest.param(nested_blocks("def f():", 98), id="nested functions"),
        pytest.param("x = " + "9" * 100_000, id="a huge number"),
        pytest.param(
            "x = (1 << 1000000) * 3", id="a power that the compiler would compute"
        ),
        pytest.param("f'{" * 50 + "1" + "}'" * 50, id="nested f-strings"),
        pytest.param("@x\n" * 50_000 + "def f(): pass", id="decorators"),
        pytest.param(
            "'" + "\\N{LATIN SMALL LETTER A}" * 7_000 + "'", id="unicode escapes"
        ),
        pytest.param("x = 1\x00", id="null characters"),
        pytest.param("x = '\ud800'", id="a lone surrogate"),
        pytest.param("if 1:\n\tx=1\n        y=1", id="mixed tabs"),
        pytest.param("x.__y__\n" * 20_000, id="many forbidden attributes"),
    ],
)
def test_a_script_that_is_hard_to_parse_loses_only_its_own_step(script, open_sandbox):
    with memory_growth_below(max_mib=64):
        sandbox = open_sandbox(limits=Limits(step_wall_s=2))

        result = sandbox.run(script)

        # The script may end as it likes, but its error is short, and the next step works.
        assert len(result.error) < 100_000
        assert sandbox.run("print('next')").output == "next\n"
