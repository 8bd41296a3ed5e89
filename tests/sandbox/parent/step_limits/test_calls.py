"""The calls of a step, the bytes of their results, and the length of its script are limited.

A step is one script. `open_sandbox(limits=Limits(step_calls=3))` lets each step make three calls,
which `host` answers and records. The fourth fails: "a step makes at most 3 calls".
"""

from controlplane.sandbox import Ending, Limits


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


def test_a_script_that_is_too_long_is_not_run(open_sandbox):
    """All characters count, also the spaces at the end."""
    sandbox = open_sandbox(limits=Limits(code_chars=20))

    result = sandbox.run("print('long enough')  ")

    assert result.ending is Ending.LIMIT
    assert result.error == "the script has 22 characters; at most 20 are run"
