"""Adds the calls of a trial to its evidence: the files that they read, changed or listed.

An answer may only cite what a call has shown. After `read("/docs/fees.md")`, it may cite
this file. Which class adds a call, and to which of the `EvidenceParts`:

    CallLog ─┬─ CallResults ─┬─ FileReads ───── workspace, scripts
             │               ├─ FileChanges ─── workspace, changes
             │               ├─ ToolRuns ────── workspace, changes, scripts
             │               └─ ServerResults ─ workspace, changes
             ├─ FailedCalls ─────────────────── workspace, environment_has_failed
             └─ (by itself) ─────────────────── function_results
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.log.call_results import CallResults
from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.failed_calls import FailedCalls
from controlplane.agent.evidence.log.file_changes import FileChanges
from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


@dataclass(frozen=True, slots=True)
class CallLog:
    """Adds the calls of one trial to its evidence: what they read, changed or listed.

    After `read("/docs/fees.md")`, an answer may cite this file. A failed call adds nothing to
    cite, but it may show that a file is missing.
    """

    tool_schema: ToolSchema
    """The declared operations."""
    parts: EvidenceParts
    """The evidence so far, to which the calls are added."""
    results: CallResults
    """Adds the calls that succeeded."""
    failures: FailedCalls
    """Learns from the calls that failed."""

    @classmethod
    def of(cls, tool_schema: ToolSchema, parts: EvidenceParts) -> CallLog:
        """Return a log that adds calls to `parts`, the evidence of a trial."""
        file_changes = FileChanges(parts.workspace, parts.changes)
        return cls(
            tool_schema=tool_schema,
            parts=parts,
            results=CallResults.of(tool_schema, parts, file_changes),
            failures=FailedCalls(parts, file_changes),
        )

    def add(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
        error: CallError | None,
        shown_chars: int | None,
    ) -> tuple[str, ...]:
        """Add one call. Return notes for the model on the paths that it used.

        Example of a note: `'/Loans.md' is '/docs/Loans.md': cite it by that path.` A call of
        an operation that is not declared adds nothing.

        `result` is None if the call failed with `error`. `shown_chars` is the number of
        characters of the result that the model was shown, or None for all.
        """
        declared = self.tool_schema.operation(operation)
        if declared is None:
            return ()
        call_arguments = CallArguments(declared, arguments)
        call = ReturnedCall(declared, call_arguments, result or {}, shown_chars)

        may_change = self.tool_schema.may_change(operation, arguments)
        if may_change:
            self.parts.changes.has_changing_calls = True
            # Even if the call failed, it may have stored the words of its arguments. They are
            # the script's own, so they prove nothing if a later result has them.
            self.parts.workspace.own_words.add(call_arguments.input_texts)

        if error is not None:
            self.failures.add(call, error, may_change=may_change)
            return ()
        if result is None:
            return ()  # There is nothing to add.
        if declared.is_function:
            # The function of the benchmark has computed a value. The calls that it made are
            # recorded one by one.
            self.parts.function_results.add(operation, arguments, result)
            return ()
        return self.results.add(call)
