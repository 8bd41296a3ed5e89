"""`controlplane undo`: take back the last changes to files."""

from __future__ import annotations

import sys

import click

from controlplane.commands.arguments.setting_options import settings_options
from controlplane.commands.output import OLD_VERSIONS, make_and_say, show_changes
from controlplane.configuration.continuation import runs_folder
from controlplane.errors import ChangesProposed
from controlplane.file_changes import finish_changes, undoing_changes
from controlplane.terminal_text import say


@click.command("undo")
@click.option("--apply", "applies", is_flag=True, help="Undo without asking.")
@settings_options("runs_dir")
def undo_command(*, applies: bool, runs_dir: str | None) -> None:
    """Take back the last changes that `ask --write` made, after showing them; done
    twice, it makes them again."""
    old_versions = runs_folder(runs_dir) / OLD_VERSIONS
    # If a process was killed while it made changes, the remaining ones come first.
    finish_changes(old_versions)
    changes = undoing_changes(old_versions)
    show_changes(changes)
    if not applies:
        if not sys.stdin.isatty():
            msg = "proposed; nothing is written; --apply undoes the changes without asking"
            raise ChangesProposed(msg)
        if not click.confirm("Undo the last changes so?", err=True):
            say("nothing is written", err=True)
            return
    # Undoing is a change, too: it replaces the old versions, so that `undo` can be undone.
    make_and_say(changes, old_versions)
