"""The files that a loop gives to a program that proposes changes, and those that it takes back.

The program finds a report of failed trials beside the files that it may edit. What it leaves in these
files is its proposal.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from controlplane.improving.loop_lines import Proposed
from controlplane.improving.proposing.proposal_request import ProposalRequest
from controlplane.improving.proposing.trial_traces import trace_of
from controlplane.sandbox.files import read_whole
from controlplane.sandbox.interface import bounds


def report_files(request: ProposalRequest) -> dict[str, str]:
    """Return the report of the trials for people and for programs: `report.md` and `report.json`."""
    rows = []
    parts = []
    if request.complaint:
        parts.append(f"The proposal before was refused: {request.complaint}\n")
    for trial in request.trials:
        trace = trace_of(trial)
        parts.append(trace)
        rows.append({"task": trial.task_id, "score": trial.score, "trace": trace})
    return {
        "report.md": "\n".join(parts),
        "report.json": json.dumps(rows, ensure_ascii=False),
    }


def proposed_files(folder: Path, names: Sequence[str]) -> Proposed:
    """Return the named files as the program left them. Files that it deleted are left out."""
    texts = {}
    for name in names:
        try:
            file = read_whole(folder / name, folder, bounds.MOST_TEXT_BYTES)
        except OSError as error:
            reason = (
                f"a file that it left is a link, or cannot be read: {error.strerror}"
            )
            return Proposed(refused=reason)
        if file is not None:
            data, _ = file
            texts[name] = data.decode("utf-8", "replace")
    return Proposed(texts=texts)
