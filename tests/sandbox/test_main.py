"""`python -m controlplane.sandbox`: a script against a folder, as a command."""

import sys
from pathlib import Path

import pytest

from controlplane.sandbox import ForkServer
from tests.sandbox.script_world import command, run
from tests.support.command import on_a_full_disk, ran

ROOT = Path(__file__).parents[2]


def test_one_json_object_says_what_the_script_did(folder):
    script = """
print(harness.read("/docs/a.txt").content, end="")
scratchpad["n"] = {1, 2}
scratchpad["answer"], scratchpad["outcome"] = "beta", "OUTCOME_OK"
scratchpad.cite("/docs/a.txt", "the second line says beta")
harness.answer(scratchpad, lambda sp: sp["answer"] in "alpha beta" and sp["answer"] != "")
"""
    found = run(folder, script)

    assert found.pop("elapsed_ms") > 0
    assert found == {
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
        ("while True: pass", "the step ran longer than 0.5 s"),
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
    found = run(
        folder,
        script,
        "--timeout",
        "0.5" if "while" in script else "5",
        "--memory",
        "64",
    )

    assert error in found["error"]
    assert "Traceback" not in found["output"]
    assert found["answered"] is None


def test_the_module_runs_as_a_process_of_its_own_from_standard_input(folder):
    words = [
        sys.executable,
        "-m",
        "controlplane.sandbox",
        "run",
        "--files",
        folder,
        "--json",
    ]
    done = ran(words, text="print(harness.list('/docs').entries[0].name)")

    assert (done.json["output"], done.err) == ("a.txt\n", "")


def test_without_json_output_and_error_go_their_own_ways(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("print('out')\nraise ValueError('bad')")
    done = command("run", script)

    assert (done.exit_code, done.stdout) == (0, "out\n")
    assert "ValueError: bad" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "word"),
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
def test_wrong_usage_is_exit_code_two_and_one_clear_line(arguments, word):
    done = command(*arguments)
    assert done.exit_code == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_a_layer_that_is_down_is_another_exit_code_and_fewer_are_accepted_knowingly(
    monkeypatch,
):
    monkeypatch.setattr(
        ForkServer, "kernel_report", lambda server: {"kernel": "only Linux has it"}
    )
    done = command("run", script="print(1)")

    assert done.exit_code == 3
    assert done.stderr.startswith(
        "Error: the kernel layer does not work here (kernel: only Linux has it)"
    )
    assert "--isolation language,process" in done.stderr
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert (
        command("run", "--isolation", "language,process", script="print(1)").stdout
        == "1\n"
    )


@pytest.mark.parametrize(
    "arguments", [["--help"], ["run", "/dev/null", "--json"], ["doctor"]]
)
def test_a_result_that_cannot_be_printed_is_told_in_one_line(arguments, tmp_path):
    result = on_a_full_disk(
        [sys.executable, "-m", "controlplane.sandbox", *arguments], tmp_path
    )

    assert (
        result.err == "Error: the result cannot be printed: No space left on device\n"
    )
    assert result.code == 3
