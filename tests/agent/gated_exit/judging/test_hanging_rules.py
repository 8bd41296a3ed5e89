"""A rule of a user that hangs is stopped, and the others judge the answer.

The rules judge in a worker, a process that may use 0.3 s of processor time here. The rule set `HANGING` is
a user's, with a rule that never ends, and `ecom` is one of the product. `HOW_MANY` is the trial's request.
"""

from controlplane.agent.judging import find_verdicts, judging_modules
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.agent.gated_exit.judging.cited_answers import (
    HOW_MANY,
    answer_citing,
    verdicts_in_this_process,
)
from tests.agent.gated_exit.judging.hanging_rule import HANGING
from tests.gates.recorded_calls import CallsOfTrial


def test_a_rule_that_hangs_is_stopped_and_the_others_judge() -> None:
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    submission = answer_citing({"/docs/Loans.md": "its 7 loans"})

    with (
        ForkServer(judging_modules(("ecom", HANGING))) as server,
        Worker(server, limits=WorkerLimits(call_cpu_s=0.3)) as worker,
    ):
        verdicts = find_verdicts(
            worker, submission, calls.evidence, HOW_MANY, rule_sets=("ecom", HANGING)
        )

    # The last verdict is that of the rule that hangs. It keeps no answer from being sent.
    *other_verdicts, hanging_verdict = verdicts
    assert hanging_verdict.name == HANGING
    assert hanging_verdict.result == "not_applicable"
    assert "0.3 s of CPU" in hanging_verdict.reason

    # The other rules judge as if that rule were not there.
    assert other_verdicts == verdicts_in_this_process(
        submission, calls.evidence, rule_sets=("ecom",)
    )
