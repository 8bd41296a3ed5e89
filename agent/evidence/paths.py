"""Which file a path means, and what a trial's calls did there."""

from __future__ import annotations

from collections.abc import Collection, ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.gates.paths import base_name, canonical, spelling_key
from controlplane.gates.trial import Action, SeenText, TextKind
from controlplane.sandbox.interface import Plain, bounds, is_truncated

# The different texts that a trial's calls have seen, each kept once, in limited memory.
#
# An answer may cite what was read, so the texts are kept until the trial ends. A script may
# read one file a hundred times, and a file may have gigabytes:
#
#     add(SeenText("fee: 7"))             -> the text, kept; for an equal one later, the same object
#     add(SeenText("a very long one"))    -> SeenText("a very", is_cut=True), if no more fits
#     add(SeenText("late: 21"))           -> SeenText("", is_cut=True): only that there was a text

# The memory that a text takes that a trial has seen, and its beginning, if there is less room.
#
# A script may read a file of gigabytes. If there is no room for all of a text, its beginning is
# kept, with a mark that more was seen:
#
#     beginning_of(SeenText("a very long one"), room_bytes=6)   -> SeenText("a very", is_cut=True)
#     beginning_of(SeenText("late: 21"), room_bytes=0)          -> SeenText("", is_cut=True)

_NON_ASCII_CHAR_BYTES: Final = 4
"""The most memory that a character takes in a text that is not ASCII."""


def _bytes_of(seen: SeenText) -> int:
    """Return the most memory that the characters of a seen text take."""
    chars = len(seen.text) + len(seen.unproven_words)
    is_ascii = seen.text.isascii() and seen.unproven_words.isascii()
    return chars if is_ascii else chars * _NON_ASCII_CHAR_BYTES


def _beginning_of(seen: SeenText, room_bytes: int) -> SeenText:
    """Return the beginning of a text that does not fit whole in `room_bytes`."""
    # `unproven_words` are words of the script that the text may only echo: `no hit for lent`.
    # They must not be cut: each word that is missing there would count as proven. So such a
    # text is not kept at all.
    if seen.unproven_words:
        return replace(seen, text="", is_cut=True, unproven_words="")
    bytes_per_char = 1 if seen.text.isascii() else _NON_ASCII_CHAR_BYTES
    kept_chars = room_bytes // bytes_per_char
    return replace(seen, text=seen.text[:kept_chars], is_cut=True)


TEXT_OVERHEAD_BYTES: Final = 500
"""An estimate of the memory that a seen text takes besides its characters."""


class SeenTexts:
    """The texts of one trial, in the order in which they were first seen."""

    def __init__(self, most_bytes: int = 0) -> None:
        """`most_bytes` is the most memory for texts; 0 stands for the usual amount."""
        self.texts: list[SeenText] = []
        """The kept texts. Others may keep this list: it only grows at its end."""
        self._kept: dict[tuple[SeenText, tuple[int, ...]], SeenText] = {}
        """Each kept text, by itself and its lines: equal texts may stand on different lines."""
        self._room_bytes = most_bytes or bounds.MOST_EVIDENCE_BYTES

    def add(self, seen: SeenText) -> SeenText:
        """Return the text that is kept: an equal one, or else this one, cut if it is too long."""
        kept = self._kept.get((seen, seen.lines))
        if kept is not None:
            return kept
        text_bytes = _bytes_of(seen)
        if text_bytes <= self._room_bytes:
            used_bytes = text_bytes + TEXT_OVERHEAD_BYTES
            self._room_bytes = max(self._room_bytes - used_bytes, 0)
            return self._keep(seen)

        # Only a beginning fits. The beginning of an earlier text may be equal to it.
        beginning = _beginning_of(seen, self._room_bytes)
        kept = self._kept.get((beginning, beginning.lines))
        if kept is not None:
            return kept
        self._room_bytes = 0  # From now on, the beginnings are empty.
        return self._keep(beginning)

    def _keep(self, seen: SeenText) -> SeenText:
        """Keep a text that is not kept yet, and return it."""
        self._kept[seen, seen.lines] = seen
        self.texts.append(seen)
        return seen


# Keeps which paths a trial's calls reached, what they did there, and which texts they saw.
#
# An answer may cite only these paths. After `read("/docs/fees.md")`:
#
#     accessed.add_action("/docs/fees.md", "read", SeenText("fee: 7"))
#     accessed.items()   -> "/docs/fees.md": read, with the text "fee: 7"
#
# A script may reach millions of paths. Once there is no room for more, new ones are left out, and
# cannot be cited.

# What calls did at one path, and which texts they saw there.
#
# An answer may cite a path only for what calls have seen there. Who judges the answer takes the last
# written text for what the file has now. So if a script reads `/fees.md`, writes `old` and `new` to
# it, and then `old` again, this text moves to the end:
#
#     accessed.actions   -> {"read", "write"}
#     accessed.texts     -> SeenText("fee: 7"), SeenText("new", OWN), SeenText("old", OWN)


