"""The walker's screen in windows of several widths."""

from pathlib import Path

from controlplane.view.walk.walk_keys import ALL
from tests.support.command import Result
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
