"""Adds what tools print of files to the evidence, so that an answer may cite these files.

A tool is a program that a script runs. A script could cheat, and let it print words of its own.
So it depends on the command how the output is added:

| command | its output is added |
|---|---|
| `cat /a.md` | as the text of `/a.md` |
| `jq .fee /a.json` | line by line, as *excerpts*, because the tool prints only parts |
| `lookup /list.csv late` | as excerpts, which do not prove the word `late`: `late: not found` |
| `jq '"fee: 7"' /a.json` | not at all: the script chose the words |
| `cat` with a text as stdin | not at all |
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.evidence.log.opened_files import OpenedFiles, opened_files
from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.log.tool_run import ToolRun
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.texts.returned_text import has_words
from controlplane.gates.paths import canonical
from controlplane.gates.trial.seen_text import SeenText
from controlplane.sandbox.interface import ToolSchema


@dataclass(frozen=True, slots=True)
class PrintedFiles:
    """Adds the texts of files that the tools of one trial have printed.

    The output of `cat /docs/fees.md` is the text of this file, so an answer may cite the file.
    """

    tool_schema: ToolSchema
    """Declares for each tool which of its arguments are files."""
    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    changes: TrialChanges
    """What calls have changed so far."""

    def add(self, run: ToolRun) -> list[str]:
        """Add the output of a tool as text of the files that it opened.

        Return the paths of these files: `/docs/fees.md` for `cat /docs/fees.md`. Files that
        are known not to exist are left out.
        """
        if run.has_input_beside_arguments:
            return []  # The output may repeat words that the script passed by stdin.
        opened = opened_files(
            self.tool_schema.executable(run.path).files,
            run.call.arguments.command_line,
            # Once a file may have changed, it may have words of the script.
            may_have_changed=self.changes.has_changing_calls,
        )
        if opened is None:
            return []  # The output may have other text than that of files.
        # The initial prompt often shows only the beginning of an output.
        is_part_of_file = opened.is_excerpt or run.call.is_of_initial_prompt
        if is_part_of_file and not has_words(run.output):
            return []  # `---` shows nothing of the file.

        seen_texts = _seen_texts(run.output, opened)
        paths: list[str] = []
        for opened_path in opened.paths:
            path = canonical(opened_path)
            if self._may_exist(path):
                paths.append(path)
        for path in paths:
            for seen in seen_texts:
                self.workspace.texts.add_file_text(path, seen)
        return paths

    def _may_exist(self, path: str) -> bool:
        """Return True unless it is known that a path is not a file."""
        if path in self.workspace.accessed:
            return True
        return self.workspace.known_paths.may_be_file(path)


def _seen_texts(output: str, opened: OpenedFiles) -> list[SeenText]:
    """Return a tool's output as texts of the files that it opened.

    It is one text if the tool prints whole files. If it prints only parts of them, each line
    with a word is an excerpt: `late: 21`, `---`, `fee: 7` -> excerpts `late: 21` and `fee: 7`.
    """
    if not opened.is_excerpt:
        return [SeenText(output, script_words=opened.searched_words)]
    excerpts: list[SeenText] = []
    for line in output.splitlines():
        if has_words(line):
            excerpt = SeenText(
                line,
                # After `lookup /list.csv late`, the line `late: not found` only repeats `late`.
                script_words=opened.searched_words,
                is_excerpt=True,
                lines=(),  # It is not known on which line of the file it stands.
            )
            excerpts.append(excerpt)
    return excerpts
