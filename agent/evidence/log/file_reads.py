"""Adds the texts that calls read in files to the evidence of a trial.

An answer may then cite these files for what the texts say:

| call | what an answer may cite |
|---|---|
| a read that shows no word, but `---` | nothing |
| a query that counts the rows of `/fees.csv` | `/fees.csv`, for the names of its columns |
| a query that selects rows of `/fees.csv` | `/fees.csv`, for these rows |
| `read("/docs/fees.md")` | `/docs/fees.md`, for the returned text |
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from controlplane.agent.evidence.log.reached_paths import learn_reached_file
from controlplane.agent.evidence.log.script_runs import ScriptRuns
from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.texts.echoes import echoable_words
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.evidence.texts.shown_lines import (
    columns_of_computed_rows,
    shown_lines,
)
from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.trial.seen_text import SeenText


@dataclass(frozen=True, slots=True)
class FileReads:
    """Adds the calls of one trial that read files."""

    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    scripts: ScriptRuns
    """The scripts of the trial, with what they printed."""

    def add(self, call: ReturnedCall) -> bool:
        """Add a read. Return False if it shows nothing for which an answer could cite the file."""
        shown = call.shown_text(call.declared.json_field)
        if call.is_of_initial_prompt:
            # The initial prompt shows the text, so it counts as printed.
            self.scripts.add_printed(shown.text)
        is_excerpt = not shown.is_whole or _may_lack_lines(call)
        if is_excerpt and not has_words(shown.text):
            return False

        path = learn_reached_file(self.workspace.known_paths, call)
        seen = SeenText(
            shown.text,
            script_words=echoable_words(call.arguments),  # It may only repeat these.
            is_excerpt=is_excerpt,
            lines=shown_lines(call.arguments.values, call.result),
        )
        columns = columns_of_computed_rows(call.result)
        if columns:
            self._add_computed_rows(path, seen, columns)
        else:
            self.workspace.texts.add_file_text(path, seen)
        return True

    def _add_computed_rows(self, path: str, seen: SeenText, columns: str) -> None:
        """Add the result of a query such as a count. Its rows are not text of the file.

        A query may compute any value, so only the names of the table's columns are proof.
        """
        self.workspace.texts.add_file_text(path, replace(seen, text=columns))
        rows = replace(seen, is_proof=False, is_excerpt=True, lines=())
        self.workspace.texts.add_returned_text(path, "read", rows)


def _may_lack_lines(call: ReturnedCall) -> bool:
    """Return True if a result may be a part of the file: any input but the path may ask for one."""
    return call.result.get("truncated") is True or bool(call.arguments.inputs)
