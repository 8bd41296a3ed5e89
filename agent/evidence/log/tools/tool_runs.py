"""Adds the calls that run a tool of the environment, a program such as `/bin/jq`, to the evidence.

An answer may then cite the tool's path for its output. What else is added depends on the tool's
declaration:

| run | is added |
|---|---|
| `/bin/jq --help` | nothing: it is not about the workspace |
| one that failed | the output, but not as proof. The model gets a note |
| `/bin/jq .fee /a.json`, which only reads | the output, at `/bin/jq` and at `/a.json` |
| `/bin/set fee 7`, which changes something | the output, at `/bin/set`, and a change |
| `/bin/odd`, which does not declare what it does | the output, and an *unclear* tool |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.reached_paths import learn_reached_tool
from controlplane.agent.evidence.log.script_runs import ScriptRuns
from controlplane.agent.evidence.log.tools.failure_notes import failure_notes
from controlplane.agent.evidence.log.tools.printed_files import PrintedFiles
from controlplane.agent.evidence.log.tools.tool_outputs import ToolOutputs
from controlplane.agent.evidence.log.tools.tool_run import HELP, ToolRun
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.paths.alias_notes import alias_notes
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.sandbox.interface import ExecutableKind, ToolSchema


@dataclass(frozen=True, slots=True)
class ToolRuns:
    """Adds the runs of tools in one trial."""

    tool_schema: ToolSchema
    """Declares for each tool if it only reads."""
    known_paths: KnownPaths
    """Knows how listings spell the path of a tool, and which paths are aliases."""
    outputs: ToolOutputs
    """Adds the output of a tool at the tool's path."""
    printed_files: PrintedFiles
    """Adds the output of a tool as text of the files that it opened."""
    scripts: ScriptRuns
    """The scripts of the trial, with what they printed."""
    changes: TrialChanges
    """What calls have changed so far."""

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a run, and return notes for the model: that the run has failed, or used aliases."""
        if call.arguments.command_line == HELP:
            return ()
        path = learn_reached_tool(self.known_paths, call)
        run = ToolRun(path, call, call.shown_text().text)
        if call.is_of_initial_prompt:
            # The initial prompt shows the output, so it counts as printed.
            self.scripts.add_printed(run.output)
        # The output of a run that failed, or that the script may have chosen, is no proof there.
        self.outputs.add(run)

        tool = self.tool_schema.executable(path)
        only_reads = tool.kind is ExecutableKind.READS
        if not only_reads:
            # Even a run that failed may have created files that were missing before.
            self.known_paths.files.forget_missing()
        if run.has_failed:
            return failure_notes(run)
        if not only_reads:
            # By its kind, the tool counts as one that changes something, or as unclear.
            self.changes.add_run(path, tool.kind)
            return ()
        opened_paths = self.printed_files.add(
            run, tool.files, has_changed_files=self.changes.has_changing_calls
        )
        return alias_notes(opened_paths, self.known_paths.aliases)
