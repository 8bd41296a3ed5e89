"""What a trial has read and done, as the gates see it: the read-only `Evidence`.

The trial's runner records each call of the environment. From that, it makes an `Evidence`: for each
path an `Access` with the texts that were seen there, the changes, and the scripts. `Evidence.find`
looks up what a cited path refers to, in any spelling. `parse` reads the values of records, such as
JSON, CSV, and lines of keys and values; texts of prose have none.

A path is canonical if it is spelled as listings show it, or else as a read returned it. The texts
come from unknown authors, so the work on each is bounded.
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
    """Return a path in its canonical spelling: `docs//a/../b.md/` -> `/docs/b.md`.

    Keeps case and spaces, because two files may differ only in these. Keeps a fragment such as
    `#row=7`, which `split_fragment` splits off.
    """
    has_odd_parts = "//" in path or "/." in path or path.endswith("/")
    if path.startswith("/") and not has_odd_parts:
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]  # unlike `pop`, also at the root
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def split_fragment(reference: str) -> tuple[str, str]:
    """Return path and fragment: `/a.csv#row=7` -> `/a.csv`, `#row=7`; `/a.csv` -> `/a.csv`, ``."""
    base, mark, fragment = reference.partition("#")
    return base, mark + fragment


@lru_cache(maxsize=8_192)
def spelling_key(path: str) -> str:
    """Return the key that all spellings of a path share: `Docs\\A.md ` -> `/docs/a.md`."""
    folded = canonical(path.strip().replace("\\", "/")).casefold()
    if folded.isascii():
        return folded
    return unicodedata.normalize("NFC", folded)


def base_name(path: str) -> str:
    """Return the last name of a path: `/docs/a.md` -> `a.md`."""
    return path.rstrip("/").rpartition("/")[2]


def record_id(path: str) -> str:
    """Return the name of a file without its extension, which is the id of the record in it.

    `/orders/FA-19.json` -> `FA-19`
    """
    name = base_name(path)
    return name.rpartition(".")[0] or name


def nearest(path: str, known: Iterable[str]) -> str:
    """Return the known path that is spelled most like a path, or an empty string.

    Candidates are paths in the same folder, and paths with the same name except for the extension.
    The candidate with the longest common beginning and end wins.
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
        shared = _shared_length(key, wanted) + _shared_length(key[::-1], wanted[::-1])
        if shared > most_shared:
            nearest_path = known_path
            most_shared = shared
    return nearest_path


def _shared_length(first: str, second: str) -> int:
    """Return how many characters two texts share at their beginning: `loan`, `load` -> 3."""
    return len(commonprefix([first, second]))


_SEPARATORS: Final = (",", "\t", "|", ";")

Values: TypeAlias = tuple[tuple[str, str], ...]
"""The values of a record in order, each after its name: the key of JSON (`verification.state`), the
heading of a column, or the key of a line."""


@lru_cache(maxsize=256)
def parse(text: str, path: str = "") -> Values:
    """Return the values of a record; nothing for a text that is not one.

    `{"id": 7, "by": {"name": "Ada"}}` -> (`id`, `7`), (`by.name`, `Ada`)
    `state: open, late`                -> (`state`, `open`), (`state`, `late`)

    A table of separated values looks like prose with commas. It is read only if the path has the
    extension `.csv`, `.tsv` or `.psv`.
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


MOST_RECORD_VALUES: Final = 5_000
"""Values of one JSON text that are read."""
MOST_RECORD_LEVELS: Final = 12
"""Levels of nested JSON that are read."""
MOST_VALUE_CHARS: Final = 2_000
"""Characters of one value that are kept."""
MOST_KEY_CHARS: Final = 41
"""A longer text before a colon is taken for a sentence."""
MOST_COLUMNS: Final = 60


def _values_of_json(data: object, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield every value of decoded JSON after its dotted name; the items of a list share its name.

    `{"by": {"name": "Ada"}, "tags": ["x", "y"]}` -> (`by.name`, `Ada`), (`tags`, `x`), (`tags`,
    `y`)
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

    Returns nothing if a line has another form, except rules (`---`) and rows of tables (`|`).
    """
    values: list[tuple[str, str]] = []
    filled_lines = [line for line in text.splitlines() if line.strip()]
    for line in filled_lines[: bounds.MOST_RECORD_ROWS]:
        key, colon, value = line.strip().partition(":")
        if key.endswith((" ", "\t")):  # `key : value`
            key = key[:-1]
        is_value = value[:1] in ("", " ", "\t")  # unlike `12:30`
        if colon and _is_key(key) and is_value:
            for part in value.split(","):
                values.append((key, part.strip()))
        elif not line.startswith(("---", "|")):
            return ()
    return tuple(values)


