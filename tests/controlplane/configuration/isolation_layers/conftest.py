"""A machine without the kernel layer of isolation, and the journal of a run there."""

from pathlib import Path

import pytest

from controlplane.sandbox import ForkServer
from tests.controlplane.configuration.isolation_layers.missing_layers import RUN
from tests.support.command import run_in_process


@pytest.fixture
def no_kernel_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the sandbox report that its kernel layer does not work on this machine."""
    monkeypatch.setattr(
        ForkServer, "kernel_report", lambda server: {"kernel": "only Linux has it"}
    )


@pytest.fixture
def journal(tmp_path: Path, no_kernel_layer: None) -> Path:
    """The journal of a run whose user did without the kernel layer."""
    run_in_process(*RUN, "--isolation", "language,process", cwd=tmp_path)
    (path,) = tmp_path.glob("runs/*.jsonl")
    return path


@pytest.fixture
def journal_of_begun_run(journal: Path) -> Path:
    """The journal of a run that was interrupted just after its start."""
    kept_lines: list[bytes] = []
    for line in journal.read_bytes().splitlines(keepends=True):
        kept_lines.append(line)
        if b'"type":"run_started"' in line:
            break
    journal.write_bytes(b"".join(kept_lines))
    return journal
