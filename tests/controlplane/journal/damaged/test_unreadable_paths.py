"""A path in place of a journal is a pipe, a device, a folder or a link to itself.

A journal is the record of a run, a file of JSON lines. A folder of journals may come from somebody
else, and reading a pipe, or the device /dev/zero, would never end. So such a path is refused:

    controlplane show /dev/zero    ->    ... a pipe or a device ...
"""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from controlplane.journal.journal_reader import name_in
from tests.controlplane.journal.foreign.costly.costly_results import deep_list
from tests.controlplane.journal.foreign.costly.many_lines import line_without_end
from tests.support.command import ROOT, run_in_process


def make_link_to_endless_device(path: Path) -> None:
    """Make a file from which a program could read zeros for ever."""
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(os.mkfifo, id="pipe"),
        pytest.param(make_link_to_endless_device, id="endless device"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "show",
        "replay",
        "show --follow",
        "show --follow --json",
        "resume",
        "submit",
        "judge",
    ],
)
def test_a_pipe_or_a_device_is_not_read_as_a_journal(
    command: str, make: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "r.jsonl"
    make(path)

    result = run_in_process(*command.split(), path, cwd=tmp_path)

    assert result.code == UsageError.exit_code, result.err
    assert "a pipe or a device" in result.err
    assert name_in(path) == ""


def test_one_bad_journal_does_not_spoil_the_list_of_runs(tmp_path: Path) -> None:
    """`controlplane runs` lists the good journal of the folder, although it has to look at all."""
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "good.jsonl").write_bytes((ROOT / "runs/sample.jsonl").read_bytes())
    os.mkfifo(runs / "pipe.jsonl")
    make_link_to_endless_device(runs / "device.jsonl")
    (runs / "folder.jsonl").mkdir()
    (runs / "loop.jsonl").symlink_to(runs / "loop.jsonl")
    (runs / "deep.jsonl").write_bytes(deep_list())
    (runs / "no-line.jsonl").write_bytes(line_without_end())

    listed = run_in_process("runs", "--json", cwd=tmp_path)

    assert listed.code == 0, listed.err
    assert "good" in listed.out
