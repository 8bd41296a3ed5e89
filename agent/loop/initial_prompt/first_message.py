"""Makes the initial calls of a trial, and writes their results as the first message.

The calls are made in at most four batches:

1. what the environment declares: the tree of files,
   the user who asks, the time, the rules
2. the files that the request names, and searches for its words in all others
3. the files that fit best, and those that the named records link to
4. the documents that the best ones link to, and the help of tools
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from controlplane.agent.events import ConversationOpened, RankedFile, SaidMessage
from controlplane.agent.evidence.calls.call_under_way import CallUnderWay
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.initial_calls.declared_calls import (
    DeclaredCall,
    SentCall,
    declared_calls,
    first_calls,
)
from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.prompt_sections import Section
from controlplane.agent.initial_calls.section_writer import SectionWriter
from controlplane.agent.loop.initial_prompt.declared_results import DeclaredResults
from controlplane.agent.loop.initial_prompt.fitting_files import FittingFiles
from controlplane.agent.loop.initial_prompt.listings import FIND, listed_values
from controlplane.agent.loop.initial_prompt.message_room import MessageRoom
from controlplane.agent.loop.initial_prompt.record_reading import reading_help
from controlplane.agent.retrieval.documents import ListedDocuments
from controlplane.agent.retrieval.files_left_out import is_fitting_left_out
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.rules_routing import paths_in
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


@dataclass(frozen=True, slots=True)
class FirstMessage:
    """The first message of a trial, without the instruction."""

    recorder: Recorder
    """Has the initial calls."""
    tools: ToolSchema
    """The environment's declaration without the tools whose test call failed."""
    sections: list[Section]
    rules: str
    """The text of the workspace's rules."""
    ranked_files: tuple[RankedFile, ...]
    """The rows about the ranked files, for the journal."""
    shortened_for: int
    """The model's context in tokens, if it left no room for a file that fits; else 0."""

    @property
    def pieces(self) -> list[str]:
        """The texts of the sections, to be joined without separators."""
        pieces: list[str] = []
        for section in self.sections:
            pieces += section.pieces
        return pieces

    def instruction_text(self, prompt: str) -> str:
        """Return the filled prompt that ends the message.

        `prompt` has a text on how to cite the sections, and then the `<instruction>`.
        Without sections to cite, the text is left out.
        """
        if self.sections and self.tools.citations != "none":
            return prompt
        start = max(prompt.find("<instruction>"), 0)
        return prompt[start:]

    def conversation(
        self, system: str, message: Sequence[str], exchange: Sequence[SaidMessage] = ()
    ) -> ConversationOpened:
        """Return the event with the start of the conversation and the initial calls.

        `message` has the pieces of the whole first message, with the instruction.
        `exchange` has the messages before it that show initial calls as tool calls.
        """
        return ConversationOpened(
            trial_id=self.recorder.trial_id,
            system=system,
            first_message=tuple(message),
            exchange=tuple(exchange),
            calls=tuple(self.recorder.trace.calls),
            rules=self.rules,
            files=self.ranked_files,
            shortened_for=self.shortened_for,
        )


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
    writer = SectionWriter(recorder.tool_schema, room.chars)
    builder = _MessageBuilder(calls, RequestFacts(instruction, now), writer)
    try:
        builder.write()
        # The model may only cite what it sees, and only now is it known how much of each
        # result the message shows.
        for call in calls.sent_calls:
            with suppress(CallError):  # A call that failed is recorded, too.
                recorder.sent_calls.receive(
                    call, shown_chars=_citable_chars(call, writer)
                )
    finally:
        recorder.sent_calls.await_end(
            calls.sent_calls
        )  # Some may run after an exception.
    return builder.message(room)


def _citable_chars(call: CallUnderWay, writer: SectionWriter) -> int | None:
    """Return how many characters of a result the message shows; None for all."""
    if call.number in writer.shown_chars:
        return writer.shown_chars[call.number]
    # The message does not show this result itself. But the paths that a `find` call found
    # are all in the drawing of the tree.
    return None if call.call.operation == FIND else 0


