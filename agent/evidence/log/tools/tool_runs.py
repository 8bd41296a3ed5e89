"""Adds the calls that run a tool of the environment, a program such as `/bin/jq`, to the evidence.

An answer may then cite the tool's path for its output. If the tool only reads, the answer may also
cite the files that the tool opened. What is added depends on the tool's declaration:

| run | is added |
|---|---|
| `/bin/jq --help` | nothing: it is not about the workspace |
| one that failed | the output, but not as proof. The model gets a note |
| `/bin/jq .fee /a.json`, which only reads | the output, at `/bin/jq` and at `/a.json` |
| `/bin/set fee 7`, which changes something | the output, at `/bin/set`, and a change |
| `/bin/odd`, which does not declare what it does | the output, and an *unclear* tool |
"""

from __future__ import annotations

from controlplane.agent.evidence.log.evidence_parts import EvidenceParts
from controlplane.agent.evidence.log.reached_paths import learn_reached_tool
from controlplane.agent.evidence.log.tools.failure_notes import failure_notes
from controlplane.agent.evidence.log.tools.printed_files import PrintedFiles
from controlplane.agent.evidence.log.tools.tool_outputs import ToolOutputs
from controlplane.agent.evidence.log.tools.tool_run import HELP, ToolRun
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.sandbox.interface import ExecutableKind, ToolSchema


class ToolRuns:
    """Adds the runs of tools in one trial."""

    def __init__(self, tool_schema: ToolSchema, parts: EvidenceParts) -> None:
        workspace = parts.workspace
        self._tool_schema = tool_schema
        """Declares for each tool if it only reads."""
        self._scripts = parts.scripts
        self._changes = parts.changes
        self._known_paths = workspace.known_paths
        self._cited_paths = workspace.cited_paths
        self._tool_outputs = ToolOutputs(
            tool_schema.executables, workspace.known_paths, workspace.texts
        )
        """Adds the output of a tool at the tool's path."""
        self._printed_files = PrintedFiles(workspace)
        """Adds the output of a tool as text of the files that it opened."""

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a run, and return notes for the model: that the run has failed, or used aliases.

        Example: “`/Fees.md` is `/docs/Fees.md`: cite it by that path.”
        """
        if call.arguments.command_line == HELP:
            return ()
        path = learn_reached_tool(self._known_paths, call)
        run = ToolRun(path, call, call.shown_text().text)
        if call.is_of_initial_prompt:
            # The initial prompt shows the output, so it counts as printed.
            self._scripts.add_printed(run.output)
        self._tool_outputs.add(run)

        tool = self._tool_schema.executable(path)
        only_reads = tool.kind is ExecutableKind.READS
        if not only_reads:
            # Even a run that failed may have created files that were missing before.
            self._known_paths.files.forget_missing()
        if run.has_failed:
            return failure_notes(run)
        if not only_reads:
            self._changes.add_run(path, tool.kind)
            return ()
        opened_paths = self._printed_files.add(
            run, tool.files, has_changed_files=self._changes.has_changing_calls
        )
        return self._cited_paths.alias_notes(opened_paths)
