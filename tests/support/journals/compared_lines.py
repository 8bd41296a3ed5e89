"""The lines of a journal without what differs from run to run, so that two equal runs are equal.

Times become 0, as in `"elapsed_ms":0`, and ids of runs become fixed words. Hashes and the number of
workers are left out.
"""

import json
import re
from pathlib import Path
from typing import Any

from controlplane.agent.events import varying_fields
from tests.support.journals.chained_lines import without_chain

NUMBER_OF_VARYING_FIELD = re.compile(
    rf'("(?:{"|".join(sorted(varying_fields()))})":)[0-9.]+'
)
"""Finds the number of a field that varies from run to run, as in `"elapsed_ms":1034`."""
RUN_ID_ENDING = re.compile(r'"run_id":"[^"]*-([0-9a-f]{8})"')
"""Finds the random ending of the run's id, as in `"run_id":"local-0f3a91bc"`."""


def lines_without_times(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of the one journal below `folder`, by what they belong to.

        {"t1": [...],       the lines of the trial t1
         "texts": [...],    long texts, sorted by their keys
         "": [...]}         the lines of the run itself

    Trials that run side by side write their lines and texts in any order. The journal needs to
    have a long text.
    """
    (path,) = (folder / "runs").glob("*.jsonl")
    text = _without_run_ids(path.read_text(), file_name=path.stem)
    text = NUMBER_OF_VARYING_FIELD.sub(r"\g<1>0", text)

    lines: dict[str, list[dict[str, Any]]] = {}
    for line in text.splitlines():
        fields = without_chain(json.loads(line))
        if fields["type"] == "run_opened":
            fields["settings"] = _without_workers(fields["settings"])
        lines.setdefault(_writer_of(fields), []).append(fields)
    lines["texts"].sort(key=lambda fields: str(fields["key"]))
    return lines


def _without_run_ids(text: str, file_name: str) -> str:
    """Return a journal's text with fixed words for the ids of the run.

    The file's name becomes `JOURNAL`. The benchmark has another id for the run, `local-0f3a91bc`:
    its random ending becomes `RUN` here and in the ids of trials, which may have this ending.
    """
    text = text.replace(file_name, "JOURNAL")
    run_id_ending = RUN_ID_ENDING.search(text)
    if run_id_ending:
        text = text.replace(run_id_ending[1], "RUN")
    return text


def _without_workers(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a run's settings except the number of its workers."""
    return [setting for setting in settings if setting["name"] != "workers"]


def _writer_of(fields: dict[str, Any]) -> str:
    """Return who wrote a line: the id of a trial, "texts" for a long text, or "" for the run."""
    if "trial_id" in fields:
        return str(fields["trial_id"])
    if fields["type"] == "text":
        return "texts"
    return ""
