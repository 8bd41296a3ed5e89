"""What a trial has learnt about paths from its calls.

An answer that cites `/Loans.md` for the file `/docs/Loans.md` is wrong, and so is one that cites
what its own script wrote. Each question about a path has a part that answers it:

| question | part |
|---|---|
| Has a listing shown it? Is it a folder? | `listings` |
| May there be a file? | `files` |
| Did the trial write it? | `own` |
| By which path is the file cited? | `aliases` |
| Is it short for a listed path? | `short_paths`, which adds it to the aliases |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from controlplane.agent.evidence.paths.accessed_paths import AccessedPaths
from controlplane.gates.paths import base_name, canonical, spelling_key
from controlplane.sandbox.interface import Plain, bounds

# The folders that listings of a trial have shown, and of which of them all entries are known.
#
# If a listing has shown that `/docs/Loans.md` is the only entry of `/docs`, then it is known that
# there is no `/docs/fees.md`. Such a folder is *complete*:
#
#     folders.add_complete("/docs")
#     folders.is_parent_complete("/docs/fees.md")    -> True
#     folders.is_parent_complete("/mails/fees.md")   -> False: it may exist


class _ListedFolders:
    """The listed folders of one trial."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        """The paths of folders, as they are listed."""
        self._complete_keys: set[str] = set()
        """The complete folders, by the key that all spellings of a path share."""

    def add_complete(self, path: str) -> None:
        """Add a folder whose entries were all listed. Its path may have any spelling."""
        self._complete_keys.add(spelling_key(path))

    def forget_complete(self) -> None:
        """Forget which folders are complete, because files may have appeared."""
        self._complete_keys.clear()

    def is_parent_complete(self, path: str) -> bool:
        """Return True if the folder in which `path` is, or would be, is complete."""
        folder = path.rpartition("/")[0] or "/"
        return spelling_key(folder) in self._complete_keys


# The paths that listings of a trial have shown, by which similar paths are found.
#
# A script may ask for `/docs/loans.md` where a listing has shown `/docs/Loans.md`. Paths that
# differ only in case or in the Unicode form of their letters are *spellings* of one path.
# They share a `spelling_key`, here `/docs/loans.md`:
#
#     paths.spelling_of("/docs/loans.md")   -> /docs/Loans.md
#     paths.files_named("Loans.md")         -> ["/docs/Loans.md"]


class _ListedPaths:
    """The listed paths of one trial, as many as there is room for. All are canonical."""

    def __init__(self) -> None:
        self.by_key: dict[str, tuple[str, ...]] = {}
        """The paths by the key that all spellings share: `{"/a.md": ("/A.md", "/a.md")}`."""
        self._by_name: dict[str, list[str]] = {}
        """The paths by file name: `{"a.md": ["/docs/a.md", "/old/a.md"]}`."""
        self._room_chars = bounds.MOST_PATHS_CHARS
        """How many more characters of paths may be added."""

    def add(self, path: str) -> None:
        """Add a path, if there is room. Ignore a text that is not an absolute path."""
        if path in self.by_key.get(path, ()):
            return  # Most paths are in lower case, and so their own key, which saves time.
        if not path.startswith("/") or not self.may_add(path):
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

    def may_add(self, path: str) -> bool:
        """Return True if there is room for a path, and it is not too long."""
        return (
            self._room_chars > 0
            and len(self.by_key) < bounds.MOST_LISTED_PATHS
            and len(path) <= bounds.MOST_PATH_CHARS
        )

    def has(self, path: str) -> bool:
        """Return True if a listing showed exactly this path."""
        return path in self.by_key.get(spelling_key(path), ())

    def has_spelling_of(self, path: str) -> bool:
        """Return True if a listing showed this path in any spelling."""
        return spelling_key(path) in self.by_key

    def spelling_of(self, path: str) -> str:
        """Return a path as listings spell it; unchanged if they show no spelling or several."""
        spellings = self.by_key.get(spelling_key(path), ())
        return spellings[0] if len(spellings) == 1 else path

    def files_named(self, name: str) -> Sequence[str]:
        """Return the listed paths that end with a file name."""
        return self._by_name.get(name, ())


# Learns which files and folders there are, from the lists in the result of a call.
#
# A later call with a misspelt path is then helped by the listed ones. Environments differ in the
# names of the fields, so the paths are taken from all lists of a result:
#
#     {"entries": [{"path": "/docs", "is_dir": true}, {"path": "/a.md"}]}   /docs, a folder; /a.md
#     {"paths": ["/docs/b.md"], "count": 1}                                 /docs/b.md


@dataclass(frozen=True, slots=True)
class _ListedEntries:
    """Adds the entries of lists to the listed paths of one trial."""

    paths: _ListedPaths
    """Gets the paths of all entries, as many as there is room for."""
    folders: _ListedFolders
    """Gets the paths of folders, and which folders were listed completely."""

    def learn(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths in all lists of a result, and if they are all that is in the folder.

        `requested_path` is the path of the folder, as the script has spelled it.
        """
        for items in result.values():
            if not isinstance(items, list):
                continue
            for item in items:
                if isinstance(item, str):
                    self.paths.add(item)
                elif isinstance(item, dict):
                    self._learn_entry(item)

        # The result of a search has no `entries`: the files that do not fit are missing in it.
        is_complete = result.get("truncated") is not True and "entries" in result
        if is_complete:
            self._learn_complete_folder(requested_path)

    def _learn_entry(self, entry: Mapping[str, Plain]) -> None:
        """Learn one entry of a list, such as `{"path": "/docs", "is_dir": true}`."""
        path = entry.get("path")
        if not isinstance(path, str):
            return
        is_folder = entry.get("is_dir") is True
        if is_folder and self.paths.may_add(path):  # There is room for it.
            self.folders.paths.add(canonical(path))
        self.paths.add(path)

    def _learn_complete_folder(self, path: str) -> None:
        """Learn that a path is a folder whose entries were all listed."""
        # `/Docs`, if the script asks for `/docs`
        path_as_listed = self.paths.spelling_of(path)
        self.folders.paths.add(path_as_listed)
        if self.paths.may_add(path):
            self.folders.add_complete(path)


