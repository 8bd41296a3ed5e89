"""A `verify` that never returns ends its step, and the next step works.

`harness.answer(scratchpad, verify)` hands in an answer with the script's own check of it. The host,
which gets the answer, is told that a check which hangs says no.
"""

import pytest

from controlplane.sandbox import Ending, Limits
from tests.sandbox.opened_sandboxes import run_to_its_end


@pytest.mark.parametrize(
    "endless_expression", ["sum(range(10 ** 13))", "[0 for _ in iter(int, 1)]"]
)
def test_a_verify_that_hangs_ends_its_step_and_the_next_step_works(
    open_sandbox, host, endless_expression
):
    sandbox = open_sandbox(limits=Limits(verify_s=0.2))

    result = sandbox.run(
        "scratchpad['answer'] = 'x'\n"
        f"harness.answer(scratchpad, lambda sp: {endless_expression})"
    )

    assert result.ending is Ending.LIMIT
    assert result.error == "verify ran longer than 0.2 s"
    assert not host.verify_replies[0].to_answer.says_yes
    next_step = run_to_its_end(sandbox, "print(scratchpad['answer'])")
    assert next_step.output == "x\n"
