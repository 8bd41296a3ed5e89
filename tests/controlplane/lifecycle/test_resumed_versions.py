"""A run that was recorded with another version of its benchmark is not resumed.

A world is the data in which a trial plays. In a new version, it may have other contents, so that
recorded steps do not fit. The run can be submitted as it is: trials without an answer score 0.
"""

from pathlib import Path

import pytest

from controlplane.benchmarks.ecom import ecom_benchmark
from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_in_process


def record_started_run(folder: Path) -> Path:
    """Record a run that was killed right after its start, and return its journal."""
    run_in_process("run", "--limit", "1", "--quiet", cwd=folder)
    (journal,) = folder.glob("runs/*.jsonl")
    kept_lines = []
    for line in journal.read_text().splitlines(keepends=True):
        kept_lines.append(line)
        if '"type":"run_started"' in line:
            break
    journal.write_text("".join(kept_lines))
    return journal


@pytest.mark.parametrize(
    ("recorded_version", "reason"),
    [
        pytest.param("older", "in version 'older'", id="another version"),
        pytest.param("", "does not name", id="no version"),
    ],
)
def test_a_run_of_another_world_version_is_not_resumed_but_submitted(
    recorded_version: str,
    reason: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    present_version = ecom_benchmark.WORLD_VERSION
    monkeypatch.setattr(ecom_benchmark, "WORLD_VERSION", recorded_version)
    journal = record_started_run(tmp_path)
    recorded_text = journal.read_text()

    monkeypatch.setattr(ecom_benchmark, "WORLD_VERSION", present_version)
    resumed = run_in_process("resume", "last", cwd=tmp_path)

    check_error_line(
        resumed,
        UsageError.exit_code,
        "cannot be resumed",
        reason,
        f"this is version {present_version!r}",
    )
    assert journal.read_text() == recorded_text
    assert run_in_process("submit", "last", "--force", cwd=tmp_path).code == 0
