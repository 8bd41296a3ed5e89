"""Settings of the interpreter that a script changes are reset after its step.

A step is one script. The next one may run in the same process, and must not depend on this one:
`sys.setrecursionlimit(200)` holds until the end of its step.
"""

import pytest

from controlplane.sandbox import Sandbox


@pytest.mark.parametrize(
    ("change", "show", "shown"),
    [
        pytest.param(
            "import sys; sys.setrecursionlimit(200)",
            "import sys; print(sys.getrecursionlimit())",
            "1000",
            id="levels of calls",
        ),
        pytest.param(
            "import sys; sys.set_int_max_str_digits(9999)",
            "import sys; print(sys.get_int_max_str_digits())",
            "4300",
            id="digits of an integer as text",
        ),
        pytest.param(
            "import sys; sys.stdin.write('left')",
            "import sys; print(repr(sys.stdin.read()))",
            "''",
            id="standard input",
        ),
        pytest.param(
            "import sys, io; sys.stdout = io.StringIO(); sys.stderr = None",
            "import sys; print('to', 'output'); print('to errors', file=sys.stderr)",
            "to output\nto errors",
            id="standard output and errors",
        ),
    ],
)
def test_a_setting_that_a_script_changes_is_reset_after_its_step(
    change: str, show: str, shown: str, sandbox: Sandbox
) -> None:
    before = sandbox.run(show)
    changing_step = sandbox.run(change)
    after = sandbox.run(show)

    assert before.output == f"{shown}\n"
    assert changing_step.error == ""
    assert after.output == f"{shown}\n"
