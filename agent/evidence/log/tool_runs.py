"""Adds the calls that run a tool of the environment, such as `/bin/jq`, to the evidence.

An answer may then cite the tool's path, with its output. If the tool only reads, the
answer may also cite the files that the tool opened (`printed_files.py`). The model gets notes:

    exec("/bin/jq", args=[".fee", "/Fees.json"])
        -> "'/Fees.json' is '/docs/Fees.json': cite it by that path."
    exec("/bin/jq", args=["fee", "/docs/Fees.json"]), which fails
        -> "'/bin/jq' ended with exit code 3: 'compile error'"
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.printed_files import PrintedFiles
from controlplane.agent.evidence.log.script_runs import ScriptRuns
from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.tool_run import HELP, ToolRun
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.sandbox.interface import ExecutableKind, ToolSchema


@dataclass(frozen=True, slots=True)
class ToolRuns:
    """Adds the runs of tools in one trial. A tool is a program, such as `/bin/jq`.

    | run | is added |
    |---|---|
    | `/bin/jq .fee /a.json`, which only reads | the output, at `/bin/jq` and at `/a.json` |
    | `/bin/set fee 7`, which changes something | the output, at `/bin/set`, and a change |
    | `/bin/odd`, which does not declare what it does | the output, and an *unclear* tool |
    | one that failed | the output, but not as proof. The model gets a note |
    | `/bin/jq --help` | nothing: it is not about the workspace |
    """

    tool_schema: ToolSchema
    """Declares for each tool if it only reads."""
    workspace: SeenWorkspace
    """Gets the output, as a text at the tool's path."""
    changes: TrialChanges
    """Gets the runs that have changed something, or may have."""
    scripts: ScriptRuns
    """Gets outputs that the initial prompt shows. They count as printed by a script."""
    printed_files: PrintedFiles
    """Adds the output of a tool as text of the files that it opened."""

    @classmethod
    def of(cls, tool_schema: ToolSchema, parts: EvidenceParts) -> ToolRuns:
        """Return what adds runs to these parts of the evidence."""
        return cls(
            tool_schema=tool_schema,
            workspace=parts.workspace,
            changes=parts.changes,
            scripts=parts.scripts,
            printed_files=PrintedFiles(tool_schema, parts.workspace, parts.changes),
        )

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a run, and return notes on it for the model.

        Example of a note: `'/Fees.md' is '/docs/fees.md': cite it by that path.`
        """
        if call.arguments.command_line == HELP:
            return ()
        path = self.workspace.learn_reached_tool(call)
        run = ToolRun(path, call, call.shown_text().text)
        self._add_output(run)
        kind = self.tool_schema.executable_kind(path)
        only_reads = kind is ExecutableKind.READS
        if not only_reads:
            # Even a run that failed may have created files that were missing before.
            self.workspace.known_paths.forget_missing_files()
        if run.has_failed:
            return run.failure_notes()
        if only_reads:
            opened_paths = self.printed_files.add(run)
            return self.workspace.cited_paths.alias_notes(opened_paths)
        self.changes.add_run(path, kind)
        return ()

    def _add_output(self, run: ToolRun) -> None:
        """Add the output of a tool as a text at the tool's path: `/bin/jq`."""
        if run.call.is_of_initial_prompt:
            # The initial prompt shows the output, as if a script had printed it.
            self.scripts.add_printed(run.output)
        if run.has_failed and not self._is_declared(run.path):
            return  # There may be no such tool, so an answer must not cite its path.
        is_own_tool = self.workspace.known_paths.is_own(run.path)
        seen = run.seen_text(is_own_tool=is_own_tool)
        self.workspace.texts.add_returned_text(run.path, "execute", seen)

    def _is_declared(self, path: str) -> bool:
        """Return True if the environment declares a tool with this path."""
        return any(tool.path == path for tool in self.tool_schema.executables)
