"""Adds the texts that calls read in files, and the paths that they list."""

from __future__ import annotations

from dataclasses import dataclass, replace

from controlplane.agent.evidence.log.reached_path import learn_reached_path
from controlplane.agent.evidence.log.script_runs import ScriptRuns
from controlplane.agent.evidence.paths.known_paths import KnownPaths
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.call_text import ReturnedCall, has_words
from controlplane.agent.evidence.texts.shown_lines import (
    columns_of_computed_rows,
    shown_lines,
)
from controlplane.gates.paths import canonical
from controlplane.gates.trial.accesses import SeenText


@dataclass(frozen=True, slots=True)
class FileReads:
    """Records the calls of one trial that read or list files.

    A path is *citable* if an answer may name it as a source. The methods return the used
    paths: if one is an alias, the model is told which path to cite.
    """

    known_paths: KnownPaths
    texts: PathTexts
    scripts: ScriptRuns

    def add_read(self, call: ReturnedCall) -> list[str]:
        """Record a read. Its path becomes citable, with the returned text."""
        shown = call.shown_text(call.declared.json_field)
        if call.is_of_first_message:
            # The initial prompt shows the text, so it counts as printed.
            self.scripts.add_printed(shown.text)
        is_excerpt = not shown.is_whole or call.returns_part
        if is_excerpt and not has_words(shown.text):
            return []  # Without a letter or digit, it shows nothing of the file.

        path = learn_reached_path(call, self.known_paths)
        seen = SeenText(
            shown.text,
            # The text may only repeat these words from the arguments.
            tainted=call.arguments.repeatable_text,
            is_excerpt=is_excerpt,
            lines=shown_lines(call.arguments.values, call.result),
        )
        columns = columns_of_computed_rows(call.result)
        if columns:
            self._add_computed_rows(path, seen, columns)
        else:
            self.texts.add_file_text(path, seen)
        return [call.requested_path]

    def _add_computed_rows(self, path: str, seen: SeenText, columns: str) -> None:
        """Add rows that a query computed, such as counts.

        They make the file citable, but do not prove what an answer says. Only the names
        of the columns are text of the file.
        """
        self.texts.add_file_text(path, replace(seen, text=columns))
        rows = replace(seen, is_proof=False, is_excerpt=True, lines=())
        self.texts.add(path, "read", rows)

    def add_listing(self, call: ReturnedCall) -> list[str]:
        """Record a listing: learn the names of files from it.

        A search also returns lines of files. These files become citable.
        """
        folder = call.requested_path or "/"
        # Paths that were read earlier. The listing shows that they are aliases.
        new_aliases = self.known_paths.learn_listing(folder, call.result)
        for found in call.found_lines():
            # Lines without a letter or digit show nothing of their file.
            if has_words(found.text):
                seen = SeenText(found.text, is_excerpt=True, lines=found.lines)
                self.texts.add_file_text(canonical(found.path), seen)
        return list(new_aliases)
