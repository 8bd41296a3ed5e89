"""A shop's records and documents as a rule reads them, and the state in which the trial found what it has changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, TypeAlias

from benchmarks.shop.language.record_kinds import Kind, kind_of
from gates.reading import DoesNotApply, Reader, Unread
from gates.types import Evidence

Data: TypeAlias = Mapping[str, Any]
ROOT: Final = "/proc"
_EMPLOYEE: Final = "employee"


@dataclass(frozen=True, slots=True)
class Record:
    """One record: where it lies, and what it holds."""

    path: str
    data: Data


@dataclass(frozen=True, slots=True)
class Found:
    """A record as the trial found it."""

    path: str
    data: Data
    is_assumed: bool = False
    """Whether nobody saw it by then: it may have forbidden what was done."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Who is signed in, as the identity tool says."""

    id: str
    roles: frozenset[str]

    @property
    def is_staff(self) -> bool:
        """Whether an employee asks."""
        return _EMPLOYEE in self.roles


def parsed(text: str) -> dict[str, Any]:
    """Return the JSON object that a record's text holds. Raises `DoesNotApply` for anything else."""
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        msg = "a record is no JSON object"
        raise DoesNotApply(msg)
    return data


class ShopWorkspace:
    """Every method raises `DoesNotApply` for what is not there, not readable or not certain."""

    def __init__(self, reader: Reader, evidence: Evidence) -> None:
        self._reader = reader
        self._evidence = evidence

    @cached_property
    def asker(self) -> Asker:
        """Who is signed in."""
        lines = dict(re.findall(r"(?m)^(\w+): (.+)$", self._reader.run("/bin/id")))
        if not {"user", "roles"} <= lines.keys():
            msg = "the identity tool prints another form"
            raise DoesNotApply(msg)
        return Asker(lines["user"].strip(), frozenset(re.split(r",\s*", lines["roles"].strip())))

    @cached_property
    def now(self) -> str:
        """The workspace's clock, as it prints an instant in UTC."""
        text = self._reader.run("/bin/date").strip()
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text):
            msg = "the clock prints another form"
            raise DoesNotApply(msg)
        return text

    @cached_property
    def strict_citations(self) -> bool:
        """Whether the workspace's rules of citation allow no further record."""
        try:
            return "no others" in self._reader.read("/docs/citations.md")
        except Unread:
            return False

    def document(self, path: str) -> str:
        """Return a document with single spaces."""
        return re.sub(r"\s+", " ", self._reader.read(path))

    def record(self, name: str) -> Record:
        """Return the record of an id or a SKU, as it is now."""
        paths = self._reader.find(f"{name}.json", ROOT)
        if len(paths) != 1:
            msg = f"{len(paths)} records are called {name}"
            raise DoesNotApply(msg)
        return self.at(paths[0])

    def text(self, path: str) -> str:
        """Return the text of a file."""
        return self._reader.read(path)

    def text_or_nothing(self, path: str) -> str:
        """Return the text of a file, or an empty string if there is none."""
        try:
            return self._reader.read(path)
        except Unread as error:
            if error.code == "not_found":
                return ""
            raise

    def table_rows(self) -> list[tuple[str, str, str]]:
        """Return document, first and second cell of every row of the documents' tables of two columns."""
        found = []
        for path, line in self._reader.search(r"^\|[^|]+\|[^|]+\|\s*$", "/docs"):
            _, first, second, _ = line.split("|")
            if first.strip(" -:"):
                found.append((path, first.strip(), second.strip()))
        return found

    def files_below(self, root: str) -> tuple[str, ...]:
        """Return the paths of the files below a directory."""
        return self._reader.find("*", root)

    def receipt(self, instruction: str) -> str:
        """Return the uploaded file that an instruction names, or the only one there is."""
        named = re.findall(r"/uploads/[\w./-]*\w", instruction)
        found = named or [path for path in self._reader.find("*", "/uploads") if "receipt" in path]
        if len(found) != 1:
            msg = "the receipt is not certain"
            raise DoesNotApply(msg)
        return str(found[0])

    def at(self, path: str) -> Record:
        """Return the record at a path, as it is now."""
        return Record(path, parsed(self._reader.read(path)))

    def all_at(self, paths: Sequence[str]) -> list[Record]:
        """Return the records at these paths, as they are now."""
        return [Record(path, parsed(text)) for path, text in zip(paths, self._reader.read_all(paths), strict=True)]

    def found(self, record: Record, undone: Callable[[Data], Data]) -> Found:
        """Return the record as the trial found it, before it changed it.

        If the trial had not read it by then, that is the record as `undone` makes it: the most that can have held.
        """
        name = re.compile(rf"(?<![\w-]){re.escape(str(record.data.get('id')))}(?![\w-])")
        changes = self._evidence.changes
        if not any(each.path == record.path or name.search(each.detail) for each in changes):
            return Found(record.path, record.data)
        touch = self._evidence.touches.get(record.path)
        whole = [each for each in touch.seen if each.is_whole and not each.is_excerpt] if touch else []
        first = parsed(whole[0].text) if whole and whole[0].is_proof else record.data
        if first == record.data:
            return Found(record.path, undone(record.data), is_assumed=True)
        return Found(record.path, first)

    def roots(self, kind: Kind) -> list[str]:
        """Return the directories that hold the records of a kind."""
        found = [path for path in self._reader.list(ROOT) if kind_of(f"{path}/x.json") is kind]
        if not found:
            msg = f"no directory of {kind}s is known"
            raise DoesNotApply(msg)
        return found

    def lines(self, kind: Kind, pattern: str) -> list[tuple[str, str]]:
        """Return path and text of each line of the records of a kind that a pattern matches."""
        return [each for root in self.roots(kind) for each in self._reader.search(pattern, root)]

    def paths_with(self, kind: Kind, field: str, values: Iterable[str]) -> dict[str, list[str]]:
        """Return, for each value, the paths of the records of a kind whose field holds it."""
        wanted = list(values)
        choice = "|".join(re.escape(each) for each in wanted)
        found: dict[str, list[str]] = {each: [] for each in wanted}
        for path, text in self.lines(kind, f'"{field}": "(?:{choice})"'):
            value = re.search(rf'"{field}": "({choice})"', text)
            if value:
                found[value[1]].append(path)
        return found

    def product_paths(self, skus: Iterable[str]) -> dict[str, str]:
        """Return the path of each SKU's record."""
        found = self.paths_with(Kind.PRODUCT, "sku", dict.fromkeys(skus))
        if any(len(paths) != 1 for paths in found.values()):
            msg = "a SKU has no record, or several"
            raise DoesNotApply(msg)
        return {sku: paths[0] for sku, paths in found.items()}

    @cached_property
    def products(self) -> list[Record]:
        """All products, read at once: a search for all their lines is cut off in a larger catalogue."""
        return self.all_at([path for root in self.roots(Kind.PRODUCT) for path in self._reader.find("*.json", root)])

    @cached_property
    def stores(self) -> list[Record]:
        """Every branch with the fields that stand on a line of their own, its stock left out."""
        fields: dict[str, dict[str, Any]] = {}
        for path, line in self.lines(Kind.STORE, r'^  "\w+": ["tfn\d]'):
            fields.setdefault(path, {}).update(json.loads(f"{{{line.strip().rstrip(',')}}}"))
        return [Record(path, data) for path, data in fields.items()]

    def owns(self, data: Data) -> bool:
        """Say whether a record belongs to the signed-in customer."""
        return bool(data["customer_id"] == self.asker.id)
