"""A change that was under way when its trial was killed is not made again.

The journal has the announcement of the call, and not its result, so nobody knows whether the change was
made. The resumed trial tells its script so, by an error.
"""

from controlplane.agent.events import CallEvent
from controlplane.agent.loop import BudgetLimits
from controlplane.sandbox import ForkServer
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals.read_events import is_announced_call
from tests.support.journals.trial_records import trial_records_of
from tests.support.single_trial import solve_trial, step_reply

CHECK_OUT = step_reply("""
try:
    harness.exec("/bin/checkout")  # adds one to the count of checkouts
except HarnessError as error:
    print(error)
""")


def test_a_change_that_was_cut_off_is_reported_as_unknown_and_not_made_again(
    server: ForkServer,
) -> None:
    """1. The model's script checks out, and the process is killed during the call.
    2. The next process resumes the trial. It runs the script again, without asking a model.

    The benchmark counts the checkouts of both processes."""
    one_step = BudgetLimits(max_steps=1, extra_steps=0)
    benchmark = EffectCounterBenchmark(trials=1)
    trial_id = "run1-0"
    whole = solve_trial(benchmark, trial_id, [CHECK_OUT], server, budget=one_step)
    assert benchmark.effects[trial_id]["checkout"] == 1
    (announcement,) = [event for event in whole.events if is_announced_call(event)]
    recorded = whole.events[: whole.events.index(announcement) + 1]

    resumed = solve_trial(
        benchmark,
        trial_id,
        replies=[],
        server=server,
        budget=one_step,
        record=trial_records_of(recorded)[trial_id],
    )

    assert benchmark.effects[trial_id]["checkout"] == 1
    (step,) = resumed.steps
    assert "not known" in step.output
    # The result that the journal lacks is an error. It has the number of the step's last call.
    (lost_call,) = [event for event in resumed.events if isinstance(event, CallEvent)]
    assert lost_call.step == 1
    assert lost_call.error == step.calls[-1].error
    number_of_last_call = len(step.calls) - 1  # counted from 0
    assert lost_call.number == number_of_last_call
