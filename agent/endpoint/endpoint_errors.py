"""Turns an endpoint's reply that is not a completion, or a broken connection, into an error with a remedy.

If an endpoint refuses a part of a request, the request is repeated without it, once per run, and the user is told.
"""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import httpx2

from agent.endpoint.protocols import BOUNDS, TAKES, form_of
from agent.model.model_protocol import Capabilities, ModelError, ModelRequest, ReplyMode
from agent.retry import retry_after_s
from sandbox.interface import parse_json

REPLY_BYTES: Final = 32 * 1024 * 1024
"""Max bytes of a reply that is read."""

_FLAGGED: Final = re.compile(r"flagged|moderation|content.?(policy|filter)", re.I)
_NO_CREDIT: Final = re.compile(r"insufficient.?(quota|credit|funds|balance)|exceeded your current quota", re.I)
_BAD_OUTPUT: Final = re.compile(r"json_validate_failed|failed to (generate|validate) json|generated json", re.I)
_TOO_LONG: Final = re.compile(
    r"context.?(length|size|window)|maximum context|too (long|many tokens)|exceed\w* .*(token|context)", re.I
)
_TAG: Final = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.I | re.S)
_FORM: Final = re.compile(r"tool|function|response.?format|schema", re.I)
_REPLY_FORMAT: Final = re.compile(
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


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """An error answer. `text` is one line; `status` is the HTTP status, or one given inside the body."""

    status: int
    text: str
    retry_after_s: float | None = None
    parameter: str = ""
    """The parameter of the request that the endpoint blames; may be empty."""

    @property
    def shown(self) -> str:
        """Status and text in brackets."""
        return f"({self.status}: {self.text})" if self.text else f"({self.status})"

    def error(self, where: str, model: str) -> ModelError:
        """Return the error. Its text begins with what happened, because tables cut texts, and ends with what to do."""
        status, text, at = self.status, self.text, f"{self.shown} at {where}"
        affects_all, retryable = True, False
        if status == 401 or (status == 403 and not _FLAGGED.search(text)):
            msg = f"the key is refused {at}; set OPENAI_API_KEY to one that it accepts"
        elif status == 402 or (status == 429 and _NO_CREDIT.search(text)):
            msg = f"no credit is left for this key {at}; add some there, or set OPENAI_API_KEY to another"
        elif status == 404:
            msg = (
                f"there is no model {model!r} {at}; check --model (MODEL_ID), and that OPENAI_BASE_URL is the address "
                "of the API, with its /v1"
            )
        elif status in (301, 302, 303, 307, 308, 405):
            msg = f"no requests are taken {at}; set OPENAI_BASE_URL to the address of the API, with its /v1"
        elif status in (408, 409, 425, 429) or (status >= 500 and status != 501):
            retryable = True
            wait = "" if self.retry_after_s is None else f", which asks to wait {self.retry_after_s:g} s"
            msg = f"a failure for the moment {at}{wait}"
            if status == 429:
                msg = f"too many requests {at}{wait}; if it lasts, lower --concurrency"
        else:  # the request is refused for its content, which affects this trial only
            affects_all, retryable = False, _BAD_OUTPUT.search(text) is not None
            msg = f"the request is refused {at}"
            if retryable:
                msg = f"the model's reply has no proper form {at}"
            elif _TOO_LONG.search(text):
                msg = (
                    f"the conversation is longer than the model's context {at}; serve it with a longer one, or lower "
                    "--opening-chars, --max-steps or --max-output-tokens"
                )
            elif _FORM.search(text):
                msg = f"the form of the request is refused {at}; try another --reply-mode: schema, json, text or tool"
        return ModelError(msg, retryable=retryable, affects_all=affects_all, retry_after_s=self.retry_after_s)


def error_reply_of(status: int, headers: Mapping[str, str], body: str) -> ErrorReply:
    """Return the reply of an endpoint with an error status."""
    said = said_text(body) or headers.get("location", "")
    return ErrorReply(status, said, retry_after_s(headers), _parameter_in(_document(body)))


def error_reply_inside(body: str) -> ErrorReply | None:
    """Return the refusal in a body that came with status 200, as gateways send it; None if there is none."""
    document = _document(body)
    if not isinstance(document, dict):
        return None
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    error = document.get("error") or (choice.get("error") if isinstance(choice, dict) else None)
    if not error:
        return None
    code = str(error.get("code")) if isinstance(error, dict) else ""
    status = int(code) if re.fullmatch("[45][0-9][0-9]", code) else 500
    return ErrorReply(status, _one_line(_message_in({"error": error})), None, _parameter_in({"error": error}))


def _parameter_in(document: object) -> str:
    error = document.get("error") if isinstance(document, dict) else None
    named = error.get("param") if isinstance(error, dict) else None
    return named if isinstance(named, str) else ""


def said_text(body: str) -> str:
    """Return one short line of a body: an API's message, a page's title, or the body's beginning."""
    text = _message_in(_document(body))
    if not text:
        page = body.lstrip()[:20_000]  # the time to search a page grows with the square of its length
        title = re.search(r"<title[^>]*>(.*?)</title>", page, re.I | re.S)
        text = title[1] if title else _TAG.sub(" ", page) if page.startswith("<") else page
    return _one_line(text)


def _one_line(text: str) -> str:
    flat = " ".join("".join(character if character.isprintable() else " " for character in text).split())
    return flat if len(flat) <= 300 else f"{flat[:300]}…"


def _document(body: str) -> object:
    with suppress(ValueError):
        return parse_json(body, most_bytes=REPLY_BYTES)
    return None


def _message_in(document: object) -> str:
    """Return the message in any shape of error that APIs send, with its code, because wordings vary."""
    if isinstance(document, str):
        return document
    if not isinstance(document, dict):
        return ""
    error = document.get("error")
    if isinstance(error, dict):
        message = _message_in(error)
        code = error.get("code") or error.get("type")
        return f"{message} [{code}]" if isinstance(code, str) and code not in message else message
    for name in ("message", "error", "detail"):
        value = document.get(name)
        if value:
            return value if isinstance(value, str) else json.dumps(value)
    return ""


def lesson_of(
    refusal: ErrorReply,
    body: Mapping[str, object],
    *,
    request: ModelRequest,
    preferred: ReplyMode | None,
    capabilities: Capabilities,
) -> Capabilities | None:
    """Return what is known about the endpoint after it refused `body`; None if the form was not the reason."""
    mode, said, parameter = form_of(request, preferred, capabilities), refusal.text, refusal.parameter
    is_unsupported = _UNSUPPORTED.search(said) is not None
    if refusal.status not in (400, 404, 415, 422, 501) and not (refusal.status == 500 and is_unsupported):
        return None
    bound = capabilities.length_field
    other_bound = "max_completion_tokens" if bound == "max_tokens" else ""
    if bound in body and ((parameter == bound and is_unsupported) or (other_bound and other_bound in said)):
        return capabilities.model_copy(update={"length_field": other_bound})
    if feature := _refused_feature(f"{said} {parameter}", body, mode, capabilities):
        learned = capabilities.model_copy(update={feature: False})
        # Only the solver can change a request that has no other form.
        return None if feature == "takes_tools" and form_of(request, preferred, learned) is mode else learned
    words = {parameter, *re.findall(r"\w+", said.lower())}
    names = (name for name in body if name not in _NEVER_DROPPED and name != bound)
    # Refusals name `reasoning_effort` also by its first word.
    refused = next((name for name in names if {name, name.removesuffix("_effort")} & words), "")
    return capabilities.model_copy(update={"refused": (*capabilities.refused, refused)}) if refused else None


def _refused_feature(said: str, body: Mapping[str, object], mode: ReplyMode, capabilities: Capabilities) -> str:
    """Return the capability that a refusal of a request in `mode` denies, or an empty string."""
    any_parameter = "requested parameters" in said.lower()
    if mode is ReplyMode.SCHEMA and capabilities.takes_bounds and any(bound in said for bound in BOUNDS):
        return "takes_bounds"
    if mode is ReplyMode.SCHEMA and capabilities.takes_strict and re.search(r"\bstrict\b", said):
        return "takes_strict"
    if mode in (ReplyMode.SCHEMA, ReplyMode.JSON) and (any_parameter or _REPLY_FORMAT.search(said)):
        return TAKES[mode]
    if (
        mode is ReplyMode.TOOL
        and body.get("tool_choice")
        and re.search(r"tool.?choice|forced? (tool|function)", said, re.I)
    ):
        return "takes_required_tool" if body["tool_choice"] == "required" else "takes_named_tool"
    if mode is ReplyMode.TOOL and (any_parameter or (_TOOL.search(said) and _UNSUPPORTED.search(said))):
        return "takes_tools"
    return ""


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


def connection_error(error: Exception, *, where: str, timeout_s: float, clean: Callable[[str], str]) -> ModelError:
    """Return an error of one line: what broke and what to do. `clean` removes secrets from the system's text."""
    causes = list(_causes(error))
    cause = next((each for each in causes if isinstance(each, OSError)), None) or causes[-1]
    fault = next((each for each in causes if isinstance(each, httpx2.HTTPError | httpx2.InvalidURL)), error)
    text = clean(" ".join(str(cause).split())) or type(cause).__name__
    passing, said = True, f"broke off ({text}); is the server still running?"
    if "longer than" in str(fault):
        said = f"sent more than {REPLY_BYTES // 2**20} MiB; is OPENAI_BASE_URL right?"
    elif isinstance(fault, httpx2.ConnectTimeout):
        said = "cannot be reached (no connection in time); is the server up, and is OPENAI_BASE_URL right?"
    elif isinstance(fault, httpx2.TimeoutException):
        said = f"did not answer within {timeout_s:g} s; a slow model needs a longer --model-timeout"
    elif isinstance(fault, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | httpx2.InvalidURL):
        passing = False
        said = "is not an address; set OPENAI_BASE_URL to one that begins with http:// or https://"
    elif isinstance(cause, ssl.SSLCertVerificationError):
        passing = False
        said = f"has a certificate that is not trusted ({text}); set SSL_CERT_FILE to its authority's certificate"
    elif isinstance(cause, ssl.SSLError):
        passing = False
        said = f"does not speak TLS there ({text}); should OPENAI_BASE_URL begin with http://?"
    elif isinstance(fault, httpx2.ProxyError):
        text = clean(str(fault))
        said = f"cannot be reached through the proxy ({text}); fix HTTPS_PROXY, or name the endpoint's host in NO_PROXY"
    elif isinstance(cause, socket.gaierror):
        said = f"has a host name that is not found ({text}); is OPENAI_BASE_URL right, and is the network up?"
    elif isinstance(fault, httpx2.ConnectError):
        said = f"cannot be reached ({text}); is the server running, and is OPENAI_BASE_URL right?"
    return ModelError(f"{where} {said}", retryable=passing, affects_all=True)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, what caused it, and so on."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
