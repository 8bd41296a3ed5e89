"""The fields of a request to an OpenAI-compatible endpoint beyond model and messages, and their plainer forms.

An endpoint that refuses a field is asked again without it, once a run, and the user is told.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from agent.model.reply_parser import TOOL_NAME


class ReplyMode(StrEnum):
    """How the action travels: three ways to ask for one JSON object, and one tool."""

    SCHEMA = "schema"
    """JSON text constrained by a schema."""
    JSON = "json"
    """JSON text."""
    TEXT = "text"
    """Plain text that should be JSON."""
    TOOL = "tool"
    """The arguments of the single tool `execute_script`."""


_PLAINER: Final = {ReplyMode.SCHEMA: ReplyMode.JSON, ReplyMode.JSON: ReplyMode.TEXT}
_REFUSES_FORMAT: Final = re.compile(
    r"response.?format|json.?schema|json.?object|json.?mode|structured.?output|grammar|guided.?(json|decoding)", re.I
)
_REFUSES_LENGTH: Final = re.compile(r"max_completion_tokens", re.I)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The form of requests that an endpoint takes."""

    reply_mode: ReplyMode = ReplyMode.SCHEMA
    length_field: str = "max_tokens"
    """OpenAI's reasoning models refuse `max_tokens` and name `max_completion_tokens`."""

    def fields(self, schema: Mapping[str, object], max_output_tokens: int | None) -> dict[str, object]:
        """Return the fields of a request's body that ask for the reply's form and length."""
        fields: dict[str, object] = {}
        if max_output_tokens is not None:
            fields[self.length_field] = max_output_tokens
        if self.reply_mode is ReplyMode.SCHEMA:
            named = {"name": "action", "schema": dict(schema), "strict": True}
            fields["response_format"] = {"type": "json_schema", "json_schema": named}
        elif self.reply_mode is ReplyMode.JSON:
            fields["response_format"] = {"type": "json_object"}
        elif self.reply_mode is ReplyMode.TOOL:
            function = {"name": TOOL_NAME, "description": "Run one Python script.", "parameters": dict(schema)}
            fields["tools"] = [{"type": "function", "function": function}]
            fields["tool_choice"] = {"type": "function", "function": {"name": TOOL_NAME}}
        return fields

    def plainer(self, status: int, refusal: str) -> Dialect | None:
        """Return the form for the next attempt after a refused request; None if its form was not the reason."""
        if status not in (400, 404, 415, 422, 501):
            return None
        if self.length_field == "max_tokens" and _REFUSES_LENGTH.search(refusal):
            return replace(self, length_field="max_completion_tokens")
        mode = _PLAINER.get(self.reply_mode)
        if mode is not None and _REFUSES_FORMAT.search(refusal):
            return replace(self, reply_mode=mode)
        return None

    def difference(self, before: Dialect) -> str:
        """Return in a few words how this form differs from the one `before` it."""
        if self.reply_mode is not before.reply_mode:
            return f"takes no reply mode {before.reply_mode}; asking in mode {self.reply_mode} from here on"
        return f"takes no {before.length_field}; sending {self.length_field} from here on"
