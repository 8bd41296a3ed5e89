"""Events of a step of a trial, a script of the model, for the journals of reported runs.

    step_events("alpha.1-r0", 1, text="seen")

    ModelReplied    the model's reply: it costs 0.01 dollars, and takes 200 ms
    CallEvent       a call `read("/doc-1.md")` begins
    CallEvent       the call has returned "seen"
    StepDone        the step has ended, with the output "seen"

The events were never played: the script in `StepDone`, which reports show, does not make the call.
"""

from typing import Any

from controlplane.agent.events import (
    CallEvent,
    CallRecord,
    Judged,
    ModelReplied,
    StepDone,
    SubmissionJudged,
)
from controlplane.agent.model import Usage
from controlplane.journal.run_events import JournalEvent


def step_events(
    trial_id: str, number: int, *, text: str, answer: Judged | None = None
) -> list[JournalEvent]:
    """Return the events of a step. With `answer`, the judgement of an answer, it has submitted one."""
    at = {"trial_id": trial_id, "step": number}
    begun_call = CallEvent(
        **at,
        number=0,
        operation="read",
        arguments={"path": f"/doc-{number}.md"},
        state="under_way",
    )
    events: list[JournalEvent] = [
        ModelReplied(
            **at,
            reply="{}",
            usage=Usage(
                prompt_tokens=100 * number, cached_tokens=50, completion_tokens=10
            ),
            cost_usd=0.01,
            elapsed_ms=200,
        ),
        begun_call,
        ended_call(begun_call, state="made", result={"content": text}),
    ]
    if answer is not None:
        events.append(SubmissionJudged(**at, number=0, judged=answer))
    events.append(
        StepDone(
            **at,
            state=f"state {number}",
            plan=("first", "then"),
            # Letters that a report has to encode in different ways.
            code=f"for each in range({number}):\n    print('é𝄞', each)  # say\n",
            output=text,
            ending="finished",
            calls=(CallRecord(operation="read", arguments={}),),
            verdicts=() if answer is None else (answer,),
            scratchpad={"seen": number, "refs_why": {"/a": "it says so"}},
            elapsed_ms=50,
        )
    )
    return events


def ended_call(begun_call: CallEvent, **end: Any) -> CallEvent:
    """Return the second event of a call: `ended_call(begun_call, state="made", result={...})`."""
    return begun_call.model_copy(update={"was_announced": True, **end})
