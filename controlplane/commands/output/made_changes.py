"""Makes changes of the user's files, and says which files changed, and how to undo that.

The commands `ask` and `undo` use it. The old versions are kept until the next change.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from controlplane.configuration.runs_folder import runs_folder
from controlplane.file_changes.file_change import FileChange
from controlplane.file_changes.making_changes import make_changes
from controlplane.program_invocation import invocation
from controlplane.terminal_text import say
from controlplane.view.answer.invisible_characters import visible_name
from controlplane.view.answer.shown_path import shown_path


def make_and_say(changes: Mapping[str, FileChange], old_versions: Path) -> None:
    """Make changes, and say which files changed.

    The files as they were before are kept in the folder `old_versions`. Raises
    `ChangeRefused`; then no change is made.
    """
    make_changes(changes, old_versions)
    written = []
    deleted = []
    for path, change in changes.items():
        name = visible_name(shown_path(path, change.root))
        if change.new_text is None:
            deleted.append(name)
        else:
            written.append(name)
    if written:
        say(f"written: {', '.join(written)}", err=True)
    if deleted:
        say(f"deleted: {', '.join(deleted)}", err=True)
    if old_versions.exists():
        _say_how_to_undo(old_versions)


def _say_how_to_undo(old_versions: Path) -> None:
    """Say where the old versions are, and which command brings them back."""
    words = ["undo"]
    runs = old_versions.parent
    if runs != runs_folder(None):
        words += ["--runs-dir", str(runs)]
    place = f"old versions, until the next change: {old_versions}"
    say(f"{place}; {invocation(*words)} takes the change back", err=True)
