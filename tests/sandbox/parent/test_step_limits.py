"""Limits of a step: of its time, CPU, memory and calls, and of what it keeps and how it is nested.

A script beyond a limit loses its own step and nothing else: its error says which limit it was,
the parent process does not grow, and the next step of the same sandbox works.
"""

import pytest

from controlplane.sandbox import Ending, Limits
from tests.sandbox.opened_sandboxes import memory_growth_below


def check_next_step_works(sandbox):
    """Assert that the sandbox runs a further script, whatever the one before has done."""
    assert sandbox.run("print('next')").output == "next\n"


ENDLESS_SCRIPTS = {
    "a loop": "while True: pass",
    "a loop that catches all exceptions": (
        "while True:\n"
        "    try:\n"
        "        while True: pass\n"
        "    except BaseException: pass"
    ),
    "a sum in C": "sum(range(10 ** 13))",
    "a power in C": "x = 7 ** (10 ** 8)\nprint(len(str(x)))",
    "a regular expression that backtracks": (
        "import re\nre.match('(a+)+$', 'a' * 64 + 'b')"
    ),
    "a sort with an endless key function": (
        "def f(x):\n    while True: pass\nsorted([1, 2], key=f)"
    ),
    "an endless iterator": "any(iter(int, 1))",
    "a product in C": "import itertools\nmax(itertools.product(range(100), repeat=9))",
    "digits in C": "str(10 ** 4000) * 1\nimport math\nmath.factorial(10 ** 7)",
    "endless calls of the harness": "while True: harness.stat('/docs')",
    "a finally that loops": (
        "try:\n"
        "    while True: pass\n"
        "finally:\n"
        "    while True: pass"
    ),
    "the end of a with block that loops": (
        "class C:\n"
        "    def __enter__(self): pass\n"
        "    def __exit__(self, *a):\n"
        "        while 1: pass\n"
        "with C(): 1 / 0"
    ),
    "the end of a generator that loops": (
        "def g():\n"
        "    try:\n"
        "        yield\n"
        "    finally:\n"
        "        while True: pass\n"
        "next(g())"
    ),
    "a repr that loops": (
        "class C:\n"
        "    def __repr__(self):\n"
        "        while True: pass\n"
        "print(C())"
    ),
    "an exception whose text loops": (
        "class E(Exception):\n"
        "    def __str__(self):\n"
        "        while True: pass\n"
        "raise E"
    ),
}  # fmt: skip
"""Scripts that would run for minutes or forever, and some that resist being stopped."""


@pytest.mark.parametrize("title", ENDLESS_SCRIPTS)
def test_a_step_is_ended_at_its_deadline_and_the_next_step_works(title, open_sandbox):
    """The script prints, makes a call, and then never ends. What it printed is kept."""
    sandbox = open_sandbox(limits=Limits(step_wall_s=0.2, step_calls=10**9))

    result = sandbox.run(
        f"print('began')\nharness.stat('/docs')\n{ENDLESS_SCRIPTS[title]}"
    )

    assert result.ending is Ending.LIMIT, result
    assert result.error.startswith("the step ran longer than 0.2 s")
    assert result.output.startswith("began\n")
    check_next_step_works(sandbox)


def test_the_error_of_a_step_without_cpu_left_says_how_to_bound_a_search(open_sandbox):
    """A script cannot watch a clock, because the clocks of scripts stand still."""
    sandbox = open_sandbox(limits=Limits(step_cpu_s=0.2))

    result = sandbox.run("while True: pass")

    assert result.error == (
        "the step used more than 0.2 s of CPU; "
        "clocks stand still in scripts, so bound a search by its rounds"
    )


def test_the_cpu_of_a_long_computation_in_c_is_limited_as_well(open_sandbox):
    """Python runs no code between two bytecodes, so nothing in Python could stop this `sum`."""
    sandbox = open_sandbox(limits=Limits(step_cpu_s=0.2))

    result = sandbox.run("sum(range(10 ** 13))")

    assert result.error.startswith("the step used more than 0.2 s of CPU")


def test_the_cpu_of_all_steps_of_a_trial_is_limited_together(open_sandbox):
    """Each of the six steps may use 0.3 s, and all together 0.5 s. Each runs in a child process of
    its own, because the one before was ended."""
    sandbox = open_sandbox(limits=Limits(step_cpu_s=0.3, trial_cpu_s=0.5))

    results = [sandbox.run("while True: pass") for _ in range(6)]

    for result in results:
        assert result.ending is Ending.LIMIT
    assert results[-1].error == "the trial used more than 0.5 s of CPU"


MEMORY_EATERS = {
    "a list": "x = [0] * 10 ** 9",
    "a string": "x = 'a' * (1 << 33)",
    "a list that grows": "x = []\nwhile True: x.append('a' * 10 ** 6)",
    "a string that doubles": "x = 'ab'\nwhile True: x += x",
    "bytes": "x = bytearray(1 << 32)",
    "a dict": "x = {}\nfor i in range(10 ** 9): x[i] = str(i) * 100",
    "a shift": "x = 1 << (1 << 40)",
    "the width of a format": "x = f'{1:{10 ** 10}}'",
    "the width of a percent format": "x = '%*d' % (10 ** 9, 1)",
    "JSON of nested lists that repeat each other": (
        "import json\n"
        "x = [1]\n"
        "for _ in range(60): x = [x, x]\n"
        "print(len(json.dumps(x)))"
    ),
    "a product": "import itertools\nx = list(itertools.product(range(200), repeat=4))",
}  # fmt: skip
"""Scripts that need gigabytes, at once or bit by bit."""

