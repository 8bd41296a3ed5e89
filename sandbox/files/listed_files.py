"""Files whose paths are known from the start, and whose texts are fetched when they are needed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping


class ListedFiles(Mapping[str, str]):
    """A mapping of paths to texts.

    A subclass sets `paths`, and fetches a text in `__getitem__`.
    """

    paths: Mapping[str, object]
    large: Collection[str] = ()
    """Files that are searched only if the root of the search is the file itself."""

    def in_utf_8(self, path: str) -> bytes:
        """Return a file's text in UTF-8, for a search."""
        return self[path].encode("utf-8", "surrogatepass")

    def __contains__(self, path: object) -> bool:
        return path in self.paths

    def __iter__(self) -> Iterator[str]:
        return iter(self.paths)

    def __len__(self) -> int:
        return len(self.paths)
