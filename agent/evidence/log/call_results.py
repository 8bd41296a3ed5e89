"""Adds the results of calls to the evidence, by the effect that each operation declares.

An answer may only cite what a call has shown, and at the path where it has shown it:

| call | effect | what an answer may cite |
|---|---|---|
| `now()` | `NONE` | nothing |
| `wiki.search("fees")`, `mail.send(...)` | `RETURNS`, `ACTS`, `UNDECLARED` | the result, at its own path |
| `list("/docs")` | `LISTS` | lines that a search has found in files |
| `read("/docs/fees.md")` | `READS` | the text, at `/docs/fees.md` |
| `exec("/bin/jq", ...)` | `EXECUTES` | the output, at `/bin/jq` |
| `write("/report.md", ...)` | `WRITES` | `/report.md`, as written |
| `delete("/old.md")` | `DELETES` | `/old.md`, as deleted |
| `move("/old.md", "/new.md")` | `MOVES` | both |
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
        self._server_results = ServerResults(parts.workspace, parts.changes)
        self._file_listings = FileListings(parts.workspace)
        self._file_reads = FileReads(parts.workspace, parts.scripts)
        self._tool_runs = ToolRuns(tool_schema, parts)
        self._file_changes = FileChanges(parts.workspace, parts.changes)

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add the result of a call, and return notes on it for the model.

        Example of a note: “`/Loans.md` is `/docs/Loans.md`: cite it by that path.”
        """
        match call.declared.effect:
            case Effect.NONE:
                return ()
            case Effect.RETURNS | Effect.ACTS | Effect.UNDECLARED:
                self._server_results.add(call)
                return ()
            case Effect.LISTS:
                return self._file_listings.add(call)
            case _ if not call.requested_path:
                # The others are about one path. Without it, an answer could not cite the result.
                return ()
            case Effect.READS:
                return self._file_reads.add(call)
            case Effect.EXECUTES:
                return self._tool_runs.add(call)
            case Effect.WRITES:
                return self._file_changes.add_write(call)
            case Effect.DELETES:
                return self._file_changes.add_deletion(call)
            case Effect.MOVES:
                return self._file_changes.add_move(call)
