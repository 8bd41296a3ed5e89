"""A run is resumed in the worlds it began in, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.ecom import ecom_benchmark
from controlplane.journal.journal_content import open_journal
from tests.support.command import check_line
from tests.support.in_process_command import inside


def interrupted(folder: Path) -> Path:
    """Leave the journal of a run that was cut off right after its start."""
    inside("run", "--limit", "1", "--quiet", cwd=folder)
    (path,) = folder.glob("runs/*.jsonl")
    lines = path.read_bytes().splitlines(keepends=True)
    began = next(at for at, line in enumerate(lines) if b'"type":"run_started"' in line)
    path.write_bytes(b"".join(lines[: began + 1]))
    return path


def test_the_journal_names_the_version_of_the_worlds_and_resumes_in_it(tmp_path: Path) -> None:
    path = interrupted(tmp_path)
    assert open_journal(path).opened.versions.world == ecom_benchmark.WORLD_VERSION
    resumed = inside("resume", "last", "--json", cwd=tmp_path)
    assert (resumed.code, resumed.json["trials_scored"]) == (0, 1), resumed.err


@pytest.mark.parametrize(("began_in", "says"), [("older", "in version 'older'"), ("", "does not name")])
def test_a_run_in_other_worlds_is_not_resumed_and_can_be_submitted(
    began_in: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as before:
        before.setattr(ecom_benchmark, "WORLD_VERSION", began_in)
        path = interrupted(tmp_path)
    recorded = path.read_bytes()
    result = inside("resume", "last", cwd=tmp_path)
    check_line(result, 2, "cannot be resumed", says, f"this is version {ecom_benchmark.WORLD_VERSION!r}")
    assert path.read_bytes() == recorded
    assert inside("submit", "last", "--force", cwd=tmp_path).code == 0
