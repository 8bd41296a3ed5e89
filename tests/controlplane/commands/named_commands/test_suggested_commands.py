"""After the label "next", a command suggests what to type next. The tests run that as it is printed.

After a run, for example:

    next     /bin/controlplane show 2026...  # the whole table
"""

from pathlib import Path

import pytest

from tests.controlplane.commands.named_commands.printed_commands import (
    commands_in_text,
    suggested_commands,
)
from tests.support.command import (
    ROOT,
    run_in_process,
)


@pytest.mark.usefixtures("shared_fork_servers")
def test_commands_suggested_after_a_command_work(tmp_path: Path) -> None:
    """The commands are run one after the other in the same folder: `rerun last` plays the run
    before it again."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    sources = "docs/examples/library/desk"
    model = ("--model", "scripted:docs/examples/ask.toml")
    commands = [
        ("run", "--limit", "3"),
        ("rerun", "last"),
        ("run", "calendar-date.1", "--name", "one"),
        ("run", "calendar-date.1", "--name", "two"),
        ("compare", "one", "two"),
        ("ask", "Until when may loan-02 be kept?", sources, *model),
    ]
    for command in commands:
        result = run_in_process(*command, cwd=tmp_path)
        assert result.code == 0, (command, result.err)

        suggestions = suggested_commands(result)
        assert suggestions, command
        for suggestion in suggestions:
            followed = run_in_process(*suggestion, cwd=tmp_path)
            assert followed.code == 0, (command, suggestion, followed.err)


def test_the_suggested_command_for_a_model_works_with_the_name_of_one(
    tmp_path: Path,
) -> None:
    """A task that needs a model is refused with "... name a model: .../controlplane run
    stock-count.1 --model NAME (docs/models.md)". The model "recorded" replies from a file."""
    refused = run_in_process("run", "stock-count.1", cwd=tmp_path)

    before_reference, _, _ = refused.err.partition(" (docs/models.md)")
    (command,) = commands_in_text(before_reference)
    assert command == ["run", "stock-count.1", "--model", "NAME"]
    command[-1] = "recorded"
    assert run_in_process(*command, cwd=tmp_path).code == 0
