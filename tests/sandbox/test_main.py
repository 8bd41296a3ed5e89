"""`python -m controlplane.sandbox`: a script against a folder, as a command."""

import sys
from pathlib import Path

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.script_world import run_sandbox_command, run_script_over_folder
from tests.support.command import run_on_full_disk, run_program

ROOT = Path(__file__).parents[2]


def test_one_json_object_says_what_the_script_did(folder):
    """`folder` is served as `/`, and has a file `/docs/a.txt` with two lines."""
    script = """
print(harness.read("/docs/a.txt").content, end="")
scratchpad["n"] = {1, 2}
scratchpad["answer"] = "beta"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/docs/a.txt", "the second line says beta")
harness.answer(scratchpad, lambda sp: sp["answer"] in "alpha beta" and sp["answer"] != "")
"""

    result = run_script_over_folder(folder, script)

    assert result.pop("elapsed_ms") > 0
    assert result == {
        "output": "alpha\nbeta\n",
        "error": None,
        "calls": 1,
        "answered": {
            "answer": "beta",
            "outcome": "OUTCOME_OK",
            "refs_why": {"/docs/a.txt": "the second line says beta"},
            "verify": {"says_yes": True, "error": ""},
            "verify_blanked": {"says_yes": False, "error": ""},
        },
        "scratchpad": {
            "n": [1, 2],
            "answer": "beta",
            "outcome": "OUTCOME_OK",
            "refs_why": {"/docs/a.txt": "the second line says beta"},
        },
    }


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("print('a')\n1 / 0", "ZeroDivisionError: division by zero"),
        ("print('a')\nimport sys\nsys.exit(4)", "SystemExit"),
        ("if", "SyntaxError"),
        ("import os", "harness.read"),
        ("x = 'a' * 10 ** 10", "MemoryError"),
        ("harness.read('/none')", "FileNotFoundError: there is no /none"),
        ("harness.answer(scratchpad, 5)", "GateRejection: verify must be a function"),
        (
            "scratchpad.cite('/docs/a.txt', 'was never read')",
            "CitationError: /docs/a.txt was not read",
        ),
    ],
)
def test_a_script_that_fails_has_its_error_beside_its_output(folder, script, error):
    result = run_script_over_folder(folder, script, "--timeout", "5", "--memory", "64")

    assert error in result["error"]
    assert "Traceback" not in result["output"]
    assert result["answered"] is None


def test_a_script_that_runs_too_long_is_stopped_with_an_error(folder):
    result = run_script_over_folder(
        folder, "while True: pass", "--timeout", "0.5", "--memory", "64"
    )

    assert "the step ran longer than 0.5 s" in result["error"]
    assert "Traceback" not in result["output"]
    assert result["answered"] is None


def test_the_module_runs_as_a_process_of_its_own_from_standard_input(folder):
    module = [sys.executable, "-m", "controlplane.sandbox"]
    script = "print(harness.list('/docs').entries[0].name)"

    done = run_program([*module, "run", "--files", folder, "--json"], text=script)

    assert done.json["output"] == "a.txt\n"
    assert done.err == ""


def test_without_json_output_and_error_go_their_own_ways(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print('out')\nraise ValueError('bad')")

    done = run_sandbox_command("run", script)

    # The command did its work, although the script failed.
    assert done.exit_code == 0
    assert done.stdout == "out\n"
    assert "ValueError: bad" in done.stderr


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
def test_wrong_usage_is_exit_code_two_and_one_clear_line(arguments, message):
    done = run_sandbox_command(*arguments)

    assert done.exit_code == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


CANNOT_RUN = 3
"""The exit code of a command that is used rightly, but cannot do its work."""


@pytest.fixture
def without_kernel_layer(monkeypatch):
    """Let the sandbox find that the kernel does not isolate its scripts."""
    monkeypatch.setattr(
        ForkServer, "kernel_report", lambda server: {"kernel": "only Linux has it"}
    )


@pytest.mark.usefixtures("without_kernel_layer")
def test_a_layer_of_isolation_that_does_not_work_stops_the_command():
    done = run_sandbox_command("run", script="print(1)")

    assert done.exit_code == CANNOT_RUN
    assert done.stdout == ""
    assert done.stderr.startswith(
        "Error: the kernel layer does not work here (kernel: only Linux has it)"
    )
    assert "--isolation language,process" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("without_kernel_layer")
def test_a_user_may_do_without_a_layer_of_isolation():
    done = run_sandbox_command(
        "run", "--isolation", "language,process", script="print(1)"
    )

    assert done.stdout == "1\n"


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "/dev/null", "--json"], ["doctor"]]
)
def test_a_result_that_cannot_be_printed_is_told_in_one_line(arguments, tmp_path):
    result = run_on_full_disk(
        [sys.executable, "-m", "controlplane.sandbox", *arguments], tmp_path
    )

    assert (
        result.err == "Error: the result cannot be printed: No space left on device\n"
    )
    assert result.code == CANNOT_RUN