PARENT_GROWTH_MIB = 64
"""How much memory a script may cost the parent process at most."""


@pytest.mark.parametrize("title", MEMORY_EATERS)
def test_a_script_that_takes_too_much_memory_loses_only_its_own_step(
    title, open_sandbox
):
    """The script gets an exception, or its step is ended, depending on what takes the memory."""
    with memory_growth_below(PARENT_GROWTH_MIB):
        sandbox = open_sandbox(limits=Limits(memory_mb=64, step_wall_s=1.5))

        result = sandbox.run(f"print('began')\n{MEMORY_EATERS[title]}\n")

        assert result.ending in (Ending.RAISED, Ending.LIMIT, Ending.KILLED), result
        if result.ending is Ending.RAISED:
            names = ("MemoryError", "OverflowError", "ValueError")
            assert any(name in result.error for name in names), result
        check_next_step_works(sandbox)


def test_a_step_makes_at_most_the_allowed_number_of_calls(open_sandbox, host):
    """The script makes nine calls, and three are allowed."""
    sandbox = open_sandbox(limits=Limits(step_calls=3))

    result = sandbox.run("for i in range(9):\n    harness.stat('/docs')")

    assert (
        "HarnessError: resource_exhausted: a step makes at most 3 calls" in result.error
    )
    assert result.calls == 4  # Three that were answered, and one that was refused.
    assert len(host.calls) == 3


def test_the_results_of_a_step_are_limited_in_bytes(open_sandbox, host):
    """A step that reads the file of 50,000 bytes a third time exceeds its 120,000 bytes."""
    host.tree.write("/big", "a" * 50_000)
    sandbox = open_sandbox(limits=Limits(step_bytes=120_000))
    code = """
try:
    while True:
        harness.read("/big")
except HarnessError as error:
    print(error.code)
    print("next step" in error.message)
"""

    result = sandbox.run(code)

    assert result.output == "resource_exhausted\nTrue\n"  # it says "next step"
    assert host.called_operations == ["read", "read", "read"]
    next_step = sandbox.run("print(len(harness.read('/big').content))")
    assert next_step.output == "50000\n"


@pytest.mark.parametrize(
    ("value", "error"),
    [
        pytest.param(
            "[[] for _ in range(5_000)]",
            "ValueError: the scratchpad has more than 5000 lists and mappings; "
            "its largest key is 'big'",
            id="a list of 5,000 lists",
        ),
        pytest.param(
            "[datetime(2026, 1, 1)] * 5_000",
            "ValueError: the scratchpad has more than 5000 lists and mappings",
            id="a list of 5,000 dates",
        ),
    ],
)
def test_a_scratchpad_of_too_many_parts_is_refused_and_the_earlier_one_kept(
    open_sandbox, value, error
):
    """A scratchpad may have 5,000 lists and mappings, because each costs the parent memory.

    It is a mapping itself. Dates count because they are kept as `{"$": "date", ...}`.
    """
    sandbox = open_sandbox()
    sandbox.run("scratchpad['a'] = 1")
    # The brackets within a text are no lists, so this part is small.
    small_part = """
from datetime import datetime
scratchpad['few'] = ['[' * 9_000, [1]]
"""

    result = sandbox.run(f"{small_part}scratchpad['big'] = {value}")

    assert result.ending is Ending.RAISED
    assert error in result.error
    assert result.scratchpad == {"a": 1}
    assert sandbox.run(small_part).error == ""


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


def check_step_costs_nothing_else(open_sandbox, code):
    """Run a script, which may end as it likes; only its own step may be lost.

    Its error must be short, the parent process must not grow, and the next step must work.
    """
    with memory_growth_below(PARENT_GROWTH_MIB):
        sandbox = open_sandbox(limits=Limits(step_wall_s=2))
        result = sandbox.run(code)

        assert len(result.error) < 100_000
        check_next_step_works(sandbox)


@pytest.mark.parametrize("title", PARSER_BOMBS)
def test_a_script_that_is_hard_to_parse_loses_only_its_own_step(title, open_sandbox):
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


@pytest.mark.parametrize("title", RECURSIONS)
def test_a_script_that_recurses_without_end_loses_only_its_own_step(
    title, open_sandbox
):
    check_step_costs_nothing_else(open_sandbox, RECURSIONS[title])


def test_a_script_that_is_too_long_is_not_run(open_sandbox):
    """All characters count, also the spaces at the end."""
    sandbox = open_sandbox(limits=Limits(code_chars=20))

    result = sandbox.run("print('long enough')  ")

    assert result.ending is Ending.LIMIT
    assert result.error == "the script has 22 characters; at most 20 are run"
