"""Adds the calls of a trial to its evidence, whether they succeeded or failed.

An answer may only state what calls have shown. But a script could have a tool store a text, and
read it back. So the log also learns the words that scripts pass to calls that may change something:

| call | what is added |
|---|---|
| one that the environment does not declare | nothing: it is not known what its result means |
| `write("/a.md", "fee is 7")` | the words `fee`, `is` and `7`, as the script's own, and a change |
| `read("/c.md")`, which fails by `not_found` | there is no `/c.md` |
| `total_fee("L-4") -> {"value": 21}` | the value of a function |
| `read("/b.md") -> {"content": "late: 21"}` | a text that an answer may cite |
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallFailure
from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.failed_calls import learn_from_failure
from controlplane.agent.evidence.log.new_call_results import new_call_results
from controlplane.agent.evidence.texts.call_arguments import CallArguments
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.failure_codes import failure_of
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


class CallLog:
    """Adds the calls of one trial to its evidence."""

    def __init__(self, tool_schema: ToolSchema, parts: EvidenceParts) -> None:
        self._tool_schema = tool_schema
        self._parts = parts  # the evidence so far
        self._call_results = new_call_results(tool_schema, parts)

    def add(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
        error: CallError | CallFailure | None,
        shown_chars: int | None,
    ) -> tuple[str, ...]:
        """Add a call with its `result`, its `error`, or neither. Return notes for the model.

        `shown_chars` of the result are shown by the initial prompt; None for a script's call.
        """
        declared = self._tool_schema.operation(operation)
        if declared is None:
            return ()
        call_arguments = CallArguments(declared, arguments)
        call = ReturnedCall(call_arguments, result or {}, shown_chars)
        may_change = self._tool_schema.may_change(operation, arguments)
        if may_change:
            # Even a failed call may have stored these words. A later result proves none of them.
            self._parts.workspace.words.own.add(call_arguments.input_texts)
            self._parts.changes.has_changing_calls = True
        if error is not None:
            self._add_failure(call, error.code, may_change=may_change)
            return ()
        if result is None:
            return ()  # The call was cut off, so it has neither.
        if declared.is_function:
            # The calls that the function itself has made are added one by one.
            self._parts.function_results.add(operation, arguments, result)
            return ()
        return self._call_results.add(call)

    def _add_failure(self, call: ReturnedCall, code: str, *, may_change: bool) -> None:
        """Add a call that has failed with an error code. An answer cannot cite it."""
        if failure_of(code).is_environment_fault:
            self._parts.environment_has_failed = True
        known_paths = self._parts.workspace.known_paths
        learn_from_failure(known_paths, call, code, may_change=may_change)
