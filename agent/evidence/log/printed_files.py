"""Adds the output of tools that print files, as text of these files."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.opened_files import OpenedFiles, opened_files
from controlplane.agent.evidence.log.tool_run import ToolRun
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.call_text import has_words
from controlplane.gates.paths import canonical
from controlplane.gates.trial.accesses import SeenText
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class PrintedFiles:
    """Adds the files that tools of one trial have printed."""

    tool_schema: ToolSchema
    known_paths: KnownPaths
    accessed: AccessedPaths
    texts: PathTexts
    changes: TrialChanges

    def add(self, run: ToolRun) -> list[str]:
        """Add the output of a tool as the text of the files that it opened. Return their paths.

        The tool's declaration says which arguments are files. Files that are known not
        to exist are left out.
        """
        if run.has_input_beside_arguments:
            return []  # The output may come from stdin, which the script wrote.
        opened = opened_files(
            self.tool_schema.executable(run.path).files,
            run.call.arguments.command_line,
            may_have_changed=self.changes.has_changing_calls,
        )
        is_part_shown = opened.is_excerpt or run.call.is_of_first_message
        if is_part_shown and not has_words(run.output):
            return []  # Without a letter or digit, a part shows nothing of a file.

        paths = [path for path in map(canonical, opened.paths) if self._may_exist(path)]
        for path in paths:
            self._add_text(path, run.output, opened)
        return paths

    def _may_exist(self, path: str) -> bool:
        """Return True unless it is known that a path is not a file."""
        return path in self.accessed or self.known_paths.may_be_file(path)

    def _add_text(self, path: str, output: str, opened: OpenedFiles) -> None:
        """Add a tool's output as the text of one file.

        If the tool prints only parts of the file, each line is an excerpt.
        """
        tainted = opened.repeatable_text
        if not opened.is_excerpt:
            self.texts.add_file_text(path, SeenText(output, tainted=tainted))
            return
        for line in output.splitlines():
            if has_words(line):
                excerpt = SeenText(line, tainted=tainted, is_excerpt=True, lines=())
                self.texts.add_file_text(path, excerpt)
