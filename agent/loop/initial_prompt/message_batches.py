"""Makes the initial calls of a trial in four batches, and shows their results.

They are made before the model is asked. For "Renew my loan l-7":

1. calls that the environment declares for every request: `tree /`, `read /RULES.md`
2. reads of the files that these have listed: `read` each file of `find /policies`
3. reads of the files that fit the request: `read /loans/l-7.json`, `exec /bin/renew --help`
4. a read of one record of each kind: which fields do the files in `/books` have?
"""

from __future__ import annotations

from controlplane.agent.events import RankedFile
from controlplane.agent.loop.initial_prompt.declared_reads import send_declared_reads
from controlplane.agent.loop.initial_prompt.declared_results import (
    show_declared_results,
)
from controlplane.agent.loop.initial_prompt.fitting_files import show_fitting_files
from controlplane.agent.loop.initial_prompt.message_draft import MessageDraft
from controlplane.agent.loop.initial_prompt.records.record_reading import reading_help
from controlplane.agent.retrieval.written_paths import paths_in


def write_batches(draft: MessageDraft) -> tuple[RankedFile, ...]:
    """Make the calls, write a section for each result to show, and return the ranked files.

    The draft's `writer` knows how many characters the message may still take: its *room*. Once
    there is none, no further calls are made. Only the rules are always read, because the gates,
    which check the answer, need them.
    """
    ranked_files: tuple[
        RankedFile, ...
    ] = ()  # how well each file fits, for the journal
    show_declared_results(draft)  # batch 1
    if draft.writer.has_room:
        reads = send_declared_reads(
            draft
        )  # batch 2, which runs beside the search of batch 3
        ranked_files = show_fitting_files(draft, reads)  # shows both
        show_record_help(draft)  # batch 4
    if not draft.writer.has_room:
        draft.writer.say("(There was no room to open everything.)\n")
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
