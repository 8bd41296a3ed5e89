"""Adds the texts that calls read in files to the evidence of a trial.

An answer may then cite these files for what the texts say:

| call | shows | is added as |
|---|---|---|
| `read("/docs/fees.md")` | `Late return: 7 EUR` | the `WHOLE` file |
| the same with `start_line=40` | `---` | nothing: no word of the file is shown |
| the same with `start_line=42` | `Damage: 12 EUR` | an `EXCERPT` |
| a query that counts the rows of `/fees.csv` | `count: 21` | `COMPUTED`, but its heading is proof |
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
        if not shown.is_whole or _may_be_part_of_file(call):
            kind = TextKind.EXCERPT
        shows_nothing = kind is TextKind.EXCERPT and not has_words(shown.text)
        if shows_nothing:
            return ()

        path = learn_reached_file(self.workspace.known_paths, call)
        self._add_text(path, call, shown.text, kind)
        return self.workspace.cited_paths.alias_notes([call.requested_path])

    def _add_text(
        self, path: str, call: ReturnedCall, text: str, kind: TextKind
    ) -> None:
        """Add the text that a read has shown of the file at a path."""
        texts = self.workspace.texts
        passed_words = echoable_words(call.arguments)  # The text may only repeat these.
        columns = columns_of_computed_rows(call.result)
        if not columns:
            lines = shown_lines(call.arguments.values, call.result)
            texts.add_file_text(path, SeenText(text, kind, passed_words, lines=lines))
            return

        # A query may compute any value, so only the names of the table's columns are proof.
        texts.add_file_text(path, SeenText(columns, kind, passed_words, lines=()))
        rows = SeenText(text, TextKind.COMPUTED, passed_words, lines=())
        texts.add_returned_text(path, "read", rows)


def _may_be_part_of_file(call: ReturnedCall) -> bool:
    """Return True if a result may not have all lines: `read("/docs/fees.md", start_line=40)`.

    Any argument but the path may ask for a part.
    """
    is_cut_off = call.result.get("truncated") is True
    has_further_arguments = bool(call.arguments.inputs)
    return is_cut_off or has_further_arguments
