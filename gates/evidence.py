"""A read-only view of what a trial has read and done. The trial's runner fills it; the gates only
read it.

Every path has its canonical spelling: the one that listings show, or else the one that a read
returned. Anybody may have written the texts, so the work on them is bounded, and a text that also
holds prose has no values.
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
    """Return the canonical spelling of `path`: absolute, without `//`, `.`, `..` or a trailing
    slash.

    Case and spaces inside names stay, because two files may differ in them alone. A fragment stays
    as a part of the last name; `split_fragment` splits it off.
    """
    if path.startswith("/") and "//" not in path and "/." not in path and not path.endswith("/"):
        return path
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def split_fragment(reference: str) -> tuple[str, str]:
    """Return the base path and the fragment of `reference`; the fragment keeps its `#` and may
    be empty."""
    base, mark, fragment = reference.partition("#")
    return base, mark + fragment


@lru_cache(maxsize=8_192)
def spelling_key(path: str) -> str:
    """Return the key that all spellings of a path share, regardless of case, slashes, outer
    spaces and Unicode form."""
    folded = canonical(path.strip().replace("\\", "/")).casefold()
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded)


def base_name(path: str) -> str:
    """Return the last name of `path`."""
    return path.rstrip("/").rpartition("/")[2]


def record_id(path: str) -> str:
    """Return the file's name without its extension: ids, codes and the like name the files of
    their records."""
    name = base_name(path)
    return name.rpartition(".")[0] or name


def nearest(path: str, known: Iterable[str]) -> str:
    """Return the known path that shares most of its beginning and end with `path`, or an empty
    string.

    Considers paths in the same folder, and files of the same name but for the extension.
    """
    wanted = spelling_key(split_fragment(path)[0])
    wanted_folder = wanted.rpartition("/")[0]
    wanted_id = record_id(wanted)
    nearest_path = ""
    most_shared = -1
    for known_path in known:
        key = spelling_key(known_path)
        if key.rpartition("/")[0] != wanted_folder and record_id(key) != wanted_id:
            continue
        shared = _shared_length(key, wanted) + _shared_length(key[::-1], wanted[::-1])
        if shared > most_shared:
            nearest_path = known_path
            most_shared = shared
    return nearest_path


def _shared_length(first: str, second: str) -> int:
    """Return how many characters two texts have in common from their beginning on."""
    return len(commonprefix([first, second]))


_SEPARATORS: Final = (",", "\t", "|", ";")

Values: TypeAlias = tuple[tuple[str, str], ...]
"""Values in their order, each with its dotted name (`verification.state`), its column or its
key."""


@lru_cache(maxsize=256)
def parse(text: str, path: str = "") -> Values:
    """Return the values of JSON, of separated values, which the extension of `path` tells from
    prose, or of lines of keys and values; none for any other text."""
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
MOST_RECORD_LEVELS: Final = 12
MOST_VALUE_CHARS: Final = 2_000
MOST_KEY_CHARS: Final = 41
"""A longer text before a colon is a sentence."""
MOST_COLUMNS: Final = 60


def _values_of_json(data: object, name: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield every value of decoded JSON with its dotted name; those of a list share the list's
    name."""
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
    """Return the values of lines `key: value, value`; nothing if another line is among them."""
    values: list[tuple[str, str]] = []
    filled_lines = [line for line in text.splitlines() if line.strip()]
    for line in filled_lines[: bounds.MOST_RECORD_ROWS]:
        key, colon, value = line.strip().partition(":")
        if key.endswith((" ", "\t")):
            key = key[:-1]
        if colon and _is_key(key) and value[:1] in ("", " ", "\t"):
            for part in value.split(","):
                values.append((key, part.strip()))
        elif not line.startswith(("---", "|")):
            return ()
    return tuple(values)


def _is_key(text: str) -> bool:
    """Say whether a text before a colon is a key, and not the beginning of a sentence."""
    if not text or len(text) > MOST_KEY_CHARS:
        return False
    begins_with_letter = text[0].isascii() and text[0].isalpha()
    return begins_with_letter and all(char.isalnum() or char in "_ -" for char in text)


