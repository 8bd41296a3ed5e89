"""`python -m controlplane.sandbox doctor`: which layers of isolation work on this machine, and why.

Three layers isolate scripts: *language* (restricted Python), *process* (limits of the process)
and *kernel* (features of Linux, such as landlock and seccomp, each of which a machine may lack).
"""

import json
import sys

import pytest

from controlplane.sandbox import ForkServer, IsolationReport, Layer
from controlplane.sandbox.__main__ import report_lines
from tests.sandbox.sandbox_command import run_sandbox_command, run_script_over_folder
from tests.support.command import ROOT, run_on_full_disk, run_program
from tests.support.terminal import Terminal

# `python -m controlplane.sandbox run` refuses to run if a layer of isolation does not work here.
#
# Three layers isolate a script: restricted Python, its process, and the kernel. The script might be
# hostile, so the user has to choose a weaker isolation: `--isolation language,process`.


@pytest.fixture
def without_kernel_layer(monkeypatch):
    """Pretend that the kernel of this machine cannot isolate scripts."""
    monkeypatch.setattr(
        ForkServer, "kernel_report", lambda server: {"kernel": "only Linux has it"}
    )


@pytest.mark.usefixtures("without_kernel_layer")
def test_the_command_refuses_to_run_if_a_layer_of_isolation_does_not_work():
    """The error names the isolation that works, in one line."""
    command = run_sandbox_command("run", script="print(1)")

    assert command.exit_code == 3
    assert command.stdout == ""
    assert command.stderr.startswith(
        "Error: the kernel layer does not work here (kernel: only Linux has it)"
    )
    assert "--isolation language,process" in command.stderr
    assert command.stderr.count("\n") == 1  # One line.


@pytest.mark.usefixtures("without_kernel_layer")
def test_a_user_may_choose_to_run_without_the_kernel_layer():
    command = run_sandbox_command(
        "run", "--isolation", "language,process", script="print(1)"
    )

    assert command.stdout == "1\n"


# `python -m controlplane.sandbox run --files DIR --json` runs a script, and prints what it did.
#
# The script is untrusted, and sees the folder DIR as `/`. One JSON object has its output, its error,
# how many calls it made, the answer that it handed in, and the scratchpad, which is what it has
# stored.


def test_one_json_object_says_what_the_script_did(folder):
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


# `python -m controlplane.sandbox run` reads a script from standard input, and prints its output.
#
# Without `--json`, the output of the script goes to standard output, and its error to standard error.
# At a terminal, a user can redirect one of them.


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


# `python -m controlplane.sandbox` explains wrong arguments without a traceback, and exits with 2.
#
# The message says what is expected: for `run --isolation paper` the names of the layers of isolation,
# "language, process, kernel".


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
def test_wrong_arguments_are_explained_without_a_traceback(arguments, message):
    command = run_sandbox_command(*arguments)

    assert command.exit_code == 2
    assert message in command.stderr
    assert "Traceback" not in command.stderr


linux_only = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the process layer needs Linux"
)


@linux_only
def test_the_doctor_says_which_layers_work():
    """The layers language and process work on every Linux. The kernel layer has several parts, and
    each that does not work here has a reason and a remedy."""
    report = json.loads(run_sandbox_command("doctor", "--json").stdout)

    assert report["isolation"]["language"] is True
    assert report["isolation"]["process"] is True
    for part in report["kernel"].values():
        if not part["works"]:
            assert part["reason"]
            assert part["how"]


@linux_only
def test_the_doctor_names_every_layer_in_its_text():
    text = run_sandbox_command("doctor").stdout

    for layer in ("language", "process", "kernel"):
        assert layer in text


def test_the_doctor_says_how_to_repair_a_layer_that_does_not_work():
    """Two parts of the kernel layer fail here, as on a machine with other settings."""
    working_layers = frozenset({Layer.LANGUAGE, Layer.PROCESS})
    # The reason why a part does not work; empty if it works.
    kernel_parts = {
        "user namespace": "unshare: EPERM",
        "landlock": "ENOSYS",
        "seccomp": "",
        "no_new_privs": "",
    }

    text = "\n".join(report_lines(IsolationReport(working_layers, kernel_parts)))

    assert "kernel   DOWN" in text
    assert "down: unshare: EPERM" in text
    assert "kernel.unprivileged_userns_clone=1" in text
    assert "lsm=landlock" in text
    assert "need the kernel layer: without it they run only with `--isolation`" in text


# A script may print what controls a terminal: it clears the screen, or fills the clipboard.

CONTROLLING_SCRIPT = """
print("a\\tb\\x1b]52;c;cm0gLXJm\\x07\\x9b2J\\u202ec")
raise ValueError("\\x1b[8m")
"""


@linux_only
def test_a_script_does_not_control_the_terminal(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CONTROLLING_SCRIPT)
    argv = [sys.executable, "-m", "controlplane.sandbox", "run", str(script)]

    with Terminal(cwd=ROOT, argv=argv) as terminal:
        terminal.wait_for("ValueError")
        terminal.finish()

    printed = terminal.written.decode()
    assert "a\tb␛]52;c;cm0gLXJm␇\ufffd2J\ufffdc" in printed
    assert "ValueError: ␛[8m" in printed
    assert "\x1b" not in printed


@linux_only
def test_a_program_gets_what_a_script_prints_as_it_is():
    command = run_sandbox_command("run", script=CONTROLLING_SCRIPT)

    assert command.stdout == "a\tb\x1b]52;c;cm0gLXJm\x07\x9b2J\u202ec\n"