# Reads a listing that is a tree of folders and files.
#
# A call such as `tree("/docs")` returns the folder with all that is in it, down to some depth:
#
#     {"name": "docs", "children": [
#         {"name": "a.md"},
#         {"name": "old", "is_dir": true}]}
#
# It shows the paths `/docs`, `/docs/a.md` and `/docs/old`. `/docs` and `/docs/old` are folders.
# Of `/docs`, all entries are listed. `/docs/old` may have entries that are too deep to be shown.


@dataclass(frozen=True, slots=True)
class _ListedTree:
    """Adds the paths of a tree to the listed ones."""

    paths: _ListedPaths
    """Gets all paths of the tree, as many as there is room for."""
    folders: _ListedFolders
    """Gets those of folders."""
    is_complete: bool
    """False if the environment has left something out, because the tree is large."""

    def learn(self, path: str, node: Mapping[str, Plain]) -> None:
        """Add the paths of the tree whose root `node` is at `path`."""
        if not self.paths.may_add(path):
            return  # There is no room for it, and so none for its children.
        self.paths.add(path)
        children = node.get("children")
        if node.get("is_dir") is True or children:
            self.folders.paths.add(path)
        if not isinstance(children, list) or not children:
            return
        if self.is_complete:
            self.folders.add_complete(path)
        for child in children:
            if not isinstance(child, dict):
                continue
            name = child.get("name")
            if isinstance(name, str):
                self.learn(canonical(f"{path}/{name}"), child)


# Reads the listings of a trial: which paths they show, and which of these are folders.
#
# A script may ask for `/docs/loans.md`, where only `/docs/Loans.md` exists. What exists is known
# from *listings*, the results of calls such as `list("/docs")`. They have one of three forms:
#
# | form | example | what is known then |
# |---|---|---|
# | a tree | `{"name": "docs", "children": [{"name": "a.md"}]}` | `/docs` is a folder with `a.md` |
# | a fact | `{"path": "/docs", "is_dir": true}` | `/docs` is a folder |
# | a flat list | `{"entries": [{"path": "/docs/a.md"}]}` | `/docs` has `a.md`, and no other file |
# | | `{"paths": ["/a.md"]}`, of a search | there is `/a.md` |
#
# A path may have several *spellings*, such as `/Docs/` and `/docs`. That of a listing counts.


