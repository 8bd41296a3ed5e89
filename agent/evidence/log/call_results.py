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

from collections.abc import Iterable

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.file_changes import FileChanges
from controlplane.agent.evidence.log.file_listings import FileListings
from controlplane.agent.evidence.log.file_reads import FileReads
from controlplane.agent.evidence.log.server_results import ServerResults
from controlplane.agent.evidence.log.tools.tool_runs import ToolRuns
from controlplane.agent.evidence.texts.own.unproven_words import UnprovenWords
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.sandbox.interface import Effect, ToolSchema


class CallResults:
    """Adds the results of one trial's calls that succeeded."""

    def __init__(self, tool_schema: ToolSchema, parts: EvidenceParts) -> None:
        """Create what adds the results of each effect. All add to the same parts."""
        workspace = parts.workspace
        known_paths = workspace.known_paths
        texts = workspace.texts
        unproven_words = UnprovenWords(workspace.words.given)
        self._server_results = ServerResults(
            known_paths, texts, unproven_words, parts.changes
        )
        self._file_listings = FileListings(known_paths, texts)
        self._file_reads = FileReads(known_paths, texts, parts.scripts)
        self._tool_runs = ToolRuns(tool_schema, parts)
        self._file_changes = FileChanges(
            known_paths, workspace.changed_files, parts.changes.made
        )
        self._cited_paths = workspace.cited_paths

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add the result of a call, and return notes on it for the model.

        Example of a note: “`/Loans.md` is `/docs/Loans.md`: cite it by that path.”
        """
        used_paths: Iterable[str]
        match call.declared.effect:
            case Effect.NONE:
                return ()
            case Effect.RETURNS | Effect.ACTS | Effect.UNDECLARED:
                self._server_results.add(call)
                return ()
            case Effect.LISTS:
                used_paths = self._file_listings.add(call)
            case _ if not call.requested_path:
                # The others are about one path. Without it, an answer could not cite the result.
                return ()
            case Effect.EXECUTES:
                return self._tool_runs.add(call)
            case Effect.READS:
                used_paths = self._file_reads.add(call)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                used_paths = self._file_changes.add(call)
        return self._cited_paths.alias_notes(used_paths)
