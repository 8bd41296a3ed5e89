"""Sends a request again without the parts that an endpoint refuses, until it replies.

Compatible endpoints support different parts of OpenAI's protocol. What a refusal shows about the
endpoint is called a lesson: it takes no `seed`, for example.

| request | the endpoint answers |
|---|---|
| with `seed` and a schema | 400: `'seed' is not supported` |
| with a schema | 400: `response_format is not supported` |
| with neither, asking for JSON in words | a reply, with two notices for the user |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

import re2

from controlplane.agent.endpoint.errors import ErrorReply, Feature, error_tables
from controlplane.agent.endpoint.requests import (
    LENGTH_KEYWORDS,
    REQUIRED,
    WrittenRequest,
)
from controlplane.agent.model import (
    BadReply,
    Capabilities,
    Message,
    ModelError,
    Reply,
    ReplyMode,
)

_Ask: TypeAlias = Callable[[Mapping[str, object], float], Reply | ErrorReply]
"""Sends the body of a request, with a deadline by `time.monotonic`. Raises `ModelError`."""


def negotiate(written: WrittenRequest, ask: _Ask) -> Reply:
    """Send a request, and send it again without each part that is refused, until there is a reply.

    The reply has a notice for each part that was left out, and what was learned by it. Raises
    `ModelError` if no part can be left out, or if there is no reply.
    """
    request, settings = written.request, written.settings
    notices: list[str] = []
    outcome = ask(written.body, request.deadline)
    while isinstance(outcome, ErrorReply):
        lesson = _lesson_of(outcome, written)
        if lesson is None:
            raise _diagnosed(outcome, written, ask)

        # The same request, written anew for what the endpoint is now known to accept.
        capabilities, lesson_notice = lesson
        refused_mode = written.mode
        loses_tools = written.capabilities.takes_tools and not capabilities.takes_tools
        written = WrittenRequest(request, settings, capabilities)
        if loses_tools and written.mode is ReplyMode.TOOL:
            # The model must reply by a tool call: the user prefers it, or the request has no schema.
            raise outcome.exception(settings, affects_all=True)
        notice = f"{settings.shown_name} {lesson_notice}"
        if written.mode is not refused_mode:  # For example, text instead of JSON.
            notice += f"; asking in mode {written.mode} from here on"
        notices.append(f"{notice} {outcome.summary}")
        outcome = ask(written.body, request.deadline)

    learned = written.capabilities if notices else None
    update = {"notices": tuple(notices), "learned": learned}
    return outcome.model_copy(update={**update, "reply_mode": str(written.mode)})


# Finds out why an endpoint has refused a request, by a small request that is sent as a test.
#
# If the endpoint refuses the small request, too, it refuses all requests, and the run should
# stop. If it replies, only the request of one trial is refused.

PROBE: Final = Message(
    role="user",
    content='Reply with {"state": "ready", "plan": [], "done": false, "code": "1"}',
)
"""The message of the small request, which any working endpoint answers. It names the fields
of an action, because the reply may have to fit their schema."""


def _diagnosed(refusal: ErrorReply, written: WrittenRequest, ask: _Ask) -> ModelError:
    """Return the error of a refused request. Sends the test if the reason is unknown.

    | the endpoint answers the test with | the error affects |
    |---|---|
    | a reply | one trial; the error carries the reply in `test_reply`, because it costs money |
    | an error that may pass: it is busy | one trial |
    | any other error | all trials |
    | a page, or anything else that is not of the protocol | all trials |
    | a reply that cannot be read | one trial |
    | nothing, because the connection broke | one trial |
    """
    if not refusal.is_unexplained:
        return refusal.exception(written.settings)

    # It is written like the refused request, in the same reply mode.
    messages = written.request.messages
    system_messages = [message for message in messages if message["role"] == "system"]
    request = replace(written.request, messages=[*system_messages, PROBE])
    test = WrittenRequest(request, written.settings, written.capabilities)
    affects_all = False
    answer: Reply | ErrorReply | None = None
    try:
        answer = ask(test.body, request.deadline)
    except ModelError as failure:
        affects_all = isinstance(failure, BadReply) and failure.affects_all
    if isinstance(answer, ErrorReply):
        affects_all = not answer.meaning.retryable
    error = refusal.exception(written.settings, affects_all=affects_all)
    if isinstance(answer, Reply):
        error.test_reply = answer
    return error


# Finds the part of a request that an error refuses, to send it again without.
#
# Errors name it in fields (`{"param": "seed"}`), in texts (`'seed' is not supported`), or not at
# all (`this model does not support tools`).


_Lesson: TypeAlias = tuple[Capabilities, str]
"""What one refusal shows: the capabilities of the endpoint without the refused part, and a notice for
the user, after the endpoint's name: `takes no seed; leaving it out from here on`."""

