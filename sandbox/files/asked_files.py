"""The files of a trial as a worker has them: all paths, but only the texts that a tool has read.

A worker is an isolated process that runs tools. It requests a text from the parent process when
a tool reads the file: `files["/docs/a.md"]`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, cast

from controlplane.sandbox.files.listed_files import ListedFiles

_MOST_REQUESTED_TEXTS: Final = 256
"""The most texts that the worker requests at once."""


class AskedFiles(ListedFiles):
    """Maps paths to texts, and requests a text from the parent when it is first needed.

    A request for a missing text also fetches some of the texts that follow it, four
    times as many with each request. So a tool that reads one file causes one transfer,
    and a tool that reads all files seldom waits.
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._texts: dict[str, str | None] = dict.fromkeys(paths)
        """The texts by path; None for a text that was not requested so far, and for a file that
        the parent does not have either."""
        self.paths = self._texts
        self._texts_of_next_request = 1
        """The most texts of the next request."""

    def __getitem__(self, path: str) -> str:
        text = self._texts[path]
        if text is None:
            return self._requested_text(path)
        return text

    def _requested_text(self, path: str) -> str:
        """Return a text after requesting it from the parent. Raises `KeyError` if there is none."""
        # Only a worker loads `parent_connection`, so it is not imported at the top.
        from controlplane.sandbox.child.parent_connection import ask_parent

        requested_paths = self._paths_to_request(path)
        self._texts_of_next_request = min(
            4 * self._texts_of_next_request, _MOST_REQUESTED_TEXTS
        )
        # The parent may return fewer texts than requested, if one answer cannot hold
        # all of them. The others are requested again when they are needed.
        texts = cast("list[Any]", ask_parent(*requested_paths))
        self._texts.update(zip(requested_paths, texts, strict=False))
        if texts[0] is None:
            raise KeyError(path)
        return str(texts[0])

    def _paths_to_request(self, path: str) -> list[str]:
        """Return a path, and the first others whose texts the worker does not have yet."""
        paths = [path]
        for further_path, text in self._texts.items():
            if len(paths) >= self._texts_of_next_request:
                break
            if text is None and further_path != path:
                paths.append(further_path)
        return paths
