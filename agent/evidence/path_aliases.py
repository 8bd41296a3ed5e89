"""Finds out which file a path means: the paths that listings show, and other paths that
calls use.

A file may have several paths. For example, listings show `/docs/Loans.md`, and a call
reaches it by `/DOCS/loans.md`. Some workspaces also accept the short path `/Loans.md`.
A citation always uses the listed path.

Two words of this module:
- *spellings* are paths that differ only in case or in the Unicode form of their
  letters. They have the same `spelling_key`: `/docs/loans.md`.
- an *alias* is a path with which a call reached a file that has another path.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.gates.paths import base_name, canonical, spelling_key
from controlplane.sandbox.interface import Plain, bounds

MOST_ALIASES_IN_A_ROW: Final = 2
"""How many aliases are followed to find a file. The limit is needed: aliases can form a
circle."""


class PathAliases:
    """The paths of files that a trial has learnt from the results of its calls.

    Created when a trial starts; the `EvidenceLog` tells it about listings, reads and
    writes. All paths are canonical, as `/docs/a.md`. An alias stays an alias until the
    end of the trial.
    """

    def __init__(self) -> None:
        # What listings showed
        self.listed_paths_by_key: dict[str, tuple[str, ...]] = {}
        """The paths that listings showed, by spelling key: `{"/a.md": ("/A.md",
        "/a.md")}`."""
        self.directories: set[str] = set()
        """The paths of folders."""
        self._paths_by_name: dict[str, list[str]] = {}
        """The listed paths by file name: `{"a.md": ["/docs/a.md", "/old/a.md"]}`."""
        self._complete_folders: set[str] = set()
        """The spelling keys of folders of which a listing showed all entries."""
        self._remaining_chars = bounds.MOST_PATHS_CHARS
        """How many more characters of listed paths may be kept."""

        # What other calls reached
        self.file_of_alias: dict[str, str] = {}
        """By alias, the path of the file that the call reached."""
        self._unresolved_paths: dict[str, None] = {}
        """The paths that were read, and may turn out to be aliases when a listing
        follows. Used as an ordered set."""
        self._missing_paths: set[str] = set()
        """The paths at which a call found no file."""

        # What the trial wrote
        self.written: set[str] = set()
        """The paths that the trial wrote or may have written. They are never
        aliases."""
        self._written_keys: set[str] = set()
        """The spelling keys of the written paths."""

    # --- What listings show ---

    def learn_listing(
        self, requested_path: str, result: Mapping[str, Plain]
    ) -> tuple[str, ...]:
        """Learn the paths in a listing. Return the earlier paths that turn out to be
        aliases.

        The call listed `requested_path`, and its result has one of three forms:
        - a tree: `{"name": "docs", "is_dir": true, "children": [{"name": "a.md"}]}`
        - facts on one path: `{"path": "/docs", "is_dir": true}`
        - flat lists: `{"entries": [{"path": "/docs/a.md", "is_dir": false}]}`,
          `{"paths": ["/a.md"]}`
        """
        is_directory = result.get("is_dir")
        if isinstance(result.get("children"), list):
            is_complete = result.get("truncated") is not True
            self._learn_tree(requested_path, result, is_complete=is_complete)
        elif isinstance(is_directory, bool):
            self._learn_facts_on_path(requested_path, is_directory=is_directory)
        else:
            self._learn_flat_list(requested_path, result)
        return self._resolve_earlier_paths()

    def _learn_facts_on_path(self, path: str, *, is_directory: bool) -> None:
        """Learn that a path is a folder, or a file that has a `#` in its name.

        Other files are not learnt here: the call may have used an alias, not the listed
        path.
        """
        if is_directory:
            self.directories.add(path)
        elif "#" in path:
            # A `#` usually begins a fragment: `/a.csv#row=7`. Here it is part of the
            # file's name.
            self.learn_path(path)

    def _learn_flat_list(
        self, requested_path: str, result: Mapping[str, Plain]
    ) -> None:
        """Learn the paths in the lists of a result. An item is a path, or an object
        with a `path`.

        A list named `entries` has all entries of the folder, unless the result is
        marked as truncated.
        """
        for value in result.values():
            if not isinstance(value, list):
                continue
            for item in value:
                if isinstance(item, str):
                    self.learn_path(item)
                elif isinstance(item, dict):
                    self._learn_entry(item)
        if "entries" in result and result.get("truncated") is not True:
            self.directories.add(self.in_listed_spelling(requested_path))
            if not self._is_full:
                self._complete_folders.add(spelling_key(requested_path))

    def _learn_entry(self, entry: Mapping[str, Plain]) -> None:
        """Learn one entry of a list, such as `{"path": "/docs", "is_dir": true}`."""
        path = entry.get("path")
        if not isinstance(path, str):
            return
        self.learn_path(path)
        if entry.get("is_dir") is True and self._may_keep(path):
            self.directories.add(canonical(path))

    def _learn_tree(
        self, path: str, node: Mapping[str, Plain], *, is_complete: bool
    ) -> None:
        """Learn the paths of a tree, whose root `node` is at `path`.

        If the tree `is_complete`, every folder with `children` has all of them. A
        folder without `children` is empty, or so deep in the tree that its children are
        not shown.
        """
        if not self._may_keep(path):
            return
        self.learn_path(path)
        children = node.get("children")
        if node.get("is_dir") is True or children:
            self.directories.add(path)
        if not isinstance(children, list) or not children:
            return
        if is_complete:
            self._complete_folders.add(spelling_key(path))
        for child in children:
            if not isinstance(child, dict):
                continue
            name = child.get("name")
            if not isinstance(name, str):
                continue
            child_path = canonical(f"{path}/{name}")
            if child.get("is_dir") is True or child.get("children"):
                self._learn_tree(child_path, child, is_complete=is_complete)
            else:
                self.learn_path(child_path)

    def learn_path(self, path: str) -> None:
        """Learn one path as a listing shows it. Ignore a text that is not an absolute
        path."""
        # Most paths are in lower case, as spelling keys are. So most known paths are
        # found without computing their keys.
        if path in self.listed_paths_by_key.get(path, ()):
            return
        if not path.startswith("/") or not self._may_keep(path):
            return

        listed_path = canonical(path)
        key = spelling_key(path)
        spellings = self.listed_paths_by_key.get(key, ())
        if listed_path in spellings:
            return
        self._remaining_chars -= len(listed_path)
        self.listed_paths_by_key[key] = (*spellings, listed_path)
        name = listed_path.rpartition("/")[2]
        self._paths_by_name.setdefault(name, []).append(listed_path)

    def _may_keep(self, path: str) -> bool:
        """Return True if there is room for another path, and this one is not too
        long."""
        return not self._is_full and len(path) <= bounds.MOST_PATH_CHARS

    @property
    def _is_full(self) -> bool:
        """True if no further paths are kept, because the kept ones take too much
        memory."""
        has_too_many_paths = len(self.listed_paths_by_key) >= bounds.MOST_LISTED_PATHS
        return has_too_many_paths or self._remaining_chars <= 0

    # --- What the trial wrote ---

    def learn_written(self, path: str) -> None:
        """Learn that the trial wrote a file, which exists from now on, and is the
        trial's own."""
        self.mark_as_own(path)
        self._missing_paths.discard(path)
        self.learn_path(path)

    def mark_as_own(self, path: str) -> None:
        """Treat any text at a path as the trial's own from now on, even if no file is
        there yet.

        This also holds for other spellings of the path, except listed ones (see
        `is_own`).
        """
        self.written.add(path)
        self._written_keys.add(spelling_key(path))

    def mark_as_moved(self, path: str, target: str) -> None:
        """Treat a moved file as the trial's own, because the script chose its new path
        `target`.

        If `path` was a folder, the files in it that the trial had written stay its own
        at their new paths.
        """
        folder_key = spelling_key(path) + "/"
        folder_depth = path.count("/")
        new_paths = [target]
        for written_path in self.written:
            if spelling_key(written_path).startswith(folder_key):
                # The folder may have another spelling in `written_path`, so it is cut
                # off by its depth. For the folder `/drafts` of depth 1,
                # `/Drafts/old/c.md` is split into ``, `Drafts` and `old/c.md`.
                path_in_folder = written_path.split("/", folder_depth + 1)[-1]
                new_paths.append(f"{target}/{path_in_folder}")
        for new_path in new_paths:
            self.mark_as_own(new_path)

    def is_own(self, path: str) -> bool:
        """Return True if a call for `path` may reach a file that the trial wrote.

        This is also true if the trial wrote another spelling of `path`, unless listings
        show `path` itself: it is then a different file.
        """
        if path in self.written:
            return True
        has_written_spelling = spelling_key(path) in self._written_keys
        return has_written_spelling and not self._is_listed_exactly(path)

    # --- Paths without a file ---

    def learn_missing(self, path: str) -> None:
        """Remember that a call found no file at `path`."""
        self._missing_paths.add(path)

    def forget_missing_files(self) -> None:
        """Forget which paths have no file, because a tool may have created files
        anywhere."""
        self._missing_paths.clear()
        self._complete_folders.clear()

    def may_be_file(self, path: str) -> bool:
        """Return True unless it is known that `path` is not a file."""
        if path in self._missing_paths or path in self.directories:
            return False
        # A listing that showed all of a folder shows which files are not in it.
        is_in_complete_folder = spelling_key(_parent(path)) in self._complete_folders
        return self._is_listed_in_any_spelling(path) or not is_in_complete_folder

    # --- Which file a path means ---

    def learn_reached_path(self, requested_path: str, result_path: Plain) -> str:
        """Return the path that a call reached: the path in its result, or else the
        requested path.

        If the two differ, learn that the requested path is an alias.
        """
        if not isinstance(result_path, str) or not result_path.startswith("/"):
            return requested_path
        if len(result_path) > bounds.MOST_PATH_CHARS:
            return requested_path
        reached_path = canonical(result_path)
        if reached_path != requested_path:
            self.file_of_alias[requested_path] = reached_path
        return reached_path

    def resolve(self, path: str) -> None:
        """Find out if a path that was read is an alias, or keep it to try again
        later."""
        is_resolved = self._try_to_resolve(path)
        if not is_resolved and len(self._unresolved_paths) < bounds.MOST_UNSETTLED:
            self._unresolved_paths[path] = None

    def _resolve_earlier_paths(self) -> tuple[str, ...]:
        """Try again to resolve earlier paths, and return those that turn out to be
        aliases."""
        resolved_paths = [
            path for path in self._unresolved_paths if self._try_to_resolve(path)
        ]
        for path in resolved_paths:
            del self._unresolved_paths[path]
        return tuple(path for path in resolved_paths if self.path_to_cite(path) != path)

    def _try_to_resolve(self, path: str) -> bool:
        """Find out which file a path means. Return False if the listings so far do not
        show it.

        Some workspaces accept short paths: `/a.md` for `/docs/a.md`. A path is such an
        alias if
        - a complete listing of its folder does not have it, and
        - listings show exactly one other file with the same name.
        """
        if path in self.written or self._is_listed_in_any_spelling(path):
            return True  # It is not an alias.
        files_with_same_name = self._paths_by_name.get(base_name(path), ())
        is_in_complete_folder = spelling_key(_parent(path)) in self._complete_folders
        if len(files_with_same_name) != 1 or not is_in_complete_folder:
            return False
        self.file_of_alias[path] = files_with_same_name[0]
        return True

    def path_to_cite(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reached.

        If `path` is an alias, this is the path of its file, in the spelling of the
        listings. A path that the trial wrote, or that a listing shows, is never treated
        as an alias.
        """
        for _ in range(MOST_ALIASES_IN_A_ROW):
            is_alias = path in self.file_of_alias and not self._is_listed_exactly(path)
            if path in self.written or not is_alias:
                break
            path = self.file_of_alias[path]
        if path in self.written:
            return path
        return self.in_listed_spelling(path)

    def in_listed_spelling(self, path: str) -> str:
        """Return a path as listings spell it; unchanged if they show no spelling or
        several."""
        spellings = self.listed_paths_by_key.get(spelling_key(path), ())
        return spellings[0] if len(spellings) == 1 else path

    def _is_listed_exactly(self, path: str) -> bool:
        """Return True if a listing showed exactly this path."""
        return path in self.listed_paths_by_key.get(spelling_key(path), ())

    def _is_listed_in_any_spelling(self, path: str) -> bool:
        """Return True if a listing showed this path, or one that differs only in its
        spelling."""
        return spelling_key(path) in self.listed_paths_by_key


def _parent(path: str) -> str:
    """Return the folder of a path: `/docs/a.md` -> `/docs`, `/a.md` -> `/`."""
    return path.rpartition("/")[0] or "/"