class _MessageBuilder:
    """Makes the initial calls, and writes a section for each result to show."""

    def __init__(
        self, calls: InitialCalls, facts: RequestFacts, writer: SectionWriter
    ) -> None:
        self.calls = calls
        self.schema = calls.tool_schema
        self.facts = facts
        self.writer = writer
        self.results = DeclaredResults(calls, facts, writer)
        self.ranked_files: tuple[RankedFile, ...] = ()

    def write(self) -> None:
        """Make the calls, and write the sections.

        Once the message has no room, no further calls are made. Only the rules are always
        read, because the gates, which check the answer, need them.
        """
        self._show_first()
        if self.writer.has_room:
            self._show_further()
            self._say_how_to_read()
        if not self.writer.has_room:
            self.writer.say("(There was no room to open everything.)\n")

    def message(self, room: MessageRoom) -> FirstMessage:
        """Return the message with what was written."""
        shortened_for = room.limiting_tokens if self._lacks_room() else 0
        return FirstMessage(
            self.calls.recorder,
            self.results.working_tools,
            self.writer.sections,
            self.facts.rules,
            self.ranked_files,
            shortened_for,
        )

    def _lacks_room(self) -> bool:
        """Return True if a file that fits the request is not shown for want of room."""
        if not self.writer.has_room:
            return True
        # The environment limits the characters of all ranked files. If as many are still
        # free, a file was left out because of that limit, not for want of room.
        has_room_for_files = self.writer.remaining_chars >= self.schema.ranked_chars
        if has_room_for_files:
            return False
        return any(is_fitting_left_out(file) for file in self.ranked_files)

    # The first batch: the declared calls that need no other result

    def _show_first(self) -> None:
        """Make the calls of the first batch in parallel, and show their results."""
        sent_calls: list[SentCall] = []
        for declared in first_calls(self.schema):
            if self.writer.has_room or self.results.reads_rules(declared):
                sent_calls.append(self.results.send(declared))
        for sent in sent_calls:
            if sent.declared.has_error_code(sent.result()):
                # The program failed, but the next batches need its output, such as which
                # user asks. So run it again.
                self.results.use(self.results.send(sent.declared, attempt=2))
            else:
                self.results.use(sent)

    # The other batches: files that fit the request

    def _show_further(self) -> None:
        """Make the calls of the other batches, and show their results."""
        unranked: list[SentCall] = []
        documents = ListedDocuments()
        for declared in declared_calls(self.schema):
            if declared.is_ranked:
                documents = self._documents(declared)  # At most one call is ranked.
            else:
                unranked += self._send_unread(declared)
        self.ranked_files = FittingFiles(self.results, documents).show(unranked)

    def _documents(self, declared: DeclaredCall) -> ListedDocuments:
        """Return the documents of a listing that are not read yet."""
        paths = [str(value) for value in self._values(declared)]
        unread = [path for path in paths if not self._was_read(declared, path)]
        root = str(declared.listing_arguments.get("root") or "/")
        return ListedDocuments(declared.operation, root, tuple(unread))

    def _send_unread(self, declared: DeclaredCall) -> list[SentCall]:
        """Send a call for each value of its listing; without a listing, for its unread file."""
        if declared.call.each_of is not None:
            return [
                self.results.send(declared.with_subject(value))
                for value in self._values(declared)
            ]
        if declared.is_read and not self._was_read(declared, declared.subject):
            return [self.results.send(declared)]
        return []

    def _values(self, declared: DeclaredCall) -> list[Plain]:
        return listed_values(declared, self.calls, self.facts.listed)

    def _was_read(self, declared: DeclaredCall, path: str) -> bool:
        reader = FileReader(self.calls, declared.operation)
        return reader.call_for(path) is not None

    def _say_how_to_read(self) -> None:
        """Write how to read the records that the rules or the request name."""
        named = [*paths_in(self.facts.rules), *paths_in(self.facts.instruction)]
        text = reading_help(self.calls, named, self.facts.listed.files)
        if text:
            self.writer.say(text)
