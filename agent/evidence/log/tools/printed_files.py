"""Adds what tools print of files to the evidence, so that an answer may cite these files.

A script could cheat, and let a tool print words of its own. Then it would cite a file for words
that the file does not have. So an output is added only if it can have no other text than that of
files:

| run | is added |
|---|---|
| `cat /docs/fees.md`, with a text as stdin | nothing: the output may be this text |
| `jq '"fee: 7"' /docs/fees.json` | nothing: the output is the text of the script |
| `cat /docs/fees.md /note.md` | nothing if the script may have written `/note.md` |
| `jq .rule /docs/fees.json`, which prints `---` | nothing: no word of the file is shown |
| `cat /docs/fees.md` | the output, as the text of `/docs/fees.md` |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.tools.command_files import files_of_command
from controlplane.agent.evidence.log.tools.tool_run import ToolRun
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.paths import canonical
from controlplane.gates.trial.text_kind import TextKind
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class PrintedFiles:
    """Adds the texts of files that the tools of one trial have printed."""

    tool_schema: ToolSchema
    """Declares for each tool which of its arguments are files."""
    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    changes: TrialChanges
    """What calls have changed so far."""

    def add(self, run: ToolRun) -> list[str]:
        """Add the output of a tool as text of the files that it opened, and return their paths.

        Files that are known not to exist are left out.
        """
        passes_stdin = any(name != "args" for name in run.call.arguments.inputs)
        if passes_stdin:
            return []
        opened = files_of_command(
            run.call.arguments.command_line,
            self.tool_schema.executable(run.path).files,
        )
        if opened is None:
            return []
        if self.changes.has_changing_calls and opened.are_several:
            return []  # A line may be from a file that the script has written.
        # The initial prompt often shows only the beginning of an output.
        shows_parts = opened.kind is TextKind.EXCERPT or run.call.is_of_initial_prompt
        if shows_parts and not has_words(run.output):
            return []

        requested_paths = [canonical(path) for path in opened.paths]
        paths = [path for path in requested_paths if self._may_exist(path)]
        seen_texts = opened.seen_texts(run.output)
        for path in paths:
            for seen in seen_texts:
                self.workspace.texts.add_file_text(path, seen)
        return paths

    def _may_exist(self, path: str) -> bool:
        """Return True unless it is known that a path is not a file."""
        if path in self.workspace.accessed:
            return True
        return self.workspace.known_paths.files.may_be_file(path)