_ALWAYS_SENT: Final = frozenset(
    {"model", "messages", "input", "tools", "tool_choice", "response_format", "text"}
)
"""Parameters that are never left out. Some of them change if another reply mode is used."""


def _lesson_of(refusal: ErrorReply, request: WrittenRequest) -> _Lesson | None:
    """Return what the refusal of a request shows.

    None if it names no part of the request that can be left out.
    """
    if not refusal.may_refuse_parameter:
        return None
    capabilities = request.capabilities
    length_field = capabilities.length_field
    for name in _refused_names(refusal, request.settings.model):
        # Errors name a field by its whole path: `messages[1].content`, `text.format`. Requests only
        # have a piece of it as a parameter: `messages`, `text`.
        dotted = name
        for separator in "/[]":
            dotted = dotted.replace(separator, ".")
        # xAI writes `reasoning_effort` as its servers do: `reasoningEffort`.
        snake_case = re2.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()
        parts = {name, snake_case, *dotted.split(".")}

        # The limit of the reply's length has several names, one of which may be accepted.
        if length_field in request.body:
            is_unknown = length_field in parts and _says_unknown(refusal, length_field)
            if is_unknown or (length_field == _OLD_LENGTH and _NEW_LENGTH in parts):
                return _lesson_about_length(capabilities)

        # A feature, such as tools, has several parameters. The feature `takes_tools` is the field
        # `takes_tools` of the capabilities.
        for feature in error_tables().features:
            if parts & feature.parameters and _uses_feature(request, feature):
                changed = capabilities.model_copy(update={feature.name: False})
                return changed, feature.notice

        # Any other is just left out. Errors call `reasoning_effort` also `reasoning`.
        for parameter in request.body:
            if parameter in _ALWAYS_SENT or parameter == length_field:
                continue
            if parameter in parts or parameter.removesuffix("_effort") in parts:
                refused = (*capabilities.refused, parameter)
                changed = capabilities.model_copy(update={"refused": refused})
                return changed, f"takes no {parameter}; leaving it out from here on"
    return None


_MAX_SEARCHED_CHARS: Final = 4_000
"""Max characters of one error text that are searched for names of parameters."""

_NAME: Final = r"([A-Za-z_][\w./\[\]]{0,80})"
"""A name with its path: `temperature`, `text.format`, `messages[1]`."""

_FORMS: Final = (
    rf"""["'`‘“\[]/?{_NAME}["'`’”\]]""",  # 'temperature' does not support 0.5
    rf"\A{_NAME}: ",  # max_tokens: Extra inputs are not permitted
    rf""": {_NAME}\.?(?:\z|["'])""",  # Unknown parameter: top_p.
    rf"\b{_NAME} (?:is|are) not (?:supported|permitted)",  # seed is not supported
    rf"n[o']t support {_NAME}=",  # it doesn't support temperature=0.1 with thinking
)
"""The forms in which error texts name a parameter, each with a group for the name."""
_NAMED_PARAMETER: Final = re2.compile("|".join(_FORMS))
_SCHEMA_KEYWORDS: Final = LENGTH_KEYWORDS | {"strict"}
"""Keywords of a JSON schema that some endpoints refuse."""


