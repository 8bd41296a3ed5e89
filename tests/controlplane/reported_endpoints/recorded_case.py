"""Replies of a model's endpoint that users of public projects have reported, as JSON files.

The file `d04-retry-date.json` has an error, and then a right reply:

    {"situation": "429 with a date in the past as Retry-After", "right": "retried, answered",
     "replies": [{"status": 429, "headers": {"Retry-After": "..."}, "body": {"error": {}}}],
     "then_good": true}
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.command import ROOT

CASES = ROOT.parent / "shared/endpoints/cases"
"""The folder of the cases. It is not part of the repository."""

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

NO_LIST_OF_MODELS = {"status": 404, "body": {"error": {"message": "Not Found"}}}
"""The reply to `GET /v1/models` of a server that has no list of its models."""


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


@dataclass(frozen=True)
class RecordedCase:
    """The replies of an endpoint, and how a run comes to ask it."""

    situation: str
    """What happens, in words."""
    right: str
    """What the product should do, in words: `run paused, exit 3, 'key is refused'`."""
    replies: list[dict[str, Any]]
    """The replies to requests to the model, in order."""
    right_reply_follows: bool
    """Whether a right reply follows. If not, the last reply is repeated."""
    reply_with_models: dict[str, Any]
    """The reply to the request for the list of models."""
    options: list[str]
    """Options of the run, such as `--reply-mode tool`."""
    variables: dict[str, str]
    """Environment variables of the run; `@BASE` in one stands for the endpoint's address."""
    path: str
    """The path in the address of the endpoint, such as `/v1`."""
    needs_ipv6: bool

    @classmethod
    def read(cls, name: str) -> "RecordedCase":
        """Read the case with this name, such as `d04-retry-date`."""
        fields = json.loads((CASES / f"{name}.json").read_text("utf-8"))
        return cls(
            situation=fields["situation"],
            right=fields["right"],
            replies=filled(fields["replies"]),
            right_reply_follows=fields.get("then_good", False),
            reply_with_models=fields.get("models") or NO_LIST_OF_MODELS,
            options=fields.get("args", []),
            variables=fields.get("env", {}),
            path=fields.get("path", "/v1"),
            needs_ipv6=fields.get("ipv6", False),
        )

    def reply(self, index: int) -> Mapping[str, Any]:
        """Return the reply to the request of this index, counted from 0."""
        if index < len(self.replies):
            return self.replies[index]
        if self.right_reply_follows:
            return {"content": RIGHT_REPLY}
        return self.replies[-1]
