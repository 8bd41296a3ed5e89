"""Limits of a step: of its time, CPU, memory and calls, and of what it keeps and how it is nested.

A script beyond a limit loses its own step and nothing else: its error says which limit it was,
the parent process does not grow, and the next step of the same sandbox works.
"""

import pytest

from controlplane.sandbox import Ending, Limits
from tests.sandbox.opened_sandboxes import check_next_step_works, memory_growth_below

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


class TestDeadlines:
    """A step is ended at its deadline, whatever its script does.

    The sandbox gives each step 0.2 s here. Each script of `ENDLESS_SCRIPTS` would run for
    minutes or forever, and some resist being stopped. What it printed before is kept.
    """

    @pytest.mark.parametrize("title", ENDLESS_SCRIPTS)
    def test_a_step_is_ended_at_its_deadline_and_the_next_step_works(
        self, title, open_sandbox
    ):
        """The script prints, makes a call, and then never ends. What it printed is kept."""
        sandbox = open_sandbox(limits=Limits(step_wall_s=0.2, step_calls=10**9))

        result = sandbox.run(
            f"print('began')\nharness.stat('/docs')\n{ENDLESS_SCRIPTS[title]}"
        )

        assert result.ending is Ending.LIMIT, result
        assert result.error.startswith("the step ran longer than 0.2 s")
        assert result.output.startswith("began\n")
        check_next_step_works(sandbox)


class TestCpu:
    """The CPU time of a step is limited, and that of all steps of a trial together.

    `open_sandbox(limits=Limits(step_cpu_s=0.2))` gives each step 0.2 s of CPU, however long it
    waits. The kernel counts it, so that a long computation in C is ended, too.
    """

    def test_the_error_of_a_step_without_cpu_left_says_how_to_bound_a_search(
        self, open_sandbox
    ):
        """A script cannot watch a clock, because the clocks of scripts stand still."""
        sandbox = open_sandbox(limits=Limits(step_cpu_s=0.2))

        result = sandbox.run("while True: pass")

        assert result.error == (
            "the step used more than 0.2 s of CPU; "
            "clocks stand still in scripts, so bound a search by its rounds"
        )

    def test_the_cpu_of_a_long_computation_in_c_is_limited_as_well(self, open_sandbox):
        """Python runs no code between two bytecodes, so nothing in Python could stop this `sum`."""
        sandbox = open_sandbox(limits=Limits(step_cpu_s=0.2))

        result = sandbox.run("sum(range(10 ** 13))")

        assert result.error.startswith("the step used more than 0.2 s of CPU")

    def test_the_cpu_of_all_steps_of_a_trial_is_limited_together(self, open_sandbox):
        """Each of the six steps may use 0.3 s, and all together 0.5 s. Each runs in a child process
        of its own, because the one before was ended."""
        sandbox = open_sandbox(limits=Limits(step_cpu_s=0.3, trial_cpu_s=0.5))

        results = [sandbox.run("while True: pass") for _ in range(6)]

        for result in results:
            assert result.ending is Ending.LIMIT
        assert results[-1].error == "the trial used more than 0.5 s of CPU"


PARENT_GROWTH_MIB = 64
"""How much memory a script may cost the parent process at most."""

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


class TestMemory:
    """A script that takes too much memory loses only its own step.

    It may take 64 MB. Each script of `MEMORY_EATERS` needs gigabytes, at once or bit by bit.
    """

    @pytest.mark.parametrize("title", MEMORY_EATERS)
    def test_a_script_that_takes_too_much_memory_loses_only_its_own_step(
        self, title, open_sandbox
    ):
        """The script gets an exception, or its step is ended, depending on what takes the
        memory."""
        with memory_growth_below(PARENT_GROWTH_MIB):
            sandbox = open_sandbox(limits=Limits(memory_mb=64, step_wall_s=1.5))

            result = sandbox.run(f"print('began')\n{MEMORY_EATERS[title]}\n")

            assert result.ending in (Ending.RAISED, Ending.LIMIT, Ending.KILLED), result
            if result.ending is Ending.RAISED:
                names = ("MemoryError", "OverflowError", "ValueError")
                assert any(name in result.error for name in names), result
            check_next_step_works(sandbox)


class TestCalls:
    """The calls of a step, and the bytes of their results, are limited.

    `host` answers the calls of scripts, and records them.
    """

    def test_a_step_makes_at_most_the_allowed_number_of_calls(self, open_sandbox, host):
        """The script makes nine calls, and three are allowed."""
        sandbox = open_sandbox(limits=Limits(step_calls=3))

        result = sandbox.run("for i in range(9):\n    harness.stat('/docs')")

        assert (
            "HarnessError: resource_exhausted: a step makes at most 3 calls"
            in result.error
        )
        assert result.calls == 4  # Three that were answered, and one that was refused.
        assert len(host.calls) == 3

    def test_the_results_of_a_step_are_limited_in_bytes(self, open_sandbox, host):
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


class TestPartsOfTheScratchpad:
    """A scratchpad may have 5,000 lists and mappings.

    It is what a script keeps for the next steps. Each list costs the parent memory, which stores
    it.
    """

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
        self, open_sandbox, value, error
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


class TestLongScripts:
    """A script that is too long is not run."""

    def test_a_script_that_is_too_long_is_not_run(self, open_sandbox):
        """All characters count, also the spaces at the end."""
        sandbox = open_sandbox(limits=Limits(code_chars=20))

        result = sandbox.run("print('long enough')  ")

        assert result.ending is Ending.LIMIT
        assert result.error == "the script has 22 characters; at most 20 are run"
