"""The player's knowledge of a trial. Asking for something unknown raises `LookupNeeded`, which becomes a script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias, TypeVar

from benchmarks.ecom.player.conversation import Conversation, lookup_key

Lookup: TypeAlias = Mapping[str, object]
"""One lookup, in the form that `scripts/look.py.txt` takes."""

IDENTITY: Final[Lookup] = {"run": "/bin/id", "args": []}
CLOCK: Final[Lookup] = {"run": "/bin/date", "args": []}
ROOT: Final = re.compile(r"`(/proc/[^`]+)`")
KIND: Final = re.compile(
    r"(?P<products>\bproducts?\b|\barticles?\b|what\s+we\s+sell)|(?P<branches>\bbranch(?:es)?\b|\bstores?\b)|"
    r"(?P<baskets>\bbaskets?\b|put\s+together)|(?P<payments>\bpayments?\b|\bpaid\b)|"
    r"(?P<returns>\breturns?\b|sent\s+back)|(?P<staff>\bstaff\b|\bpeople\b|work\s+here)",
    re.IGNORECASE,
)
"""The words for each kind of record."""
BLOCK: Final = re.compile(r"\n\s*\n|\n[-*] |\n\d+\. ")
"""The beginning of a block of text."""
NAME: Final = re.compile(r"[\w-]+")


A = TypeVar("A")
B = TypeVar("B")


class LookupNeeded(Exception):
    """Some lookups must be made first."""

    def __init__(self, lookups: Sequence[Lookup]) -> None:
        super().__init__(*lookups)
        self.lookups = tuple(lookups)


class NotStated(Exception):
    """The workspace's documents do not state what a rule needs."""


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON record with the path that listings show."""

    path: str
    data: Mapping[str, object]

    def text(self, field: str) -> str:
        """Return a field as text, booleans as in JSON; empty if the field is absent."""
        value = self.data.get(field)
        if isinstance(value, bool):
            return str(value).lower()
        return "" if value is None else str(value)

    def number(self, field: str) -> int:
        """Return the integer in a field, or 0 if it holds none."""
        value = self.data.get(field)
        return value if isinstance(value, int) else 0

    def rows(self, field: str) -> list[Record]:
        """Return the objects of the list in a field."""
        value = self.data.get(field)
        return [Record(self.path, each) for each in value if isinstance(each, dict)] if isinstance(value, list) else []

    def part(self, field: str) -> Record | None:
        """Return the object in a field, or None if it holds none."""
        value = self.data.get(field)
        return Record(self.path, value) if isinstance(value, dict) else None

    def words(self, field: str) -> list[str]:
        """Return the entries of the list in a field, as text."""
        value = self.data.get(field)
        return [str(each) for each in value] if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class Identity:
    """The signed-in user."""

    user: str
    roles: tuple[str, ...]

    @property
    def is_customer(self) -> bool:
        """Whether this is a customer's session."""
        return "customer" in self.roles

    @property
    def is_staff(self) -> bool:
        """Whether this is an employee's session."""
        return "employee" in self.roles


