"""The lines of a journal as they are in the file, and the steps that its reader makes of them.

For example:

    lines_of_type(path, "call")    ->    [{"type": "call", "step": 1, "number": 0, ...}, ...]
"""

import json
from pathlib import Path
from typing import Any

from controlplane.agent.events import StepDone
from tests.support.journals.read_events import read_events


def steps_in(path: Path) -> list[StepDone]:
    """Return the steps of a journal as its reader puts them together from several lines."""
    return [event for event in read_events(path) if isinstance(event, StepDone)]


def lines_of_type(path: Path, event_type: str) -> list[dict[str, Any]]:
    """Return the lines of a journal with this type, as they are in the file."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [line for line in lines if line["type"] == event_type]
