"""A change that was under way when its trial was killed is not made again.

The journal has the announcement of the call, and not its result, so nobody knows whether the change was
made. The resumed trial tells its script so.
"""

from controlplane.agent.events import CallEvent
from controlplane.agent.loop import BudgetLimits
from controlplane.sandbox import ForkServer
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals.read_events import is_announced_call, trial_records_of
from tests.support.single_trial import solve_trial, step_reply


def test_a_change_that_was_cut_off_is_reported_as_unknown_and_not_made_again(
    server: ForkServer,
) -> None:
    one_step = BudgetLimits(max_steps=1, extra_steps=0)
    benchmark = EffectCounterBenchmark(1)
    # A script that runs a program which adds one to a count, the effect `checkout`. If the call
    # fails, the script prints the error and goes on.
    checks_out = step_reply(
        "try:\n"
        "    harness.exec('/bin/checkout')\n"
        "except HarnessError as error:\n"
        "    scratchpad['error'] = str(error)\n"
        "    print(error)"
    )
    whole = solve_trial(benchmark, "run1-0", [checks_out], server, budget=one_step)
    (announcement,) = [event for event in whole.events if is_announced_call(event)]
    recorded = whole.events[: whole.events.index(announcement) + 1]
    record = trial_records_of(recorded)["run1-0"]
    assert benchmark.effects["run1-0"]["checkout"] == 1

    resumed = solve_trial(
        benchmark, "run1-0", [], server, budget=one_step, record=record
    )

    assert benchmark.effects["run1-0"]["checkout"] == 1
    (step,) = resumed.steps
    assert "not known" in step.output
    # The journal gets the result that it lacks, an error, before anything else.
    (lost_call,) = [event for event in resumed.events if isinstance(event, CallEvent)]
    assert lost_call.step == 1
    assert lost_call.error == step.calls[-1].error
    assert lost_call.number == len(step.calls) - 1
