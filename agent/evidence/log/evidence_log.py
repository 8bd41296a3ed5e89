"""Records what a trial has read, written and executed.

The text of a result is evidence: a script can cite it at the path that was read. Text
that the script itself supplied is not: if a script writes a file and reads it back,
that proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.log.cited_spelling import spelling_to_cite
from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.quotation_search import (
    UNKNOWN_LINE,
    QuotationSearch,
)
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import canonical
from controlplane.gates.submission import fault_of_reason
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


class EvidenceLog:
    """The evidence of one trial.

    Created when a trial starts, and used by the thread that makes its calls. `record`
    adds a call, `check_citation` checks a citation of the script, and `view` returns the
    evidence for the gates.
    """

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int = 0) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        self._parts = EvidenceParts(tool_schema, most_text_bytes)
        self.encoded_results = self._parts.encoded_results
        """Recognises results that may be a script's own text in encoded form."""
        self._quotation_search = QuotationSearch()
        self._view: Evidence | None = None
        """The evidence as `view` returned it. None if something was recorded since."""

    def view(self) -> Evidence:
        """Return the evidence so far, for the gates.

        Later calls do not change the returned object.
        """
        if self._view is None:
            self._view = self._parts.evidence()
        return self._view

    # --- Citations ---

    def check_citation(
        self, path: str, reason: str, quotation: str = ""
    ) -> tuple[str, int]:
        """Return the spelling in which to cite a path, and the line of the quotation.

        The path keeps a fragment such as `#row=7`. The line is the one on which the
        quotation begins; 0 if there is no quotation, or if the line is unknown.

        Raises `ValueError`, with a message for the script, if
        - the path was not read, or is a folder,
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
        used_path = self._parts.cited_paths.used_path_to_cite(path)
        return used_path or spelling_to_cite(path, self.view())

    def add_quotation(self, spelling: str, quotation: str) -> None:
        """Record a quotation that the text at a cited path has."""
        path = self.view().find(spelling).path
        self._parts.quotations.add(path, quotation)
        self._view = None  # `view` collects the evidence anew when it is needed.

    # --- Paths ---

    def right_path(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reaches.

        The file need not have been read. Example: `/docs/Loans.md`, as listings show it,
        for `/DOCS/loans.md`.
        """
        return self._parts.cited_paths.path_to_cite(canonical(path))

    def is_own(self, path: str) -> bool:
        """Return True if the trial wrote, or may have written, the file at a path."""
        return self._parts.known_paths.is_own(canonical(path))

    # --- Calls and scripts ---

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
        return self._parts.calls.add(operation, arguments, result, error, shown_chars)

    def record_function_result(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
    ) -> None:
        """Record the value that a function of the benchmark returned. It may support an answer."""
        if result is not None:
            self._view = None
            self._parts.function_results.add(operation, arguments, result)

    def record_script(self, code: str, printed: str) -> None:
        """Record a script and its output so far.

        Without `code`, add to the last script's output.
        """
        self._view = None
        self._parts.scripts.add(code, printed)
