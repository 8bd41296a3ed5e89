r"""`python -m controlplane.sandbox run` reports the error of a script apart from its output.

An error of the untrusted script is a part of the JSON that the command prints, and not a failure of
the command: `{"output": "a\n", "error": "ZeroDivisionError: division by zero", "answered": None,
…}`.
"""

import pytest

from tests.sandbox.sandbox_command import run_script_over_folder

pytestmark = pytest.mark.usefixtures("commands_share_servers")


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
            "with 'text of a file' as file: pass",
            "nothing is opened here: leave `with` out",
            id="it opens a text, and is told to leave that out",
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
def test_the_error_of_a_script_is_reported_apart_from_its_output(folder, script, error):
    """A script may fail as any Python does, or because its parent refuses a call."""
    result = run_script_over_folder(folder, script, "--timeout", "5", "--memory", "64")

    assert error in result["error"]
    assert "Traceback" not in result["output"]
    assert result["answered"] is None


def test_a_script_that_runs_too_long_is_stopped_with_an_error(folder):
    result = run_script_over_folder(
        folder, "while True: pass", "--timeout", "0.5", "--memory", "64"
    )

    # On a free core, its seconds and its seconds of CPU are over at the same moment.
    limits = ("the step ran longer than 0.5 s", "the step used more than 0.5 s of CPU")
    assert any(limit in result["error"] for limit in limits)
    assert "Traceback" not in result["output"]
    assert result["answered"] is None
