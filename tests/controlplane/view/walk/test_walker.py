"""The walker's screen in windows of several widths."""

import shlex
from pathlib import Path

from controlplane.view.walk.walk_keys import ALL
from tests.support.command import Result, command
from tests.support.terminal import Terminal


def test_every_key_is_listed_uncut_in_narrow_and_wide_windows(recorded: tuple[Path, Result]) -> None:
    with Terminal("replay", "first", "--trial", "seat-005", cwd=recorded[0], columns=60) as terminal:
        for columns in (60, 80, 120):
            terminal.resize(columns, 24)
            terminal.wait_for(rf"^[^\n]*\n─[^\n]{{{columns - 1}}}\n")
            shown = terminal.press("?", "any key goes back")
            assert all(f"  {meaning}" in shown for _, meaning in ALL)
            assert "…" not in "\n".join(terminal.lines[2:])
            terminal.press("?", r"\? keys  q quit")
            assert terminal.lines[2] == "How many are there? Number only."


def test_a_walk_that_comes_back_to_the_foreground_is_drawn_anew(recorded: tuple[Path, Result]) -> None:
    walking = shlex.join(command(("replay", "first", "--trial", "seat-005")))
    shell = ("bash", "--norc", "-c", f"set -m; {walking}; clear; echo stopped; read go; fg")
    with Terminal(cwd=recorded[0], argv=shell) as terminal:
        terminal.wait_for(r"\? keys  q quit")
        terminal.press("\x1a", "stopped")
        assert "keys" not in terminal.text
        terminal.type("\r")
        terminal.wait_for(r"How many are there\? Number only\.\n(.*\n)*.*\? keys  q quit")
        terminal.type("q")
        assert terminal.finish() == 0
        assert terminal.is_as_before
