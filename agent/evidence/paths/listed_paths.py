"""The paths that listings of a trial have shown.

Paths that differ only in case or in the Unicode form of their letters are *spellings*
of one path. They share a `spelling_key`: `/docs/loans.md` for `/docs/Loans.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.gates.paths import canonical, spelling_key
from controlplane.sandbox.interface import Plain, bounds


class ListedPaths:
    """The listed paths of one trial, as many as there is room for.

    All paths are canonical: `/docs/a.md`, not `/docs//a.md`.
    """

    def __init__(self) -> None:
        self.by_key: dict[str, tuple[str, ...]] = {}
        """The paths by the key that all spellings share: `{"/a.md": ("/A.md", "/a.md")}`."""
        self.folders: set[str] = set()
        """The paths of folders."""
        self._by_name: dict[str, list[str]] = {}
        """The paths by file name: `{"a.md": ["/docs/a.md", "/old/a.md"]}`."""
        self._complete_folders: set[str] = set()
        """The spelling keys of folders of which a listing showed all entries."""
        self._room_chars = bounds.MOST_PATHS_CHARS
        """How many more characters of paths may be added."""

    # --- Learning ---

    def learn_result(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths in the result of a listing, which has one of three forms:

        - a tree: `{"name": "docs", "is_dir": true, "children": [{"name": "a.md"}]}`
        - facts on one path: `{"path": "/docs", "is_dir": true}`
        - flat lists: `{"entries": [{"path": "/docs/a.md",
          "is_dir": false}]}`, `{"paths": ["/a.md"]}`
        """
        is_folder = result.get("is_dir")
        is_complete = result.get("truncated") is not True
        if isinstance(result.get("children"), list):
            self._learn_tree(requested_path, result, is_complete=is_complete)
        elif isinstance(is_folder, bool):
            self._learn_facts(requested_path, is_folder=is_folder)
        else:
            self._learn_lists(result)
            if is_complete and "entries" in result:
                self._learn_complete_folder(requested_path)

    def _learn_tree(
        self, path: str, node: Mapping[str, Plain], *, is_complete: bool
    ) -> None:
        """Learn the paths of a tree, whose root `node` is at `path`.

        In a complete tree, every folder with `children` has all of them. A folder
        without them is empty, or so deep that they are not shown.
        """
        if not self._may_keep(path):
            return
        self.learn_path(path)
        children = node.get("children")
        if node.get("is_dir") is True or children:
            self.folders.add(path)
        if not isinstance(children, list) or not children:
            return
        if is_complete:
            self._complete_folders.add(spelling_key(path))
        for child in children:
            name = child.get("name") if isinstance(child, dict) else None
            if isinstance(child, dict) and isinstance(name, str):
                child_path = canonical(f"{path}/{name}")
                self._learn_tree(child_path, child, is_complete=is_complete)

    def _learn_facts(self, path: str, *, is_folder: bool) -> None:
        """Learn that a path is a folder, or a file with a `#` in its name.

        Other files are not learnt, since a listing may spell the path in another way. But
        a file `/a.csv#row=7` would otherwise be taken for a row of `/a.csv`.
        """
        if is_folder:
            self.folders.add(path)
        elif "#" in path:
            self.learn_path(path)

    def _learn_lists(self, result: Mapping[str, Plain]) -> None:
        """Learn the paths in the lists of a result."""
        for items in result.values():
            if not isinstance(items, list):
                continue
            for item in items:
                if isinstance(item, str):
                    self.learn_path(item)
                elif isinstance(item, dict):
                    self._learn_entry(item)

    def _learn_entry(self, entry: Mapping[str, Plain]) -> None:
        """Learn one entry of a list, such as `{"path": "/docs", "is_dir": true}`."""
        path = entry.get("path")
        if not isinstance(path, str):
            return
        self.learn_path(path)
        if entry.get("is_dir") is True and self._may_keep(path):
            self.folders.add(canonical(path))

    def _learn_complete_folder(self, path: str) -> None:
        """Learn that a listing had all entries of a folder."""
        self.folders.add(self.spelling_of(path))
        if not self._is_full:
            self._complete_folders.add(spelling_key(path))

    def learn_path(self, path: str) -> None:
        """Learn one path. Ignore a text that is not an absolute path."""
        # The key is the path in small letters. Most paths have no others, so most of the
        # known ones are found here at once.
        if path in self.by_key.get(path, ()):
            return
        if not path.startswith("/") or not self._may_keep(path):
            return
        path = canonical(path)
        key = spelling_key(path)
        spellings = self.by_key.get(key, ())
        if path in spellings:
            return
        self._room_chars -= len(path)
        self.by_key[key] = (*spellings, path)
        name = path.rpartition("/")[2]
        self._by_name.setdefault(name, []).append(path)

    def _may_keep(self, path: str) -> bool:
        """Return True if there is room for a path, and it is not too long."""
        return not self._is_full and len(path) <= bounds.MOST_PATH_CHARS

    @property
    def _is_full(self) -> bool:
        """True if there is no room for another path."""
        has_too_many = len(self.by_key) >= bounds.MOST_LISTED_PATHS
        return has_too_many or self._room_chars <= 0

    def forget_complete_folders(self) -> None:
        """Forget which folders are complete, because files may have appeared."""
        self._complete_folders.clear()

    # --- Looking up ---

    def has(self, path: str) -> bool:
        """Return True if a listing showed exactly this path."""
        return path in self.by_key.get(spelling_key(path), ())

    def has_spelling_of(self, path: str) -> bool:
        """Return True if a listing showed this path in any spelling."""
        return spelling_key(path) in self.by_key

    def spelling_of(self, path: str) -> str:
        """Return a path as listings spell it; unchanged if they show no spelling or several.

        Spellings differ in case or Unicode form: `/docs/loans.md`, `/docs/Loans.md`.
        """
        spellings = self.by_key.get(spelling_key(path), ())
        return spellings[0] if len(spellings) == 1 else path

    def has_all_beside(self, path: str) -> bool:
        """Return True if a listing showed all entries of the folder in which `path` is."""
        folder = path.rpartition("/")[0] or "/"
        return spelling_key(folder) in self._complete_folders

    def files_named(self, name: str) -> Sequence[str]:
        """Return the listed paths that end with a file name."""
        return self._by_name.get(name, ())
