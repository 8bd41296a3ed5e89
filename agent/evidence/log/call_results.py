"""Adds the results of successful calls to the evidence, by the effects of the calls.

Each operation declares its effect. After a call that `READS`, an answer may cite the file with
its text. After one that `DELETES`, it may say that the file is gone. A call that
`RETURNS` or `ACTS` is not about a file: its result has a path of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.file_changes import FileChanges
from controlplane.agent.evidence.log.file_reads import FileReads
from controlplane.agent.evidence.log.printed_files import PrintedFiles
from controlplane.agent.evidence.log.server_results import ServerResults
from controlplane.agent.evidence.log.tool_runs import ToolRuns
from controlplane.agent.evidence.paths.cited_paths import CitedPaths
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.sandbox.interface import Effect, ToolSchema

_EFFECTS_AT_PATH: Final = frozenset(
    {Effect.EXECUTES, Effect.READS, Effect.WRITES, Effect.DELETES, Effect.MOVES}
)
"""The effects of calls about one path. A listing is not among them, as it needs no path: without
one, it lists the root."""


@dataclass(frozen=True, slots=True)
class CallResults:
    """Adds the results of one trial's calls to its evidence, each by the part for its kind."""

    cited_paths: CitedPaths
    """The path by which to cite each file."""
    file_reads: FileReads
    """Adds reads, listings and searches: `read("/docs/fees.md")`."""
    file_changes: FileChanges
    """Adds writes, deletions and moves."""
    tool_runs: ToolRuns
    """Adds runs of programs, such as `/bin/jq`."""
    server_results: ServerResults
    """Adds all other results, such as that of `wiki.search`."""

    @classmethod
    def of(
        cls, tool_schema: ToolSchema, parts: EvidenceParts, file_changes: FileChanges
    ) -> CallResults:
        """Return an object that adds results to `parts`, the evidence of a trial."""
        workspace = parts.workspace
        changes = parts.changes
        scripts = parts.scripts
        printed_files = PrintedFiles(tool_schema, workspace, changes)
        return cls(
            cited_paths=workspace.cited_paths,
            file_reads=FileReads(workspace, scripts),
            file_changes=file_changes,
            tool_runs=ToolRuns(tool_schema, workspace, changes, scripts, printed_files),
            server_results=ServerResults(workspace, changes),
        )

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add the result of a call, and return notes for the model.

        Example of a note: `'/Loans.md' is '/docs/Loans.md': cite it by that path.`
        """
        effect = call.declared.effect
        if effect in _EFFECTS_AT_PATH and not call.requested_path:
            return ()  # Without the path, nothing is citable.
        used_paths: list[str] = []  # They may be aliases, about which there are notes.
        match effect:
            case Effect.EXECUTES:
                return self.tool_runs.add(call)
            case Effect.LISTS:
                used_paths = self.file_reads.add_listing(call)
            case Effect.READS:
                used_paths = self.file_reads.add_read(call)
            case Effect.WRITES:
                self.file_changes.add_write(call)
                used_paths = [call.requested_path]
            case Effect.DELETES | Effect.MOVES:
                self.file_changes.add_deletion(call)
                used_paths = [call.requested_path]
            case Effect.RETURNS | Effect.ACTS | Effect.UNDECLARED:
                self.server_results.add(call)
        return self.cited_paths.alias_notes(used_paths)
