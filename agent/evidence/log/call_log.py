"""Adds the calls of a trial to its evidence: the files that they read, changed or listed.

An answer may only cite what a call has shown. Each call is added by the effect that its
operation declares, to one or more of the `EvidenceParts`:

    read("/docs/fees.md")      READS      FileReads       its text, at /docs/fees.md
    write("/report.md", ...)   WRITES     FileChanges     a change, and a path of the trial's own
    exec("/bin/jq", ...)       EXECUTES   ToolRuns        the output, at /bin/jq
    wiki.search("fees")        RETURNS    ServerResults   the result, at a path of its own

A call that failed adds nothing to cite. But it may show that a file is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.file_changes import FileChanges
from controlplane.agent.evidence.log.file_reads import FileReads
from controlplane.agent.evidence.log.server_results import ServerResults
from controlplane.agent.evidence.log.tool_runs import ToolRuns
from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Plain,
    ToolSchema,
    error_codes,
)

_EFFECTS_AT_PATH: Final = frozenset(
    {Effect.EXECUTES, Effect.READS, Effect.WRITES, Effect.DELETES, Effect.MOVES}
)
"""The effects of calls about one path. A listing is not among them, as it needs no path: without
one, it lists the root."""


class CallLog:
    """Adds the calls of one trial to its evidence: what they read, changed or listed."""

    def __init__(self, tool_schema: ToolSchema, parts: EvidenceParts) -> None:
        """Create what adds the calls of each kind. They share the parts that they add to."""
        self._tool_schema = tool_schema
        self._parts = parts
        """The evidence so far."""
        self._workspace = parts.workspace
        """The paths and texts that calls have seen. It is one of the parts."""
        self._file_reads = FileReads(parts.workspace, parts.scripts)
        """Adds reads, listings and searches."""
        self._file_changes = FileChanges(parts.workspace, parts.changes)
        """Adds writes, deletions and moves."""
        self._tool_runs = ToolRuns.of(tool_schema, parts)
        """Adds runs of programs, such as `/bin/jq`."""
        self.server_results = ServerResults(tool_schema, parts.workspace, parts.changes)
        """Adds all other results, such as that of `wiki.search`."""

    def add(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
        error: CallError | None,
        shown_chars: int | None,
    ) -> tuple[str, ...]:
        """Add one call, and return notes on it for the model.

        Example of a note: `'/Loans.md' is '/docs/Loans.md': cite it by that path.`

        `result` is None if the call failed with `error`. `shown_chars` is the number of
        characters of the result that the model was shown, or None for all.
        """
        declared = self._tool_schema.operation(operation)
        if declared is None:
            return ()  # It is not known what a result of the operation means.
        call = ReturnedCall(
            declared, CallArguments(declared, arguments), result or {}, shown_chars
        )
        if self._may_change(call):
            self._learn_changing_call(call)
        if error is not None:
            self._learn_failure(call, error)
            return ()
        if result is None:
            return ()  # There is nothing to add.
        if declared.is_function:
            # The function of the benchmark has computed a value. The calls that it made are
            # recorded one by one.
            self._parts.function_results.add(operation, arguments, result)
            return ()
        return self._add_result(call)

    def _learn_changing_call(self, call: ReturnedCall) -> None:
        """Learn that a call may have changed something, even if it failed.

        It may have stored the words of its arguments. They are the script's own, so they prove
        nothing if a later result has them.
        """
        self._parts.changes.has_changing_calls = True
        self._workspace.own_words.add(call.arguments.input_texts)

    def _learn_failure(self, call: ReturnedCall, error: CallError) -> None:
        """Learn what a failed call shows, although it has no result.

        | error of the call | what it shows |
        |---|---|
        | `not_found` of `read("/a.md")` | there is no `/a.md` |
        | `deadline_exceeded` of `write("/a.md", ...)` | `/a.md` may have changed |
        | `unavailable`, a lost connection | the environment has failed |
        """
        failure = failure_of(error.code)
        if failure.is_environment_fault:
            self._parts.environment_has_failed = True
        path = call.requested_path
        if error.code == error_codes.NOT_FOUND and path:
            self._workspace.known_paths.learn_missing(path)
        if failure.in_doubt and self._may_change(call):
            self._file_changes.add_possible_change(call)

    def _may_change(self, call: ReturnedCall) -> bool:
        """Return True if a call may change something."""
        return self._tool_schema.may_change(call.declared.name, call.arguments.values)

    def _add_result(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add the result of a call that succeeded, and return notes on it for the model.

        If the call has used another path of a file than listings show (an *alias*), a note
        says by which path an answer must cite the file.
        """
        effect = call.declared.effect
        if effect in _EFFECTS_AT_PATH and not call.requested_path:
            return ()  # An answer could not cite the result, as it would be at no path.
        used_paths: list[str] = []
        match effect:
            case Effect.EXECUTES:
                return self._tool_runs.add(call)
            case Effect.LISTS:
                used_paths = self._file_reads.add_listing(call)
            case Effect.READS:
                used_paths = self._file_reads.add_read(call)
            case Effect.WRITES:
                self._file_changes.add_write(call)
                used_paths = [call.requested_path]
            case Effect.DELETES | Effect.MOVES:
                self._file_changes.add_deletion(call)
                used_paths = [call.requested_path]
            case Effect.RETURNS | Effect.ACTS | Effect.UNDECLARED:
                self.server_results.add(call)
        return self._workspace.cited_paths.alias_notes(used_paths)
