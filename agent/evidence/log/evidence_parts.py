"""The parts of a trial's evidence, and how they make up the evidence for the gates.

The *evidence* is what a trial has read, changed and executed. The gates compare it with the
answer: an answer may cite `/docs/fees.md` if a call has read this file, and say that the
fee is 7 if the file does.
"""

from __future__ import annotations

from controlplane.agent.evidence.log.call_log import CallLog
from controlplane.agent.evidence.log.call_results import CallResults
from controlplane.agent.evidence.log.failed_calls import FailedCalls
from controlplane.agent.evidence.log.file_changes import FileChanges
from controlplane.agent.evidence.log.file_reads import FileReads
from controlplane.agent.evidence.log.found_quotations import FoundQuotations
from controlplane.agent.evidence.log.printed_files import PrintedFiles
from controlplane.agent.evidence.log.script_runs import FunctionResults, ScriptRuns
from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.server_results import ServerResults
from controlplane.agent.evidence.log.tool_runs import ToolRuns
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.gates.evidence import Evidence
from controlplane.sandbox.interface import ToolSchema


class EvidenceParts:
    """What one trial's scripts and calls have added to its evidence, by subject.

    `calls` receives every call, and adds what it has read or changed to the other parts: a
    read of `/docs/fees.md` adds the text to `workspace`. `evidence` puts the parts together for
    the gates, the rules that each answer must pass.
    """

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        self.workspace = SeenWorkspace(tool_schema, most_text_bytes)
        """The paths that calls have reached, and the texts that they saw there."""
        self.changes = TrialChanges()
        """The files that calls wrote or deleted, and the tools that may have changed something."""
        self.scripts = ScriptRuns()
        """The scripts of the trial, with what they printed."""
        self.function_results = FunctionResults()
        """The values of the benchmark's functions, which may support an answer."""
        self.quotations = FoundQuotations()
        """The quotations in citations that were found in the texts."""
        file_changes = FileChanges(self.workspace, self.changes)
        self.failures = FailedCalls(self.workspace.known_paths, file_changes)
        """What the calls that failed have shown."""
        self.calls = CallLog(
            tool_schema=tool_schema,
            changes=self.changes,
            own_words=self.workspace.own_words,
            function_results=self.function_results,
            results=self._call_results(tool_schema, file_changes),
            failures=self.failures,
        )
        """Adds calls to all other parts."""

    def _call_results(
        self, tool_schema: ToolSchema, file_changes: FileChanges
    ) -> CallResults:
        """Return the recorder of results, with a part for each kind of call.

        A read is recorded by `file_reads`, a write by `file_changes`, and so on.
        """
        workspace = self.workspace
        return CallResults(
            cited_paths=workspace.cited_paths,
            file_reads=FileReads(workspace, self.scripts),
            file_changes=file_changes,
            tool_runs=ToolRuns(
                tool_schema=tool_schema,
                workspace=workspace,
                changes=self.changes,
                scripts=self.scripts,
                printed_files=PrintedFiles(tool_schema, workspace, self.changes),
            ),
            server_results=ServerResults(workspace, self.changes),
        )

    def evidence(self) -> Evidence:
        """Return the evidence so far, with each path in the spelling to cite."""
        cited_paths = self.workspace.cited_paths
        path_to_cite = cited_paths.path_to_cite  # `/Fees.md` -> `/docs/fees.md`
        accesses = cited_paths.accesses()
        unclear_tools = [path_to_cite(path) for path in self.changes.unclear_tools]
        return Evidence(
            has_trace=True,  # All calls of the trial are known.
            accesses=accesses,
            aliases=cited_paths.cited_path_of_alias(),
            paths_by_spelling=cited_paths.paths_by_spelling(accesses),
            directories=frozenset(self.workspace.known_paths.listings.folders.paths),
            changes=self.changes.at_cited_paths(path_to_cite),
            unclear_runs=tuple(unclear_tools),
            has_failures=self.failures.environment_has_failed,
            function_results=tuple(self.function_results.values),
            steps=tuple(self.scripts.runs),
            quoted=self.quotations.by_path(),
        )
