"""Limits of a step: of its CPU, its calls and their results, its length, and what it keeps.

A script beyond a limit loses its own step, and its error says which limit it was.
"""

from controlplane.sandbox import Ending, Limits


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
    """The scratchpad keeps values for the next steps: 5,000 lists and mappings, itself included.

    Each one costs the parent process memory.
    """

    def test_a_scratchpad_of_too_many_lists_is_refused_and_the_earlier_one_kept(
        self, open_sandbox
    ):
        sandbox = open_sandbox()
        sandbox.run("scratchpad['a'] = 1")

        result = sandbox.run("scratchpad['big'] = [[] for _ in range(5_000)]")

        assert result.ending is Ending.RAISED
        assert (
            "ValueError: the scratchpad has more than 5000 lists and mappings; "
            "its largest key is 'big'"
        ) in result.error
        assert result.scratchpad == {"a": 1}

    def test_the_key_with_most_lists_is_named_and_not_the_longest_text(
        self, open_sandbox
    ):
        """Brackets within a text are no lists."""
        result = open_sandbox().run("""
scratchpad["few"] = ["[" * 9_000, [1]]
scratchpad["big"] = [[] for _ in range(5_000)]
""")

        assert result.ending is Ending.RAISED
        assert "its largest key is 'big'" in result.error

    def test_dates_count_because_they_are_kept_as_mappings(self, open_sandbox):
        """A date is kept as `{"$": "date", ...}`."""
        sandbox = open_sandbox()
        sandbox.run("scratchpad['a'] = 1")

        result = sandbox.run("""
from datetime import datetime
scratchpad["big"] = [datetime(2026, 1, 1)] * 5_000
""")

        assert result.ending is Ending.RAISED
        assert (
            "ValueError: the scratchpad has more than 5000 lists and mappings"
            in result.error
        )
        assert result.scratchpad == {"a": 1}

    def test_brackets_within_a_text_do_not_count(self, open_sandbox):
        result = open_sandbox().run("scratchpad['few'] = ['[' * 9_000, [1]]")

        assert result.error == ""


def test_a_script_that_is_too_long_is_not_run(open_sandbox):
    """All characters count, also the spaces at the end."""
    sandbox = open_sandbox(limits=Limits(code_chars=20))

    result = sandbox.run("print('long enough')  ")

    assert result.ending is Ending.LIMIT
    assert result.error == "the script has 22 characters; at most 20 are run"
