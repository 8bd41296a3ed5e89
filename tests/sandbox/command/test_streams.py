"""`python -m controlplane.sandbox run` reads a script from standard input, and prints its output.

Without `--json`, the output of the script goes to standard output, and its error to standard error.
At a terminal, a user can redirect one of them.
"""

import sys

import pytest

from tests.sandbox.sandbox_command import run_sandbox_command
from tests.support.command import run_on_full_disk, run_program


def test_the_command_runs_in_its_own_process_and_reads_the_script_from_standard_input(
    folder,
):
    words = [sys.executable, "-m", "controlplane.sandbox"]
    words += ["run", "--files", folder, "--json"]
    script = "print(harness.list('/docs').entries[0].name)"

    command = run_program(words, text=script)

    assert command.json["output"] == "a.txt\n"
    assert command.err == ""


def test_without_json_output_goes_to_stdout_and_the_error_to_stderr(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print('out')\nraise ValueError('bad')")

    command = run_sandbox_command("run", script)

    # The command did its work, although the script failed.
    assert command.exit_code == 0
    assert command.stdout == "out\n"
    assert "ValueError: bad" in command.stderr


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "/dev/null", "--json"], ["doctor"]]
)
def test_a_full_disk_under_the_output_is_reported_in_one_line(arguments, tmp_path):
    command = run_on_full_disk(
        [sys.executable, "-m", "controlplane.sandbox", *arguments], tmp_path
    )

    assert (
        command.err == "Error: the result cannot be printed: No space left on device\n"
    )
    assert command.code == 3
