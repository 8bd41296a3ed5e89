"""Makes the initial calls of a trial, and writes their results as the first message.

The calls are made in at most four batches:

1. what the environment declares: the tree of files,
   the user who asks, the time, the rules
2. the files that the request names, and searches for its words in all others
3. the files that fit best, and those that the named records link to
4. the documents that the best ones link to, and the help of tools
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from controlplane.agent.events import RankedFile
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.declared_calls import SentCall, first_calls
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.loop.initial_prompt.declared_results import DeclaredResults
from controlplane.agent.loop.initial_prompt.first_message import FirstMessage
from controlplane.agent.loop.initial_prompt.fitting_files import FittingFiles
from controlplane.agent.loop.initial_prompt.listings import FIND
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.loop.initial_prompt.record_reading import reading_help
from controlplane.agent.loop.initial_prompt.unread_files import UnreadFiles
from controlplane.agent.retrieval.files_left_out import is_fitting_left_out
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.rules_routing import paths_in
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
        ranked_files = MessageOpening(results).write()
        # The model may only cite what it sees, and only now is it known how much of each
        # result the message shows.
        for call in calls.sent_calls:
            with suppress(CallError):  # A call that failed is recorded, too.
                recorder.sent_calls.receive(
                    call, shown_chars=_citable_chars(call, writer)
                )
    finally:
        # Some may run after an exception.
        recorder.sent_calls.await_end(calls.sent_calls)

    has_all = has_all_that_fit(writer, ranked_files, recorder.tool_schema.ranked_chars)
    return FirstMessage(
        recorder,
        results.working_tools,
        writer.sections,
        facts.rules,
        ranked_files,
        shortened_for=0 if has_all else room.limiting_tokens,
    )


def _citable_chars(call: CallUnderWay, writer: SectionWriter) -> int | None:
    """Return how many characters of a result the message shows; None for all."""
    if call.number in writer.shown_chars:
        return writer.shown_chars[call.number]
    # The message does not show this result itself. But the paths that a `find` call found
    # are all in the drawing of the tree.
    return None if call.call.operation == FIND else 0


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


@dataclass(frozen=True, slots=True)
class MessageOpening:
    """Makes the initial calls, and writes a section for each result to show."""

    results: DeclaredResults
    """Sends the calls, takes facts from their results, and shows them."""

    def write(self) -> tuple[RankedFile, ...]:
        """Make the calls, write the sections, and return the ranked files for the journal.

        Once the message has no room, no further calls are made. Only the rules are always
        read, because the gates, which check the answer, need them.
        """
        writer = self.results.writer
        self._show_first()
        ranked_files: tuple[RankedFile, ...] = ()
        if writer.has_room:
            reads = UnreadFiles(self.results).send()
            fitting_files = FittingFiles(self.results, reads.documents)
            ranked_files = fitting_files.show(reads.sent_calls)
            self._say_how_to_read()
        if not writer.has_room:
            writer.say("(There was no room to open everything.)\n")
        return ranked_files

    def _show_first(self) -> None:
        """Make the calls of the first batch in parallel, and show their results."""
        results = self.results
        sent_calls: list[SentCall] = []
        for declared in first_calls(results.calls.tool_schema):
            if results.writer.has_room or results.reads_rules(declared):
                sent_calls.append(results.send(declared))
        for sent in sent_calls:
            if sent.declared.has_error_code(sent.result()):
                # The program failed, but the next batches need its output, such as which
                # user asks. So run it again.
                results.use(results.send(sent.declared, attempt=2))
            else:
                results.use(sent)

    def _say_how_to_read(self) -> None:
        """Write how to read the records that the rules or the request name."""
        facts = self.results.facts
        named = [*paths_in(facts.rules), *paths_in(facts.instruction)]
        text = reading_help(self.results.calls, named, facts.listed.files)
        if text:
            self.results.writer.say(text)