def _refused_names(refusal: ErrorReply, model: str) -> list[str]:
    """Return names for parameters of a request to this model that an error refuses, in order.

    400: 'seed' is not supported             -> ["seed"], which is named
    404: no model 'acme/seed'                -> [], for the model `acme/seed`
    500: failed at 'seed'                    -> [], but a field that names it counts
    400: this model does not support tools   -> ["tools"], by a phrase of `errors.toml`
    500: this model does not support tools   -> ["tools"]
    """
    # Names in texts. If the model `acme/seed` is unknown, `seed` alone means the model, too.
    model = model.lower()
    names_of_model = {model} if "/" in model else set()
    if refusal.denies_model:
        names_of_model = {model, *model.split("/")}
    names: list[str] = []
    for message in refusal.messages:
        for match in _NAMED_PARAMETER.finditer(message[:_MAX_SEARCHED_CHARS]):
            # Only the group of the form that matched is not None.
            for name in filter(None, match.groups()):
                # `models/acme/seed` means the model, too.
                path = f"/{name.lower()}"
                if not any(path.endswith(f"/{model}") for model in names_of_model):
                    names.append(name)

    # Names in fields. A field only names the parameter that has the schema, never a keyword in the
    # schema. So keywords in texts always count, and come first: leaving one out may be enough.
    #
    # {"param": "tools", "message": "'strict' is not supported"}   -> ["strict", "tools"]
    # {"param": "tools", "message": "'seed' is not supported"}     -> ["tools"]
    if refusal.parameters:
        keywords = [name for name in names if name in _SCHEMA_KEYWORDS]
        names = [*keywords, *refusal.parameters]
    # With status 500, the server itself has failed, and its texts may quote any parameter.
    if refusal.status == 500:
        names = list(refusal.parameters)

    text = refusal.text.lower()
    for parameter, phrases in error_tables().refused_by_phrase.items():
        if any(phrase in text for phrase in phrases):
            names.append(parameter)
    return names


def _uses_feature(request: WrittenRequest, feature: Feature) -> bool:
    """Return True if a request uses a feature that has not been refused before.

    A request in the reply mode `tool`, with `"tool_choice": "required"`, uses `takes_tools` and
    `takes_required_tool`, but not `takes_schema`, which is a feature of the mode `schema`.
    """
    was_refused_before = not getattr(request.capabilities, feature.name)
    if request.mode not in feature.modes or was_refused_before:
        return False
    if feature.tool_demand is None:  # All requests in these modes use it.
        return True
    tool_choice = request.body.get("tool_choice")
    demand = "any tool" if tool_choice == REQUIRED else "a certain tool"
    return tool_choice is not None and feature.tool_demand == demand


# The parameter that limits a reply's length. OpenAI has renamed it: newer models refuse `max_tokens`
# and take `max_completion_tokens`. So the request is sent again with the new name. If an endpoint
# refuses that, too, no limit is sent. For a request with `max_tokens`:
#
# | the error | the lesson |
# |---|---|
# | `'max_tokens' is not supported` | send `max_completion_tokens` |
# | `Use 'max_completion_tokens'` | the same |
# | `Unrecognized request argument: max_tokens` | the same |
# | `'max_tokens' must be at most 4096` | none: only its value is refused |
# | `'max_tokens' does not support 9000` | none: it is what supports, not what is supported |

_OLD_LENGTH: Final = "max_tokens"
_NEW_LENGTH: Final = "max_completion_tokens"
_UNSUPPORTED_CODE: Final = "unsupported_parameter"
_REFUSED_VALUE_CODE: Final = "unsupported_value"
_UNSUPPORTED_PHRASES: Final = (
    "unsupported",
    "not support",
    "not permitted",
    "unexpected keyword",
    "unknown name",
    "unrecognized",
)
"""Lower-case phrases that say that a parameter is unknown."""


def _lesson_about_length(capabilities: Capabilities) -> _Lesson:
    """Return the lesson that an endpoint does not take the parameter that limits a length."""
    field = capabilities.length_field
    next_field = ""  # no limit
    consequence = "its replies have no bound from here on"
    if field == _OLD_LENGTH:
        next_field = _NEW_LENGTH
        consequence = f"sending {_NEW_LENGTH} from here on"
    changed = capabilities.model_copy(update={"length_field": next_field})
    return changed, f"takes no {field}; {consequence}"


def _says_unknown(refusal: ErrorReply, parameter: str) -> bool:
    """Return True if an error says that a parameter is unknown, not that its value is wrong."""
    if _UNSUPPORTED_CODE in refusal.codes:
        return True
    text = refusal.text.lower()
    name = re2.escape(parameter)
    refused_value = (
        rf"""\b{name}["'`]? do(?:es)? not support""",  # 'seed' does not support 0.5
        rf"""\b{name}["'`]?(?: of|:|=) ?\d+ is not""",  # seed of 7 is not supported
        "unsupported value",
    )
    is_value_refused = re2.search("(?i)" + "|".join(refused_value), text) is not None
    if is_value_refused or _REFUSED_VALUE_CODE in refusal.codes:
        return False
    return any(phrase in text for phrase in _UNSUPPORTED_PHRASES)
