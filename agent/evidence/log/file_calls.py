"""Learns from calls that read, write, delete, move or list files."""

from __future__ import annotations

from dataclasses import replace

from controlplane.agent.evidence.log.script_runs import ScriptRuns
from controlplane.agent.evidence.log.trial_changes import TrialChanges
from controlplane.agent.evidence.paths.path_texts import PathTexts
from controlplane.agent.evidence.texts.call_text import ReturnedCall, has_words
from controlplane.gates.accesses import SeenText
from controlplane.gates.changes import Change
from controlplane.gates.paths import canonical
from controlplane.sandbox.interface import Effect


class FileCalls:
    """Records calls for files, with the texts and paths that they show.

    Created by the trial's `EvidenceLog`. A path is *citable* if an answer may name it as
    a source. Text that the script wrote is its *own*: it is not evidence. Most methods
    return paths: if one is an alias, the model is told which path to cite.
    """

    def __init__(
        self, texts: PathTexts, changes: TrialChanges, scripts: ScriptRuns
    ) -> None:
        self._texts = texts
        self._aliases = texts.aliases
        """Knows which paths mean the same file, and which paths the trial wrote (`own`)."""
        self._changes = changes
        self._scripts = scripts

    def add_read(self, call: ReturnedCall) -> list[str]:
        """Record a read. Its path becomes citable, with the returned text."""
        shown = call.shown_text(call.declared.json_field)
        if call.is_of_first_message:
            # The initial prompt shows the text, so it counts as printed.
            self._scripts.add_printed(shown.text)
        is_excerpt = not shown.is_whole or call.returns_part
        if is_excerpt and not has_words(shown.text):
            return []  # Without a letter or digit, it shows nothing of the file.

        path = self._reached_path(call)
        seen = SeenText(
            shown.text,
            tainted=call.repeatable_text,  # It may only be repeated from the arguments.
            is_excerpt=is_excerpt,
            lines=call.lines,
        )
        if call.columns_of_computed_rows:
            self._add_computed_rows(path, seen, call.columns_of_computed_rows)
        else:
            self._texts.add_file_text(path, seen)
        return [call.requested_path]

    def _add_computed_rows(self, path: str, seen: SeenText, columns: str) -> None:
        """Add rows that a query computed, such as counts.

        They make the file citable, but do not prove what an answer says. Only the names
        of the columns are text of the file.
        """
        self._texts.add_file_text(path, replace(seen, text=columns))
        rows = replace(seen, is_proof=False, is_excerpt=True, lines=())
        self._texts.add(path, "read", rows)

    def add_write(self, call: ReturnedCall) -> list[str]:
        """Record a write. Its path becomes citable as written, but not as read."""
        path = self._reached_path(call)
        self._texts.add_written_text(path, call.written_text())
        self._changes.made.append(Change(path, "write"))
        return [call.requested_path]

    def add_deletion(self, call: ReturnedCall) -> list[str]:
        """Record a deletion or a move. Texts that were read at the path before stay citable."""
        path = self._reached_path(call)
        # `/a.csv#row=7` also means a row of `/a.csv`. If the script wrote a file of this
        # name, deleting it must not make the row citable.
        if not (self._aliases.is_own(path) and self._texts.looks_like_row(path)):
            self._texts.accessed.add_action(path, "delete")
        # Text that is at the path from now on is the trial's own.
        self._aliases.own.add(path)
        self._changes.made.append(Change(path, "delete"))
        if call.declared.target:
            self._move(path, canonical(str(call.arguments[call.declared.target])))
        return [call.requested_path]

    def _move(self, path: str, target: str) -> None:
        """Record a move as a write of its target: the script chose the name."""
        self._texts.add_own_text(target, "")  # No call has read the text at the target.
        self._aliases.learn_written(target)
        self._aliases.own.add_moved(path, target)
        self._changes.made.append(Change(target, "write"))

    def add_listing(self, call: ReturnedCall) -> list[str]:
        """Record a listing: learn the names of files from it.

        A search also returns lines of files. These files become citable.
        """
        folder = call.requested_path or "/"
        # Paths that were read earlier. The listing shows that they are aliases.
        new_aliases = self._aliases.learn_listing(folder, call.result)
        for shown in call.shown_lines():
            # Lines without a letter or digit show nothing of their file.
            if has_words(shown.text):
                seen = SeenText(shown.text, is_excerpt=True, lines=shown.lines)
                self._texts.add_file_text(canonical(shown.path), seen)
        return list(new_aliases)

    def add_possible_change(self, call: ReturnedCall) -> None:
        """Record a failed call that may have changed something, such as one that timed out.

        Files may have appeared anywhere. A file that the call may have written or moved
        counts as the trial's own, so its text is not evidence.
        """
        declared = call.declared
        self._aliases.forget_missing_files()
        if declared.effect in (Effect.WRITES, Effect.DELETES, Effect.MOVES):
            self._aliases.own.add(call.requested_path)
        if declared.target in call.arguments:
            target = canonical(str(call.arguments[declared.target]))
            self._aliases.own.add_moved(call.requested_path, target)

    def _reached_path(self, call: ReturnedCall) -> str:
        """Return the path that a call reached.

        If the trial wrote the requested path, the reached path is its own, too.
        """
        path = self._aliases.learn_reached_path(
            call.requested_path, call.result.get("path")
        )
        if self._aliases.is_own(call.requested_path):
            self._aliases.own.add(path)
        return path
