"""Scripts that are nested, chained or recursive beyond all measure lose their own step and no more.

A careless parser, or code that walks through nested values, recurses once for each level until its
stack is full. That must not end the process that other steps run in, or cost its parent memory.
"""

import pytest

from controlplane.sandbox import Limits
from tests.sandbox.opened_sandboxes import memory_growth_below

PARENT_GROWTH_MIB = 64
"""How much memory a script may cost the parent process at most."""


def check_step_costs_nothing_else(open_sandbox, code):
    """Run a script, which may end as it likes; only its own step may be lost.

    Its error must be short, the parent process must not grow, and the next step must work.
    """
    with memory_growth_below(PARENT_GROWTH_MIB):
        sandbox = open_sandbox(limits=Limits(step_wall_s=2))
        result = sandbox.run(code)

        assert len(result.error) < 100_000
        assert sandbox.run("print('next')").output == "next\n"


def nested_blocks(head, levels):
    """Return a script of blocks in blocks: `if 1:`, and in it ` if 1:`, down to a `pass`."""
    lines = [" " * level + head for level in range(levels)]
    lines.append(" " * levels + "pass")
    return "\n".join(lines)


PARSER_BOMBS = {
    "parentheses": "(" * 90_000,
    "balanced parentheses": "(" * 5_000 + ")" * 5_000,
    "minus signs": "-" * 50_000 + "1",
    "nested lists": "[" * 150 + "]" * 150,
    "a chain of attributes": "x" + ".a" * 50_000,
    "a chain of calls": "f" + "()" * 50_000,
    "a long sum": "1" + "+1" * 50_000,
    "a long comparison": "1" + "<1" * 40_000,
    "nested lambdas": "lambda:" * 10_000 + "0",
    "nested ifs": nested_blocks("if 1:", 95),
    "nested functions": nested_blocks("def f():", 98),
    "a huge number": "x = " + "9" * 100_000,
    "a power that the compiler would compute": "x = (1 << 1000000) * 3",
    "nested f-strings": "f'{" * 50 + "1" + "}'" * 50,
    "decorators": "@x\n" * 50_000 + "def f(): pass",
    "unicode escapes": "'" + "\\N{LATIN SMALL LETTER A}" * 7_000 + "'",
    "null characters": "x = 1\x00",
    "a lone surrogate": "x = '\ud800'",
    "mixed tabs": "if 1:\n\tx=1\n        y=1",
    "many forbidden attributes": "x.__y__\n" * 20_000,
}
"""Scripts that are hard to parse or to compile: deep, long, or with characters that Python refuses.

A careless parser recurses once for each of the nested or chained parts, until its stack is full.
"""


class TestScriptsThatAreHardToParse:
    """A script that is deep, long or full of odd characters loses only its step.

    A careless parser recurses once for each nested or chained part, until its stack is full.
    """

    @pytest.mark.parametrize("title", PARSER_BOMBS)
    def test_a_script_that_is_hard_to_parse_loses_only_its_own_step(
        self, title, open_sandbox
    ):
        check_step_costs_nothing_else(open_sandbox, PARSER_BOMBS[title])


RECURSIONS = {
    "a function": "def f(): f()\nf()",
    "a repr": "class C:\n    def __repr__(self): return repr(self)\nrepr(C())",
    "a getattr": (
        "class C:\n    def __getattr__(self, n): return getattr(self, n)\nC().x"
    ),
    "JSON of a list in itself": "import json\nx = []\nx.append(x)\njson.dumps(x)",
    "a nested list": "x = []\nfor _ in range(10 ** 5): x = [x]\nrepr(x)",
    "deep equality": (
        "x = []\n"
        "for _ in range(10 ** 5): x = [x]\n"
        "y = []\n"
        "for _ in range(10 ** 5): y = [y]\n"
        "x == y"
    ),
    "a deep scratchpad": "x = []\nfor _ in range(500): x = [x]\nscratchpad['x'] = x",
    "a list in itself in the scratchpad": "x = []\nx.append(x)\nscratchpad['x'] = x",
    "a raised limit": (
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(): f()\nf()"
    ),
    "a deep JSON text": "import json\njson.loads('[' * 10 ** 5)",
    "a deep regular expression": "import re\nre.compile('(' * 5000 + ')' * 5000)",
    "deep generators": "def g(n):\n    yield from g(n + 1)\nlist(g(0))",
    "a class chain": (
        "C = object\nfor _ in range(3000):\n    class C(C): pass\nC()"
    ),
    "a format": (
        "class C:\n    def __format__(self, s): return format(self, s)\nf'{C()}'"
    ),
    "a deep copy": (
        "import copy\nx = []\nfor _ in range(10 ** 5): x = [x]\ncopy.deepcopy(x)"
    ),
}  # fmt: skip
"""Scripts that recurse, or build values so deep that walking through them recurses."""


class TestRecursions:
    """A script that recurses without end, or builds very deep values, loses only its step.

    To walk through a list in a list in a list, 100,000 levels deep, recurses, too.
    """

    @pytest.mark.parametrize("title", RECURSIONS)
    def test_a_script_that_recurses_without_end_loses_only_its_own_step(
        self, title, open_sandbox
    ):
        check_step_costs_nothing_else(open_sandbox, RECURSIONS[title])
