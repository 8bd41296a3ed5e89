"""A run of one trial that the model's first reply solves, whose reply has a given `usage`.

For example:

    run_with_usage(folder, {"prompt_tokens": 1500, "completion_tokens": 120}).trial["tokens"]    ->    1620
"""

from pathlib import Path
from typing import Any

from tests.controlplane.reported_endpoints.endpoint_runs import run_against
from tests.controlplane.reported_endpoints.filled_replies import RIGHT_REPLY
from tests.controlplane.reported_endpoints.played_case import PlayedCase
from tests.controlplane.reported_endpoints.recorded_case import RecordedCase


def run_with_usage(folder: Path, usage: dict[str, Any], *options: str) -> PlayedCase:
    """Run a trial that the model's first reply solves, and return the run. The reply has this usage."""
    reply = {"content": RIGHT_REPLY, "usage": usage}
    return run_against(RecordedCase([reply], options=[*options]), folder)
