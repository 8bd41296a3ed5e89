"""A trial that was interrupted is resumed from its journal, after any event until its answer is sent.

The recorded steps are not made again, and the model is not asked again for a reply that the journal has.
The trial asks for Ada's phone number. The model's first script looks the number up (`LOOK_UP`). Its second
reply has no script. Its third one submits the answer (`ANSWER`).
"""

from collections.abc import Iterable

from controlplane.agent.events import ModelReplied, StepDone
from controlplane.sandbox import ForkServer
from tests.agent.loop.phonebook_trials import ANSWER, LOOK_UP, solve_for_ada
from tests.support.journals.trial_records import trial_records_of


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
    events_before_answer = event_types.index("answer_sent")

    for event_count in range(1, events_before_answer + 1):
        recorded = whole.events[:event_count]
        reply_count = len(replies_in(recorded))
        further_replies = replies_in(whole.events)[reply_count:]
        record = trial_records_of(recorded)["ada-0"]

        resumed = solve_for_ada(server, *further_replies, record=record)

        reason_for_no_answer = resumed.reason
        assert reason_for_no_answer == "", event_count
        outputs = outputs_in([*recorded, *resumed.events])
        assert outputs == outputs_in(whole.events), event_count
        assert resumed.model.requests == whole.model.requests[reply_count:]
