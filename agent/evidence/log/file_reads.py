"""Adds the texts that calls read in files, and the paths that they list.

An answer may then cite these files for what the texts say:

| call | what an answer may cite |
|---|---|
| `read("/docs/fees.md")` | `/docs/fees.md`, for the returned text |
| `search("late")`, which finds line 4 of `/docs/fees.md` | `/docs/fees.md`, for this line |
| a query that counts the rows of `/fees.csv` | `/fees.csv`, for the names of its columns |
| `list("/docs")` | nothing. But it is now known which files there are |
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from controlplane.agent.evidence.log.script_runs import ScriptRuns
from controlplane.agent.evidence.log.seen_workspace import SeenWorkspace
from controlplane.agent.evidence.texts.echoes import echoable_words
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.evidence.texts.returned_text import has_words
from controlplane.agent.evidence.texts.shown_lines import (
    columns_of_computed_rows,
    shown_lines,
)
from controlplane.gates.paths import canonical
from controlplane.gates.trial.seen_text import SeenText


@dataclass(frozen=True, slots=True)
class FileReads:
    """Adds the calls of one trial that read or list files.

    The methods return the requested paths. They may be aliases: `/Fees.md`, if listings show
    the same file as `/docs/fees.md`. The model is then told by which path to cite it.
    """

    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    scripts: ScriptRuns
    """The scripts of the trial, with what they printed."""

    def add_read(self, call: ReturnedCall) -> list[str]:
        """Add a read: an answer may now cite its path for the returned text. Return the path."""
        shown = call.shown_text(call.declared.json_field)
        if call.is_of_initial_prompt:
            # The initial prompt shows the text, so it counts as printed.
            self.scripts.add_printed(shown.text)
        is_excerpt = not shown.is_whole or call.returns_part
        if is_excerpt and not has_words(shown.text):
            return []  # `---` shows nothing of the file, so an answer may not cite it.

        path = self.workspace.learn_reached_path(call)
        seen = SeenText(
            shown.text,
            script_words=echoable_words(call.arguments),  # It may only repeat these.
            is_excerpt=is_excerpt,
            lines=shown_lines(call.arguments.values, call.result),
        )
        column_names = columns_of_computed_rows(call.result)  # empty for a usual read
        if column_names:
            self._add_computed_rows(path, seen, column_names)
        else:
            self.workspace.texts.add_file_text(path, seen)
        return [call.requested_path]

    def _add_computed_rows(self, path: str, rows: SeenText, column_names: str) -> None:
        """Add rows that a query has computed from a table: `count 21` of `/fees.csv`.

        They are no proof, as a query may compute any value. Only the names of the table's
        columns are text of the file.
        """
        column_text = replace(rows, text=column_names)
        self.workspace.texts.add_file_text(path, column_text)
        computed = replace(rows, is_proof=False, is_excerpt=True, lines=())
        self.workspace.texts.add_returned_text(path, "read", computed)

    def add_listing(self, call: ReturnedCall) -> list[str]:
        """Add a listing or a search: the trial now knows the listed files.

        A search also returns lines of files: an answer may cite each file for these lines.
        Return the paths that were read earlier, and are now known to be aliases of a listed file.
        """
        folder = call.requested_path or "/"
        new_aliases = self.workspace.known_paths.learn_listing(folder, call.result)
        for found in call.found_lines():
            if has_words(found.text):
                seen = SeenText(found.text, is_excerpt=True, lines=found.lines)
                self.workspace.texts.add_file_text(canonical(found.path), seen)
        return list(new_aliases)
