"""Keeps what a trial has read, written and executed: its *evidence*.

Each call is recorded, and the gates, the rules that each answer must pass, get a view of all:

    log.record("read", {"path": "/docs/fees.md"}, {"content": "Late return: 7 EUR"}, None)
    log.view().accesses["/docs/fees.md"]   -> Access: read, with the text "Late return: 7 EUR"

The answer may now cite this file for what its text says. Text of the script itself is no
evidence: if it writes a file and reads it back, that proves nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.log.call_log import CallLog
from controlplane.agent.evidence.log.citations import Citations
from controlplane.agent.evidence.log.evidence_collector import EvidenceCollector
from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.gates.evidence import Evidence
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import CallError, Plain, ToolSchema


class EvidenceLog:
    """The evidence of one trial: what it has read, written and executed.

    The evidence is kept in parts by subject. `view` puts them together and keeps the result,
    until something is added. Only the thread that makes the trial's calls uses it.
    """

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int = 0) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        self._workspace = SeenWorkspace(most_text_bytes)
        """The paths and texts that calls have seen."""
        self._parts = EvidenceParts(self._workspace)
        """What scripts and calls have added so far, by subject."""
        self._collector = EvidenceCollector(self._parts)
        """Puts the parts together for the gates, and keeps the result until `invalidate`."""
        self._calls = CallLog(tool_schema, self._parts)
        """Adds calls to the parts."""
        self.citations = Citations(
            self._collector, self._workspace.cited_paths, self._parts.quotations
        )
        """Checks the citations of scripts."""

    def view(self) -> Evidence:
        """Return the evidence so far. Later calls do not change the returned object."""
        return self._collector.view()

    def record(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
        error: CallError | None,
        *,
        shown_chars: int | None = None,
    ) -> tuple[str, ...]:
        """Add one call, and return notes on it for the model.

        Example of a note: `'/Loans.md' is '/docs/Loans.md': cite it by that path.`

        `result` is None if the call failed with `error`. `shown_chars` is the number of
        characters of the result that the model was shown, or None for all. An answer
        may only cite what was shown.
        """
        self._collector.invalidate()
        return self._calls.add(operation, arguments, result, error, shown_chars)

    def record_function_result(
        self, function: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Add the value that a function of the benchmark returned. It may support an answer."""
        self._collector.invalidate()
        self._parts.function_results.add(function, arguments, result)

    def record_script(self, code: str, printed: str) -> None:
        """Add a script and its output so far."""
        self._collector.invalidate()
        self._parts.scripts.add(code, printed)

    def record_printed(self, text: str) -> None:
        """Add further output of the last script."""
        self._collector.invalidate()
        self._parts.scripts.add_printed(text)

    def add_known_text(self, text: str) -> None:
        """Learn that scripts were given a text, such as the task.

        A script that sends words of it to a server hides no text of its own.
        """
        self._calls.server_results.add_known_text(text)

    def listed_path(self, path: str) -> str:
        """Return the path that listings show for the file that a call for `path` reaches.

        `/DOCS/loans.md` -> `/docs/Loans.md`. The file need not have been read.
        """
        return self._workspace.cited_paths.path_to_cite(canonical(path))

    def is_own(self, path: str) -> bool:
        """Return True if the trial wrote the file at a path, or may have written it.

        After a write that timed out, for example, it may have.
        """
        return self._workspace.known_paths.is_own(canonical(path))
