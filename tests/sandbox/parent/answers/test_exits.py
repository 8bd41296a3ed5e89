"""A script that ends itself by an exit of its own making leaves its scratchpad as it was.

Each script of a trial is one step of a `Sandbox`, and only the mapping `scratchpad` is kept between
steps. A script may end itself by `SystemExit` with a code of its own class, or by a subclass of
`SystemExit`. To describe such an exit, the sandbox has to run methods that the script has written.
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
    ],
)
def test_an_exit_that_cannot_be_described_leaves_the_scratchpad_as_it_was(
    exiting_lines, error, sandbox
):
    result = sandbox.run(f"scratchpad['k'] = 1\n{exiting_lines}")

    assert result.ending is Ending.RAISED
    assert result.error == error
    assert result.scratchpad == {"k": 1}


def test_an_exit_by_a_subclass_counts_as_an_error_whatever_its_code_is(sandbox):
    """`raise SystemExit(0)` would end the step without an error. A subclass may claim any code."""
    result = sandbox.run(
        """
scratchpad['k'] = 1
class S(SystemExit):
    code = property(lambda self: 0)
raise S('why')
"""
    )

    assert result.ending is Ending.RAISED
    assert result.error == "SystemExit: the script ended itself (code 0)"
    assert result.scratchpad == {"k": 1}
