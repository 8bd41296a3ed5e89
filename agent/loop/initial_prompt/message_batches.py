"""Makes the initial calls of a trial in four batches, and shows their results.

They are made before the model is asked. A later batch needs the results of earlier ones:

| batch | calls, for the request "Renew my loan l-7" |
|---|---|
| 1. declared for every request | `tree /`, `read /RULES.md`, `exec /bin/whoami` |
| 2. further declared files | `read` each file that `find /policies` lists |
| 3. files that fit the request | `read /loans/l-7.json`, `search renew`, `exec /bin/renew --help` |
| 4. one file of each kind of records | `read /books/b1.json`: which fields does it have? |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import RankedFile
from controlplane.agent.initial_calls.declared_calls import first_calls
from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.loop.initial_prompt.declared_reads import send_declared_reads
from controlplane.agent.loop.initial_prompt.fitting_files import show_fitting_files
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.loop.initial_prompt.record_reading import reading_help
from controlplane.agent.retrieval.written_paths import paths_in


@dataclass(frozen=True, slots=True)
class MessageBatches:
    """Makes the initial calls of a trial, and writes a section for each result to show.

    The *room* is the number of characters that the message may still take.
    """

    draft: MessageDraft
    """The message that is written. Sends the calls, learns facts from their results, and shows them."""

    def write(self) -> tuple[RankedFile, ...]:
        """Make the calls, write the sections, and return the ranked files for the journal.

        Once the message has no room, no further calls are made. Only the rules are always
        read, because the gates, which check the answer, need them.
        """
        writer = self.draft.writer
        ranked_files: tuple[RankedFile, ...] = ()
        self._show_first_batch()
        if writer.has_room:
            second_batch = send_declared_reads(self.draft)
            # The third batch searches files while the calls of the second still run. Then it
            # shows the results of both.
            ranked_files = show_fitting_files(self.draft, second_batch)
            self._show_fourth_batch()
        if not writer.has_room:
            writer.say("(There was no room to open everything.)\n")
        return ranked_files

    def _show_first_batch(self) -> None:
        """Send the calls of the first batch, which may run in parallel, and show their results."""
        draft = self.draft
        sent_calls: list[SentCall] = []
        for declared in first_calls(draft.calls.tool_schema):
            # With a small context there may be no room at all, not even at the beginning.
            if draft.writer.has_room or draft.reads_rules(declared):
                sent_calls.append(draft.send(declared))

        for sent in sent_calls:
            draft.learn_and_show(self._repeated_if_failed(sent))

    def _repeated_if_failed(self, sent: SentCall) -> SentCall:
        """Wait for a call, and return it, or a second call if its program has failed.

        A program such as `/bin/whoami` may succeed then, and the next batches need its output.
        """
        if not sent.has_error_code():
            return sent
        return self.draft.send_again(sent.declared)

    def _show_fourth_batch(self) -> None:
        """Read a file of each kind of records that the rules or the request name.

        Of such a file, only how to read it is shown:
        ``- /loans.csv, columns id, due: `rows = list(csv.DictReader(...))` ``
        """
        facts = self.draft.facts
        named = [*paths_in(facts.rules), *paths_in(facts.instruction)]
        text = reading_help(self.draft.calls, named, facts.listed.files)
        if text:
            self.draft.writer.say(text)
