"""`python -m controlplane.sandbox`: runs an untrusted script over a folder, as a command.

For example, `run script.py --files DIR --json` shows DIR to the script as `/` and prints what
the script did as one JSON object; `doctor` says which layers of isolation work on this machine.
"""

import sys

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.sandbox_command import run_sandbox_command, run_script_over_folder
from tests.support.command import run_on_full_disk, run_program


class TestResultOfACommand:
    """One JSON object says what the script did.

    A program that runs untrusted scripts reads it: output, error, calls, the answer that was
    handed in, and the scratchpad, which is what the script has stored.
    """

    def test_one_json_object_says_what_the_script_did(self, folder):
        """The script reads a file with the lines "alpha" and "beta", and answers "beta".

        With the answer it hands in a function that checks it. The command calls the function twice,
        with the answer and with a blank one, because a check that says yes to both checks nothing.
        """
        script = """
print(harness.read("/docs/a.txt").content, end="")
scratchpad["n"] = {1, 2}
scratchpad["answer"] = "beta"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/docs/a.txt", "the second line says beta")
harness.answer(scratchpad, lambda sp: sp["answer"] == "beta")
"""
        cited = {"/docs/a.txt": "the second line says beta"}

        result = run_script_over_folder(folder, script)

        assert result.pop("elapsed_ms") > 0
        assert result == {
            "output": "alpha\nbeta\n",
            "error": None,
            "calls": 1,  # harness.read
            "answered": {
                "answer": "beta",
                "outcome": "OUTCOME_OK",
                "refs_why": cited,
                "verify": {"says_yes": True, "error": ""},  # "beta" == "beta"
                "verify_blanked": {"says_yes": False, "error": ""},  # "" == "beta"
            },
            "scratchpad": {
                "n": [1, 2],  # JSON has no sets.
                "answer": "beta",
                "outcome": "OUTCOME_OK",
                "refs_why": cited,
            },
        }


class TestErrorsOfTheScript:
    """The error of a script is reported apart from its output.

    It is part of the JSON, and not a failure of the command. The script runs over `folder` with
    64 MB of memory and little time.
    """

    @pytest.mark.parametrize(
        ("script", "error"),
        [
            pytest.param(
                "print('a')\n1 / 0",
                "ZeroDivisionError: division by zero",
                id="it raises an exception",
            ),
            pytest.param(
                "print('a')\nimport sys\nsys.exit(4)",
                "SystemExit",
                id="it exits with a failure",
            ),
            pytest.param("if", "SyntaxError", id="it is not Python"),
            pytest.param(
                "import os",
                "harness.read",
                id="it imports a forbidden module, and is told what to use instead",
            ),
            pytest.param(
                "x = 'a' * 10 ** 10", "MemoryError", id="it needs too much memory"
            ),
            pytest.param(
                "harness.read('/none')",
                "FileNotFoundError: there is no /none",
                id="it reads a missing file",
            ),
            pytest.param(
                "harness.answer(scratchpad, 5)",
                "GateRejection: verify must be a function",
                id="its answer is rejected",
            ),
            pytest.param(
                "scratchpad.cite('/docs/a.txt', 'was never read')",
                "CitationError: /docs/a.txt was not read",
                id="its citation is refused",
            ),
        ],
    )
    def test_the_error_of_a_script_is_reported_apart_from_its_output(
        self, folder, script, error
    ):
        """The script runs over `folder` with 5 s of time and 64 MB of memory.

        It may fail as any Python does, or because its parent refuses a call, a citation or an
        answer."""
        result = run_script_over_folder(
            folder, script, "--timeout", "5", "--memory", "64"
        )

        assert error in result["error"]
        assert "Traceback" not in result["output"]
        assert result["answered"] is None

    def test_a_script_that_runs_too_long_is_stopped_with_an_error(self, folder):
        result = run_script_over_folder(
            folder, "while True: pass", "--timeout", "0.5", "--memory", "64"
        )

        assert "the step ran longer than 0.5 s" in result["error"]
        assert "Traceback" not in result["output"]
        assert result["answered"] is None


