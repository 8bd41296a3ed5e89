"""Shows in the first message how to read the tables and folders of records that a request needs.

If the request or the workspace's rules name the table `/loans.csv`, its first line is read, and the
message gets this text:

    How to read the records:
    - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`
"""

from __future__ import annotations

from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.sections.section_writer import SectionWriter
from controlplane.agent.loop.initial_prompt.records.record_reading import reading_help
from controlplane.agent.retrieval.request_facts import RequestFacts
from controlplane.agent.retrieval.written_paths import paths_in


def show_record_help(
    calls: InitialCalls, facts: RequestFacts, writer: SectionWriter
) -> None:
    """Show how to read the records that the rules or the request name, if they name some.

    `calls` reads one file of each table or folder, to find its fields.
    """
    named = [*paths_in(facts.rules), *paths_in(facts.instruction)]
    text = reading_help(calls, named, facts.listed.files)
    if text:
        writer.say(text)
