"""Adds the results of calls to the evidence, by the effect that each operation declares.

An answer may only cite what a call has shown, and at the path where it has shown it:

| call | effect | is added by | what an answer may cite |
|---|---|---|---|
| `read("/docs/fees.md")` | `READS` | `FileReads` | its text, at `/docs/fees.md` |
| `search("late")` | `LISTS` | `FileListings` | the found lines, at the path of each file |
| `write("/report.md", ...)` | `WRITES` | `FileChanges` | `/report.md`, as written |
| `exec("/bin/jq", ...)` | `EXECUTES` | `ToolRuns` | the output, at `/bin/jq` |
| `wiki.search("fees")` | `RETURNS` | `ServerResults` | the result, at a path of its own |
"""

from __future__ import annotations

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.file_changes import FileChanges
from controlplane.agent.evidence.log.file_listings import FileListings
from controlplane.agent.evidence.log.file_reads import FileReads
from controlplane.agent.evidence.log.server_results import ServerResults
from controlplane.agent.evidence.log.tools.tool_runs import ToolRuns
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.sandbox.interface import Effect, ToolSchema


class CallResults:
    """Adds the results of one trial's calls that succeeded."""

    def __init__(self, tool_schema: ToolSchema, parts: EvidenceParts) -> None:
        """Create what adds the results of each effect. All add to the same parts."""
        self._cited_paths = parts.workspace.cited_paths
        self._file_reads = FileReads(parts.workspace, parts.scripts)
        self._file_listings = FileListings(parts.workspace)
        self._file_changes = FileChanges(parts.workspace, parts.changes)
        self._tool_runs = ToolRuns(tool_schema, parts)
        self._server_results = ServerResults(parts.workspace, parts.changes)

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add the result of a call, and return notes on it for the model.

        If the call has used another path of a file than listings show (an *alias*), a note
        says by which path an answer must cite the file.
        """
        used_paths = [call.requested_path]  # They may be aliases.
        match call.declared.effect:
            case Effect.NONE:
                return ()
            case Effect.RETURNS | Effect.ACTS | Effect.UNDECLARED:
                self._server_results.add(call)
                return ()
            case Effect.LISTS:
                used_paths = self._file_listings.add(call)
            case _ if not call.requested_path:
                return ()  # An answer could not cite the result, as it would be at no path.
            case Effect.READS:
                used_paths = self._file_reads.add(call)
            case Effect.EXECUTES:
                return self._tool_runs.add(call)
            case Effect.WRITES:
                self._file_changes.add_write(call)
            case Effect.DELETES | Effect.MOVES:
                self._file_changes.add_deletion(call)
        return self._cited_paths.alias_notes(used_paths)