def _is_key(text: str) -> bool:
    """Return True if a text before a colon is a key rather than the beginning of a sentence."""
    if not text or len(text) > MOST_KEY_CHARS:
        return False
    begins_with_letter = text[0].isascii() and text[0].isalpha()
    return begins_with_letter and all(char.isalnum() or char in "_ -" for char in text)


def _cells(text: str) -> Values:
    """Return the cells of a table, each after the heading of its column.

    `id;fee` and `7;30` -> (`id`, `7`), (`fee`, `30`). Skips rows with more or fewer cells. Returns
    nothing if a heading in the first row does not begin with a letter.
    """
    lines = text.splitlines()[: bounds.MOST_RECORD_ROWS + 1]
    if not lines:
        return ()
    separator = max(_SEPARATORS, key=lines[0].count)
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
    """One text that the trial saw at a path.

    A script must not support its answer with text that it wrote itself. `is_proof` is False if the
    script may have written the whole text. `tainted` holds the words of a call that its result may
    only repeat, such as the arguments of `echo`.
    """

    text: str
    is_whole: bool = True
    """False if the end of a long text was cut off. A missing word may then be in that end."""
    is_proof: bool = True
    """False if the script may have supplied the text: it wrote the text, or gave text to the
    tool that printed it."""
    tainted: str = ""
    """Words that the script passed to the call. They do not count as found in the text, because the
    call may only have repeated them."""
    is_excerpt: bool = False
    """True if the call asked for only a part of the file."""
    lines: tuple[int, ...] = field(default=(1,), compare=False)
    """The numbers in the file of the first lines of the text; the other lines follow the last one.

    `(1,)` stands for a whole file, `(40,)` for a part from line 40 on, and `(1, 7, 9)` for the
    heading of a table and two rows. Empty if the numbers are unknown.
    """

    def holds(self, token: str) -> bool:
        """Return True if the text has a token that is not merely repeated from the script's call.

        The token is a word, number or id as `fold_text` returns it: `fa-19`. The text may have the
        token in another form, such as `FA 19`. It counts as repeated only if the call has it in the
        same form.
        """
        if not index_of(self.text).holds(token):
            return False
        may_be_echo = self.tainted != "" and index_of(self.tainted).repeats(token)
        return not may_be_echo


@dataclass(frozen=True, slots=True)
class Access:
    """The actions at one path, and the texts seen there."""

    path: str
    actions: frozenset[Action]
    seen: tuple[SeenText, ...] = ()
    """The different texts seen here, in the order in which each was first seen."""

    @property
    def is_found(self) -> bool:
        """True if a call read or executed the file. Writing or deleting it is not enough."""
        return "read" in self.actions or "execute" in self.actions

    @property
    def given_texts(self) -> tuple[SeenText, ...]:
        """The texts that the environment gave, without those that the script wrote itself."""
        if "write" not in self.actions:
            return self.seen
        return tuple(seen for seen in self.seen if seen.is_proof)

    def holds(self, token: str) -> bool:
        """Return True if a token occurs in a text that the environment gave here; see
        `SeenText.holds`."""
        return any(seen.holds(token) for seen in self.given_texts)

    def proves(self, token: str) -> bool:
        """Return True if a token occurs in a text that the script cannot have written."""
        return any(seen.is_proof and seen.holds(token) for seen in self.seen)


