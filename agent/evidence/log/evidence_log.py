"""Keeps what a trial has read, written and executed: its *evidence*.

An answer may only state what its trial has read. Gates, which judge answers, look that up here:

    add_call("read", {"path": "/docs/fees.md"}, {"content": "Late return: 7 EUR"}, None)
    view().accesses["/docs/fees.md"]   -> Access: read, with the text "Late return: 7 EUR"
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallFailure, Citation
from controlplane.agent.evidence.log.call_log import CallLog
from controlplane.agent.evidence.log.citing.citations import Citations
from controlplane.agent.evidence.log.citing.cited_files import CitedFiles
from controlplane.agent.evidence.log.evidence_collector import EvidenceCollector
from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


class EvidenceLog:
    """The evidence of one trial. At most `most_text_bytes` of texts are kept; 0 for the default."""

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int = 0) -> None:
        self._parts = EvidenceParts(tool_schema, most_text_bytes)
        self._workspace = self._parts.workspace
        self._collector = EvidenceCollector(self._parts)
        self._calls = CallLog(tool_schema, self._parts)
        cited_files = CitedFiles(self._collector, self._workspace.cited_paths)
        self.citations = Citations(cited_files)
        """Checks the citations of scripts. Those that are accepted come to `add_citation`."""

    def view(self) -> Evidence:
        """Return the evidence so far. Later calls do not change it."""
        return self._collector.view()

    def add_call(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
        error: CallError | CallFailure | None,
        shown_chars: int | None = None,
    ) -> tuple[str, ...]:
        """Add one call, and return notes on it for the model (see `CallLog.add`)."""
        self._collector.invalidate()
        return self._calls.add(operation, arguments, result, error, shown_chars)

    def add_function_result(
        self, function: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Add the value that a function of the benchmark returned. It may support an answer."""
        self._collector.invalidate()
        self._parts.function_results.add(function, arguments, result)

    def add_script(self, code: str, printed: str) -> None:
        """Add a script and its output so far."""
        self._collector.invalidate()
        self._parts.scripts.add(code, printed)

    def add_printed(self, text: str) -> None:
        """Add further output of the last script."""
        self._collector.invalidate()
        self._parts.scripts.add_printed(text)

    def add_citation(self, citation: Citation) -> None:
        """Add the quotation of a citation that was accepted, if it has one."""
        if citation.quote and citation.spelling:
            path = self.view().find(citation.spelling).path  # without a fragment
            self._parts.quotations.add(path, citation.quote)
            self._collector.invalidate()  # after `view`, which has collected the evidence

    def add_given_text(self, text: str) -> None:
        """Learn that scripts were given a text, such as the task. They have not made up its words."""
        self._workspace.words.given.add_text(text)

    def listed_path(self, path: str) -> str:
        """Return the path that listings show for a file: `/DOCS/loans.md` -> `/docs/Loans.md`."""
        return self._workspace.known_paths.aliases.path_to_cite(canonical(path))

    def is_own(self, path: str) -> bool:
        """Return True if the path may be of a file that the trial wrote: `/A.md` after `/a.md`."""
        return self._workspace.known_paths.is_own(canonical(path))
