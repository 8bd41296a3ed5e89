"""Adds the results of calls to the evidence, by the effect that each operation declares.

An answer may only cite what a call has shown, and at the path where it has shown it:

| call | effect | what an answer may cite |
|---|---|---|
| `now()` | `NONE` | nothing |
| `wiki.search("fees")`, `mail.send(...)` | `RETURNS`, `ACTS`, `UNDECLARED` | the result, at its own path |
| `grep("fee")`, `list("/docs")` | `LISTS` | the lines that `grep` found; of `list`, nothing |
| one of those below without a path | | nothing |
| `exec("/bin/jq", ...)` | `EXECUTES` | the output, at `/bin/jq` |
| `read("/docs/fees.md")` | `READS` | the text, at `/docs/fees.md` |
| `write("/report.md", ...)` | `WRITES`, `DELETES`, `MOVES` | `/report.md`, as changed |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.evidence.log.file_changes import FileChanges
from controlplane.agent.evidence.log.file_listings import FileListings
from controlplane.agent.evidence.log.file_reads import FileReads
from controlplane.agent.evidence.log.server_results import ServerResults
from controlplane.agent.evidence.log.tools.tool_runs import ToolRuns
from controlplane.agent.evidence.paths.alias_notes import alias_notes
from controlplane.agent.evidence.paths.path_aliases import PathAliases
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.sandbox.interface import Effect


@dataclass(frozen=True, slots=True)
class CallResults:
    """Adds the results of one trial's calls that succeeded, each to the part for its effect."""

    server_results: ServerResults
    file_listings: FileListings
    file_reads: FileReads
    file_changes: FileChanges
    tool_runs: ToolRuns
    aliases: PathAliases
    """Tells by which path each file is cited."""

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add the result of a call, and return notes on it for the model.

        Example of a note: “`/Loans.md` is `/docs/Loans.md`: cite it by that path.”
        """
        used_paths: Sequence[str] = ()
        match call.declared.effect:
            case Effect.NONE:
                pass
            case Effect.RETURNS | Effect.ACTS | Effect.UNDECLARED:
                self.server_results.add(call)
            case Effect.LISTS:
                used_paths = self.file_listings.add(call)
            case _ if not call.requested_path:
                pass  # The effects below need a path, or an answer could not cite the result.
            case Effect.EXECUTES:
                return self.tool_runs.add(call)  # with notes on failures
            case Effect.READS:
                used_paths = self.file_reads.add(call)
            case Effect.WRITES | Effect.DELETES | Effect.MOVES:
                used_paths = self.file_changes.add(call)
        return alias_notes(used_paths, self.aliases)
