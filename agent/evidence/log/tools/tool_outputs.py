"""Adds the outputs of tools to the evidence, each as a text at the path of its tool.

After `exec("/bin/date")` has printed `12 May`, an answer may cite `/bin/date` for this date. Not every
output can be cited:

| run | its output |
|---|---|
| `/bin/date` | is added as proof |
| `/bin/date -u`, which has an argument, or a run that failed | is added, but not as proof |
| `/bin/dat`, which failed and is not declared | is not added: there may be no such tool |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.script_runs import ScriptRuns
from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.tools.tool_run import ToolRun
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class ToolOutputs:
    """Adds the outputs of tools in one trial."""

    tool_schema: ToolSchema
    """Declares the tools of the environment."""
    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    scripts: ScriptRuns
    """The scripts of the trial, with what they printed."""

    def add(self, run: ToolRun) -> None:
        """Add the output of a run at the path of its tool."""
        if run.call.is_of_initial_prompt:
            # The initial prompt shows the output, as if a script had printed it.
            self.scripts.add_printed(run.output)
        if run.has_failed and not self._is_declared(run.path):
            return
        is_own_tool = self.workspace.known_paths.is_own(run.path)
        seen = run.seen_text(is_own_tool=is_own_tool)
        self.workspace.texts.add_returned_text(run.path, "execute", seen)

    def _is_declared(self, path: str) -> bool:
        """Return True if the environment declares a tool with this path."""
        return any(tool.path == path for tool in self.tool_schema.executables)
