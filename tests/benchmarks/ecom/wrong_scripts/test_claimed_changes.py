"""An answer that claims a change but makes none is sent back, and the model is told why.

A script says by `scratchpad["changes"]` what it has changed. Here, it does not run the checkout
that it declares. The rest of its answer is right. The model does not try again.
"""

from pathlib import Path

import pytest

from tests.benchmarks.ecom.variants import task_in_run
from tests.benchmarks.ecom.wrong_scripts.single_steps import single_step
from tests.support.command import run_in_process

pytestmark = pytest.mark.usefixtures("shared_fork_servers")


def test_an_answer_that_claims_a_change_but_makes_none_is_sent_back(
    tmp_path: Path,
) -> None:
    task = task_in_run("basket-checkout.1", seed=3)
    basket = task.truth.for_tests["basket"]  # "/proc/carts/basket-0012.json", say
    script = f"""
harness.read("{basket}")
harness.read("/docs/checkout.md")
scratchpad.cite("{basket}", "the basket to be bought")
scratchpad.cite("/docs/checkout.md", "what is checked before a checkout")
scratchpad["answer"] = "{task.truth.message}"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["changes"] = [{{"path": "/bin/checkout", "action": "execute"}}]

def verify(answer):  # A script has to check its own answer.
    return answer["outcome"] == "OUTCOME_OK" and answer["answer"] != ""

harness.answer(scratchpad, verify)
"""

    step = single_step(tmp_path, "basket-checkout.1", script, seed=3)

    assert "GateRejection" in step["error"]
    fault = "`changes` names `/bin/checkout`: the trace shows no such change"
    assert fault in step["error"]
    run = run_in_process("show", "last", "--json", cwd=tmp_path).json
    assert run["score"] == 0.0  # No answer was accepted.
