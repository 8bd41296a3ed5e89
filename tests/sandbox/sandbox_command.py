"""The command `python -m controlplane.sandbox`, run in the process of a test.

    run_script_over_folder(folder, "print(1)") -> {"output": "1\\n", "error": "", "calls": [], ...}

A script sees the folder as its `/`.
"""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from controlplane.sandbox.__main__ import main


def run_sandbox_command(*arguments: str | Path, script: str = "") -> Result:
    """Run `python -m controlplane.sandbox` in this process, with `script` as standard input."""
    return CliRunner().invoke(
        main,
        [str(argument) for argument in arguments],
        input=script,
        prog_name="python -m controlplane.sandbox",
    )


def run_script_over_folder(folder: Path, script: str, *options: str) -> dict[str, Any]:
    """Run a script with `folder` as its `/`, and return the JSON object the command printed.

    It has the keys output, error, calls, answered, scratchpad and elapsed_ms. A further option is
    `--write`, which lets the script write into the folder.
    """
    command = run_sandbox_command(
        "run", "--files", folder, "--json", *options, script=script
    )
    assert command.exit_code == 0, command.stderr
    assert command.stderr == ""
    result: dict[str, Any] = json.loads(command.stdout)
    return result
