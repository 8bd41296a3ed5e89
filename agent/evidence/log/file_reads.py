"""Adds the texts that calls read in files to the evidence of a trial.

An answer may then cite these files for what the texts say:

| call | what an answer may cite |
|---|---|
| `read("/docs/fees.md")` | `/docs/fees.md`, for the returned text |
| a query that selects rows of `/fees.csv` | `/fees.csv`, for these rows |
| a query that counts the rows of `/fees.csv` | `/fees.csv`, for the names of its columns |
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

    def add(self, call: ReturnedCall) -> list[str]:
        """Add a read, and return the requested path; nothing if the call shows no word of the file."""
        shown = call.shown_text(call.declared.json_field)
        if call.is_of_initial_prompt:
            # The initial prompt shows the text, so it counts as printed.
            self.scripts.add_printed(shown.text)
        is_excerpt = not shown.is_whole or call.returns_part
        if is_excerpt and not has_words(shown.text):
            return []  # `---` shows nothing of the file, so an answer may not cite it.

        path = learn_reached_file(self.workspace.known_paths, call)
        seen = SeenText(
            shown.text,
            script_words=echoable_words(call.arguments),  # It may only repeat these.
            is_excerpt=is_excerpt,
            lines=shown_lines(call.arguments.values, call.result),
        )
        column_names = columns_of_computed_rows(call.result)  # empty for a usual read
        if not column_names:
            self.workspace.texts.add_file_text(path, seen)
            return [call.requested_path]

        # A query may compute any value, so its rows are no proof. Only the names of the table's
        # columns are text of the file.
        columns = replace(seen, text=column_names)
        self.workspace.texts.add_file_text(path, columns)
        computed = replace(seen, is_proof=False, is_excerpt=True, lines=())
        self.workspace.texts.add_returned_text(path, "read", computed)
        return [call.requested_path]