class TestStreams:
    """Standard input has the script; output and error go to streams of their own.

    `run_sandbox_command` runs the command in the test's process, and one test starts a process
    of its own. At a terminal, a user can redirect one stream.
    """

    def test_the_command_runs_in_its_own_process_and_reads_the_script_from_standard_input(
        self, folder
    ):
        """All other tests of this file run the command inside the test's process."""
        words = [sys.executable, "-m", "controlplane.sandbox"]
        words += ["run", "--files", folder, "--json"]
        script = "print(harness.list('/docs').entries[0].name)"

        command = run_program(words, text=script)

        assert command.json["output"] == "a.txt\n"
        assert command.err == ""

    def test_without_json_output_goes_to_stdout_and_the_error_to_stderr(self, tmp_path):
        """A user at a terminal can then redirect one of them."""
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
    def test_a_full_disk_under_the_output_is_reported_in_one_line(
        self, arguments, tmp_path
    ):
        """The output is redirected to a file, say, on a disk without space."""
        command = run_on_full_disk(
            [sys.executable, "-m", "controlplane.sandbox", *arguments], tmp_path
        )

        assert (
            command.err
            == "Error: the result cannot be printed: No space left on device\n"
        )
        assert command.code == CANNOT_RUN


WRONG_USAGE = 2
"""The exit code of a command with a wrong argument."""


class TestWrongArguments:
    """Wrong arguments are explained without a traceback.

    The message says what is expected, such as a range of numbers or the names of layers. The
    command ends with the exit code 2.
    """

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["run", "/no/such/script.py"], "No such file"),
            (["run", "--files", "/no/such/folder"], "does not exist"),
            (["run", "--timeout", "0"], "0<x<=1000000"),
            (["run", "--timeout", "soon"], "not a valid float"),
            (["run", "--memory", "-1"], "1<=x<=1048576"),
            (["run", "--isolation", "paper"], "language, process, kernel"),
            (["run", "--exec", "bin=x"], "/bin/tool=FILE"),
            (["run", "--exec", "/bin/x=/no/such"], "No such file"),
            (["run", "--now", "yesterday"], "ISO date"),
            (["run", "--nope"], "No such option"),
            (["jump"], "No such command"),
        ],
    )
    def test_wrong_arguments_are_explained_without_a_traceback(
        self, arguments, message
    ):
        command = run_sandbox_command(*arguments)

        assert command.exit_code == WRONG_USAGE
        assert message in command.stderr
        assert "Traceback" not in command.stderr


CANNOT_RUN = 3
"""The exit code of a command with right arguments that cannot do its work on this machine."""


@pytest.fixture
def without_kernel_layer(monkeypatch):
    """Pretend that the kernel of this machine cannot isolate scripts."""
    monkeypatch.setattr(
        ForkServer, "kernel_report", lambda server: {"kernel": "only Linux has it"}
    )


class TestMissingIsolation:
    """The command refuses to run if a layer of isolation does not work here.

    The script might be hostile, so the user has to choose a weaker isolation. The fixture
    `without_kernel_layer` pretends that the kernel of this machine cannot isolate scripts.
    """

    @pytest.mark.usefixtures("without_kernel_layer")
    def test_the_command_refuses_to_run_if_a_layer_of_isolation_does_not_work(self):
        """The error names the isolation that works, in one line."""
        command = run_sandbox_command("run", script="print(1)")

        assert command.exit_code == CANNOT_RUN
        assert command.stdout == ""
        assert command.stderr.startswith(
            "Error: the kernel layer does not work here (kernel: only Linux has it)"
        )
        assert "--isolation language,process" in command.stderr
        assert command.stderr.count("\n") == 1  # One line.

    @pytest.mark.usefixtures("without_kernel_layer")
    def test_a_user_may_choose_to_run_without_the_kernel_layer(self):
        """The option names the layers that the user wants."""
        command = run_sandbox_command(
            "run", "--isolation", "language,process", script="print(1)"
        )

        assert command.stdout == "1\n"