@dataclass(slots=True)
class _AccessedPath:
    """The actions at one path, and the texts that were seen there, each once."""

    actions: set[Action] = field(default_factory=set)
    _texts: dict[SeenText, SeenText] = field(default_factory=dict)
    """The texts in order. Each is its own key, by which an equal text is found."""

    @property
    def texts(self) -> Collection[SeenText]:
        """The texts in the order in which they were first seen, or last written."""
        return self._texts.keys()

    def equal_text(self, seen: SeenText) -> SeenText | None:
        """Return the text that was seen here and is equal to this one; None if there is none.

        Equal texts may be on different lines of the file.
        """
        return self._texts.get(seen)

    def add(self, action: Action, seen: SeenText | None = None) -> None:
        """Add what a call did here, and the text that it saw, if any.

        A text that is written again moves to the end: it is what the file has now.
        """
        self.actions.add(action)
        if seen is None:
            return
        if action == "write":
            self._texts.pop(seen, None)
        self._texts.setdefault(seen, seen)


class AccessedPaths:
    """The paths that one trial's calls reached, in the order in which they were reached."""

    def __init__(self, seen_texts: SeenTexts) -> None:
        self._seen_texts = seen_texts
        """Keeps each text once, and cuts those for which there is no room."""
        self._paths: dict[str, _AccessedPath] = {}
        self._room_chars = bounds.MOST_PATHS_CHARS
        """How many more characters of paths may be added."""

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def items(self) -> ItemsView[str, _AccessedPath]:
        """Return the paths with what calls did there."""
        return self._paths.items()

    def add_action(
        self, path: str, action: Action, seen: SeenText | None = None
    ) -> None:
        """Add that a call did `action` at `path`, and which text it saw there, if any."""
        accessed = self._paths.get(path)
        if accessed is None:
            if not self._has_room_for(path):
                return
            accessed = self._paths[path] = _AccessedPath()
            self._room_chars -= len(path)
        kept = None if seen is None else self._kept(seen, accessed)
        accessed.add(action, kept)

    def _has_room_for(self, path: str) -> bool:
        """Return True if a new path may be added."""
        has_chars = len(path) <= self._room_chars
        return has_chars and len(self._paths) < bounds.MOST_CITABLE_PATHS

    def _kept(self, seen: SeenText, accessed: _AccessedPath) -> SeenText | None:
        """Return a text of a path as it is kept; None if it is blank, and so shows nothing."""
        if len(seen.text) > bounds.MOST_SEEN_CHARS:
            # Its beginning is kept, even if it is blank: `is_cut` tells that the file has more.
            beginning = seen.text[: bounds.MOST_SEEN_CHARS]
            seen = replace(seen, text=beginning, is_cut=True)
        elif not seen.text.strip():
            return None

        # The same words may stand on lines 3 and 9 of the file. One text of them is enough for this
        # path. `_seen_texts` keeps one text for all paths that have it on the same lines.
        equal_text = accessed.equal_text(seen)
        return equal_text or self._seen_texts.add(seen)


# Adds texts of a trial's own script, each at the path of its file. They prove nothing.
#
# A script could write a file of the name `/a.csv#row=7`. An answer that cites it would seem to cite
# row 7 of `/a.csv`. So the text of such a file is not added, unless a call has reached the path before:
# then the environment has a file of this name.
#
#     add_own_text(accessed, "/note.md", "fee: 8")       /note.md: written, with SeenText("fee: 8", OWN)
#     add_own_text(accessed, "/a.csv#row=7", "fee: 8")   nothing


def add_own_text(
    accessed: AccessedPaths, path: str, text: str, kind: TextKind = TextKind.OWN
) -> None:
    """Add a text that the script has written to a file, as its call or a later read shows.

    `accessed` has what calls did at each path. `kind` is `OWN` or `OWN_EXCERPT`.
    """
    if not looks_like_row(path, accessed):
        accessed.add_action(path, "write", SeenText(text, kind))


def looks_like_row(path: str, accessed: AccessedPaths) -> bool:
    """Return True for a new path such as `/a.csv#row=7`: no call has reached it yet."""
    return "#" in path and path not in accessed


# What a trial has learnt about paths from its calls.
#
# An answer that cites `/Loans.md` for the file `/docs/Loans.md` is wrong, and so is one that cites
# what its own script wrote. Each question about a path has a part that answers it:
#
# | question | part |
# |---|---|
# | Has a listing shown it? Is it a folder? | `listings` |
# | May there be a file? | `files` |
# | Did the trial write it? | `own` |
# | By which path is the file cited? | `aliases` |
# | Is it short for a listed path? | `short_paths`, which adds it to the aliases |

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
        is_complete = "entries" in result and not is_truncated(result)
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
            is_complete = not is_truncated(result)
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