def _cells(text: str) -> Values:
    """Return the cells of separated values, each with the name of its column; rows of another
    length do not count."""
    lines = text.splitlines()[: bounds.MOST_RECORD_ROWS + 1]
    if not lines:
        return ()
    separator = max(_SEPARATORS, key=lines[0].count)
    try:
        rows = list(csv.reader(lines, delimiter=separator))
    except (csv.Error, ValueError):
        return ()
    names = [cell.strip() for cell in rows[0]] if rows else []
    has_names = all(name[:1].isalpha() for name in names)
    if not has_names or len(names) > MOST_COLUMNS:
        return ()
    cells: list[tuple[str, str]] = []
    for row in rows[1:]:
        if len(row) == len(names):
            for name, cell in zip(names, row, strict=True):
                cells.append((name, cell.strip()))
    return tuple(cells)


Action: TypeAlias = Literal["read", "write", "delete", "execute"]


@dataclass(frozen=True, slots=True)
class SeenText:
    """One text that the trial saw at a path."""

    text: str
    is_whole: bool = True
    """False if the text was too long to keep to its end; a missing word then proves nothing."""
    is_proof: bool = True
    """False if the script may have supplied the text: it wrote the text, or gave text to the
    tool that printed it."""
    tainted: str = ""
    """Words of the call itself that the text may repeat; they do not count as found."""
    is_excerpt: bool = False
    """True if the call asked for only a part of the file."""
    lines: tuple[int, ...] = field(default=(1,), compare=False)
    """The lines of the file that its lines are, from 1 on; those behind the last one follow it.
    Empty if unknown."""

    def holds(self, token: str) -> bool:
        """Say whether a folded token occurs in the text, other than as an echo of the call."""
        return index_of(self.text).holds(token) and not (
            self.tainted and index_of(self.tainted).repeats(token)
        )


@dataclass(frozen=True, slots=True)
class Access:
    """The actions at one path, and the texts seen there."""

    path: str
    actions: frozenset[Action]
    seen: tuple[SeenText, ...] = ()
    """The different texts seen here, in the order in which each was first seen."""

    @property
    def is_found(self) -> bool:
        """True if calls read or ran what is here; content that was only written or deleted is
        the script's own."""
        return not self.actions <= {"write", "delete"}

    @property
    def given_texts(self) -> tuple[SeenText, ...]:
        """The texts that the environment gave: text that the script wrote can refute an answer,
        never support it."""
        if "write" not in self.actions:
            return self.seen
        return tuple(seen for seen in self.seen if seen.is_proof)

    def holds(self, token: str) -> bool:
        """Say whether a folded token occurs in a text that the environment gave here."""
        return any(seen.holds(token) for seen in self.given_texts)

    def proves(self, token: str) -> bool:
        """Say whether a folded token occurs in a text that the script cannot have supplied."""
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
    """True if nobody declares whether the call changes something."""


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
    """The scratchpad when the script had ended, if it is known."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The path and fragment to which a cited string refers."""

    path: str
    """The canonical path of a known file, else the cited base path in canonical form."""
    fragment: str
    """Exactly as written, with its `#`; may be empty."""
    access: Access | None
    is_directory: bool
    is_known: bool

    @property
    def citation(self) -> str:
        """The string to cite: canonical path and fragment."""
        return self.path + self.fragment


