"""`export` refuses what it cannot write with one line, which tells what the user can do.

For example, `export last --to trials.xlsx` names the files that it can write: "trials.csv, ...".
"""

import os
import stat
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import CommandRunner, check_error_line
from tests.support.product_files import ROOT

SAMPLE = str(ROOT / "runs/sample.jsonl")
"""A journal in the repository."""


@pytest.mark.parametrize(
    ("run", "target", "message_part"),
    [
        pytest.param(
            SAMPLE,
            "trials.xlsx",
            "trials.csv, trials.parquet, steps.csv",
            id="a format that does not exist",
        ),
        pytest.param("none", "trials.csv", "no journals in runs", id="no such run"),
        pytest.param(
            SAMPLE,
            "/proc/trials.csv",
            "cannot write /proc/trials.csv",
            id="a folder where nobody may write",
        ),
    ],
)
def test_an_export_that_cannot_be_written_is_an_error_of_one_line(
    run: str, target: str, message_part: str, run_command_here: CommandRunner
) -> None:
    refused = run_command_here("export", run, "--to", target)

    check_error_line(refused, UsageError.exit_code, message_part)


# A file that the user has named gets the permissions that the user's umask leaves, in any format.


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("export", SAMPLE, "--to", "trials.csv"), id="csv"),
        pytest.param(("export", SAMPLE, "--to", "trials.parquet"), id="parquet"),
        pytest.param(("export", SAMPLE, "--to", "otel.jsonl"), id="spans"),
        pytest.param(("report", SAMPLE, "-o", "report.html"), id="report"),
    ],
)
def test_a_written_file_has_the_permissions_of_the_umask(
    words: tuple[str, ...], run_command_here: CommandRunner
) -> None:
    before = os.umask(0o027)
    try:
        written = run_command_here(*words)
    finally:
        os.umask(before)

    assert written.code == 0, written.err
    mode = stat.S_IMODE(Path(words[-1]).stat().st_mode)
    assert oct(mode) == "0o640"
