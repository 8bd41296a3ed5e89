"""The parts of a trial's evidence, and how they make up the evidence for the gates."""

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
    """What one trial's scripts and calls have added to its evidence."""

    def __init__(self, tool_schema: ToolSchema, most_text_bytes: int) -> None:
        """`most_text_bytes` is the most memory for kept texts; 0 stands for the usual amount."""
        self.changes = TrialChanges()
        self.scripts = ScriptRuns()
        self.function_results = FunctionResults()
        """The values of the benchmark's functions, which may support an answer."""
        self.quotations = FoundQuotations()
        self.workspace = SeenWorkspace(tool_schema, most_text_bytes)
        """The paths and texts that calls have seen."""

        workspace = self.workspace
        file_changes = FileChanges(
            workspace.known_paths, workspace.accessed, workspace.texts, self.changes
        )
        self.failures = FailedCalls(workspace.known_paths, file_changes)
        self.calls = CallLog(
            tool_schema,
            self.changes,
            workspace.own_words,
            self.function_results,
            CallResults(
                workspace.cited_paths,
                FileReads(workspace.known_paths, workspace.texts, self.scripts),
                file_changes,
                self._tool_runs(tool_schema),
                ServerResults(
                    workspace.known_paths,
                    workspace.texts,
                    self.changes,
                    workspace.encoded_results,
                ),
            ),
            self.failures,
        )
        """Adds calls to all other parts."""

    def _tool_runs(self, tool_schema: ToolSchema) -> ToolRuns:
        """Return what adds the runs of tools to the other parts."""
        workspace = self.workspace
        printed_files = PrintedFiles(
            tool_schema,
            workspace.known_paths,
            workspace.accessed,
            workspace.texts,
            self.changes,
        )
        return ToolRuns(
            tool_schema,
            workspace.known_paths,
            workspace.cited_paths,
            workspace.texts,
            self.changes,
            self.scripts,
            printed_files,
        )

    def evidence(self) -> Evidence:
        """Return the evidence so far, with each path in the spelling to cite."""
        cited_paths = self.workspace.cited_paths
        path_to_cite = cited_paths.path_to_cite
        accesses = cited_paths.accesses()
        return Evidence(
            has_trace=True,  # All calls of the trial are known.
            accesses=accesses,
            aliases=cited_paths.cited_path_of_alias(),
            paths_by_spelling=cited_paths.paths_by_spelling(accesses),
            directories=frozenset(self.workspace.known_paths.listings.folders),
            changes=self.changes.at_cited_paths(path_to_cite),
            # Tools that may have changed something.
            unclear_runs=tuple(map(path_to_cite, self.changes.unclear_tools)),
            has_failures=self.failures.are_by_environment,
            function_results=tuple(self.function_results.values),
            steps=tuple(self.scripts.runs),
            quoted=self.quotations.by_path(),
        )
