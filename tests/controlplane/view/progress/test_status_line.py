"""A command that takes long shows on a terminal what it works on, in a line that goes away."""

import sys
from pathlib import Path

from tests.support.terminal import Terminal


def test_a_terminal_shows_what_takes_long_only_while_it_lasts(tmp_path: Path) -> None:
    script = """
import time
from controlplane.commands.arguments.options import show_status

with show_status("counting") as change_text:
    time.sleep(0.5)
    change_text("counting: 2 of 3")
    time.sleep(0.5)
print("counted")
"""
    with Terminal(cwd=tmp_path, argv=(sys.executable, "-c", script)) as terminal:
        terminal.wait_for("counting: 2 of 3")

        assert terminal.finish() == 0
        assert terminal.is_as_before
        assert terminal.text.strip() == "counted"
