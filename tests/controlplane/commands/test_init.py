"""`controlplane init DIR` makes a task, replies that play it, and a README whose first command runs at once."""

import shlex
from pathlib import Path

import controlplane
from controlplane.errors import UsageError
from tests.support.command import CommandRunner, check_error_line


def test_the_first_command_of_the_readme_plays_the_task(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    made = run_command_here("init", "my shop")
    assert made.code == 0

    readme = (tmp_path / "my shop/README.md").read_text("utf-8").splitlines()
    assert len(readme) == 10
    first_command = next(line for line in readme if line.startswith("    "))
    assert made.out.endswith(f"next  {first_command.strip()}\n")
    words = shlex.split(first_command)
    played = run_command_here(*words[words.index("run") :])

    assert played.code == 0, played.err
    (journal,) = (tmp_path / "runs").glob("*.jsonl")
    assert controlplane.open_run(journal)["saturday"].score == 1


def test_files_that_are_there_already_are_not_replaced(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    (tmp_path / "README.md").write_text("mine")

    refused = run_command_here("init", ".")

    check_error_line(refused, UsageError.exit_code, "README.md is there already")
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    assert (tmp_path / "README.md").read_text() == "mine"
