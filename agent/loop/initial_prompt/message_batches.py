"""The batches of the initial calls, whose results are in the first message.

1. what the environment declares: the tree of files,
   the user who asks, the time, the rules
2. the files that the request names, and searches for its words in all others
3. the files that fit best, and those that the named records link to
4. the documents that the best ones link to, and the help of tools
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import RankedFile
from controlplane.agent.initial_calls.declared_calls import SentCall, first_calls
from controlplane.agent.loop.initial_prompt.declared_results import DeclaredResults
from controlplane.agent.loop.initial_prompt.fitting_files import FittingFiles
from controlplane.agent.loop.initial_prompt.record_reading import reading_help
from controlplane.agent.loop.initial_prompt.unread_files import UnreadFiles
from controlplane.agent.retrieval.rules_routing import paths_in


@dataclass(frozen=True, slots=True)
class MessageBatches:
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
