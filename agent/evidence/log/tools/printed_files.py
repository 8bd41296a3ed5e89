"""Adds what tools print of files to the evidence, so that an answer may cite these files.

After `cat /docs/fees.md` has printed `fee: 7`, an answer may cite `/docs/fees.md` for this fee. But
a script could let a tool print words of its own, and cite the file for them. So an output is added
only if all of it is text of files:

    cat /docs/fees.md                         is added
    cat /docs/fees.md, with a text as stdin   is not: the output may be this text
    cat /docs/fees.md /note.md                is not, if the script may have written `/note.md`
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.tools.command_files import files_of_command
from controlplane.agent.evidence.log.tools.tool_run import ToolRun
from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import FileArguments


@dataclass(frozen=True, slots=True)
class PrintedFiles:
    """Adds the texts of files that the tools of one trial have printed."""

    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""

    def add(
        self, run: ToolRun, declared: FileArguments | None, *, has_changed_files: bool
    ) -> list[str]:
        """Add the output of a tool as text of the files that it opened, and return their paths.

        Files that are known not to exist are left out. `declared` says which words of the command
        line are files; None if the tool does not declare it. `has_changed_files` is true if the
        script may have written to any file.
        """
        opened = None if run.has_stdin else files_of_command(run.words, declared)
        if opened is None:
            return []
        if has_changed_files and opened.are_several:
            return []  # A line may be from a file that the script has written.

        seen_texts = opened.seen_texts(run.output)
        # The initial prompt may show the model only the beginning of an output. If this has no
        # word, such as `---`, the model has not read the file.
        is_unread = run.call.is_of_initial_prompt and not has_words(run.output)
        if is_unread or not seen_texts:
            return []

        requested_paths = [canonical(path) for path in opened.paths]
        paths = [path for path in requested_paths if self.workspace.may_be_file(path)]
        for path in paths:
            for seen in seen_texts:
                self.workspace.texts.add_file_text(path, seen)
        return paths
