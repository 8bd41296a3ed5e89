"""Makes the first message of a trial: makes *initial calls*, and shows their results in sections.

Without them, the model would need several turns to find what a request is about. For "Renew my loan
l-7", these calls are made before the model is asked:

1. those that the environment declares for every request: `tree /`, `read /RULES.md`
2. reads of the files that these have listed: `read` each file of `find /policies`
3. reads of the files that fit the request: `read /loans/l-7.json`, `exec /bin/renew --help`
4. a read of one record of each kind: which fields do the files in `/books` have?
"""

from __future__ import annotations

from controlplane.agent.events import RankedFile
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.initial_prompt.declared_reads import send_declared_reads
from controlplane.agent.loop.initial_prompt.declared_results import (
    show_declared_results,
)
from controlplane.agent.loop.initial_prompt.fitting_files import show_fitting_files
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.loop.initial_prompt.message_results import MessageResults
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.loop.initial_prompt.records.record_help import show_record_help
from controlplane.agent.loop.initial_prompt.result_log import write_results
from controlplane.agent.loop.initial_prompt.shortened_message import (
    context_that_shortens,
)
from controlplane.agent.loop.session.trial_context import TrialContext


def open_first_message(
    trial: TrialContext, recorder: Recorder, room: MessageRoom
) -> MessageResults:
    """Make the initial calls, write them to the journal, and return what they gave.

    `room` says how many characters the results may take in the message.
    """
    draft = MessageDraft(trial, recorder, room.chars)
    try:
        files = write_batches(draft)
        # An answer may cite only what the message shows of each result.
        write_results(draft.calls.all_calls, draft.writer.citable_chars, recorder)
    finally:
        # If an exception ended the work above, some calls may still run.
        recorder.calls.sender.await_end(draft.calls.all_calls)
    return MessageResults(
        calls=tuple(recorder.current_step.calls),
        sections=draft.writer.sections,
        tool_schema=draft.working_tool_schema,  # without tools that failed a test
        rules=draft.facts.rules,
        files=files,
        shortened_for=context_that_shortens(room, draft.writer, files),
    )


def write_batches(draft: MessageDraft) -> tuple[RankedFile, ...]:
    """Make the calls, and write a section of the message for each result to show.

    Once the message has no room, no further calls are made. Only the rules, a call of batch 1, are
    always read: the checks of the answer need them. Returns how well each file fits.
    """
    files: tuple[RankedFile, ...] = ()
    writer = draft.writer
    show_declared_results(draft)  # batch 1
    if writer.has_room:
        # The calls of batch 2 run while batch 3 searches. Then the results of both are shown.
        reads = send_declared_reads(draft)
        files = show_fitting_files(draft, reads)
        show_record_help(draft.calls, draft.facts, draft.writer)  # batch 4
    if not writer.has_room:
        writer.say("(There was no room to open everything.)\n")
    return files
