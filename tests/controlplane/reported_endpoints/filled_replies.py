"""Placeholders in recorded replies of an endpoint, and the right reply that they stand for.

A reply was recorded in somebody else's project, where the model worked on another task. So the file of
a case has a placeholder for what a model says to solve our trial:

    filled({"content": "@GOOD"})  # {"content": '{"state": "answer", ..., "code": "scratchpad[...] ..."}'}
"""

import json
from typing import Any

RIGHT_SCRIPT = """scratchpad["meaning"] = harness.define("heron").meaning
scratchpad["answer"] = scratchpad["meaning"]
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == sp["meaning"])
"""
"""A script with which a model solves the trial: it asks what a heron is, and answers."""

RIGHT_REPLY = json.dumps(
    {"state": "answer", "plan": [], "done": True, "code": RIGHT_SCRIPT}
)
"""The reply of a model that solves the trial, as JSON text."""

PLACEHOLDERS = {
    "@GOODOBJ": RIGHT_REPLY,
    "@GOOD": RIGHT_REPLY,
    "@CODEJSON": json.dumps(RIGHT_SCRIPT),
    "@CODE": RIGHT_SCRIPT,
}
"""What stands for what in recorded replies. `@GOODOBJ` is replaced before `@GOOD`."""


def filled(value: Any) -> Any:
    """Return a value of a recorded reply with its placeholders filled.

    `{"code": "@CODE"}` -> `{"code": "scratchpad[...] = ..."}`. An object with the key `"@ARGS"`
    stands for the right reply as an object.
    """
    if isinstance(value, str):
        for placeholder, text in PLACEHOLDERS.items():
            value = value.replace(placeholder, text)
        return value
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, dict):
        if "@ARGS" in value:
            return json.loads(RIGHT_REPLY)
        return {key: filled(item) for key, item in value.items()}
    return value
