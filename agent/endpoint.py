"""Any OpenAI-compatible endpoint as a model. The one file that talks to it, and that translates its errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from agent.model import Message, ModelError, Reply, ToolCall, Usage
from agent.reply import TOOL_NAME

if TYPE_CHECKING:
    import openai


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


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """One model at one endpoint. The key is a secret: it is shown nowhere."""

    model: str
    base_url: str | None = None
    """None for the vendor's own."""
    api_key: str = ""
    reply_mode: ReplyMode = ReplyMode.SCHEMA
    max_output_tokens: int | None = None
    temperature: float | None = None
    timeout_s: float = 180.0
    """Seconds that one request may take."""

    def __repr__(self) -> str:
        return f"EndpointSettings(model={self.model!r}, base_url={self.base_url!r})"


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Function(_Wire):
    name: str = ""
    arguments: str | None = None


class _ToolCall(_Wire):
    function: _Function = _Function()


class _SaidMessage(_Wire):
    content: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    tool_calls: tuple[_ToolCall, ...] | None = None


class _Choice(_Wire):
    message: _SaidMessage
    finish_reason: str | None = None


class _PromptDetails(_Wire):
    cached_tokens: int | None = None


class _CompletionDetails(_Wire):
    reasoning_tokens: int | None = None


class _Usage(_Wire):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None
    cost: float | None = None


class _Completion(_Wire):
    choices: tuple[_Choice, ...] = Field(min_length=1)
    usage: _Usage | None = None


class Endpoint:
    """A model at an OpenAI-compatible endpoint."""

    def __init__(self, settings: EndpointSettings) -> None:
        import openai  # slow to import: a third of a second that only a run with a real model pays

        self._settings = settings
        self._client = openai.OpenAI(
            api_key=settings.api_key or "none",
            base_url=settings.base_url,
            timeout=settings.timeout_s,
            max_retries=0,  # whoever asks decides how patient to be
        )

    @property
    def name(self) -> str:
        """The model's id at its endpoint."""
        return self._settings.model

    def close(self) -> None:
        """Give back the connections."""
        self._client.close()

    def complete(self, messages: Sequence[Message], schema: Mapping[str, object], role: str) -> Reply:
        """Ask for one reply. Raises `ModelError`."""
        import openai

        del role
        try:
            # The documented untyped call: the typed one walks every message on every request.
            response = self._client.post("/chat/completions", body=self._body(messages, schema), cast_to=httpx.Response)
            return _reply_of(response)
        except openai.APIStatusError as error:
            raise self._status_error(error) from None
        except openai.APITimeoutError:
            msg = f"{self._where} did not answer within {self._settings.timeout_s:g} s"
            raise ModelError(msg, retryable=True, affects_all=True) from None
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            msg = f"{self._where} cannot be reached: {cause}; is the server running, and is OPENAI_BASE_URL right?"
            raise ModelError(msg, retryable=True, affects_all=True) from None
        except (openai.OpenAIError, httpx.HTTPError) as error:
            msg = f"{self._where} failed: {error}"
            raise ModelError(msg, retryable=True, affects_all=True) from None

    def check(self) -> None:
        """Ask once, so that a wrong key, model or address shows before a run starts. Raises `ModelError`."""
        self.complete([Message(role="user", content='Reply with {"code": "pass"}.')], {"type": "object"}, "check")

    @property
    def _where(self) -> str:
        return f"the model endpoint {self._client.base_url}"

    def _body(self, messages: Sequence[Message], schema: Mapping[str, object]) -> dict[str, object]:
        settings = self._settings
        body: dict[str, object] = {"model": settings.model, "messages": list(messages)}
        if settings.max_output_tokens is not None:
            body["max_tokens"] = settings.max_output_tokens
        if settings.temperature is not None:
            body["temperature"] = settings.temperature
        if settings.reply_mode is ReplyMode.SCHEMA:
            named = {"name": "action", "schema": dict(schema), "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif settings.reply_mode is ReplyMode.JSON:
            body["response_format"] = {"type": "json_object"}
        elif settings.reply_mode is ReplyMode.TOOL:
            function = {"name": TOOL_NAME, "description": "Run one Python script.", "parameters": dict(schema)}
            body["tools"] = [{"type": "function", "function": function}]
            body["tool_choice"] = {"type": "function", "function": {"name": TOOL_NAME}}
        return body

    def _status_error(self, error: openai.APIStatusError) -> ModelError:
        status = error.status_code
        text = _error_text(error)
        if status in (401, 403):
            msg = f"{self._where} refuses the key ({status}: {text}); set OPENAI_API_KEY to one that it accepts"
            return ModelError(msg, retryable=False, affects_all=True)
        if status == 404:
            msg = f"{self._where} knows no model {self.name!r} (404: {text}); check --model and OPENAI_BASE_URL"
            return ModelError(msg, retryable=False, affects_all=True)
        passing = status in (408, 409, 429) or status >= 500
        msg = f"{self._where} answered {status}: {text}"
        return ModelError(msg, retryable=passing, affects_all=passing, retry_after_s=_retry_after(error))


def _error_text(error: openai.APIStatusError) -> str:
    body = error.body
    text = body.get("message") or body.get("error") if isinstance(body, dict) else body
    flat = " ".join(str(text or error.response.text).split())
    return flat[:300]


def _retry_after(error: openai.APIStatusError) -> float | None:
    try:
        return float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None


def _reply_of(response: httpx.Response) -> Reply:
    try:
        completion = _Completion.model_validate_json(response.content)
    except ValidationError as error:
        start = " ".join(response.text[:120].split())
        fault = error.errors()[0]["msg"]
        msg = (
            f"the model endpoint answered {response.status_code} with something that is no chat completion ({fault}): "
            f"{start!r}; is OPENAI_BASE_URL the address of the API, with its /v1?"
        )
        raise ModelError(msg, retryable=True, affects_all=True) from None
    choice = completion.choices[0]
    said, used = choice.message, completion.usage or _Usage()
    return Reply(
        text=said.content or "",
        tool_calls=tuple(
            ToolCall(name=each.function.name, arguments=each.function.arguments or "") for each in said.tool_calls or ()
        ),
        reasoning=said.reasoning or said.reasoning_content or "",
        usage=Usage(
            prompt_tokens=used.prompt_tokens or 0,
            completion_tokens=used.completion_tokens or 0,
            cached_tokens=(used.prompt_tokens_details and used.prompt_tokens_details.cached_tokens) or 0,
            reasoning_tokens=(used.completion_tokens_details and used.completion_tokens_details.reasoning_tokens) or 0,
        ),
        finish_reason=choice.finish_reason or "stop",
        cost_usd=used.cost,
    )
