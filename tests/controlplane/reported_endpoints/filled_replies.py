"""Recorded replies of an endpoint, with the right reply to our trial in place of a placeholder.

A reply was recorded in somebody else's project, where the model worked on another task. So the file
of a case has a placeholder for what a model says to solve our trial:

    filled({"content": "@GOOD"})    ->    {"content": '{"state": "answer", ..., "code": "..."}'}
    filled({"@ARGS": True})         ->    {"state": "answer", ..., "code": "..."}
"""

import json
from typing import Any

RIGHT_SCRIPT = """scratchpad["meaning"] = harness.define("heron").meaning
scratchpad["answer"] = scratchpad["meaning"]
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == sp["meaning"])
"""
"""A script with which a model solves the trial: it asks what a heron is, and answers."""

RIGHT_ACTION = {"state": "answer", "plan": [], "done": True, "code": RIGHT_SCRIPT}
"""The reply of a model that solves the trial."""

RIGHT_REPLY = json.dumps(RIGHT_ACTION)
"""The same reply as a text, which `@GOOD` stands for."""


def filled(value: Any) -> Any:
    """Return a value of a recorded reply with its placeholders filled.

    An object with the key `@ARGS` stands for the right reply as an object. The value of the key
    means nothing.
    """
    if isinstance(value, str):
        return value.replace("@GOOD", RIGHT_REPLY)
    if isinstance(value, list):
        return [filled(item) for item in value]
    if isinstance(value, dict):
        if "@ARGS" in value:
            return RIGHT_ACTION
        return {key: filled(item) for key, item in value.items()}
    return value
