"""`verify`, a script's own check of its answer, may not change anything.

`harness.answer(scratchpad, verify)` hands in an answer. The host, the parent's side of the sandbox,
then calls `verify` twice, about the answer and about a blank one. A call such as
`harness.write("/x", "y")` in it fails with the error `permission_denied`.
"""

import pytest

from tests.sandbox.opened_sandboxes import run_to_its_end


@pytest.mark.parametrize(
    "refused_call",
    [
        pytest.param('harness.write("/x", "y")', id="write a file"),
        pytest.param('harness.delete("/docs/checkout.md")', id="delete a file"),
        pytest.param('harness.exec("/bin/checkout")', id="run a tool that changes"),
        pytest.param('harness.exec("/bin/unknown")', id="run an unknown tool"),
        pytest.param(
            'scratchpad.cite("/docs/checkout.md", "a long reason")', id="cite a file"
        ),
        pytest.param("harness.answer(scratchpad, verify)", id="answer once more"),
    ],
)
def test_verify_may_change_nothing(sandbox, host, refused_call):
    """`verify` makes the call, and notes the error."""
    code = f"""
errors = []
def verify(sp):
    try:
        {refused_call}
        errors.append("none")
    except HarnessError as error:
        errors.append(error.code)
    return True
scratchpad["answer"] = "x"
harness.answer(scratchpad, verify)
print(*errors)
"""

    result = run_to_its_end(sandbox, code)

    # Once for the answer, and once for a blank one.
    assert result.output == "permission_denied permission_denied\n"
    assert host.calls == []
