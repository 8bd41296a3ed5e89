"""Keeps the replies of models in files, so that the same request costs only once.

The file of a reply is named after its *key*, a hash of the request and the model's settings:
`3f/3f9a….json`. Many threads and processes may use the same folder at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.agent.model.reply import Reply
from controlplane.agent.model.usage import Usage
from controlplane.sandbox.files import read_whole, write_whole
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import read_json

FREE_REPLY: Final[Mapping[str, object]] = {
    "cached": True,
    "cost_usd": 0.0,
    "cost_source": "",
    "usage": Usage(),
}
"""These fields of a kept reply are changed when it is used: then it costs nothing."""


@dataclass(frozen=True, slots=True)
class ReplyCache:
    """The replies that are kept in a folder."""

    folder: Path

    def kept_reply(self, key: str) -> Reply | None:
        """Return the reply with a key of `key_of_request`; None if no readable file has it."""
        try:
            # `read_whole` opens regular files only. A named pipe would block.
            found = read_whole(self._path_of(key), self.folder, bounds.MOST_LINE_BYTES)
            if found is None:
                return None
            data, _ = found  # bytes and file mode
            kept = Reply.model_validate(read_json(data))
        except (OSError, ValueError, RecursionError):
            return None
        return kept.model_copy(update=FREE_REPLY)

    def keep(self, reply: Reply, key: str) -> None:
        """Write a reply to its file. Raises `OSError`.

        What the reply says about its own request (notices, and what the endpoint refused) is
        left out.
        """
        kept = reply.model_copy(update={"notices": (), "learned": None})
        content = json.dumps(kept.model_dump(mode="json")).encode()
        write_whole(self._path_of(key), content, mode=0o600)

    def _path_of(self, key: str) -> Path:
        """Return the file of a key: `3f/3f9a….json`, so that no folder has too many files."""
        return self.folder / key[:2] / f"{key}.json"
