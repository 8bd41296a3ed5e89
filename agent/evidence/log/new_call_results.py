"""Puts together what adds the results of a trial's calls to its evidence.

The *evidence* is what the trial has read and changed. An answer may say only what it supports.
Each kind of call has its own class below, and all of them share the paths and texts of `workspace`:

    read("/docs/fees.md")    `FileReads` adds the text `fee: 7`, at /docs/fees.md
    write("/note.md", ...)   `FileChanges` adds /note.md to the changed files
    read("/note.md")         `FileReads` adds no proof, since the script wrote the file itself
"""

from __future__ import annotations

from controlplane.agent.evidence.log.call_results import CallResults
from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.file_changes import FileChanges
from controlplane.agent.evidence.log.file_listings import FileListings
from controlplane.agent.evidence.log.file_reads import FileReads
from controlplane.agent.evidence.log.server_results import ServerResults
from controlplane.agent.evidence.log.tools.printed_files import PrintedFiles
from controlplane.agent.evidence.log.tools.tool_outputs import ToolOutputs
from controlplane.agent.evidence.log.tools.tool_runs import ToolRuns
from controlplane.agent.evidence.texts.own.unproven_words import UnprovenWords
from controlplane.sandbox.interface import ToolSchema


def new_call_results(tool_schema: ToolSchema, parts: EvidenceParts) -> CallResults:
    """Return what adds the results of calls to `parts`, the evidence of a trial."""
    workspace = parts.workspace
    known_paths = workspace.known_paths
    texts = workspace.texts
    changes = parts.changes
    # Words that the scripts were given, such as those of the task, are not made up by them.
    unproven_words = UnprovenWords(workspace.words.given)
    tool_runs = ToolRuns(
        tool_schema=tool_schema,
        known_paths=known_paths,
        outputs=ToolOutputs(tool_schema.executables, known_paths, texts),
        printed_files=PrintedFiles(workspace),
        scripts=parts.scripts,
        changes=changes,
    )
    return CallResults(
        server_results=ServerResults(known_paths, texts, unproven_words, changes),
        file_listings=FileListings(known_paths, texts),
        file_reads=FileReads(known_paths, texts, parts.scripts),
        file_changes=FileChanges(known_paths, workspace.changed_files, changes.made),
        tool_runs=tool_runs,
        aliases=known_paths.aliases,
    )
