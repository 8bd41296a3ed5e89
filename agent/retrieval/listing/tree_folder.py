"""A folder of a tree, with the paths that calls have listed below it.

    docs = TreeFolder("/docs/", ["rules.md", "old/2019.md", "logs/UNLISTED"])
    docs.listed_files()   -> ["rules.md", "old/2019.md"]
    docs.children()       -> {"rules.md": None, "old": TreeFolder("/docs/old/", ["2019.md"]),
                              "logs": TreeFolder("/docs/logs/", ["UNLISTED"])}

The call listed no files of the folder `logs`, because it is too deep or too large. `UNLISTED` stands
for them. It is a name that no real file can have.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.retrieval.listing.unlisted_files import UNLISTED, is_unlisted


@dataclass(frozen=True, slots=True)
class TreeFolder:
    """A folder with the files in it and in its subfolders."""

    path: str
    """The folder's path, with a slash at its end."""
    paths_below: Sequence[str]
    """The paths of its files, relative to the folder."""

    @property
    def is_unlisted(self) -> bool:
        """True if none of its files is known, because no call has listed them."""
        return list(self.paths_below) == [UNLISTED]

    def listed_files(self) -> list[str]:
        """Return the relative paths of the files that are known."""
        return [path for path in self.paths_below if not is_unlisted(path)]

    def children(self) -> dict[str, TreeFolder | None]:
        """Return what is directly in this folder, by name: folders, and None for a file."""
        paths_by_name: dict[str, list[str]] = {}
        for path in self.paths_below:
            name, _, rest = path.partition("/")  # `old/b.md` -> `old`, `b.md`
            if name != UNLISTED:
                paths_by_name.setdefault(name, []).append(rest)

        children: dict[str, TreeFolder | None] = {}
        for name, rests in paths_by_name.items():
            is_folder = any(rests)  # Of a file's path, nothing is left after its name.
            children[name] = (
                TreeFolder(f"{self.path}{name}/", rests) if is_folder else None
            )
        return children
