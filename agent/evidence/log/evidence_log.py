"""Records what a trial has read, written and executed.

The text of a result is evidence: a script can cite it at the path that was read. Text
that the script itself supplied is not: if a script writes a file and reads it back,
that proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Final

from controlplane.agent.evidence.log.file_calls import FileCalls
from controlplane.agent.evidence.log.quotation_search import (
    UNKNOWN_LINE,
    QuotationSearch,
)
from controlplane.agent.evidence.log.script_runs import FunctionResults, ScriptRuns
from controlplane.agent.evidence.log.tool_runs import ToolRuns
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.call_text import ReturnedCall
from controlplane.agent.failure_codes import failure_of
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import canonical, nearest
from controlplane.gates.submission import fault_of_reason, quote
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Plain,
    ToolSchema,
    bounds,
    error_codes,
)

MOST_QUOTATIONS_OF_A_PATH: Final = 100
"""How many different quotations are kept for each path."""
MOST_COMPARED_PATHS: Final = 100
"""How many read paths are compared with a mistyped path, to suggest the nearest one."""

_EFFECTS_AT_PATH: Final = frozenset(
    {Effect.EXECUTES, Effect.READS, Effect.WRITES, Effect.DELETES, Effect.MOVES}
)
"""The effects of calls that need a path. A listing without one lists the root."""


class EvidenceLog:
    """The evidence of one trial.

    Created when a trial starts, and used by the thread that makes its calls. `record`
    adds a call, `check_citation` checks a citation of the script, and `view` returns the
    evidence for the gates.
    """

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int = 0) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        self._tool_schema = tool_schema
        self._texts = PathTexts(most_text_bytes)
        """The paths that calls reached, with the texts seen there."""
        self._changes = TrialChanges()
        self._scripts = ScriptRuns()
        self._function_results = FunctionResults()
        """The values of the benchmark's functions, which may support an answer."""
        self._has_failures = False
        """True once a call has failed because of the environment, not because of its request."""
        self._files = FileCalls(self._texts, self._changes, self._scripts)
        self._tools = ToolRuns(tool_schema, self._texts, self._changes, self._scripts)

        self.encoded_results = self._texts.encoded_results
        """Recognises results that may be a script's own text in encoded form."""
        for text in _declared_texts(tool_schema):
            self.encoded_results.add_known_text(text)

        self._quotations: dict[str, list[str]] = {}
        """By cited path, the quotations that were found in its text."""
        self._quotation_search = QuotationSearch()
        self._view: Evidence | None = None
        """The evidence as `view` returned it. None if something was recorded since."""

    # --- Citations ---

    def check_citation(
        self, path: str, reason: str, quotation: str = ""
    ) -> tuple[str, int]:
        """Check a citation.

        Return the path in the spelling to cite, and the line of the quotation.

        The path keeps a fragment such as `#row=7`. The line is the one on which the
        quotation begins; 0 if there is no quotation, or if the line is unknown.

        Raises `ValueError`, with a message for the script, if
        - the path was not read (the message names the most similar path that was),
        - the path is a folder,
        - the quotation is not in the text that was read at the path, or
        - there is no quotation, and the reason is shorter than 8 characters.
        """
        fault = fault_of_reason(path, reason)
        if fault and not quotation:
            raise ValueError(fault)
        spelling = self._spelling_to_cite(path.strip())
        if not quotation:
            return spelling, UNKNOWN_LINE

        access = self.view().find(spelling).access
        seen_texts = () if access is None else access.seen
        line = self._quotation_search.line_of(quotation, spelling, seen_texts)
        self.add_quotation(spelling, quotation)
        return spelling, line

    def _spelling_to_cite(self, path: str) -> str:
        """Return the spelling in which to cite `path`. Raises `ValueError` if it is not citable."""
        # Most citations name a file by the path of a call. This is found at once. Other
        # paths are looked up in all the evidence (`view`), which takes long to collect.
        used_path = self._texts.used_path_to_cite(path)
        if used_path:
            return used_path

        # What the path refers to. It may have a fragment, or be in another spelling.
        reference = self.view().find(path)
        if reference.is_directory:
            msg = f"{quote(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if reference.access is None:
            near = nearest(path, islice(self.view().accesses, MOST_COMPARED_PATHS))
            hint = f" (nearest that was read: {quote(near)})" if near else ""
            msg = f"{quote(path)} was not read in this trial{hint}: read it before citing it."
            raise ValueError(msg)
        return reference.citation

    def add_quotation(self, spelling: str, quotation: str) -> None:
        """Record a quotation that the text at a cited path has."""
        path = self.view().find(spelling).path
        quotations = self._quotations.setdefault(path, [])
        if len(quotations) < MOST_QUOTATIONS_OF_A_PATH and quotation not in quotations:
            quotations.append(quotation)
        self._view = None  # `view` collects the evidence anew when it is needed.

    def right_path(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reaches.

        The file need not have been read. Example: `/docs/Loans.md`, as listings show it,
        for `/DOCS/loans.md`.
        """
        return self._texts.aliases.path_to_cite(canonical(path))

    def is_own(self, path: str) -> bool:
        """Return True if the trial wrote, or may have written, the file at a path."""
        return self._texts.aliases.is_own(canonical(path))

    # --- Calls ---

    def record(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
        error: CallError | None,
        *,
        shown_chars: int | None = None,
    ) -> tuple[str, ...]:
        """Record one call, and return notes on it for the model.

        `result` is None if the call failed with `error`. `shown_chars` is the number of
        characters of the result that the model was shown, or None for all. An answer
        may only cite what was shown.
        """
        self._view = None  # The collected evidence lacks this call.
        declared = self._tool_schema.operation(operation)
        if declared is None:
            return ()
        path = arguments.get(declared.subject)  # `subject` names the path argument.
        requested_path = canonical(path) if isinstance(path, str) and path else ""
        call = ReturnedCall(
            declared, requested_path, arguments, result or {}, shown_chars
        )

        may_change = self._tool_schema.may_change(operation, arguments)
        if may_change:
            # From now on, a file may have text of the script.
            self._changes.may_exist = True
            # The tool may store the words of its arguments, and return them later.
            self._texts.own_words.add(call.given_texts())
        if error is not None:
            self._record_failure(call, error, may_change=may_change)
            return ()
        if result is None:
            return ()
        if declared.is_function:
            # The calls that the function made are recorded one by one.
            self._function_results.add(operation, arguments, result)
            return ()
        return self._record_success(call)

    def _record_success(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a call that succeeded, by its effect, and return notes for the model."""
        effect = call.declared.effect
        if effect in _EFFECTS_AT_PATH and not call.requested_path:
            return ()  # These calls are about a path. Without one, nothing is citable.
        used_paths: list[str] = []
        match effect:
            case Effect.EXECUTES:
                return self._tools.add(call)
            case Effect.LISTS:
                used_paths = self._files.add_listing(call)
            case Effect.READS:
                used_paths = self._files.add_read(call)
            case Effect.WRITES:
                used_paths = self._files.add_write(call)
            case Effect.DELETES | Effect.MOVES:
                used_paths = self._files.add_deletion(call)
            case Effect.RETURNS | Effect.ACTS | Effect.UNDECLARED:
                self._record_result(call)
        return self._texts.alias_notes(used_paths)

    def _record_result(self, call: ReturnedCall) -> None:
        """Record a call that is not about a file, such as one of an MCP server's tool.

        Its result is citable at the path in its
        field `call_path`: `/calls/search/2c1f`.
        """
        path = call.result.get("call_path")
        if not isinstance(path, str) or len(path) > bounds.MOST_PATH_CHARS:
            path = ""
        self._changes.add_action(call.declared, path)
        if path.startswith("/"):
            self._texts.add_server_result(path, call)

    def _record_failure(
        self, call: ReturnedCall, error: CallError, *, may_change: bool
    ) -> None:
        """Record a failed call. It makes nothing citable."""
        failure = failure_of(error.code)
        if failure.is_tooling:  # The environment failed, whatever was asked.
            self._has_failures = True
        if error.code == error_codes.NOT_FOUND and call.requested_path:
            self._texts.aliases.learn_missing(call.requested_path)
        if failure.in_doubt and may_change:  # It may have happened all the same.
            self._files.add_possible_change(call)

    def record_function_result(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
    ) -> None:
        """Record the value that a function of the benchmark returned. It may support an answer."""
        if result is not None:
            self._view = None
            self._function_results.add(operation, arguments, result)

    def record_script(self, code: str, printed: str) -> None:
        """Record a script and its output so far.

        Without `code`, add to the last script's output.
        """
        self._view = None
        self._scripts.add(code, printed)

    # --- The evidence for the gates ---

    def view(self) -> Evidence:
        """Return the evidence so far, for the gates.

        Later calls do not change the returned object.
        """
        if self._view is None:
            self._view = self._new_view()
        return self._view

    def _new_view(self) -> Evidence:
        """Return the evidence so far, with each path in the spelling to cite."""
        aliases = self._texts.aliases
        path_to_cite = aliases.path_to_cite
        accesses = self._texts.accesses()
        return Evidence(
            has_trace=True,  # All calls of the trial are known.
            accesses=accesses,
            aliases=self._texts.cited_path_of_alias(),
            paths_by_spelling=self._texts.paths_by_spelling(accesses),
            directories=frozenset(aliases.listed.folders),
            changes=self._changes.at_cited_paths(path_to_cite),
            # Tools that may have changed something.
            unclear_runs=tuple(map(path_to_cite, self._changes.unclear_tools)),
            has_failures=self._has_failures,
            function_results=tuple(self._function_results.values),
            steps=tuple(self._scripts.runs),
            quoted={path: tuple(texts) for path, texts in self._quotations.items()},
        )


def _declared_texts(tool_schema: ToolSchema) -> list[str]:
    """Return the name, summary and parameter names of each operation whose results have own paths.

    The declarations show these words to scripts,
    so a script that uses them in a call hides nothing.
    """
    texts: list[str] = []
    for operation in tool_schema.operations:
        if operation.effect in (Effect.RETURNS, Effect.ACTS):
            names = [parameter.name for parameter in operation.parameters]
            texts.append(" ".join([operation.name, operation.summary, *names]))
    return texts
