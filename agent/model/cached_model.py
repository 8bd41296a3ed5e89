"""A model whose replies are kept in files, so that the same request costs only once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from controlplane.agent.model.model import Model
from controlplane.agent.model.model_request import ModelRequest
from controlplane.agent.model.reply import Reply, Usage
from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface import bounds

CACHE_VERSION: Final = 1
"""The version of a cache's keys and files. It is a part of each
key, so replies that another version kept are not found."""
FREE_REPLY: Final[Mapping[str, object]] = {
    "cached": True,
    "cost_usd": 0.0,
    "cost_source": "",
    "usage": Usage(),
}
"""The changed fields of a reply from the cache: it costs nothing."""


class CachedModel(Model):
    """Wraps a model, and keeps its replies in files.

    Many threads and processes may use the same folder at once.
    """

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
        path = self._path_of(request)
        kept = self._kept_reply(path)
        if kept is not None:
            return kept
        reply = self._model.reply_to(request)
        is_empty = not reply.text.strip() and not reply.tool_calls
        if is_empty:
            return reply  # An empty reply is not kept, so that the next try asks again.
        return self._keep(reply, path)

    def _path_of(self, request: ModelRequest) -> Path:
        """Return the path of the reply's file. Its name is a hash of all that shapes the reply."""
        key_parts = [
            CACHE_VERSION,
            self._settings,
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
        key = hashlib.sha256(text.encode()).hexdigest()
        return self._folder / key[:2] / f"{key}.json"

    def _kept_reply(self, path: Path) -> Reply | None:
        """Return the reply in a file of the cache; None if the file cannot be read."""
        try:
            # `read_whole` opens regular files only. A named pipe would block.
            found = read_whole(path, self._folder, bounds.MOST_LINE_BYTES)
            if found is None:
                return None
            data, _ = found  # bytes and file mode
            kept = Reply.model_validate(json.loads(data))
        except (OSError, ValueError, RecursionError):
            return None
        return kept.model_copy(update=FREE_REPLY)

    def _keep(self, reply: Reply, path: Path) -> Reply:
        """Write a reply to the cache and return it.

        If the write fails, add a notice for the user.
        """
        kept = reply.model_copy(update={"notices": (), "learned": None})
        try:
            write_whole(
                path, json.dumps(kept.model_dump(mode="json")).encode(), mode=0o600
            )
        except OSError as error:
            notice = f"a reply could not be kept in the cache {self._folder}: {error.strerror}"
            return reply.model_copy(update={"notices": (*reply.notices, notice)})
        return reply


def _plain(value: object) -> object:
    """Return a value that JSON can hold: the fields of a `Tool`, or else the value as text."""
    return value.model_dump() if isinstance(value, BaseModel) else str(value)
