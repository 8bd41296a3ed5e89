"""Makes the initial calls of a trial, and writes their results as the first message.

The *initial calls* are made before the model is asked. They read what it will need: the
rules of the workspace, the user who asks, the files that fit the request.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime

from controlplane.agent.events import RankedFile
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.loop.initial_prompt.declared_results import DeclaredResults
from controlplane.agent.loop.initial_prompt.first_message import FirstMessage
from controlplane.agent.loop.initial_prompt.listed_trees import FIND
from controlplane.agent.loop.initial_prompt.message_batches import MessageBatches
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.retrieval.files_left_out import is_fitting_left_out
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.sandbox.interface import CallError


def open_first_message(
    recorder: Recorder,
    instruction: str,
    room: MessageRoom,
    now: datetime | None = None,
) -> FirstMessage:
    """Make the initial calls, record them, and return the message with their results.

    `now` is the trial's time.
    """
    calls = InitialCalls(recorder)
    facts = RequestFacts(instruction, now)
    writer = SectionWriter(recorder.tool_schema, room.chars)
    results = DeclaredResults(calls, facts, writer)
    try:
        # Several calls may run at a time. This waits for those whose results it needs.
        ranked_files = MessageBatches(results).write()
        _record_results(recorder, calls, writer)
    finally:
        # If an exception ended the work above, some calls may still run.
        recorder.sent_calls.await_end(calls.all_calls)

    # If only a small context keeps fitting files out, the user is told its size.
    shortened_for = room.limiting_tokens
    if has_all_that_fit(writer, ranked_files, recorder.tool_schema.ranked_chars):
        shortened_for = 0
    return FirstMessage(
        recorder,
        results.working_tool_schema,
        writer.sections,
        facts.rules,
        ranked_files,
        shortened_for,
    )


def _record_results(
    recorder: Recorder, calls: InitialCalls, writer: SectionWriter
) -> None:
    """Record the results of all initial calls, and add what is shown to the evidence.

    The model may only cite what it sees. So this comes last, when it is known how much of
    each result the message shows.
    """
    for call in calls.all_calls:
        citable_chars = _citable_chars(call, writer)
        with suppress(CallError):  # A call that failed is recorded, too.
            recorder.sent_calls.receive(call, shown_chars=citable_chars)


def _citable_chars(call: CallUnderWay, writer: SectionWriter) -> int | None:
    """Return how many characters of a result the model sees; None for all of them.

    The result of `read /docs/a.md` may be cut -> 7000; that of a file that does not fit is
    not shown -> 0. What `find` returns is not shown, either. But its paths are all in the
    drawing of the tree -> None.
    """
    if call.number in writer.shown_chars:
        return writer.shown_chars[call.number]
    if call.call.operation == FIND:
        return None
    return 0


def has_all_that_fit(
    writer: SectionWriter, ranked_files: tuple[RankedFile, ...], max_chars: int
) -> bool:
    """Return True if no file that fits the request is left out for want of room.

    `max_chars` are the characters that the environment allows all ranked files together.
    If as many are still free, a file was left out because of that limit.
    """
    if not writer.has_room:
        return False
    if writer.remaining_chars >= max_chars:
        return True
    return not any(is_fitting_left_out(file) for file in ranked_files)