@dataclass(frozen=True, eq=False)
class Evidence:
    """Everything the gates may know about a trial's calls; what follows from it is worked out when
    it is first needed.

    `Evidence()` represents a submission without a trace.
    """

    has_trace: bool = False
    accesses: Mapping[str, Access] = field(default_factory=dict)
    """By canonical path."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Canonical paths by the other spellings that calls used."""
    paths_by_spelling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Canonical paths, accessed or listed, by their `spelling_key`."""
    directories: Set[str] = frozenset()
    changes: tuple[Change, ...] = ()
    unclear_runs: tuple[str, ...] = ()
    """The tools of unknown kind that ended with exit code 0: nobody declares whether they change
    something."""
    has_failures: bool = False
    """True if a call failed through a fault of the environment; a wrong request does not count."""
    function_results: tuple[FunctionResultValue, ...] = ()
    steps: tuple[ScriptRun, ...] = ()
    """The trial's last scripts."""
    quoted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Quotations that were found in what was read, by the path cited with them."""

    def find(self, reference: str) -> Reference:
        """Return what `reference` refers to. A `#` in a known file's name does not start a
        fragment."""
        base, fragment = split_fragment(reference)
        if self.has_trace:
            known = self._look_up(reference, "") or self._look_up(base, fragment)
            if known is not None:
                return known
        return Reference(canonical(base), fragment, None, is_directory=False, is_known=False)

    def nearest_note(self, reference: str) -> str:
        """Return a note that names the read path nearest to an unread one, or an empty string."""
        near = nearest(reference, self.accesses)
        return f" (nearest that was read: {quote(near)})" if near else ""

    def _look_up(self, base: str, fragment: str) -> Reference | None:
        spelling = canonical(base.strip())
        path = self.aliases.get(spelling, spelling)
        access = self.accesses.get(path)
        if access is None and path not in self.directories:
            spellings = self.paths_by_spelling.get(spelling_key(path), ())
            if path not in spellings:
                if len(spellings) != 1:
                    return None
                path = spellings[0]
                access = self.accesses.get(path)
        # A document of several files is a folder that can be read.
        is_directory = access is None and path in self.directories
        return Reference(path, fragment, access, is_directory=is_directory, is_known=True)

    @cached_property
    def records(self) -> Mapping[str, Values]:
        """The data of each file that was seen as a whole, as it was seen last: the trial's own
        writes count, an excerpt or a cut text does not."""
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
        """The texts of read files that are prose, by path."""
        documents: dict[str, str] = {}
        for path, access in self.accesses.items():
            is_record = any(parse(seen.text, path) for seen in access.seen)
            if access.actions == {"read"} and not is_record:
                documents[path] = "\n".join(seen.text for seen in access.seen if seen.is_proof)
        return documents

    @cached_property
    def present_changes(self) -> tuple[Change, ...]:
        """The changes that still hold at the end of the trial: neither undone nor without an
        effect."""
        return tuple(change for change in self.changes if not self.is_undone(change))

    def is_undone(self, change: Change) -> bool:
        """Say whether a change has no effect: the file has its first data again, or a file that was
        made is deleted.

        False if the file was not seen as a whole before it was changed, because then nobody can
        tell.
        """
        access = self.accesses.get(change.path)
        if change.action == "execute" or access is None:
            return False
        actions = self._actions_at[change.path]
        if actions[-1] == "delete":
            return actions[0] == "write" and not (access.seen and access.seen[0].is_proof)
        return _has_first_data_again(access)

    @cached_property
    def _actions_at(self) -> Mapping[str, list[Action]]:
        actions: dict[str, list[Action]] = {}
        for change in self.changes:
            actions.setdefault(change.path, []).append(change.action)
        return actions


def _has_first_data_again(access: Access) -> bool:
    """Say whether the last text of a file is, as text or as data, the whole one that was read
    before any change."""
    if not access.seen:
        return False
    first_seen = access.seen[0]
    own_texts = [
        seen.text
        for seen in access.seen
        if seen.is_whole and not seen.is_excerpt and not seen.is_proof
    ]
    was_seen_whole = first_seen.is_whole and not first_seen.is_excerpt and first_seen.is_proof
    if not was_seen_whole or not own_texts:
        return False
    first = first_seen.text.strip()
    last = own_texts[-1].strip()
    if first == last:
        return True
    data = parse(first, access.path)
    return bool(data) and data == parse(last, access.path)
