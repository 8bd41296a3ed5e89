"""A rule of a user that hangs is stopped, and the others judge the answer.

The rules judge in a worker, a process that is stopped if a rule needs too much processor time.
"""

from controlplane.agent.submission import find_verdicts, judging_modules
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.agent.gated_exit.judging.cited_answers import HOW_MANY, answer_citing
from tests.agent.gated_exit.judging.hanging_rule import HANGING
from tests.gates.recorded_calls import CallsOfTrial


def test_a_rule_that_hangs_is_stopped_and_the_others_judge() -> None:
    """The rules judge in a worker, a process that may use 0.3 s of processor time for each."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    submission = answer_citing({"/docs/Loans.md": "its 7 loans"})

    with (
        ForkServer(judging_modules(("ecom", HANGING))) as server,
        Worker(server, limits=WorkerLimits(call_cpu_s=0.3)) as worker,
    ):
        verdicts = find_verdicts(
            worker, submission, calls.evidence, HOW_MANY, ("ecom", HANGING)
        )

    # The answer can still be sent: the verdict of a rule that hangs says only why it has none.
    *other_verdicts, hanging_verdict = verdicts
    assert hanging_verdict.name == HANGING
    assert hanging_verdict.result == "not_applicable"
    assert "0.3 s of CPU" in hanging_verdict.reason

    # The others judge as if that rule were not there.
    verdicts_without_it = find_verdicts(
        None, submission, calls.evidence, HOW_MANY, ("ecom",)
    )
    assert other_verdicts == list(verdicts_without_it)
