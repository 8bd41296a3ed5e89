"""A run prints the commands that a user may want to run next, and they run in a shell.

next  controlplane replay 2026... --trial ada-0  # walks through the worst trial
      controlplane show 2026... --all
"""

from pathlib import Path

from tests.controlplane.lifecycle.runs.phonebook_runs import play_phonebook, reply_on
from tests.support.command import run_program


def test_the_printed_next_commands_run_in_a_shell(tmp_path: Path) -> None:
    """The second one shows all trials, as the run has printed only 20 of 24."""
    run = play_phonebook(
        tmp_path,
        reply_on("ada", answer="12"),  # wrong: it is 17
        reply_on("grace", answer="42"),
        reply_on("edsger", answer="68"),
        options=("--repeats", "8"),
    )

    _, _, next_section = run.out.partition("\nnext ")
    commands = [line.partition("  #")[0].strip() for line in next_section.splitlines()]
    assert len(commands) == 2
    for command in commands:
        result = run_program(["sh", "-c", command], tmp_path)
        assert result.code == 0, result.err
        assert result.err == ""
        assert "ada-0" in result.out
