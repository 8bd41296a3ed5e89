"""Adds the output of tools that print files, as text of these files.

If a script runs `/bin/cat /docs/fees.md`, the output is the text of this file, as if the
script had read it. So an answer may cite the file. With `/bin/jq .fee /a.json`, the
output is an *excerpt*: parts of the file.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.opened_files import OpenedFiles, opened_files
from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.tool_run import ToolRun
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.texts.call_text import has_words
from controlplane.gates.paths import canonical
from controlplane.gates.trial.accesses import SeenText
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class PrintedFiles:
    """Adds the texts of files that tools have printed to what one trial has seen.

    A tool is a program that a script runs, such as `cat /docs/fees.md`.
    """

    tool_schema: ToolSchema
    """Declares for each tool which of its arguments are files."""
    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    changes: TrialChanges
    """What calls have changed so far."""

    def add(self, run: ToolRun) -> list[str]:
        """Add the output of a tool as the text of the files that it opened.

        Return the paths of these files. Files that are known not to exist are left out.
        """
        if run.has_input_beside_arguments:
            # The script gave the tool a text by stdin, and the output may only repeat it.
            return []
        opened = opened_files(
            self.tool_schema.executable(run.path).files,
            run.call.arguments.command_line,
            may_have_changed=self.changes.has_changing_calls,
        )
        # The first message to the model may show only the beginning of an output.
        is_part_shown = opened.is_excerpt or run.call.is_of_first_message
        if is_part_shown and not has_words(run.output):
            return []  # A part such as `---` shows nothing of a file.

        paths = [path for path in map(canonical, opened.paths) if self._may_exist(path)]
        for path in paths:
            self._add_text(path, run.output, opened)
        return paths

    def _may_exist(self, path: str) -> bool:
        """Return True unless it is known that a path is not a file."""
        if path in self.workspace.accessed:
            return True
        return self.workspace.known_paths.may_be_file(path)

    def _add_text(self, path: str, output: str, opened: OpenedFiles) -> None:
        """Add a tool's output as the text of one file.

        If the tool prints only parts of the file, each line is an excerpt. On which line of
        the file it stands is not known.
        """
        script_words = opened.searched_words
        if not opened.is_excerpt:
            seen = SeenText(output, script_words=script_words)
            self.workspace.texts.add_file_text(path, seen)
            return
        for line in output.splitlines():
            if has_words(line):
                excerpt = SeenText(
                    line, script_words=script_words, is_excerpt=True, lines=()
                )
                self.workspace.texts.add_file_text(path, excerpt)
