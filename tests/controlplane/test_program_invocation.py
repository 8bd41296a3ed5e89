"""The name by which printed commands call the program: as briefly as the user's shell finds it.

`controlplane` is installed beside its interpreter, or only importable from it:

    controlplane show last                  # installed, in a folder of PATH
    python3 -P -m controlplane show last    # importable only
"""

import sys
from pathlib import Path

import pytest

from controlplane.program_invocation import invocation


def install_programs(folder: Path, *names: str) -> None:
    """Write programs, such as "python3", that a shell can start, into a folder."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("programs", "path", "expected"),
    [
        pytest.param(
            ["python3", "controlplane"],
            "bin",
            "controlplane",
            id="installed, on the path",
        ),
        pytest.param(
            ["python3", "controlplane"],
            "elsewhere",
            "bin/controlplane",
            id="installed, not on the path",
        ),
        pytest.param(
            ["python3"],
            "bin",
            "python3 -P -m controlplane",
            id="importable, on the path",
        ),
        pytest.param(
            ["python3"],
            "elsewhere",
            "bin/python3 -P -m controlplane",
            id="importable, not on the path",
        ),
    ],
)
def test_printed_commands_name_the_program_as_briefly_as_a_shell_finds_it(
    programs: list[str],
    path: str,
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The user is in the folder above `bin`, whose python3 runs the program."""
    install_programs(tmp_path / "bin", *programs)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin/python3"))
    monkeypatch.setenv("PATH", str(tmp_path / path))

    assert invocation() == expected
