"""Makes the initial calls of a trial, and writes their results as the first message.

The *initial calls* are made before the model is asked. They read what it will need: the
rules of the workspace, the user who asks, the files that fit the request.

| part | what it does |
|---|---|
| `write_batches` | decides which calls are made, in four batches |
| `learn_and_show` | learns from the result of a call, and shows it |
| `MessageDraft` | has what they share: the calls, what was learned, and the sections |
"""

from __future__ import annotations

from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.initial_prompt.first_message import FirstMessage
from controlplane.agent.loop.initial_prompt.message_batches import write_batches
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.loop.initial_prompt.result_log import write_results
from controlplane.agent.loop.initial_prompt.shortened_message import lacks_room
from controlplane.agent.loop.session.trial_context import TrialContext


def open_first_message(
    trial: TrialContext, recorder: Recorder, room: MessageRoom
) -> FirstMessage:
    """Make the initial calls, write them to the journal, and return the message with their results.

    `room` says how many characters the results may take.
    """
    draft = MessageDraft(trial, recorder, room.chars)
    try:
        # Several calls may run at a time. This waits for those whose results it needs. It
        # adds sections, and the rules and other facts, to the draft.
        ranked_files = write_batches(draft)
        write_results(recorder, draft)
    finally:
        # If an exception ended the work above, some calls may still run.
        recorder.calls.sent_calls.await_end(draft.calls.all_calls)

    is_shortened = lacks_room(
        draft.writer, ranked_files, recorder.tool_schema.ranked_chars
    )
    return FirstMessage(
        trial_id=recorder.trial_id,
        calls=tuple(recorder.current_step.calls),
        tool_schema=draft.working_tool_schema,
        sections=draft.writer.sections,
        rules=draft.facts.rules,
        ranked_files=ranked_files,
        # The user is told if the model's context is too small for all files that fit. But if it is
        # the settings of the run that limit the message, `limiting_tokens` is 0: that was wanted.
        shortened_for=room.limiting_tokens if is_shortened else 0,
    )
