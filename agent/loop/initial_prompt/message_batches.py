"""Makes the initial calls of a trial in four batches, and shows their results.

They are made before the model is asked. A later batch needs the results of earlier ones:

| batch | function | calls, for the request "Renew my loan l-7" |
|---|---|---|
| declared calls | `show_declared_results` | `tree /`, `read /RULES.md`, `exec /bin/whoami` |
| declared files | `send_declared_reads` | `read` each file that `find /policies` lists |
| files that fit | `show_fitting_files` | `read /loans/l-7.json`, `exec /bin/renew --help` |
| records | `show_record_help` | `read /books/b1.json`: which fields do records have? |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import RankedFile
from controlplane.agent.loop.initial_prompt.declared_reads import send_declared_reads
from controlplane.agent.loop.initial_prompt.declared_results import (
    show_declared_results,
)
from controlplane.agent.loop.initial_prompt.fitting_files import show_fitting_files
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.loop.initial_prompt.records.record_reading import reading_help
from controlplane.agent.retrieval.written_paths import paths_in


@dataclass(frozen=True, slots=True)
class MessageBatches:
    """Makes the initial calls of a trial, and writes a section for each result to show."""

    draft: MessageDraft
    """The message. Its `writer` knows how many characters it may still take: its *room*."""

    def write(self) -> tuple[RankedFile, ...]:
        """Make the calls, write the sections, and return the ranked files for the journal.

        Once the message has no room, no further calls are made. Only the rules are always
        read, because the gates, which check the answer, need them.
        """
        writer = self.draft.writer
        ranked_files: tuple[RankedFile, ...] = ()
        show_declared_results(self.draft)
        if writer.has_room:
            # The reads of declared files run while files that fit are searched. Then the results
            # of both are shown.
            declared_reads = send_declared_reads(self.draft)
            ranked_files = show_fitting_files(self.draft, declared_reads)
            show_record_help(self.draft)
        if not writer.has_room:
            writer.say("(There was no room to open everything.)\n")
        return ranked_files


def show_record_help(draft: MessageDraft) -> None:
    """Show how to read the tables and folders of records that the rules or the request name.

    One file of each is read, to show its fields:
    ``- /loans.csv, columns id, due: `rows = list(csv.DictReader(...))` ``
    """
    facts = draft.facts
    named = [*paths_in(facts.rules), *paths_in(facts.instruction)]
    text = reading_help(draft.calls, named, facts.listed.files)
    if text:
        draft.writer.say(text)