@dataclass(frozen=True, slots=True)
class Change:
    """One change to the world that the trace shows."""

    path: str
    """The changed file, the tool, or the name of the operation that acts."""
    action: Literal["write", "delete", "execute"]
    result_path: str = ""
    """The path under which the result of an operation is cited."""
    is_optional: bool = False
    """True if the tool does not declare whether its calls change something."""


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

    `Evidence()` stands for a submission whose calls are unknown, such as a recorded answer.
    """

    has_trace: bool = False
    """True if the trial's calls are known."""
    accesses: Mapping[str, Access] = field(default_factory=dict)
    """By canonical path."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Canonical paths by other spellings that calls used for them."""
    paths_by_spelling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The canonical paths that were accessed or listed, by their `spelling_key`. Two files may
    share a key: `A.md` and `a.md`."""
    directories: Set[str] = frozenset()
    changes: tuple[Change, ...] = ()
    unclear_runs: tuple[str, ...] = ()
    """The tools that ran successfully and that may or may not have changed something."""
    has_failures: bool = False
    """True if a call failed because of the environment rather than the request."""
    function_results: tuple[FunctionResultValue, ...] = ()
    steps: tuple[ScriptRun, ...] = ()
    """The trial's last scripts."""
    quoted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Quotations that were found in what was read, by the path cited with them."""

    def find(self, reference: str) -> Reference:
        """Return the file to which a cited string refers.

        Looks up the whole string first, because a file's name may contain a `#`. If no file has
        this name, the part from the `#` on is the fragment.
        """
        base, fragment = split_fragment(reference)
        if self.has_trace:
            file = self._look_up(reference, "")
            if file is None:
                file = self._look_up(base, fragment)
            if file is not None:
                return file
        return Reference(canonical(base), fragment, None, is_directory=False, is_known=False)

    def nearest_note(self, reference: str) -> str:
        """Return a hint for a path that was not read: " (nearest that was read: `/docs/a.md`)".

        Empty if no path that was read is like it.
        """
        near = nearest(reference, self.accesses)
        if not near:
            return ""
        return f" (nearest that was read: {quote(near)})"

    def _look_up(self, base: str, fragment: str) -> Reference | None:
        """Return the known file or folder of a path in any spelling; None if there is none.

        Another spelling counts only if it fits exactly one known path.
        """
        spelling = canonical(base.strip())
        path = self.aliases.get(spelling, spelling)
        is_known = path in self.accesses or path in self.directories
        if not is_known:
            candidates = self.paths_by_spelling.get(spelling_key(path), ())
            if path not in candidates:
                if len(candidates) != 1:
                    return None
                path = candidates[0]
        access = self.accesses.get(path)
        # A document of several parts, such as a PDF with pages, is a folder that can be read.
        is_directory = access is None and path in self.directories
        return Reference(path, fragment, access, is_directory=is_directory, is_known=True)

    @cached_property
    def records(self) -> Mapping[str, Values]:
        """The values of each record that was seen whole, by path. The last text seen at a path
        counts.

        A text that the trial wrote counts as well, because it is the current content.
        """
        records: dict[str, Values] = {}
        for access in self.accesses.values():
            if "execute" in access.actions:
                continue
            for seen in access.seen:
                if seen.is_whole and not seen.is_excerpt:
                    data = parse(seen.text, access.path)
                    if data:
                        records[access.path] = data
        return records

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """The texts of files that were read and contain prose, by path.

        Files that the trial also wrote or executed are left out, as are records, which `parse` can
        read, and texts that the script may have written.
        """
        documents: dict[str, str] = {}
        for path, access in self.accesses.items():
            was_only_read = access.actions == {"read"}
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
        """Return True if a change was undone: the file has its first data again, or a new file was
        deleted.

        Returns False if the file was not read whole before the change, because its first data is
        then unknown.
        """
        access = self.accesses.get(change.path)
        if change.action == "execute" or access is None:
            return False
        actions = self._actions_at[change.path]
        was_deleted_last = actions[-1] == "delete"
        if was_deleted_last:
            # The file is new if the trial saw no text there before it wrote.
            had_text_before = bool(access.seen) and access.seen[0].is_proof
            was_written_first = actions[0] == "write"
            return was_written_first and not had_text_before
        return _has_first_data_again(access)

    @cached_property
    def _actions_at(self) -> Mapping[str, list[Action]]:
        """The actions of all changes in order, by path."""
        actions: dict[str, list[Action]] = {}
        for change in self.changes:
            actions.setdefault(change.path, []).append(change.action)
        return actions


def _has_first_data_again(access: Access) -> bool:
    """Return True if the last text written to a file equals the first text read from it.

    Records are equal if they have the same values, whatever their layout.
    """
    if not access.seen:
        return False
    first_seen = access.seen[0]
    was_whole_at_first = first_seen.is_whole and not first_seen.is_excerpt and first_seen.is_proof
    if not was_whole_at_first:
        return False

    written_texts: list[str] = []
    for seen in access.seen:
        is_whole_file = seen.is_whole and not seen.is_excerpt
        if is_whole_file and not seen.is_proof:
            written_texts.append(seen.text)
    if not written_texts:
        return False

    first = first_seen.text.strip()
    last = written_texts[-1].strip()
    if first == last:
        return True
    data = parse(first, access.path)
    return bool(data) and data == parse(last, access.path)
