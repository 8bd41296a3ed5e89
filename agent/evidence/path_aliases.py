"""The names of a trial's files: the paths that listings show, and the other names that calls use.

A call may reach the file that listings show as `/docs/Loans.md` by `/DOCS/loans.md`, or by `/Loans.md`
in a workspace that accepts short paths. A citation names the file by the listed path, whichever name
its call used. In this module a *spelling* is one of the paths that differ only in case or in the
Unicode form of their letters; they share one `spelling_key`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.gates.evidence import base_name, canonical, spelling_key
from controlplane.sandbox.interface import Plain, bounds

MOST_ALIASES_IN_A_ROW: Final = 2
"""Aliases that are followed, one after the other, to find a file. They may form a circle."""


class PathAliases:
    """The names of files that a trial has learnt from the results of its calls.

    All paths are canonical. An alias is a path that a call used for a file with another path. Once it
    is known it stays an alias until the end of the trial.
    """

    def __init__(self) -> None:
        self.shown: dict[str, tuple[str, ...]] = {}
        """Paths that listings showed, by spelling key: `{"/a.md": ("/A.md", "/a.md")}`."""
        self.directories: set[str] = set()
        """Paths of folders."""
        self.aliases: dict[str, str] = {}
        """By path that a call used, the path of the file that the call reached."""
        self.written: set[str] = set()
        """Paths that the trial wrote or may have written. They are never aliases of other files."""
        self._written_keys: set[str] = set()
        """The spelling keys of the written paths."""
        self._paths_by_name: dict[str, list[str]] = {}
        """The shown paths, by the last name in each: `{"a.md": ["/docs/a.md", "/old/a.md"]}`."""
        self._whole_folders: set[str] = set()
        """The spelling keys of folders of which a listing showed every entry."""
        self._missing_paths: set[str] = set()
        """Paths at which a call found nothing."""
        self._unsettled_paths: dict[str, None] = {}
        """Paths that were read, and that a later listing may show to be aliases. Used as an ordered
        set."""
        self._room_chars = bounds.MOST_PATHS_CHARS
        """Characters of paths that may still be learnt."""

    # --- What listings show ---

    def learn_listing(self, requested_path: str, result: Mapping[str, Plain]) -> tuple[str, ...]:
        """Learn the names that a listing shows; return the earlier paths that turn out to be aliases.

        The call listed `requested_path`, and its result has one of three forms:
        - a tree: `{"name": "docs", "is_dir": true, "children": [{"name": "a.md"}]}`
        - facts on one path: `{"path": "/docs", "is_dir": true}`
        - flat lists: `{"entries": [{"path": "/docs/a.md", "is_dir": false}]}`, `{"paths": ["/a.md"]}`
        """
        is_directory = result.get("is_dir")
        if isinstance(result.get("children"), list):
            is_whole = result.get("truncated") is not True
            self._learn_tree(requested_path, result, is_whole=is_whole)
        elif isinstance(is_directory, bool):
            self._learn_kind(requested_path, is_directory=is_directory)
        else:
            self._learn_flat_list(requested_path, result)
        return self._settle_earlier_paths()

    def _learn_kind(self, path: str, *, is_directory: bool) -> None:
        """Learn that something is at a path, and whether it is a folder."""
        if is_directory:
            self.directories.add(path)
        elif "#" in path:
            # A file's own name may have a `#`, which otherwise begins a fragment: `/a.csv#row=7`.
            self.learn_path(path)

    def _learn_flat_list(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths in the lists of a result, be they texts or the `path` of an object.

        A list named `entries` shows the whole folder, unless the result says that it is truncated.
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
            self.directories.add(self.listed_spelling(requested_path))
            if self._has_room:
                self._whole_folders.add(spelling_key(requested_path))

    def _learn_entry(self, entry: Mapping[str, Plain]) -> None:
        """Learn one entry of a list, such as `{"path": "/docs", "is_dir": true}`."""
        path = entry.get("path")
        if not isinstance(path, str):
            return
        self.learn_path(path)
        if entry.get("is_dir") is True and self._has_room_for(path):
            self.directories.add(canonical(path))

    def _learn_tree(self, path: str, node: Mapping[str, Plain], *, is_whole: bool) -> None:
        """Learn the names of a tree, whose root `node` is at `path`.

        Every folder that shows children shows all of them if the tree `is_whole`. A folder without
        children may be empty, or too deep in the tree for its children to be shown.
        """
        if not self._has_room_for(path):
            return
        self.learn_path(path)
        children = node.get("children")
        if node.get("is_dir") is True or children:
            self.directories.add(path)
        if not isinstance(children, list) or not children:
            return
        if is_whole:
            self._whole_folders.add(spelling_key(path))
        for child in children:
            if not isinstance(child, dict):
                continue
            name = child.get("name")
            if not isinstance(name, str):
                continue
            child_path = canonical(f"{path}/{name}")
            if child.get("is_dir") is True or child.get("children"):
                self._learn_tree(child_path, child, is_whole=is_whole)
            else:
                self.learn_path(child_path)

    def learn_path(self, path: str) -> None:
        """Learn one path as a listing shows it. Texts that are not absolute paths are ignored."""
        # Most paths are in lower case, which makes them their own spelling key, and are known already.
        if path in self.shown.get(path, ()):
            return
        if not path.startswith("/") or not self._has_room_for(path):
            return
        shown_path = canonical(path)
        key = spelling_key(path)
        spellings = self.shown.get(key, ())
        if shown_path in spellings:
            return
        self._room_chars -= len(shown_path)
        self.shown[key] = (*spellings, shown_path)
        name = shown_path.rpartition("/")[2]
        self._paths_by_name.setdefault(name, []).append(shown_path)

    @property
    def _has_room(self) -> bool:
        return self._room_chars > 0 and len(self.shown) < bounds.MOST_LISTED_PATHS

    def _has_room_for(self, path: str) -> bool:
        return self._has_room and len(path) <= bounds.MOST_PATH_CHARS

    # --- What the trial wrote ---

    def learn_written(self, path: str) -> None:
        """Learn that the trial wrote a file: it exists, and is the trial's own from now on."""
        self.mark_as_own(path)
        self._missing_paths.discard(path)
        self.learn_path(path)

    def mark_as_own(self, path: str) -> None:
        """Treat what is read at a path, in any spelling, as the trial's own text from now on."""
        self.written.add(path)
        self._written_keys.add(spelling_key(path))

    def mark_as_moved(self, path: str, target: str) -> None:
        """Treat what a move brought to `target` as the trial's own, because its script chose the name.

        If `path` was a folder, the files in it that the trial wrote are its own in the new place, too.
        """
        folder_key = spelling_key(path) + "/"
        folder_depth = path.count("/")
        new_paths = [target]
        for written_path in self.written:
            if spelling_key(written_path).startswith(folder_key):
                # `/Drafts/old/c.md` in the moved folder `/drafts`, of depth 1 -> `old/c.md`
                path_in_folder = written_path.split("/", folder_depth + 1)[-1]
                new_paths.append(f"{target}/{path_in_folder}")
        for new_path in new_paths:
            self.mark_as_own(new_path)

    def is_own(self, path: str) -> bool:
        """Say whether a call for `path` may reach a file that the trial wrote.

        True also for another spelling of the file's path, unless listings show a file at that one.
        """
        if path in self.written:
            return True
        has_written_spelling = spelling_key(path) in self._written_keys
        return has_written_spelling and not self._is_shown(path)

    # --- Paths without a file ---

    def learn_missing(self, path: str) -> None:
        """Remember that a call did not find anything at `path`."""
        self._missing_paths.add(path)

    def forget_absences(self) -> None:
        """Forget where no file is, because a tool may have made files anywhere."""
        self._missing_paths.clear()
        self._whole_folders.clear()

    def may_exist(self, path: str) -> bool:
        """Say whether a file could be at `path`, as far as is known."""
        if path in self._missing_paths or path in self.directories:
            return False
        is_in_whole_folder = spelling_key(_parent(path)) in self._whole_folders
        return self._is_shown_in_any_spelling(path) or not is_in_whole_folder

    # --- Which file a path means ---

    def learn_reached(self, requested_path: str, result_path: Plain) -> str:
        """Return the path that a call reached: the path in its result, or else the requested path.

        If they differ, the requested path is an alias.
        """
        if not isinstance(result_path, str) or not result_path.startswith("/"):
            return requested_path
        if len(result_path) > bounds.MOST_PATH_CHARS:
            return requested_path
        reached_path = canonical(result_path)
        if reached_path != requested_path:
            self.aliases[requested_path] = reached_path
        return reached_path

    def settle_path(self, path: str) -> None:
        """Find out whether a path that was read is an alias, now or after a later listing."""
        if self._try_to_settle(path):
            return
        if len(self._unsettled_paths) < bounds.MOST_UNSETTLED:
            self._unsettled_paths[path] = None

    def _settle_earlier_paths(self) -> tuple[str, ...]:
        """Settle the unsettled paths as far as possible, and return those that are aliases."""
        settled_paths = [path for path in self._unsettled_paths if self._try_to_settle(path)]
        for path in settled_paths:
            del self._unsettled_paths[path]
        return tuple(path for path in settled_paths if self.path_to_cite(path) != path)

    def _try_to_settle(self, path: str) -> bool:
        """Find out what file a path means; return False if listings do not show that yet.

        Some workspaces accept short paths: `/a.md` for `/docs/a.md`. So if a path is missing from a
        whole listing of its folder, it is an alias of the only shown file with the same name.
        """
        if path in self.written or self._is_shown_in_any_spelling(path):
            return True
        namesakes = self._paths_by_name.get(base_name(path), ())
        is_in_whole_folder = spelling_key(_parent(path)) in self._whole_folders
        if len(namesakes) != 1 or not is_in_whole_folder:
            return False
        self.aliases[path] = namesakes[0]
        return True

    def path_to_cite(self, path: str) -> str:
        """Return the path by which to cite the file that a call reached by `path`.

        This is the file that `path` is an alias of, in the spelling of the listings. A path that is
        written or shown itself is a file of its own, even if a call has used it as an alias.
        """
        for _ in range(MOST_ALIASES_IN_A_ROW):
            if path in self.written:
                return path
            if not self._is_shown(path):
                path = self.aliases.get(path, path)
        if path in self.written:
            return path
        return self.listed_spelling(path)

    def listed_spelling(self, path: str) -> str:
        """Return the only spelling of `path` that listings show; `path` itself if none or several are."""
        spellings = self.shown.get(spelling_key(path), ())
        return spellings[0] if len(spellings) == 1 else path

    def _is_shown(self, path: str) -> bool:
        """Say whether a listing showed exactly this path."""
        return path in self.shown.get(spelling_key(path), ())

    def _is_shown_in_any_spelling(self, path: str) -> bool:
        return spelling_key(path) in self.shown


def _parent(path: str) -> str:
    """Return the folder of a path: `/docs/a.md` -> `/docs`, `/a.md` -> `/`."""
    return path.rpartition("/")[0] or "/"
