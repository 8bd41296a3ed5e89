"""What a trial has read and done, as the gates see it: the read-only `Evidence`.

A trial is one attempt at a task. Its runner records each call of the environment, and
makes an `Evidence` of them: for each path an `Access` with the texts that were seen
there, the changes, and the scripts. `Evidence.find` looks up what a cited path refers
to, in any spelling. `parse` reads the values of records, such as JSON, CSV, and lines
of keys and values; texts of prose have none.

A canonical path is absolute and has no needless parts: `/docs/b.md`. If the environment
accepts other spellings, such as `/docs/B.md`, the one in its listings is canonical, or
else the one that a read returned. The texts come from unknown authors, so the work on
each is bounded.
"""

from __future__ import annotations

import csv
import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import islice
from posixpath import commonprefix
from typing import Final, Literal, TypeAlias

from controlplane.gates.submission import encodable, quote
from controlplane.gates.text_folding import index_of
from controlplane.sandbox.interface import bounds


def canonical(path: str) -> str:
    """Return a path as an absolute one without needless parts: `docs//a/../b.md/` ->
    `/docs/b.md`.

    Keeps case and spaces, because two files may differ only in these, and a fragment
    such as `#row=7`. Only `Evidence.find` knows under which of several spellings a file
    was listed.
    """
    # `/.` begins `/./`, `/../` and the names of hidden files.
    may_have_needless_parts = "//" in path or "/." in path or path.endswith("/")
    if path.startswith("/") and not may_have_needless_parts:
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
    return "/" + "/".join(parts)


def split_fragment(reference: str) -> tuple[str, str]:
    """Return path and fragment: `/a.csv#row=7` -> `/a.csv`, `#row=7`; `/a.csv` ->
    `/a.csv`, ``."""
    base, mark, fragment = reference.partition("#")
    return base, mark + fragment


@lru_cache(maxsize=8_192)
def spelling_key(path: str) -> str:
    """Return the key that all spellings of a path share: `Docs\\A.md ` -> `/docs/a.md`.

    Unlike the canonical path, it is not the name of a file: `A.md` and `a.md` have the
    same key.
    """
    folded = canonical(path.strip().replace("\\", "/")).casefold()
    if folded.isascii():
        return folded
    return unicodedata.normalize("NFC", folded)


def base_name(path: str) -> str:
    """Return the last name of a path: `/docs/a.md` -> `a.md`."""
    return path.rstrip("/").rpartition("/")[2]


def record_id(path: str) -> str:
    """Return the id of the record in a file, its name without extension:
    `/loans/FA-19.json` -> `FA-19`."""
    name = base_name(path)
    return name.rpartition(".")[0] or name


def nearest(path: str, known: Iterable[str]) -> str:
    """Return the known path that is spelled most like a path, or an empty string.

    Candidates are paths in the same folder, and paths with the same name except for the
    extension. The candidate with the longest common beginning and end wins.
    """
    base, _ = split_fragment(path)
    wanted = spelling_key(base)
    wanted_folder = wanted.rpartition("/")[0]
    wanted_id = record_id(wanted)
    nearest_path = ""
    most_shared = -1
    for known_path in known:
        key = spelling_key(known_path)
        is_in_same_folder = key.rpartition("/")[0] == wanted_folder
        has_same_name = record_id(key) == wanted_id
        if not is_in_same_folder and not has_same_name:
            continue
        # The common end is the common beginning of the reversed texts.
        shared = _shared_length(key, wanted) + _shared_length(key[::-1], wanted[::-1])
        if shared > most_shared:
            nearest_path = known_path
            most_shared = shared
    return nearest_path


def _shared_length(first: str, second: str) -> int:
    """Return how many characters two texts share at their beginning: `loan`, `load` ->
    3."""
    return len(commonprefix([first, second]))


Values: TypeAlias = tuple[tuple[str, str], ...]
"""The values of a record in order, as pairs of a name and a value: (`id`, `7`), (`fee`,
`30`).

The name is the key of JSON (`verification.state`), the heading of a column, or the key
of a line.
"""

# `bounds` limits what all gates read of a text; these limits are for records alone.
MOST_RECORD_VALUES: Final = 5_000
"""Values of one JSON text that are read."""
MOST_RECORD_LEVELS: Final = 12
"""Levels of nested JSON that are read."""
MOST_VALUE_CHARS: Final = 2_000
"""Characters of one value that are kept."""
MOST_KEY_CHARS: Final = 41
"""A longer text before a colon is taken for a sentence."""
MOST_COLUMNS: Final = 60
_SEPARATORS: Final = (",", "\t", "|", ";")


