"""A trial that was interrupted is resumed from its journal.

The recorded steps are not made again, and the model is not asked again for a reply that the journal
has. Only a call that was under way when the process was killed is in doubt.
"""

from __future__ import annotations

from collections.abc import Iterable

from controlplane.agent.events import CallEvent, ModelReplied, StepDone
from controlplane.agent.loop import BudgetLimits
from controlplane.sandbox import ForkServer
from tests.agent.loop.phonebook_trials import ANSWER, LOOK_UP, solve_for_ada
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals.read_events import is_announced_call, trial_records_of
from tests.support.single_trial import solve_trial, step_reply


def replies_in(events: Iterable[object]) -> list[str]:
    """Return the replies of the model."""
    return [event.reply for event in events if isinstance(event, ModelReplied)]


def outputs_in(events: Iterable[object]) -> list[str]:
    """Return the outputs of the steps that have ended."""
    return [event.output for event in events if isinstance(event, StepDone)]


def test_a_trial_that_is_resumed_after_any_event_comes_to_the_same_end(
    server: ForkServer,
) -> None:
    """Cut the journal of a whole trial after each event, resume from there, and compare."""
    whole = solve_for_ada(server, LOOK_UP, "no JSON", ANSWER)
    event_types = [event.type for event in whole.events]
    end_of_work = event_types.index("answer_sent")

    for event_count in range(1, end_of_work):
        recorded = whole.events[:event_count]
        reply_count = len(replies_in(recorded))
        further_replies = replies_in(whole.events)[reply_count:]
        record = trial_records_of(recorded)["ada-0"]

        resumed = solve_for_ada(server, *further_replies, record=record)

        assert resumed.reason == "", event_count
        outputs = outputs_in([*recorded, *resumed.events])
        assert outputs == outputs_in(whole.events), event_count
        assert resumed.model.requests == whole.model.requests[reply_count:]


def test_a_change_that_was_cut_off_is_reported_as_unknown_and_not_made_again(
    server: ForkServer,
) -> None:
    """The journal is cut between the announcement of a changing call and its result: the process
    was killed while the call was under way, so that nobody knows whether it was made."""
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
