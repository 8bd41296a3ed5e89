"""Events of a step of a trial, for the journals of reported runs.

A step is one script of the model. `step_events("alpha.1-r0", 1, text="seen")` returns the events of
a step whose script read `/doc-1.md`, and printed what it says, "seen".
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
    """Return the events of a step: the model's reply, a call with the result `text`, perhaps the
    judgement of a submitted answer, and the step's end."""
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
    """Return the second event of a call, which follows `begun_call` and adds the fields of its end:
    `ended_call(begun_call, state="made", result={"content": "seen"})`."""
    return begun_call.model_copy(update={"was_announced": True, **end})
