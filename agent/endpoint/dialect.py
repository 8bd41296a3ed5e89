"""Chooses the form of a request: its reply mode, and the changes learned from an endpoint's refusals.

If an endpoint refuses a part of a request, the request is repeated without it, once per run, and the user is told.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from agent.endpoint.endpoint_errors import ErrorReply
from agent.model.model_protocol import TOOL_NAME, Capabilities, Message, ModelRequest, ReplyMode, Tool, ToolCall

_LADDERS: Final[Mapping[ReplyMode | None, tuple[ReplyMode, ...]]] = {
    None: (ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT),
    ReplyMode.SCHEMA: (ReplyMode.SCHEMA, ReplyMode.JSON, ReplyMode.TEXT),
    ReplyMode.TOOL: (ReplyMode.TOOL,),
    ReplyMode.JSON: (ReplyMode.JSON, ReplyMode.TEXT),
    ReplyMode.TEXT: (ReplyMode.TEXT,),
}
"""Reply modes to try, the best first, by the requested mode; None leaves the choice to the endpoint."""
_TAKES: Final = {ReplyMode.SCHEMA: "takes_schema", ReplyMode.TOOL: "takes_tools", ReplyMode.JSON: "takes_json"}
"""The capability that a reply mode needs."""
_FORMAT: Final = re.compile(
    r"response.?format|text\.format|json.?schema|json.?object|json.?mode|structured.?output|grammar|"
    r"guided.?(json|decoding)",
    re.I,
)
_TOOL: Final = re.compile(r"\btools?\b|tool.?(use|call|choice)|function.?call|\bfunctions?\b", re.I)
_UNSUPPORTED: Final = re.compile(
    r"support|requires|unknown|unrecogni[sz]ed|unexpected|not (allowed|permitted|available|enabled)|invalid|extra",
    re.I,
)
_NEVER_DROPPED: Final = frozenset({"model", "messages", "input", "tools", "tool_choice", "response_format", "text"})
_BOUNDS: Final = ("maxItems", "maxLength", "minItems", "minLength")


def form_of(request: ModelRequest, preferred: ReplyMode | None, known: Capabilities) -> ReplyMode:
    """Return the reply mode for `request`: the best preferred one that is not known to be refused."""
    forms = _forms(request, preferred)
    return next((mode for mode in forms if getattr(known, _TAKES.get(mode, ""), True)), forms[-1])


def _forms(request: ModelRequest, preferred: ReplyMode | None) -> tuple[ReplyMode, ...]:
    if request.schema is None:
        return (ReplyMode.TOOL,) if request.tools else (ReplyMode.TEXT,)
    if request.tools:
        ladder = (ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)
        return ladder[ladder.index(preferred) :] if preferred in ladder else ladder
    if not request.schema and preferred is not ReplyMode.TEXT:
        return (ReplyMode.JSON, ReplyMode.TEXT)
    return _LADDERS[preferred]


def tools_of(request: ModelRequest, mode: ReplyMode) -> tuple[tuple[Tool, ...], str | None]:
    """Return the tools of a request in `mode`, and the one to call."""
    if mode is not ReplyMode.TOOL:
        return (), None
    if request.tools:
        return tuple(request.tools), request.tool_choice
    tool = Tool(name=TOOL_NAME, description="Run one Python script.", parameters=dict(request.schema or {}))
    return (tool,), TOOL_NAME


def choice_of(name: str | None, known: Capabilities) -> str | None:
    """Return the call to ask for: a tool's name, `required`, or None if the endpoint takes neither."""
    if name is None or (name != "required" and known.takes_named_tool):
        return name
    return "required" if known.takes_required_tool else None


def lesson_of(
    refusal: ErrorReply,
    body: Mapping[str, object],
    *,
    request: ModelRequest,
    preferred: ReplyMode | None,
    known: Capabilities,
) -> Capabilities | None:
    """Return what is known about the endpoint after it refused `body`; None if the form was not the reason."""
    mode, said, parameter = form_of(request, preferred, known), refusal.text, refusal.parameter
    is_unsupported = _UNSUPPORTED.search(said) is not None
    if refusal.status not in (400, 404, 415, 422, 501) and not (refusal.status == 500 and is_unsupported):
        return None
    bound = known.length_field
    other_bound = "max_completion_tokens" if bound == "max_tokens" else ""
    if bound in body and ((parameter == bound and is_unsupported) or (other_bound and other_bound in said)):
        return known.model_copy(update={"length_field": other_bound})
    if feature := _refused_feature(f"{said} {parameter}", body, mode, known):
        learned = known.model_copy(update={feature: False})
        # Only the solver can change a request that has no other form.
        return None if feature == "takes_tools" and form_of(request, preferred, learned) is mode else learned
    words = {parameter, *re.findall(r"\w+", said.lower())}
    names = (name for name in body if name not in _NEVER_DROPPED and name != bound)
    # Refusals name `reasoning_effort` also by its first word.
    refused = next((name for name in names if {name, name.removesuffix("_effort")} & words), "")
    return known.model_copy(update={"refused": (*known.refused, refused)}) if refused else None


