"""A model whose replies are kept in files, so that a known request costs nothing.

    model = CachedModel(endpoint, Path("cache"), settings={"model": "gpt-5-mini"})
    model.reply_to(request)    asks the endpoint, and keeps the reply
    model.reply_to(request)    the same reply, from the file, for $0

With other settings, the endpoint is asked again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from controlplane.agent.model.model import Model
from controlplane.agent.model.reply import ModelRequest, Reply, Usage
from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import read_json

# Keeps the replies of models in files, so that the same request costs only once.
#
# The file of a reply is named after its *key*, a hash of the request and the model's settings:
# `3f/3f9a….json`. Many threads and processes may use the same folder at once.

_FREE_REPLY: Final[Mapping[str, object]] = {
    "cached": True,
    "cost_usd": 0.0,
    "cost_source": "",
    "usage": Usage(),
}
"""These fields of a kept reply are changed when it is used: then it costs nothing."""


# The key under which the reply to a request is kept, so that the same request costs only once.
#
# The key is a hash of all that shapes the reply: the request, and the settings of the model, such
# as `{"model": "gpt-5-mini", "temperature": 0.2}`. With another temperature, the key is another.

_CACHE_VERSION: Final = 1
"""The version of a cache's keys and files. It is a part of each
key, so replies that another version kept are not found."""


def _key_of_request(request: ModelRequest, settings: Mapping[str, object]) -> str:
    """Return the key of a request's reply: a hash of the request and the model's settings."""
    key_parts = [
        _CACHE_VERSION,
        dict(settings),
        request.try_number,
        request.messages,
        request.role,
        request.schema,
        request.tools,
        request.tool_choice,
        request.min_temperature,
    ]
    # `json.dumps` escapes lone surrogates, which UTF-8 cannot encode.
    text = json.dumps(key_parts, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    """Return a value that JSON can hold: the fields of a `Tool`, or else the value as text."""
    return value.model_dump() if isinstance(value, BaseModel) else str(value)


class CachedModel(Model):
    """Wraps a model, and asks it only for replies that are not kept yet."""

    def __init__(
        self, model: Model, folder: Path, settings: Mapping[str, object]
    ) -> None:
        """`settings` holds what shapes a reply besides the request: model, address, parameters.

        It must not hold secrets, because it becomes part of the cache's keys.
        """
        self.name = model.name
        self._model = model
        self._folder = folder
        self._settings = dict(settings)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the cached reply, or ask the model and cache its reply. Raises `ModelError`."""
        key = _key_of_request(request, self._settings)
        # `3f/3f9a….json`, so that no folder has too many files.
        path = self._folder / key[:2] / f"{key}.json"
        kept = self._kept_reply(path)
        if kept is not None:
            return kept
        reply = self._model.reply_to(request)
        is_empty = not reply.text.strip() and not reply.tool_calls
        if is_empty:
            return reply  # An empty reply is not kept, so that the next try asks again.
        # What it says about its own request is left out: notices, and what the endpoint refused.
        kept = reply.model_copy(update={"notices": (), "learned": None})
        content = json.dumps(kept.model_dump(mode="json")).encode()
        try:
            write_whole(path, content, mode=0o600)
        except OSError as error:
            notice = f"a reply could not be kept in the cache {self._folder}: {error.strerror}"
            return reply.model_copy(update={"notices": (*reply.notices, notice)})
        return reply

    def _kept_reply(self, path: Path) -> Reply | None:
        """Return the reply that a file has; None if it has no readable one."""
        try:
            # `read_whole` opens regular files only. A named pipe would block.
            found = read_whole(path, self._folder, bounds.MOST_LINE_BYTES)
            if found is None:
                return None
            data, _ = found  # bytes and file mode
            kept = Reply.model_validate(read_json(data))
        except (OSError, ValueError, RecursionError):
            return None
        return kept.model_copy(update=_FREE_REPLY)
