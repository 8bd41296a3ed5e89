"""What a journal says of tasks that a model played: its replies, how its scripts ran, and the scores.

A journal is a file of JSON lines, one for each event: `{"type": "step", "trial_id": "a-0", "code":
"print(1)", ...}`. A long text has an event of its own, and others refer to it: `"@text:9f8e"`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.bench.models.played_task import PlayedStep, PlayedTask

TEXT_REFERENCE = "@text:"
"""How a value of the journal begins whose text is in an event of its own: "@text:9f8e"."""
JournalEvent = dict[str, Any]
"""A line of a run's journal: `{"type": "step", "trial_id": "a-0", "code": "print(1)", ...}`."""


def read_journal(path: Path) -> list[PlayedTask]:
    """Return the trials of a journal in the order in which they began."""
    texts_by_key: dict[str, str] = {}
    trials: dict[str, PlayedTask] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        event: JournalEvent = json.loads(line)
        trial = trials.get(event.get("trial_id", ""))
        if event["type"] == "text":
            texts_by_key[event["key"]] = event["text"]
        elif event["type"] == "trial_started":
            trials[event["trial_id"]] = PlayedTask(event["task_id"])
        elif trial is not None:
            add_event(trial, event, texts_by_key)
    return list(trials.values())


def add_event(
    trial: PlayedTask, event: JournalEvent, texts_by_key: dict[str, str]
) -> None:
    """Add what an event says to its trial.

    `texts_by_key` has the texts of events to which this one may refer: `@text:9f8e`.
    """
    if event["type"] == "step":
        step = PlayedStep(
            script=whole_text(event["code"], texts_by_key),
            reply_fault=whole_text(event["fault"], texts_by_key),
            script_error=whole_text(event["error"], texts_by_key),
            ending=whole_text(event["ending"], texts_by_key),
        )
        trial.steps.append(step)
        trial.submissions += len(event["verdicts"])  # one for each judged answer
    elif event["type"] == "score":
        trial.score = event["score"]
    elif event["type"] == "trial_ended" and event["how"] != "answered":
        trial.end_reason = event["reason"]


def whole_text(value: str | list[str], texts_by_key: dict[str, str]) -> str:
    """Return a text of the journal, which may be a reference, or a list of parts.

    `["print(", "@text:9f8e", ")"]` -> `print(12)`, if `texts_by_key` is `{"9f8e": "12"}`
    """
    if isinstance(value, list):
        return "".join(whole_text(part, texts_by_key) for part in value)
    if value.startswith(TEXT_REFERENCE):
        return texts_by_key[value.removeprefix(TEXT_REFERENCE)]
    return value
