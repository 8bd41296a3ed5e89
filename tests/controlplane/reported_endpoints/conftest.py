"""Plays a recorded case: starts an endpoint that gives its replies, and runs one trial against it."""

import socket
from pathlib import Path

import pytest

from tests.controlplane.reported_endpoints.endpoint_runs import (
    CASES,
    USUAL_PATIENCE_S,
    PlayedCase,
    RecordedCase,
    run_against,
)


@pytest.fixture
def patience_s() -> float:
    """The patience of the run with its endpoint. A test with another one has a parameter so named."""
    return USUAL_PATIENCE_S


@pytest.fixture
def played(
    request: pytest.FixtureRequest,
    patience_s: float,
    short_backoff: None,
    tmp_path: Path,
) -> PlayedCase:
    """Play the case that the test names: `@plays("d04-retry-date")`."""
    if not CASES.exists():
        pytest.skip("the reported situations are not beside this checkout")
    case = RecordedCase.read(request.param)
    if case.needs_ipv6 and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    return run_against(case, tmp_path, patience_s)
