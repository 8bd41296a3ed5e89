"""Commands that the report of a run offers to copy work.

`report last -o page.html` writes a web page. Its buttons have the command in an attribute:

    <button data-copy="/bin/controlplane rerun 2026... --failed">
"""

import html
import re
from pathlib import Path

from tests.controlplane.commands.named_commands.copied_folders import check_each_works
from tests.controlplane.commands.named_commands.printed_commands import commands_in_text
from tests.support.command import (
    run_in_process,
)


def test_commands_in_a_report_work(tmp_path: Path) -> None:
    """The page has buttons that copy a command; the text is in their attribute `data-copy`."""
    tasks = ("price-count.1", "open-branches.1")
    run_in_process("run", *tasks, "--model", "recorded", cwd=tmp_path)
    run_in_process("report", "last", "-o", "page.html", cwd=tmp_path)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")

    commands: list[list[str]] = []
    for attribute in re.findall(r'data-copy="([^"]+)"', page):
        (command,) = commands_in_text(html.unescape(attribute))
        if command not in commands:
            commands.append(command)

    names = {command[0] for command in commands}
    assert names >= {"rerun", "fork", "judge"}
    check_each_works(commands, tmp_path)
