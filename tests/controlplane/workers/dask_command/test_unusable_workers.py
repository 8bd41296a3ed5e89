"""Workers that a run cannot use, or that would be unsafe, are refused in one line.

`controlplane run --workers dask:192.0.2.1:8786` names a cluster on another machine. Without
certificates (TLS), scripts and keys would travel there unencrypted: "has no TLS".
"""

from importlib.util import find_spec
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_in_process

if find_spec("distributed") is None:
    pytest.skip("the extra `cluster` is not installed", allow_module_level=True)

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("workers", "error"),
    [
        pytest.param(
            "dask:192.0.2.1:8786", "has no TLS", id="another machine without encryption"
        ),
        pytest.param(
            "dask:local:0",
            "--workers: trials run on threads, on dask:local:N",
            id="no workers",
        ),
        pytest.param(
            "daks:127.0.0.1:8786",
            "--workers: trials run on threads, on dask:local:N",
            id="misspelt",
        ),
    ],
)
def test_workers_that_cannot_be_used_are_refused_in_one_line(
    tmp_path: Path, workers: str, error: str
) -> None:
    """The command is refused before anything is recorded."""
    result = run_in_process("run", "--workers", workers, "--quiet", cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, error)
    assert not (tmp_path / "runs").exists()
