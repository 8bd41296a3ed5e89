"""The forms in which a model may be asked for an *action*: the script to run, and remarks.

| mode | the model is asked for | what makes it keep to that |
|---|---|---|
| `schema` | `{"state": "...", "code": "..."}` | the endpoint, by a JSON schema |
| `tool` | a call `execute_script(state="...", code="...")` | the endpoint, as it calls a tool |
| `json` | a JSON object | the endpoint, but not which fields it has |
| `text` | a JSON object | nothing but the prompt |
"""

from __future__ import annotations

from enum import StrEnum


class ReplyMode(StrEnum):
    """The form in which a model is asked for an action."""

    SCHEMA = "schema"
    """JSON text, which the endpoint constrains by a schema."""
    TOOL = "tool"
    """The arguments of the single tool `execute_script`."""
    JSON = "json"
    """JSON text, without a schema."""
    TEXT = "text"
    """Plain text, which should be JSON."""
