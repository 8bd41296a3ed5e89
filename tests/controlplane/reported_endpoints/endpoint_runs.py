"""Runs of one trial against an endpoint that gives replies of a case.

    run_against(RecordedCase.read("d04-retry-date"), folder).trial["score"]  # 1.0

The trial asks for the meaning of "heron", a word in the example benchmark of the documentation.
"""

import json
from pathlib import Path
from typing import Any

from tests.controlplane.reported_endpoints.played_case import PlayedCase
from tests.controlplane.reported_endpoints.recorded_case import RecordedCase
from tests.controlplane.reported_endpoints.recorded_endpoint import RecordedEndpoint
from tests.support.command import ROOT, run_in_process

USUAL_PATIENCE_S = 6
"""How long a run sends a request again and again, in seconds. Most end earlier for another reason."""


def run_against(
    case: RecordedCase, folder: Path, patience_s: float = USUAL_PATIENCE_S
) -> PlayedCase:
    """Run the trial against an endpoint that gives the replies of a case. Its journal is in `folder`."""
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
            str(patience_s),
            "--trial-time",
            "60",
            "--runs-dir",
            folder,
            *case.options,
            cwd=ROOT,
            **variables,
        )

    return PlayedCase(
        case.situation,
        case.right,
        result,
        requests=endpoint.model_requests,
        events=journal_events(folder),
    )


def journal_events(folder: Path) -> list[dict[str, Any]]:
    """Return the lines of the journal in a folder; empty if the run was refused."""
    events: list[dict[str, Any]] = []
    for journal in folder.glob("*.jsonl"):
        for line in journal.read_text("utf-8", "replace").splitlines():
            events.append(json.loads(line))
    return events
