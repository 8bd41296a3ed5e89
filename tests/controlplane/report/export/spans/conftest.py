"""The spans of the run of the repository, runs/sample.jsonl, exported for OpenTelemetry."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import CommandRunner
from tests.support.product_files import ROOT


@pytest.fixture
def spans_of_sample(
    run_command_here: CommandRunner, tmp_path: Path
) -> list[dict[str, Any]]:
    """The spans of the sample's one trial: its requests and calls, and last the trial itself."""
    run_command_here("export", str(ROOT / "runs/sample.jsonl"), "--to", "otel.jsonl")
    (line,) = (tmp_path / "otel.jsonl").read_text().splitlines()
    (resource,) = json.loads(line)["resourceSpans"]
    (scope,) = resource["scopeSpans"]
    spans: list[dict[str, Any]] = scope["spans"]
    return spans