@lru_cache(maxsize=256)
def parse(text: str, path: str = "") -> Values:
    """Return the values of a record; nothing for a text that is not one.

    `{"id": 7, "by": {"name": "Ada"}}` -> (`id`, `7`), (`by.name`, `Ada`)
    `state: open, late`                -> (`state`, `open`), (`state`, `late`)

    A table of separated values looks like prose with commas. It is read only if the
    path has the extension `.csv`, `.tsv` or `.psv`.
    """
    if len(text) > bounds.MOST_RECORD_CHARS:
        return ()
    stripped = encodable(text).strip()
    if stripped[:1] in ("{", "["):
        try:
            data = json.loads(stripped)
            return tuple(islice(_values_of_json(data, "", 0), MOST_RECORD_VALUES))
        except (ValueError, RecursionError):
            return ()
    if path.lower().endswith((".csv", ".tsv", ".psv")):
        return _cells(stripped)
    return _values_by_key(stripped)


def _values_of_json(data: object, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield every value of decoded JSON after its dotted name; the items of a list
    share its name.

    `{"by": {"name": "Ada"}, "tags": ["x", "y"]}` -> (`by.name`, `Ada`), (`tags`, `x`),
    (`tags`, `y`)
    """
    if isinstance(data, dict | list) and depth >= MOST_RECORD_LEVELS:
        return
    match data:
        case dict():
            for key, value in data.items():
                dotted_name = f"{name}.{key}" if name else str(key)
                yield from _values_of_json(value, dotted_name, depth + 1)
        case list():
            for value in data:
                yield from _values_of_json(value, name, depth + 1)
        case None:
            return
        case bool():
            yield name, str(data).lower()
        case _:
            yield name, str(data)[:MOST_VALUE_CHARS]


def _values_by_key(text: str) -> Values:
    """Return the values of lines such as `key: value, value`.

    Skips blank lines, horizontal lines (`---`) and rows of tables (`|`). Returns
    nothing if any other line has no key.
    """
    values: list[tuple[str, str]] = []
    filled_lines = [line for line in text.splitlines() if line.strip()]
    for line in filled_lines[: bounds.MOST_RECORD_ROWS]:
        key, colon, value = line.strip().partition(":")
        if key.endswith((" ", "\t")):  # `key : value`
            key = key[:-1]
        is_inside_word = value != "" and not value.startswith((" ", "\t"))  # `12:30`
        if colon and _is_key(key) and not is_inside_word:
            for part in value.split(","):
                values.append((key, part.strip()))
            continue
        if not line.startswith(("---", "|")):
            return ()
    return tuple(values)


def _is_key(text: str) -> bool:
    """Return True if a text before a colon is a key rather than the beginning of a
    sentence."""
    if not text or len(text) > MOST_KEY_CHARS:
        return False
    begins_with_letter = text[0].isascii() and text[0].isalpha()
    return begins_with_letter and all(char.isalnum() or char in "_ -" for char in text)


def _cells(text: str) -> Values:
    """Return the cells of a table, each after the heading of its column.

    `id;fee` and `7;30` -> (`id`, `7`), (`fee`, `30`). Skips rows with more or fewer
    cells. Returns nothing if a heading in the first row does not begin with a letter.
    """
    lines = text.splitlines()[: bounds.MOST_RECORD_ROWS + 1]
    if not lines:
        return ()
    separator = max(
        _SEPARATORS, key=lines[0].count
    )  # the most frequent one in the first row
    try:
        rows = list(csv.reader(lines, delimiter=separator))
    except (csv.Error, ValueError):
        return ()
    if not rows:
        return ()
    headings = [heading.strip() for heading in rows[0]]
    are_names = all(heading[:1].isalpha() for heading in headings)
    if not are_names or len(headings) > MOST_COLUMNS:
        return ()
    cells: list[tuple[str, str]] = []
    for row in rows[1:]:
        if len(row) == len(headings):
            for heading, cell in zip(headings, row, strict=True):
                cells.append((heading, cell.strip()))
    return tuple(cells)


Action: TypeAlias = Literal["read", "write", "delete", "execute"]


@dataclass(frozen=True, slots=True)
class SeenText:
    """One text that the trial saw at a path, and how far it can support an answer.

    The script's own words support nothing. A text that it may have supplied as a whole
    is no proof. In any other text, only the words that it passed to the call do not
    count: `lent` in the result of `search("lent")`.
    """

    text: str
    is_whole: bool = True
    """False if the end of a long text was cut off. A missing word may then be in that
    end."""
    is_proof: bool = True
    """False if the script wrote the text into the file, or gave text to the tool that
    printed it."""
    tainted: str = ""
    """The words that the script passed to the call, such as `lent`. The text may only
    repeat them."""
    is_excerpt: bool = False
    """True if the call asked for only a part of the file."""
    lines: tuple[int, ...] = field(default=(1,), compare=False)
    """The numbers that the lines of the text have in the file. From the last one on,
    they rise by 1.

    `(1,)` is a whole file, with the lines 1, 2, 3 and so on; `(40,)` a part from line
    40 on; and `(1, 7, 9)` the heading of a table with the rows in lines 7, 9, 10 and so
    on. Empty if unknown.
    """

    @property
    def shows_whole_file(self) -> bool:
        """True if the text is the whole file, neither cut off nor read in part."""
        return self.is_whole and not self.is_excerpt

    def holds(self, token: str) -> bool:
        """Return True if the text has a token, and does not merely repeat it from the
        call.

        The token is a word, number or id as `fold_text` returns it: `fa-19`. The text
        may have it in any form: `FA 19`, or `reports` for `report`. It is a repetition
        only if the call had the token itself: after a search for `report`, the token
        `reports` still counts.
        """
        if not index_of(self.text).holds(token):
            return False
        is_repeated = self.tainted != "" and index_of(self.tainted).repeats(token)
        return not is_repeated


@dataclass(frozen=True, slots=True)
class Access:
    """What the trial's calls did at one path, and the texts that they saw there."""

    path: str
    actions: frozenset[Action]
    seen: tuple[SeenText, ...] = ()
    """The different texts seen here, in the order in which each was first seen."""

    @property
    def is_found(self) -> bool:
        """True if a call read or executed the file. Writing or deleting it is not
        enough."""
        return "read" in self.actions or "execute" in self.actions

    @property
    def given_texts(self) -> tuple[SeenText, ...]:
        """The texts that the environment gave, without those that the script wrote into
        the file.

        Includes the output of a tool to which the script gave text. That is no proof,
        but the tool may have added words of its own.
        """
        if "write" not in self.actions:
            return self.seen
        return tuple(seen for seen in self.seen if seen.is_proof)

    @property
    def had_text_before_writing(self) -> bool:
        """True if the first text that was seen here is not the script's own. Then the
        file existed before the script wrote it."""
        return bool(self.seen) and self.seen[0].is_proof

    def holds(self, token: str) -> bool:
        """Return True if a token occurs in one of `given_texts`; see
        `SeenText.holds`."""
        return any(seen.holds(token) for seen in self.given_texts)

    def proves(self, token: str) -> bool:
        """Return True if a token occurs in a text that is proof. Unlike `holds`, this
        ignores the output of a tool to which the script gave text."""
        return any(seen.is_proof and seen.holds(token) for seen in self.seen)


@dataclass(frozen=True, slots=True)
class Change:
    """One change to the world that the trace shows."""

    path: str
    """The changed file (`/a.md`), the tool that ran (`/bin/restart`), or the name of
    the operation (`mail.send`)."""
    action: Literal["write", "delete", "execute"]
    result_path: str = ""
    """The path at which the result of an operation can be cited, such as
    `/calls/send/2c1f`."""
    is_optional: bool = False
    """True if the tool does not declare whether its calls change something. A script
    may then leave it out of its `changes`."""


@dataclass(frozen=True, slots=True)
class FunctionResultValue:
    """A value that a function of the benchmark returned in this trial."""

    function: str
    value: str
    """The value as JSON text, cut if it is long."""
    arguments: str = "{}"
    """The function's arguments as JSON text; `{}` if they are long."""


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """A script that ran in this trial."""

    code: str
    printed: str = ""
    stored: Mapping[str, object] = field(default_factory=dict)
    """The scratchpad after the script ended; empty if it is unknown."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The file to which a cited string refers, as `Evidence.find` returns it."""

    path: str
    """The canonical path of a known file, else the cited path in canonical form."""
    fragment: str
    """The fragment as it is cited, with its `#`: `#row=7`. May be empty."""
    access: Access | None
    """What calls did at the path; None if no call accessed it."""
    is_directory: bool
    is_known: bool
    """True if a call accessed or listed the path."""

    @property
    def citation(self) -> str:
        """The string to cite: canonical path and fragment."""
        return self.path + self.fragment


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything that the gates may know about a trial's calls.

    `Evidence()` is for a submission with unknown calls, such as a recorded answer.
    """

    has_trace: bool = False
    """True if the trial's calls are known."""
    accesses: Mapping[str, Access] = field(default_factory=dict)
    """By canonical path."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Canonical paths by other spellings that calls used for them."""
    paths_by_spelling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The canonical paths that were accessed or listed, by their `spelling_key`. Two
    files may share a key: `A.md` and `a.md`."""
    directories: Set[str] = frozenset()
    changes: tuple[Change, ...] = ()
    unclear_runs: tuple[str, ...] = ()
    """The tools that ran successfully and that may or may not have changed
    something."""
    has_failures: bool = False
    """True if a call failed because of the environment rather than the request."""
    function_results: tuple[FunctionResultValue, ...] = ()
    steps: tuple[ScriptRun, ...] = ()
    """The trial's last scripts."""
    quoted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the path of a cited file, the quotations from it that were found in what was
    read."""

    def find(self, reference: str) -> Reference:
        """Return the file to which a cited string refers.

        Looks up the whole string first, because a file's name may contain a `#`. If no
        file has this name, the part from the `#` on is the fragment.
        """
        base, fragment = split_fragment(reference)
        if self.has_trace:
            path = self._known_path(reference)
            if path is not None:
                return self._known_file(path, "")
            path = self._known_path(base)
            if path is not None:
                return self._known_file(path, fragment)
        return Reference(
            canonical(base), fragment, None, is_directory=False, is_known=False
        )

    def nearest_note(self, reference: str) -> str:
        """Return a hint for a path that was not read: " (nearest that was read:
        `/docs/a.md`)".

        Empty if no path that was read is like it.
        """
        nearest_path = nearest(reference, self.accesses)
        if not nearest_path:
            return ""
        return f" (nearest that was read: {quote(nearest_path)})"

    def _known_path(self, spelling: str) -> str | None:
        """Return the canonical path of a file or folder in any spelling; None if it is
        unknown."""
        # 1. The path itself, or another name by which a call reached it.
        absolute = canonical(spelling.strip())
        path = self.aliases.get(absolute, absolute)
        if path in self.accesses or path in self.directories:
            return path

        # 2. A path that was listed, or the only one that differs merely in case and the like.
        similar_paths = self.paths_by_spelling.get(spelling_key(path), ())
        if path in similar_paths:
            return path
        if len(similar_paths) == 1:
            return similar_paths[0]
        return None

    def _known_file(self, path: str, fragment: str) -> Reference:
        """Return the reference to a known file or folder."""
        access = self.accesses.get(path)
        # A document of several parts, such as a PDF with pages, is a folder that can be
        # read.
        is_directory = access is None and path in self.directories
        return Reference(
            path, fragment, access, is_directory=is_directory, is_known=True
        )

    @cached_property
    def records(self) -> Mapping[str, Values]:
        """The values of each record that was seen whole, by path. The last text seen at
        a path counts.

        A text that the trial wrote counts as well, because it is the current content.
        """
        records: dict[str, Values] = {}
        for access in self.accesses.values():
            if "execute" in access.actions:
                continue
            for seen in access.seen:
                if seen.shows_whole_file:
                    values = parse(seen.text, access.path)
                    if values:  # prose has none
                        records[access.path] = values
        return records

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """The texts of files that were read and contain prose, by path. Texts that a
        script may have supplied are left out."""
        documents: dict[str, str] = {}
        for path, access in self.accesses.items():
            was_only_read = access.actions == {
                "read"
            }  # not written or executed as well
            is_record = any(parse(seen.text, path) for seen in access.seen)
            if not was_only_read or is_record:
                continue
            texts = [seen.text for seen in access.seen if seen.is_proof]
            documents[path] = "\n".join(texts)
        return documents

    @cached_property
    def present_changes(self) -> tuple[Change, ...]:
        """The changes that still hold at the end of the trial."""
        return tuple(change for change in self.changes if not self.is_undone(change))

    def is_undone(self, change: Change) -> bool:
        """Return True if a change was undone by a later one.

        - A file was created and later deleted: `write /new.md`, `delete /new.md`.
        - A file was changed, and then its first text was written again: `read /a.md`,
          `write /a.md`, `write /a.md`. If it was not read whole at first, this text is
          unknown, and the change counts as not undone.
        """
        access = self.accesses.get(change.path)
        if change.action == "execute" or access is None:
            return False
        actions = self._actions_at[change.path]
        was_created = actions[0] == "write" and not access.had_text_before_writing
        if actions[-1] == "delete":
            return was_created
        return _has_first_text_again(access)

    @cached_property
    def _actions_at(self) -> Mapping[str, list[Action]]:
        """The actions of all changes in order, by path."""
        actions: dict[str, list[Action]] = {}
        for change in self.changes:
            actions.setdefault(change.path, []).append(change.action)
        return actions


def _has_first_text_again(access: Access) -> bool:
    """Return True if the last text written to a file equals the first text read from
    it.

    Records are equal if they have the same values, whatever their layout.
    """
    if not access.had_text_before_writing or not access.seen[0].shows_whole_file:
        return False
    written_texts: list[str] = []  # texts of the script, which are no proof
    for seen in access.seen:
        if seen.shows_whole_file and not seen.is_proof:
            written_texts.append(seen.text)
    if not written_texts:
        return False

    first_text = access.seen[0].text.strip()
    last_text = written_texts[-1].strip()
    if first_text == last_text:
        return True
    first_values = parse(first_text, access.path)
    return bool(first_values) and first_values == parse(last_text, access.path)
