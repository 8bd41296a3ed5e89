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
from controlplane.agent.evidence.texts.call_text import ReturnedCall, has_words
from controlplane.agent.evidence.texts.shown_lines import (
    columns_of_computed_rows,
    shown_lines,
)
from controlplane.gates.paths import canonical
from controlplane.gates.trial.seen_text import SeenText


@dataclass(frozen=True, slots=True)
class FileReads:
    """Adds the calls of one trial that read or list files.

    After `read("/docs/fees.md")`, the path is *citable*: an answer may name it as a source for
    the returned text. Some paths are aliases: `/Fees.md` may reach `/docs/fees.md`. So the
    methods return the paths that were used, and their caller tells the model by which
    path to cite each file.
    """

    workspace: SeenWorkspace
    """The paths and texts that calls have seen."""
    scripts: ScriptRuns
    """The scripts of the trial, with what they printed."""

    def add_read(self, call: ReturnedCall) -> list[str]:
        """Add a read. Its path becomes citable, with the returned text."""
        shown = call.shown_text(call.declared.json_field)
        if call.is_of_initial_prompt:
            # The initial prompt shows the text, so it counts as printed.
            self.scripts.add_printed(shown.text)
        is_excerpt = not shown.is_whole or call.returns_part
        if is_excerpt and not has_words(shown.text):
            return []  # `---` shows nothing of the file, so it does not make it citable.

        path = self.workspace.learn_reached_path(call)
        seen = SeenText(
            shown.text,
            # The text does not prove these words of the call. It may only repeat them.
            script_words=call.arguments.script_words,
            is_excerpt=is_excerpt,
            lines=shown_lines(call.arguments.values, call.result),
        )
        columns = columns_of_computed_rows(call.result)
        if columns:
            self._add_computed_rows(path, seen, columns)
        else:
            self.workspace.texts.add_file_text(path, seen)
        return [call.requested_path]

    def _add_computed_rows(self, path: str, seen: SeenText, columns: str) -> None:
        """Add rows that a query of a table computed, such as counts.

        The file becomes citable with the names of its columns, which are text of the file.
        The rows are not, so they are no proof: a query may compute any value.
        """
        self.workspace.texts.add_file_text(path, replace(seen, text=columns))
        rows = replace(seen, is_proof=False, is_excerpt=True, lines=())
        self.workspace.texts.add_returned_text(path, "read", rows)

    def add_listing(self, call: ReturnedCall) -> list[str]:
        """Add a listing or a search: learn the names of files from it.

        A search also returns lines of files. These files become citable, but only for
        these lines.
        """
        folder = call.requested_path or "/"
        # Paths that were read earlier, and turn out to be aliases of a listed file.
        new_aliases = self.workspace.known_paths.learn_listing(folder, call.result)
        for found in call.found_lines():
            if has_words(found.text):
                seen = SeenText(found.text, is_excerpt=True, lines=found.lines)
                self.workspace.texts.add_file_text(canonical(found.path), seen)
        return list(new_aliases)
