"""A case: replies of a model's endpoint that users of public projects have reported, in a JSON file.

In the file `d04-retry-date.json`, an error comes first, and then a right reply:

    {"situation": "429 with a date in the past as Retry-After", "right": "retried, answered",
     "replies": [{"status": 429, "headers": {"Retry-After": "..."}, "body": {"error": {}}}],
     "then_good": true}
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.controlplane.reported_endpoints.filled_replies import RIGHT_REPLY, filled
from tests.support.command import ROOT

CASES = ROOT.parent / "shared/endpoints/cases"
"""The folder of the cases. It is not part of the repository."""

NO_LIST_OF_MODELS = {"status": 404, "body": {"error": {"message": "Not Found"}}}
"""The reply to `GET /v1/models` of a server that has no list of its models."""


@dataclass(frozen=True)
class RecordedCase:
    """The replies of an endpoint, and how a run comes to ask it."""

    replies: list[dict[str, Any]]
    """The replies to requests to the model, in order."""
    right_reply_follows: bool = False
    """Whether a right reply follows. If not, the last reply is repeated."""
    options: list[str] = field(default_factory=list)
    """Options of the run, such as `--reply-mode tool`."""
    reply_with_models: dict[str, Any] = field(default_factory=lambda: NO_LIST_OF_MODELS)
    """The reply to the request for the list of models."""
    variables: dict[str, str] = field(default_factory=dict)
    """Environment variables of the run; `@BASE` in one stands for the endpoint's address."""
    path: str = "/v1"
    """The path in the address of the endpoint."""
    needs_ipv6: bool = False
    situation: str = ""
    """What happens, in words."""
    right: str = ""
    """What the product should do, in words: `run paused, exit 3, 'key is refused'`."""

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