def _refused_feature(said: str, body: Mapping[str, object], mode: ReplyMode, known: Capabilities) -> str:
    """Return the capability that a refusal of a request in `mode` denies, or an empty string."""
    any_parameter = "requested parameters" in said.lower()
    if mode is ReplyMode.SCHEMA and known.takes_bounds and any(bound in said for bound in _BOUNDS):
        return "takes_bounds"
    if mode is ReplyMode.SCHEMA and known.takes_strict and re.search(r"\bstrict\b", said):
        return "takes_strict"
    if mode in (ReplyMode.SCHEMA, ReplyMode.JSON) and (any_parameter or _FORMAT.search(said)):
        return _TAKES[mode]
    if (
        mode is ReplyMode.TOOL
        and body.get("tool_choice")
        and re.search(r"tool.?choice|forced? (tool|function)", said, re.I)
    ):
        return "takes_required_tool" if body["tool_choice"] == "required" else "takes_named_tool"
    if mode is ReplyMode.TOOL and (any_parameter or (_TOOL.search(said) and _UNSUPPORTED.search(said))):
        return "takes_tools"
    return ""


def schema_of(request: ModelRequest, known: Capabilities) -> dict[str, object]:
    """Return the schema of a request, without bounds on lengths if the endpoint refuses them."""
    return dict(request.schema or {}) if known.takes_bounds else _without_bounds(request.schema or {})


def _without_bounds(schema: Mapping[str, object]) -> dict[str, object]:
    return {
        name: _without_bounds(value) if isinstance(value, Mapping) else value
        for name, value in schema.items()
        if name not in _BOUNDS
    }


def news_of(learned: Capabilities, before: Capabilities) -> str:
    """Return in a few words what was learned."""
    texts = {
        "takes_schema": "takes no reply mode schema",
        "takes_json": "takes no reply mode json",
        "takes_tools": "takes no tools (reply mode tool)",
        "takes_bounds": "rejects length limits in a schema; leaving them out",
        "takes_strict": "takes no mark strict beside a schema; leaving it out",
        "takes_named_tool": "cannot be made to call a certain tool; asking for any call",
        "takes_required_tool": "cannot be made to call a tool; leaving the choice to the model",
    }
    changed = next((field for field in texts if getattr(learned, field) != getattr(before, field)), "")
    if changed:
        return texts[changed]
    if learned.length_field != before.length_field:
        instead = f"sending {learned.length_field}" if learned.length_field else "its replies have no bound"
        return f"takes no {before.length_field}; {instead} from here on"
    return f"takes no {learned.refused[-1]}; leaving it out from here on"


def plain_messages(messages: Sequence[Message]) -> Sequence[Message]:
    """Return messages without calls and results: calls become JSON text, and the results after them a user message."""
    if not any(message.get("tool_calls") or message["role"] == "tool" for message in messages):
        return messages
    plain: list[Message] = []
    names: dict[str, str] = {}
    for message in messages:
        calls = message.get("tool_calls", ())
        names |= {call.id: call.name for call in calls}
        content = message["content"]
        if calls:
            content = json.dumps({"calls": list(map(_written, calls))}, ensure_ascii=False)
        elif message["role"] == "tool":
            content = f'<result of="{names.get(message.get("tool_call_id", ""), "")}">\n{content}\n</result>\n'
        role = "user" if message["role"] == "tool" else message["role"]
        if plain and role == "user" and plain[-1]["role"] == "user":
            plain[-1] = Message(role="user", content=plain[-1]["content"] + content)
        else:
            plain.append(Message(role=role, content=content))
    return plain


def _written(call: ToolCall) -> dict[str, object]:
    try:
        arguments = json.loads(call.arguments or "{}")
    except ValueError:
        arguments = call.arguments
    return {"name": call.name, "arguments": arguments}
