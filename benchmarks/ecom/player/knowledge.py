"""The player's knowledge of a trial. Asking for something unknown raises `LookupNeeded`, which becomes a script."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Final, TypeAlias, TypeVar

from benchmarks.ecom.player.conversation import Conversation, lookup_key
from benchmarks.ecom.player.record_parts import by_shape

Lookup: TypeAlias = Mapping[str, object]
"""One lookup, in the form that `scripts/look.py.txt` takes."""

IDENTITY: Final[Lookup] = {"run": "/bin/id", "args": []}
CLOCK: Final[Lookup] = {"run": "/bin/date", "args": []}
ROOT: Final = re.compile(r"`(/proc/[^`]+)`")
PAGE: Final = re.compile(r"`(/docs/[^`]+)`")
SUBJECT: Final = re.compile(
    r"(?P<stock>\bunits\b|\bavailab\w+|\bstock\b)|(?P<catalogue>\barticles?\b|\bproducts?\b)|"
    r"(?P<checkout>\bbaskets?\b|\bbuying\b|\bpurchases\b)|(?P<discounts>\breductions?\b|\bdiscounts?\b)|"
    r"(?P<returns>\brefunds?\b|\bsent\s+back\b)|(?P<verification>\b(?:card|bank)\s+checks?\b|\bverification\b)|"
    r"(?P<uploads>\buploads?\b|\buploaded\b|\breceipts?\b|\bscans\b|\battachments?\b)|"
    r"(?P<staff>\bpeople\b|\bcolleagues\b|\bstaff\b|\bemployees?\b)|"
    r"(?P<crosslist>\bcompetitors'|\brivals')|(?P<dispatch>\bparcels\b|\bwaves?\b|\btransfers?\b)",
    re.IGNORECASE,
)
"""The words for what each policy page is about."""
WORD: Final = re.compile(r"`([a-z0-9][\w-]*)`")
KIND: Final = re.compile(
    r"(?P<products>\bproducts?\b|\barticles?\b|what\s+we\s+sell)|(?P<branches>\bbranch(?:es)?\b|\bstores?\b)|"
    r"(?P<baskets>\bbaskets?\b|put\s+together)|(?P<payments>\bpayments?\b|\bpaid\b)|"
    r"(?P<returns>\breturns?\b|sent\s+back)|(?P<staff>\bstaff\b|\bpeople\b|work\s+here|\bemployees?\b)",
    re.IGNORECASE,
)
"""The words for each kind of record."""
BLOCK: Final = re.compile(r"\n\s*\n|\n[-*] |\n\d+\. ")
"""The beginning of a block of text."""
NAME: Final = re.compile(r"[\w-]+")
KEPT_RULES: Final = 64
"""Texts of rules whose paths are kept: every turn of a trial asks the same ones again, several times."""


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
    """Its parts by the names of `record_parts`."""
    raw: Mapping[str, object] = field(default_factory=dict)
    """Its parts as the file names them."""

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
        for path in self.document_paths():
            if path.rsplit("/", 1)[1].partition(".")[0].casefold() == name.casefold():
                return path
        rules = self._documents.get(next((path for path in self._documents if path.startswith("/AGENTS")), ""), "")
        return named_by(rules, PAGE, SUBJECT).get(name)

    def words_in(self, name: str) -> list[str]:
        """Return the words in back quotes of a document, as often as they stand there. Raises `NotStated`."""
        return WORD.findall(self.document_text(name))

    def document_paths(self) -> tuple[str, ...]:
        """Return the paths of all documents that turn one shows or names."""
        return (*self._documents, *self._unread)

    def is_shown(self, path: str) -> bool:
        """Say whether turn one shows a document in full."""
        return path in self._documents

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

    def was_read(self, path: str) -> bool:
        """Say whether turn one shows a file in full, or a lookup has read it."""
        if path in self._documents or self._findings.get(lookup_key({"read": path})) is not None:
            return True
        return any(isinstance(found, dict) and path in found for found in self._findings.values())

    def reason_for(self, path: str) -> str:
        """Return why a file is cited: what it is a record of, or its first rule. Raises `LookupNeeded`."""
        text = self.text(path) or path
        try:
            data = json.loads(text) if path.endswith(".json") else None
        except ValueError:
            data = None
        named = [str(data[each]) for each in ("sku", "id", "name") if each in data] if isinstance(data, dict) else []
        return f"record of {', '.join(named)}" if named else _first_rule(text)

    def root(self, kind: str) -> str:
        """Return the directory that the workspace's rules name for a kind of record. Raises `NotStated`."""
        found = named_by(self.document_text("agents"), ROOT, KIND).get(kind)
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

    def computed(self, name: str, **arguments: object) -> tuple[object, dict[str, str]]:
        """Return the value that a function of the toolkit finds, None if it cannot tell, and what to cite for it."""
        (found,) = self.look_up({"compute": name, "of": arguments})
        return (found["value"], found["refs"]) if isinstance(found, dict) else (None, {})

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
    heading, *lines = [each.strip("#-* ") for each in text.splitlines() if each.strip() and not each.startswith("##")]
    return f"{heading}: {' '.join(lines[:2])}"[:200]


@lru_cache(maxsize=KEPT_RULES)
def named_by(rules: str, named: re.Pattern[str], subjects: re.Pattern[str]) -> Mapping[str, str]:
    """Return the paths that rules name for subjects: each stands behind its subject's word, or before it."""
    paths = list(named.finditer(rules))
    found: dict[str, str] = {}
    for block in {_block_of(rules, each): None for each in paths}:
        here = [each for each in paths if block[0] <= each.start() < block[1]]
        words = list(subjects.finditer(rules, *block))
        is_behind = bool(words) and words[0].start() < here[0].start()
        for path in here:
            near = [each for each in words if each.end() <= path.start()][-1:] if is_behind else []
            near = near or [each for each in words if each.start() >= path.end()][:1]
            for word in near:
                found.setdefault(str(word.lastgroup), path[1])
    return found


def _block_of(rules: str, place: re.Match[str]) -> tuple[int, int]:
    """Return where the block of text around a match begins and ends."""
    start = max((each.end() for each in BLOCK.finditer(rules, 0, place.start())), default=0)
    end = BLOCK.search(rules, place.end())
    return start, end.start() if end else len(rules)


def _records(found: object) -> list[Record]:
    return [Record(path, by_shape(data), data) for path, data in found.items()] if isinstance(found, dict) else []
