"""The files of a world inside an aide: their paths are known, their texts are asked from the parent when needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, cast

from sandbox.child.aide_process import ask_parent

MOST_AT_ONCE: Final = 256


class AskedFiles(Mapping[str, str]):
    """Files by path. With each text that is missing, four times as many of the next ones are asked for: whoever reads
    on waits seldom, and whoever reads one file gets one."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._texts: dict[str, str | None] = dict.fromkeys(paths)
        self._at_once = 1

    def __getitem__(self, path: str) -> str:
        text = self._texts[path]
        return self._asked(path) if text is None else text

    def __contains__(self, path: object) -> bool:
        return path in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def _asked(self, path: str) -> str:
        missing = (each for each, text in self._texts.items() if text is None and each != path)
        paths = [path, *islice(missing, self._at_once - 1)]
        self._at_once = min(4 * self._at_once, MOST_AT_ONCE)
        texts = cast("list[Any]", ask_parent(*paths))
        self._texts.update(zip(paths, texts, strict=False))
        if texts[0] is None:
            raise KeyError(path)
        return str(texts[0])