class _Listings:
    """The paths that the listings of one trial have shown."""

    def __init__(self) -> None:
        self.paths = _ListedPaths()
        """All listed paths of files and folders. There is room for a limited number."""
        self.folders = _ListedFolders()
        """Which paths are folders, and of which of these all entries are listed."""
        self._entries = _ListedEntries(self.paths, self.folders)

    def learn(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths in the result of a listing of `requested_path`.

        This may have the script's spelling, such as `/Docs` for `/docs`.
        """
        is_folder = result.get("is_dir")
        if isinstance(result.get("children"), list):
            is_complete = result.get("truncated") is not True
            tree = _ListedTree(self.paths, self.folders, is_complete)
            # The paths in the tree begin with this one: without a `/` at its end.
            tree.learn(canonical(requested_path), result)
        elif isinstance(is_folder, bool):
            self._learn_fact(requested_path, is_folder=is_folder)
        else:
            self._entries.learn(requested_path, result)

    def _learn_fact(self, path: str, *, is_folder: bool) -> None:
        """Learn whether a path is that of a folder or of a file.

        A file is not added to the listed paths, as listings may spell its path in another way. But
        a file with a `#` is: scripts cite row 7 of `/a.csv` as `/a.csv#row=7`, which means the
        file of that name if there is one.
        """
        if is_folder:
            self.folders.paths.add(path)
        elif "#" in path:
            self.paths.add(path)


# Which paths may be files, as far as a trial's calls have shown.
#
# A program has printed `/docs/fees.md`. Before its output counts as the text of this file, it is
# asked whether there may be such a file:
#
#     may_be_file("/docs/fees.md")    -> True: nothing is known of it
#     learn_missing("/docs/fees.md")  a call found no file there
#     may_be_file("/docs/fees.md")    -> False
#
# A listing that shows all entries of `/docs` tells the same of all others: they are missing.


class _ExistingFiles:
    """Knows of some paths of one trial that they are not files."""

    def __init__(self, listings: _Listings) -> None:
        self._listings = listings
        """The paths that listings have shown."""
        self._missing: set[str] = set()
        """The paths at which a call found no file."""

    def learn_missing(self, path: str) -> None:
        """Learn that a call found no file at `path`."""
        self._missing.add(path)

    def learn_written(self, path: str) -> None:
        """Learn that the trial wrote a file, which exists from now on."""
        self._missing.discard(path)
        self._listings.paths.add(path)

    def forget_missing(self) -> None:
        """Forget which paths have no file, because a tool may have created files anywhere."""
        self._missing.clear()
        self._listings.folders.forget_complete()

    def may_be_file(self, path: str) -> bool:
        """Return True unless it is known that `path` is not a file."""
        if path in self._missing or path in self._listings.folders.paths:
            return False
        if self._listings.paths.has_spelling_of(path):
            return True
        # If a listing has shown all files of its folder, there are no others.
        return not self._listings.folders.is_parent_complete(path)


# The paths that a trial wrote, or may have written.
#
# If a script writes `/report.md` and reads it back, the text proves nothing, because it is the
# script's own. So each path that a trial wrote is remembered. Environments often ignore
# case, so that a call for another spelling may reach the same file:
#
#     own.add("/report.md")
#     "/Report.md" in own                   -> False
#     own.has_spelling_of("/Report.md")     -> True


class _OwnPaths:
    """The paths of one trial at which a text counts as written by its scripts."""

    def __init__(self) -> None:
        self._paths: set[str] = set()
        self._keys: set[str] = set()
        """The spelling keys of the paths: `/docs/a.md` for `/Docs/A.md`."""

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def has_spelling_of(self, path: str) -> bool:
        """Return True if the trial wrote a path that differs only in its spelling."""
        return spelling_key(path) in self._keys

    def add(self, path: str) -> None:
        """Add a path that the trial wrote, or may write."""
        self._paths.add(path)
        self._keys.add(spelling_key(path))

    def add_moved(self, path: str, target: str) -> None:
        """Add the target of a move, whose name the script chose.

        If `path` was a folder, the trial's own files in it stay its own. So after a move of
        `/drafts` to `/old`, a file that was written as `/drafts/c.md` is own at `/old/c.md`.
        """
        folder_key = spelling_key(path) + "/"
        new_paths = [target]
        for own_path in self._paths:
            if spelling_key(own_path).startswith(folder_key):
                new_paths.append(f"{target}/{_path_in_folder(own_path, path)}")
        for new_path in new_paths:
            self.add(new_path)


def _path_in_folder(path: str, folder: str) -> str:
    """Return a path without its folder, which may be spelled in another way.

    `/Drafts/old/c.md` without `/drafts` is `old/c.md`.
    """
    # The folder `/drafts` has one slash, so its path ends at the second slash of `path`.
    slashes = folder.count("/") + 1
    return path.split("/", slashes)[-1]


# Tells by which path an answer has to cite a file that a call reached by another one.
#
# A call for `/Loans.md` may return the file that listings show as `/docs/Loans.md`. An answer that
# cites `/Loans.md` would name a file that does not exist. So the path `/Loans.md` is remembered as an
# *alias* of the file:
#
# | path of a call | the answer cites | because |
# |---|---|---|
# | `/Loans.md` | `/docs/Loans.md` | it is an alias of this file |
# | `/report.md` | `/report.md` | the trial wrote it, so it is a file of its own |
# | `/DOCS/loans.md` | `/docs/Loans.md` | listings show one path that differs only in its case |

_MOST_ALIASES_IN_A_ROW: Final = 2
"""How many aliases are followed to find a file. The limit is needed: aliases can form a circle."""


class PathAliases:
    """The aliases that one trial has learnt. All paths are canonical: not `/docs//a.md`."""

    def __init__(self, listings: _Listings, own: _OwnPaths) -> None:
        self._listings = listings
        """The paths that listings have shown."""
        self._own = own
        """The paths that the trial wrote, or may have written."""
        self.file_of_alias: dict[str, str] = {}
        """By alias, the path of its file: `{"/Loans.md": "/docs/Loans.md"}`.

        If the trial writes a file `/Loans.md` later, or a listing shows one, the entry stays, but
        is ignored (`_is_file`)."""

    def learn_file(self, path: str, file_path: str) -> None:
        """Learn which file a call for `path` reached: if its path is another, an alias."""
        if path != file_path:
            self.file_of_alias[path] = file_path

    def path_to_cite(self, path: str) -> str:
        """Return the path by which to cite the file that a call for `path` reached.

        The file of an alias may be an alias in turn: `/loans.md` may lead to `/DOCS/loans.md`,
        and this to `/docs/Loans.md`.
        """
        for _ in range(_MOST_ALIASES_IN_A_ROW):
            if path not in self.file_of_alias or self._is_file(path):
                break
            path = self.file_of_alias[path]
        if path in self._own:
            return path  # as the trial has spelled it
        return self._listings.paths.spelling_of(path)

    def _is_file(self, path: str) -> bool:
        """Return True if the trial wrote a file at exactly this path, or a listing shows one."""
        return path in self._own or self._listings.paths.has(path)


# Finds out which paths are short for listed ones: `/Loans.md` for `/docs/Loans.md`.
#
# Some environments return a file even if its folder is left out. A script would then cite
# `/Loans.md`, which does not exist. Later listings tell which path is short:
#
#     read("/Loans.md")    not known: it may be a file of its own
#     list("/")            shows only the folder `/docs`: there is no file `/Loans.md`
#     list("/docs")        shows `/docs/Loans.md`, and no other file has this name: this one was read


class _ShortPaths:
    """The paths by which one trial has read files, as far as they may be short."""

    def __init__(
        self, listings: _Listings, own: _OwnPaths, aliases: PathAliases
    ) -> None:
        self._listings = listings
        """The paths that listings have shown."""
        self._own = own
        """The paths that the trial wrote, or may have written."""
        self._aliases = aliases
        """Gets the short paths, with the files that they mean."""
        self._undecided: dict[str, None] = {}
        """The read paths whose file is not known yet. A `dict`, so each is there once, in order."""

    def learn_read(self, path: str) -> None:
        """Learn that a call read a file by a path, which may be a short one.

        If its file is not known yet, each later listing tries again.
        """
        file_path = self._file_of(path)
        if file_path is not None:
            self._aliases.learn_file(path, file_path)
        elif len(self._undecided) < bounds.MOST_UNLISTED_PATHS:
            self._undecided[path] = None

    def decide_after_listing(self) -> tuple[str, ...]:
        """Find out which file each read path means, as far as the listings so far show it.

        Return the paths that have turned out to be short: `("/Loans.md",)`.
        """
        paths = self._undecided
        self._undecided = {}
        for path in paths:
            self.learn_read(path)
        decided = [path for path in paths if path not in self._undecided]
        return tuple(
            path for path in decided if self._aliases.path_to_cite(path) != path
        )

    def _file_of(self, path: str) -> str | None:
        """Return the path of the file that was read by `path`; None if it is not known yet."""
        if path in self._own or self._listings.paths.has_spelling_of(path):
            return path  # The trial wrote the file, or a listing shows it: it is not short.
        files = self._listings.paths.files_named(base_name(path))
        if len(files) != 1:
            return None  # No listing shows a file with this name, or several have it.
        if not self._listings.folders.is_parent_complete(path):
            return None  # The folder `/` may have a `/Loans.md` that is not listed yet.
        return files[0]


class KnownPaths:
    """The paths that one trial has learnt from its calls. All are canonical: not `/docs//a.md`."""

    def __init__(self) -> None:
        self.listings = _Listings()
        self.files = _ExistingFiles(self.listings)
        self.own = _OwnPaths()
        self.aliases = PathAliases(self.listings, self.own)
        self.short_paths = _ShortPaths(self.listings, self.own, self.aliases)

    def learn_listing(
        self, requested_path: str, result: Mapping[str, Plain]
    ) -> tuple[str, ...]:
        """Learn the paths in a listing. Return earlier paths that turn out to be aliases.

        `/Loans.md`, which was read before, is one if only `/docs/Loans.md` is listed.
        """
        self.listings.learn(requested_path, result)
        return self.short_paths.decide_after_listing()

    def learn_path(self, path: str) -> None:
        """Learn that there is something at a path, such as the result of a call."""
        self.listings.paths.add(path)

    def learn_written(self, path: str) -> None:
        """Learn that the trial wrote a file, which exists from now on."""
        self.own.add(path)
        self.files.learn_written(path)

    def is_own(self, path: str) -> bool:
        """Return True if a call for `path` may reach a file that the trial wrote.

        | the trial wrote | listings show `/Fees.md` | `is_own("/Fees.md")` |
        |---|---|---|
        | `/Fees.md` | | True |
        | `/fees.md` | yes: it is another file | False |
        | `/fees.md` | no: it may be the same file | True |
        """
        if path in self.own:
            return True
        return self.own.has_spelling_of(path) and not self.listings.paths.has(path)

    def spelling_of(self, path: str) -> str:
        """Return a path as listings spell it; unchanged if they show no spelling or several."""
        return self.listings.paths.spelling_of(path)


# Looks up the file that a script cites, if a call has reached it by the same path.
#
# A file may be reached by several paths: `/docs/Loans.md` as listings show it, `/DOCS/loans.md`
# in another spelling, or `/Loans.md` if the environment accepts short paths. The answer cites it by
# the listed path. After `read("/Loans.md")`:
#
#     cited.path_if_reached("/Loans.md")     -> /docs/Loans.md
#     cited.path_if_reached("/LOANS.md")     -> None: no call has used this spelling


@dataclass(frozen=True, slots=True)
class CitedPaths:
    """Looks up how the files that one trial's calls have reached are cited."""

    accessed: AccessedPaths
    """What calls did at each path."""
    known: KnownPaths
    """Knows by which path each file is cited."""

    def path_if_reached(self, path: str) -> str | None:
        """Return the path by which to cite the file that a call has reached by `path`.

        None if no call has used this path, in this spelling.
        """
        aliases = self.known.aliases
        requested = canonical(path)
        if requested in self.accessed:
            return aliases.path_to_cite(requested)

        # What `read("/Loans.md")` did is kept at the path that it reached, `/docs/Loans.md`.
        file_path = aliases.file_of_alias.get(requested)
        if file_path is None or file_path not in self.accessed:
            return None
        # Since then, another file may have appeared at `/Loans.md`, which no call has reached.
        # Then `/Loans.md` itself is the path to cite for it.
        cited = aliases.path_to_cite(requested)
        is_same_file = aliases.path_to_cite(file_path) == cited
        return cited if is_same_file else None
