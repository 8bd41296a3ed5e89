"""Plays a recorded case: starts an endpoint that gives its replies, and runs one trial against it."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.reported_endpoints.played_case import PlayedCase
from tests.controlplane.reported_endpoints.recorded_case import CASES, RecordedCase
from tests.controlplane.reported_endpoints.recorded_endpoint import RecordedEndpoint
from tests.support.command import ROOT, run_in_process


@pytest.fixture
def played(request: pytest.FixtureRequest, tmp_path: Path) -> PlayedCase:
    """Play the case that the test names: `@plays("d04-retry-date")`.

    The trial asks for the meaning of "heron", a word in the example benchmark of the documentation.
    """
    if not CASES.exists():
        pytest.skip("the reported situations are not beside this checkout")
    case = RecordedCase.read(request.param)
    if case.needs_ipv6 and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")

    with RecordedEndpoint(case) as endpoint:
        base_url = f"{endpoint.url}{case.path}"
        variables = {
            "OPENAI_BASE_URL": base_url,
            "OPENAI_API_KEY": "sk-fake-000000",
            "MODEL_ID": "m",
        }
        for name, value in case.variables.items():
            variables[name] = value.replace("@BASE", base_url)
        result = run_in_process(
            "run",
            "heron",
            "--benchmark",
            "docs.examples.wordbook",
            "--json",
            "--model-patience",
            "6",
            "--trial-time",
            "60",
            "--runs-dir",
            tmp_path,
            *case.options,
            cwd=ROOT,
            **variables,
        )

    return PlayedCase(
        case.situation,
        case.right,
        result,
        requests=endpoint.model_requests,
        events=journal_events(tmp_path),
    )


def journal_events(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of the journal in a folder; empty if the run was refused."""
    events: list[dict[str, Any]] = []
    for journal in folder.glob("*.jsonl"):
        for line in journal.read_text("utf-8", "replace").splitlines():
            events.append(json.loads(line))
    return events