class Knowledge:
    """The instruction, the documents and the results of all lookups so far."""

    def __init__(self, conversation: Conversation) -> None:
        self.instruction = conversation.instruction
        self._documents = conversation.documents
        self._unread = conversation.unread
        self._findings = conversation.findings

    def look_up(self, *lookups: Lookup) -> list[object]:
        """Return the result of each lookup. Raises `LookupNeeded` with all that were not made yet."""
        missing = [lookup for lookup in lookups if lookup_key(lookup) not in self._findings]
        if missing:
            raise LookupNeeded(missing)
        return [self._findings[lookup_key(lookup)] for lookup in lookups]

    def look_up_both(self, first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
        """Return two results. Raises `LookupNeeded` with what both still need, so that one script looks it up."""
        try:
            one = first()
        except LookupNeeded as unknown:
            try:
                second()
            except LookupNeeded as more:
                raise LookupNeeded([*unknown.lookups, *more.lookups]) from None
            raise
        return one, second()

    def output_of(self, lookup: Lookup) -> str:
        """Return the standard output of a tool."""
        (found,) = self.look_up(lookup)
        return str(found["stdout"]) if isinstance(found, dict) else ""

    @property
    def identity(self) -> Identity:
        """The signed-in user, as `/bin/id` prints it."""
        fields = dict(line.split(": ", 1) for line in self.output_of(IDENTITY).splitlines() if ": " in line)
        return Identity(fields.get("user", ""), tuple(NAME.findall(fields.get("roles", ""))))

    @property
    def now(self) -> datetime:
        """The time of the workspace's clock."""
        return datetime.fromisoformat(self.output_of(CLOCK).strip())

    def document_path(self, name: str) -> str:
        """Return the path of the document called `name`. Raises `NotStated`."""
        found = self._path_of(name)
        if found is None:
            msg = f"there is no document about {name}"
            raise NotStated(msg)
        return found

    def _path_of(self, name: str) -> str | None:
        for path in (*self._documents, *self._unread):
            if path.rsplit("/", 1)[1].partition(".")[0].casefold() == name.casefold():
                return path
        return None

    def document_text(self, name: str) -> str:
        """Return the text of the document called `name`. Raises `NotStated`, or `LookupNeeded` if it is unread."""
        return self.text(self.document_path(name)) or ""

    def find_in_document(self, name: str, pattern: str) -> re.Match[str]:
        """Return the match of `pattern` in a document, in which line breaks count as spaces. Raises `NotStated`."""
        found = re.search(pattern, re.sub(r"\s*\n\s*", " ", self.document_text(name)))
        if found is None:
            msg = f"the document about {name} does not say what was looked for"
            raise NotStated(msg)
        return found

    def cite(self, *names: str) -> dict[str, str]:
        """Return the paths of documents, each with its heading and first rule; unknown ones are left out."""
        paths = [path for name in names if (path := self._path_of(name))]
        self.look_up(*({"read": path} for path in paths if path not in self._documents))
        return {path: _first_rule(self.text(path) or path) for path in paths}

    def cite_paths(self, paths: Iterable[str]) -> dict[str, str]:
        """Return these paths, each with the beginning of what its file holds; missing files are left out."""
        wanted = list(dict.fromkeys(paths))
        self.look_up(*({"read": path} for path in wanted if path not in self._documents))
        return {path: _first_rule(text) for path in wanted if (text := self.text(path))}

    def root(self, kind: str) -> str:
        """Return the directory that the workspace's rules name for a kind of record. Raises `NotStated`."""
        found = roots_in(self.document_text("agents")).get(kind)
        if found is None:
            msg = f"the rules do not say where {kind} are"
            raise NotStated(msg)
        return found

    def records(self, kind: str, names: Iterable[str]) -> dict[str, Record | None]:
        """Return records by id or SKU, with None for one that does not exist."""
        wanted = list(dict.fromkeys(names))
        found = self.look_up(*({"find": f"{name}.json", "under": self.root(kind)} for name in wanted))
        return {name: next(iter(_records(each)), None) for name, each in zip(wanted, found, strict=True)}

    def record(self, kind: str, name: str) -> Record | None:
        """Return the record with this id or SKU, or None."""
        return self.records(kind, [name])[name]

    def records_matching(self, kind: str, pattern: str) -> list[Record]:
        """Return the records that have a line which matches a regular expression."""
        (found,) = self.look_up({"holding": pattern, "under": self.root(kind)})
        return _records(found)

    def records_like(self, kind: str, words: Iterable[str]) -> list[Record]:
        """Return the records that hold the most of `words`, or one less."""
        (found,) = self.look_up({"likely": sorted(set(words)), "under": self.root(kind)})
        return _records(found)

    def matching_lines(self, kind: str, pattern: str) -> list[tuple[str, str]]:
        """Return (path, line) of every line that matches a regular expression, without reading the files."""
        (found,) = self.look_up({"lines": pattern, "under": self.root(kind)})
        return [(str(path), str(text)) for path, text in found] if isinstance(found, list) else []

    def files(self, directory: str) -> list[str]:
        """Return the paths of all files below a directory."""
        (found,) = self.look_up({"files": directory})
        return [str(each) for each in found] if isinstance(found, list) else []

    def text(self, path: str) -> str | None:
        """Return the text of a file, or None if it does not exist."""
        if path in self._documents:
            return self._documents[path]
        (found,) = self.look_up({"read": path})
        return None if found is None else str(found)


def _first_rule(text: str) -> str:
    """Return the heading of a document with its first sentence."""
    shown = [each for each in text.splitlines() if each.strip("{} ") and not each.startswith("##")]
    heading, *lines = [each.strip("#-* ") for each in shown]
    return f"{heading}: {' '.join(lines[:2])}"[:200]


def roots_in(rules: str) -> dict[str, str]:
    """Return the directories that rules name for kinds of record: each stands behind its kind's word, or before it."""
    paths = list(ROOT.finditer(rules))
    if not paths:
        return {}
    start = max((each.end() for each in BLOCK.finditer(rules, 0, paths[0].start())), default=0)
    words = list(KIND.finditer(rules, start, paths[-1].end() + 80))
    is_behind = bool(words) and words[0].start() < paths[0].start()
    found: dict[str, str] = {}
    for path in paths:
        near = [each for each in words if each.end() <= path.start()][-1:] if is_behind else []
        near = near or [each for each in words if each.start() >= path.end()][:1]
        for word in near:
            found.setdefault(str(word.lastgroup), path[1])
    return found


def _records(found: object) -> list[Record]:
    return [Record(path, data) for path, data in found.items()] if isinstance(found, dict) else []
