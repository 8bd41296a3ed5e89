"""What the errors of endpoints mean, from the file `errors.toml`.

The file has three tables: the meanings of errors, the features of endpoints with the
parameters that belong to them, and phrases that refuse a parameter without naming it.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

from pydantic import Field

from controlplane.agent.model import Frozen, ReplyMode

# The names of meanings in `errors.toml` that the code refers to.
TOO_LONG: Final = "too_long"
BUSY: Final = "busy"
SERVER_FAILURE: Final = "server_failure"
UNKNOWN_MODEL: Final = "unknown_model"
UNKNOWN: Final = "unknown"
"""The meaning of an error that no other entry fits."""

ToolDemand: TypeAlias = Literal["any tool", "a certain tool"]
"""A request may demand that the model calls some tool, or one that the request names."""


class Meaning(Frozen):
    """What an error means for a trial and for its run.

    An error has this meaning if it has one of the statuses, codes or phrases.
    """

    name: str
    message: str
    """The text for the user; `{model}` stands for the model's name."""
    remedy: str = ""
    """What the user can do about it; empty if nothing."""
    retryable: bool = False
    """True if the same request may succeed later."""
    affects_all: bool = True
    """True if the requests of all trials are refused like this, so that the run pauses."""
    statuses: frozenset[int] = frozenset()
    codes: frozenset[str] = frozenset()
    phrases: dict[str, str] = Field(default_factory=dict)
    """Lower-case parts of an error's text, each with its source: a vendor and a report.
    `{"context size": "llama.cpp: ggml-org/llama.cpp#15780"}`"""

    def matches(self, status: int, codes: set[str], text: str) -> bool:
        """Return True if an error has this meaning. `codes` and `text` must be in lower case."""
        if status in self.statuses or codes & self.codes:
            return True
        return any(phrase in text for phrase in self.phrases)


class Feature(Frozen):
    """A capability of endpoints, and the parameters whose refusal shows that it is missing."""

    name: str
    """A field of `Capabilities`."""
    modes: frozenset[ReplyMode]
    """The reply modes that use it."""
    parameters: frozenset[str]
    """Parameters of a request, or parts of their names. `form` stands for the parameter
    that asks for the reply mode, because some errors refuse it without naming it."""
    tool_demand: ToolDemand | None = None
    """The demand of a request that uses the feature. To refuse one demand is not to refuse the
    other. None if the feature is not about one."""
    notice: str
    """The notice for the user if the feature is missing: `takes no reply mode schema`."""


class RefusedParameter(Frozen):
    """The parameter that an error refuses by a phrase, without naming it.

    `this model does not support tools` refuses the parameter `tools`. In `errors.toml`:

        [refused_by_phrase]
        "does not support tools" = {parameter = "tools", source = "Ollama: ollama/ollama#14795"}
    """

    parameter: str
    source: str
    """The vendor that sends such errors, and a public report of one."""


class ErrorTables(Frozen):
    """What the errors of endpoints mean: the content of `errors.toml`."""

    meanings: tuple[Meaning, ...]
    """What an error means for a trial, such as that the endpoint is busy."""
    features: tuple[Feature, ...]
    """The parts of requests that some endpoints lack, each with its parameters."""
    refused_by_phrase: dict[str, RefusedParameter]
    """The refused parameter by a phrase in the error's text, in lower case."""

    def meaning_named(self, name: str) -> Meaning:
        """Return the meaning with this name, such as `busy`. Raises `KeyError` if there is none."""
        for meaning in self.meanings:
            if meaning.name == name:
                return meaning
        raise KeyError(name)


@cache
def error_tables() -> ErrorTables:
    """Return the tables of `errors.toml`, read once."""
    path = Path(__file__).with_name("errors.toml")
    return ErrorTables.model_validate(tomllib.loads(path.read_text("utf-8")))
