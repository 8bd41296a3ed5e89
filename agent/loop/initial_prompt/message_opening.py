"""Makes the initial calls of a trial, and writes their results as the first message.

The *initial calls* are made before the model is asked. They read what it will need: the
rules of the workspace, the user who asks, the files that fit the request.

| class | what it does |
|---|---|
| `MessageBatches` | decides which calls are made, in four batches |
| `MessageDraft` | sends a call, learns from its result, and shows it |
| `InitialCalls`, in the draft | makes each call once |
| `RequestFacts`, in the draft | has what was learned, such as the rules |
| `SectionWriter`, in the draft | adds a section with a result, as long as there is room |
"""

from __future__ import annotations

from contextlib import suppress

from controlplane.agent.events import RankedFile
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.loop.initial_prompt.first_message import FirstMessage
from controlplane.agent.loop.initial_prompt.listed_trees import FIND
from controlplane.agent.loop.initial_prompt.message_batches import MessageBatches
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.retrieval.selection.journal_rows import is_fitting_left_out
from controlplane.sandbox.interface import CallError


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
        ranked_files = MessageBatches(draft).write()
        _write_results(recorder, draft)
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
        # The user is told if the model's context is too small. If the settings of the run limit
        # the message, and not the context, `limiting_tokens` is 0.
        shortened_for=room.limiting_tokens if is_shortened else 0,
    )


def _write_results(recorder: Recorder, draft: MessageDraft) -> None:
    """Write all initial calls to the journal, and add what is shown of them to the evidence.

    The model may only cite what it sees. So this comes last, when it is known how much of
    each result the message shows.
    """
    for call in draft.calls.all_calls:
        citable_chars = _citable_chars(call, draft.writer)
        with suppress(CallError):  # A call that failed is written, too.
            recorder.calls.sent_calls.receive(call, shown_chars=citable_chars)


def _citable_chars(call: CallUnderWay, writer: SectionWriter) -> int | None:
    """Return how many characters of a result the model sees; None for all of them.

    the file /docs/a.md, of which the message shows a part -> 7000
    a file that was read, but fits the request too little to be shown -> 0
    the paths that `find` returned: the drawing of the files shows them all -> None
    """
    if call.number in writer.citable_chars:
        return writer.citable_chars[call.number]
    if call.call.operation == FIND:
        return None
    return 0


def lacks_room(
    writer: SectionWriter, ranked_files: tuple[RankedFile, ...], ranked_chars: int
) -> bool:
    """Return True if a file that fits the request is left out because the message is full.

    A file may also be left out because the environment allows only `ranked_chars` characters
    for all ranked files together. With 8,000:

    | room that is left | a fitting file is left out | result |
    |---|---|---|
    | 0 | perhaps | True |
    | 3,000 | yes | True |
    | 3,000 | no | False |
    | 9,000 | yes | False: the ranked files have all of their 8,000 characters |
    """
    if not writer.has_room:
        return True
    if writer.remaining_chars >= ranked_chars:
        return False
    return any(is_fitting_left_out(file) for file in ranked_files)
