"""What is known in a trial. Asking for something that is not known yet raises `Unknown`, which becomes a script."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias, TypeVar

from benchmarks.ecom.player.conversation import Conversation, wish_key

Wish: TypeAlias = Mapping[str, object]
"""Something to look up, as `scripts/look.py.txt` understands it."""

WHO: Final[Wish] = {"run": "/bin/id", "args": []}
WHEN: Final[Wish] = {"run": "/bin/date", "args": []}
ROOT: Final = re.compile(r"([A-Z]\w+)[^:`\n]*: `(/[^`]+)`")
SEVERAL: Final = re.compile(r"[\w-]+")


A = TypeVar("A")
B = TypeVar("B")


class Unknown(Exception):
    """Something has to be looked up first."""

    def __init__(self, wishes: Sequence[Wish]) -> None:
        super().__init__(*wishes)
        self.wishes = tuple(wishes)


class NotStated(Exception):
    """The workspace's documents do not say what a rule needs."""


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON record with the path under which listings show it."""

    path: str
    data: Mapping[str, object]

    def text(self, field: str) -> str:
        """Return a field as text, truth values as JSON writes them; empty where it is absent."""
        value = self.data.get(field)
        if isinstance(value, bool):
            return str(value).lower()
        return "" if value is None else str(value)

    def number(self, field: str) -> int:
        """Return a whole number; 0 where the field holds none."""
        value = self.data.get(field)
        return value if isinstance(value, int) else 0

    def rows(self, field: str) -> list[Record]:
        """Return the objects of a list."""
        value = self.data.get(field)
        return [Record(self.path, each) for each in value if isinstance(each, dict)] if isinstance(value, list) else []

    def part(self, field: str) -> Record | None:
        """Return the object in a field, or None."""
        value = self.data.get(field)
        return Record(self.path, value) if isinstance(value, dict) else None

    def words(self, field: str) -> list[str]:
        """Return a list of texts."""
        value = self.data.get(field)
        return [str(each) for each in value] if isinstance(value, list) else []


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is signed in."""

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


class Known:
    """The task, the documents and everything found so far."""

    def __init__(self, conversation: Conversation) -> None:
        self.instruction = conversation.instruction
        self._documents = conversation.documents
        self._unread = conversation.unread
        self._findings = conversation.findings

    def ask(self, *wishes: Wish) -> list[object]:
        """Return what was found for each wish. Raises `Unknown` with all that is missing."""
        missing = [wish for wish in wishes if wish_key(wish) not in self._findings]
        if missing:
            raise Unknown(missing)
        return [self._findings[wish_key(wish)] for wish in wishes]

    def both(self, first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
        """Return two answers; what both still need is looked up together. Raises `Unknown`."""
        try:
            one = first()
        except Unknown as unknown:
            try:
                second()
            except Unknown as more:
                raise Unknown([*unknown.wishes, *more.wishes]) from None
            raise
        return one, second()

    def printed(self, wish: Wish) -> str:
        """Return what a tool printed."""
        (found,) = self.ask(wish)
        return str(found["stdout"]) if isinstance(found, dict) else ""

    @property
    def identity(self) -> Identity:
        """Who is signed in, as `/bin/id` says."""
        told = dict(line.split(": ", 1) for line in self.printed(WHO).splitlines() if ": " in line)
        return Identity(told.get("user", ""), tuple(SEVERAL.findall(told.get("roles", ""))))

    @property
    def now(self) -> datetime:
        """The workspace's own time."""
        return datetime.fromisoformat(self.printed(WHEN).strip())

    def document(self, name: str) -> str:
        """Return the path of the document called `name`. Raises `NotStated`."""
        for path in (*self._documents, *self._unread):
            if path.rsplit("/", 1)[1].partition(".")[0].casefold() == name.casefold():
                return path
        msg = f"there is no document about {name}"
        raise NotStated(msg)

    def paper(self, name: str) -> str:
        """Return the text of the document called `name`. Raises `NotStated`, and `Unknown` where it is to be read."""
        return self.text(self.document(name)) or ""

    def stated(self, name: str, pattern: str) -> re.Match[str]:
        """Return where the document `name` says `pattern`; a line break counts as a space. Raises `NotStated`."""
        found = re.search(pattern, re.sub(r"\s*\n\s*", " ", self.paper(name)))
        if found is None:
            msg = f"the document about {name} does not say what was looked for"
            raise NotStated(msg)
        return found

    def because(self, *names: str) -> dict[str, str]:
        """Return documents with the reason for citing each: what its heading says it is about."""
        paths = [self.document(name) for name in names]
        self.ask(*({"read": path} for path in paths if path not in self._documents))
        headings = {path: (self.text(path) or "").strip().partition("\n")[0].strip("# ") for path in paths}
        return {path: f"{heading or path}: the rules applied here" for path, heading in headings.items()}

    def root(self, kind: str) -> str:
        """Return the directory of a kind of records, as the workspace's rules name it. Raises `NotStated`."""
        for name, path in ROOT.findall(self.paper("agents")):
            if name.casefold() == kind and not path.startswith("/docs/"):
                return str(path)
        msg = f"the rules do not say where {kind} are"
        raise NotStated(msg)

    def records(self, kind: str, names: Iterable[str]) -> dict[str, Record | None]:
        """Return records by id or SKU; None for one that does not exist."""
        wanted = list(dict.fromkeys(names))
        found = self.ask(*({"find": f"{name}.json", "under": self.root(kind)} for name in wanted))
        return {name: next(iter(_records(each)), None) for name, each in zip(wanted, found, strict=True)}

    def record(self, kind: str, name: str) -> Record | None:
        """Return one record by its id or SKU, or None."""
        return self.records(kind, [name])[name]

    def holding(self, kind: str, pattern: str) -> list[Record]:
        """Return the records with a line that a regular expression matches."""
        (found,) = self.ask({"holding": pattern, "under": self.root(kind)})
        return _records(found)

    def likely(self, kind: str, words: Iterable[str]) -> list[Record]:
        """Return the records that hold the most of `words`."""
        (found,) = self.ask({"likely": sorted(set(words)), "under": self.root(kind)})
        return _records(found)

    def lines(self, kind: str, pattern: str) -> list[tuple[str, str]]:
        """Return (path, line) of every line that a regular expression matches, without reading the files."""
        (found,) = self.ask({"lines": pattern, "under": self.root(kind)})
        return [(str(path), str(text)) for path, text in found] if isinstance(found, list) else []

    def files(self, directory: str) -> list[str]:
        """Return the paths of all files below a directory."""
        (found,) = self.ask({"files": directory})
        return [str(each) for each in found] if isinstance(found, list) else []

    def text(self, path: str) -> str | None:
        """Return the text of a file, or None where there is none."""
        if path in self._documents:
            return self._documents[path]
        (found,) = self.ask({"read": path})
        return None if found is None else str(found)


def _records(found: object) -> list[Record]:
    return [Record(path, data) for path, data in found.items()] if isinstance(found, dict) else []
