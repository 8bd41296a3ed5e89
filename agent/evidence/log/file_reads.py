"""Adds the texts that calls read in files to the evidence of a trial.

An answer may then cite these files for what the texts say:

| call | its text is | an answer may cite |
|---|---|---|
| `read("/docs/fees.md")` | `WHOLE` | `/docs/fees.md`, for the text |
| `read("/docs/fees.md", start_line=40)` | an `EXCERPT` | `/docs/fees.md`, for the text |
| the same, if it shows no word, but `---` | | nothing |
| a query that counts the rows of `/fees.csv` | `COMPUTED` | `/fees.csv`, for the names of its columns |
"""

from __future__ import annotations

from dataclasses import dataclass

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
from controlplane.gates.trial.text_kind import TextKind


@dataclass(frozen=True, slots=True)
class FileReads:
    """Adds the calls of one trial that read files."""

    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    scripts: ScriptRuns
    """The scripts of the trial, with what they printed."""

    def add(self, call: ReturnedCall) -> tuple[str, ...]:
        """Add a read. Return a note for the model if the file is cited by another path."""
        shown = call.shown_text(call.declared.json_field)
        if call.is_of_initial_prompt:
            # The initial prompt shows the text, so it counts as printed.
            self.scripts.add_printed(shown.text)
        kind = TextKind.WHOLE
        if not shown.is_whole or _may_lack_lines(call):
            kind = TextKind.EXCERPT
        if kind is TextKind.EXCERPT and not has_words(shown.text):
            return ()

        path = learn_reached_file(self.workspace.known_paths, call)
        texts = self.workspace.texts
        passed_words = echoable_words(call.arguments)  # The text may only repeat these.
        columns = columns_of_computed_rows(call.result)
        if columns:
            # A query may compute any value, so only the names of the table's columns are proof.
            texts.add_file_text(path, SeenText(columns, kind, passed_words, lines=()))
            rows = SeenText(shown.text, TextKind.COMPUTED, passed_words, lines=())
            texts.add_returned_text(path, "read", rows)
        else:
            lines = shown_lines(call.arguments.values, call.result)
            texts.add_file_text(
                path, SeenText(shown.text, kind, passed_words, lines=lines)
            )
        return self.workspace.cited_paths.alias_notes([call.requested_path])


def _may_lack_lines(call: ReturnedCall) -> bool:
    """Return True if a result may be a part of the file: any input but the path may ask for one."""
    return call.result.get("truncated") is True or bool(call.arguments.inputs)
