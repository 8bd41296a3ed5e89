"""A script that exits in a way that cannot be described leaves its scratchpad as it was.

Each script of a trial is one step of a `Sandbox`, and only the mapping `scratchpad` is kept between
steps. A script may end itself by `SystemExit` with a code or text of its own making. To describe
the exit, the sandbox has to run that code of the script.
"""

import pytest

from controlplane.sandbox import Ending


@pytest.mark.parametrize(
    ("exiting_lines", "error"),
    [
        pytest.param(
            "class E:\n"
            "    def __str__(self): raise ValueError('x')\n"
            "raise SystemExit(E())",
            "ValueError while a SystemExit was described",
            id="the reason cannot be printed",
        ),
        pytest.param(
            "class S(SystemExit):\n"
            "    @property\n"
            "    def code(self): raise BaseException('x')\n"
            "raise S(0)",
            "BaseException while a S was described",
            id="the exit code raises an exception",
        ),
        pytest.param(
            "class S(SystemExit):\n    code = property(lambda self: 0)\nraise S('why')",
            "SystemExit: the script ended itself (code 0)",
            id="the exit code pretends success",
        ),
    ],
)
def test_an_exit_that_cannot_be_described_leaves_the_scratchpad_as_it_was(
    exiting_lines, error, sandbox
):
    result = sandbox.run(f"scratchpad['k'] = 1\n{exiting_lines}")

    assert result.ending is Ending.RAISED
    assert result.error == error
    assert result.scratchpad == {"k": 1}
