"""A shop's records and documents as a rule reads them, and the state in which the trial found what it has changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final

from benchmarks.shop.computed.policies import Policy
from benchmarks.shop.computed.record_fields import Data, fields_by_name, renamed
from benchmarks.shop.language.record_kinds import Kind, kind_of
from gates.reading import DoesNotApply, Reader, Unread
from gates.types import Evidence
from toolkit.records import read_identity

ROOT: Final = "/proc"
_FOLDER: Final = re.compile(r"`(/docs/[\w-]+)/?`")
"""A folder of documents that the workspace's rules name: its notices override pages."""
_EMPLOYEE: Final = "employee"
ROLE: Final = r'^    "\w+",?$'
"""A line of a record of one of the staff with one of the roles."""
_FILE: Final = re.compile(r"(?<![\w/])/[\w-]+/[\w./-]*\w")
_NO_UPLOADS: Final = ("/proc/", "/docs/", "/bin/", "/tmp/", "/exports/")
_EXAMPLES: Final = {
    Kind.PRODUCT: "[A-Z][A-Z]*-*.json",
    Kind.STORE: "store[-_]*.json",
    Kind.BASKET: "basket[-_]*.json",
    Kind.PAYMENT: "pay*[-_]*.json",
    Kind.RETURN: "r*[-_]*.json",
    Kind.EMPLOYEE: "emp*[-_]*.json",
}
"""The names of files that hold records of a kind, as a glob."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record: where it lies, and what it holds."""

    path: str
    data: Data
    """Under the names that the rules use."""
    shown: Data = field(default_factory=dict)
    """As its file shows it."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What its fields are called in its file, by the names that the rules use."""


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

    def __init__(self, reader: Reader, evidence: Evidence, rules: str = "") -> None:
        self._reader = reader
        self._evidence = evidence
        self._rules = rules
        self._lines: dict[tuple[Kind | None, str], list[tuple[str, str]]] = {}

    @cached_property
    def asker(self) -> Asker:
        """Who is signed in."""
        found = read_identity(self._reader.run("/bin/id"))
        if not (found.user and found.roles):
            msg = "the identity tool prints another form"
            raise DoesNotApply(msg)
        return Asker(found.user, found.roles)

    @cached_property
    def now(self) -> str:
        """The workspace's clock, as it prints an instant in UTC."""
        text = self._reader.run("/bin/date").strip()
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text):
            msg = "the clock prints another form"
            raise DoesNotApply(msg)
        return text

    def policy(self, tool: str) -> Policy:
        """Return the one document that tells how to call a tool which changes records.

        Raises `DoesNotApply` as well if a notice of the folder that the workspace's rules name speaks of it.
        """
        paths = sorted({path for path, _ in self._reader.search(f"`{re.escape(tool)} [^`]*<", "/docs")})
        if len(paths) != 1:
            msg = f"{len(paths)} documents tell how to call {tool}"
            raise DoesNotApply(msg)
        for folder in dict.fromkeys(_FOLDER.findall(self._rules)):
            if self._reader.search(re.escape(paths[0]), folder):
                msg = f"a notice in {folder} overrides {paths[0]}"
                raise DoesNotApply(msg)
        return Policy(paths[0], self._reader.read(paths[0]))

    def document(self, path: str) -> str:
        """Return a document with single spaces."""
        return re.sub(r"\s+", " ", self._reader.read(path))

    def states(self, record: Record) -> frozenset[str]:
        """Return the states that the records of a record's kind are in."""
        kind, field = kind_of(record.path), record.names.get("status", "status")
        held = {re.sub(r'^[^:]*: "|",?$', "", line) for _, line in self.lines(kind, f'^  "{re.escape(field)}": "')}
        return frozenset(held)

    @cached_property
    def roles(self) -> frozenset[str]:
        """The roles that staff have, beside that of every employee."""
        return frozenset(line.strip(' ",') for _, line in self.lines(Kind.EMPLOYEE, ROLE)) - {_EMPLOYEE}

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
        """Return document and both cells of every row of the documents' tables of two columns, heads left out."""
        found: list[tuple[str, str, str]] = []
        for path, line in self._reader.search(r"^\|[^|]+\|[^|]+\|\s*$", "/docs"):
            _, first, second, _ = line.split("|")
            if first.strip(" -:"):
                found.append((path, first.strip(), second.strip()))
            else:
                found = found[:-1]
        return found

    def bearing(self, names: Sequence[str]) -> frozenset[str]:
        """Return those of some names that a line or the path of any file holds as a word, with a capital or without."""
        spelled = "|".join(rf"[{each[0].upper()}{each[0].lower()}]{re.escape(each[1:])}" for each in names)
        lines = self._reader.search(rf"\b(?:{spelled})\b", "/")
        held = {word for path, line in lines for word in re.findall(r"\w+", line.casefold())}
        listed = {word for path in self._reader.find("*", "/") for word in re.findall(r"[^\W_]+", path.casefold())}
        return frozenset(each for each in names if each.casefold() in held | listed)

    def files_below(self, root: str) -> tuple[str, ...]:
        """Return the paths of the files below a directory."""
        return self._reader.find("*", root)

    def receipt(self, instruction: str) -> str:
        """Return the uploaded file that an instruction names, or the only one there is."""
        named = [each for each in _FILE.findall(instruction) if not each.startswith(_NO_UPLOADS)]
        found = named or [
            path for path in self._reader.find("*.txt", "/") if "receipt" in path and not path.startswith(_NO_UPLOADS)
        ]
        if len(found) != 1:
            msg = "the receipt is not certain"
            raise DoesNotApply(msg)
        return str(found[0])

    def at(self, path: str) -> Record:
        """Return the record at a path, as it is now."""
        return self._record(path, parsed(self._reader.read(path)))

    def _record(self, path: str, data: dict[str, Any]) -> Record:
        found = _record_of(path, data)
        if "payment_id" in found.names:
            payment = self.record(data[found.names["payment_id"]])
            return _record_of(path, data, payment.names.get("status", ""))
        return found

    def all_at(self, paths: Sequence[str]) -> list[Record]:
        """Return the records at these paths, as they are now."""
        texts = self._reader.read_all(paths)
        return [self._record(path, parsed(text)) for path, text in zip(paths, texts, strict=True)]

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
        first = self._record(record.path, parsed(whole[0].text)).data if whole and whole[0].is_proof else record.data
        if first == record.data:
            return Found(record.path, undone(record.data), is_assumed=True)
        return Found(record.path, first)

    def roots(self, kind: Kind | None) -> list[str]:
        """Return the directories that hold the records of a kind, told by the ids of what lies there."""
        roots = self._reader.list(ROOT)
        found = [path for path in roots if kind and kind_of(f"{path}/x.json") is kind]
        if kind and not found:
            paths = self._reader.find(_EXAMPLES.get(kind, "*"), ROOT)
            holding: set[str] = set()
            for path in paths:
                root = "/".join(path.split("/")[:3])
                if root not in holding and kind_of(path) is kind:
                    holding.add(root)
            found = [root for root in roots if root in holding]
        if not found:
            msg = f"no directory of {kind}s is known"
            raise DoesNotApply(msg)
        return found

    def example(self, kind: Kind) -> Record:
        """Return the first record of a kind."""
        paths = [each for root in self.roots(kind) for each in self._reader.find("*.json", root)]
        if not paths:
            msg = f"there is no {kind}"
            raise DoesNotApply(msg)
        return self.at(paths[0])

    def lines(self, kind: Kind | None, pattern: str) -> list[tuple[str, str]]:
        """Return path and text of each line of the records of a kind that a pattern matches."""
        if (kind, pattern) not in self._lines:
            found = [each for root in self.roots(kind) for each in self._reader.search(pattern, root)]
            self._lines[kind, pattern] = found
        return self._lines[kind, pattern]

    def paths_naming(self, kind: Kind, values: Iterable[str]) -> dict[str, list[str]]:
        """Return, for each id or SKU, the paths of the records of a kind one of whose fields holds it."""
        wanted = list(values)
        choice = "|".join(re.escape(each) for each in wanted)
        found: dict[str, list[str]] = {each: [] for each in wanted}
        for path, text in self.lines(kind, f'"\\w+": "(?:{choice})"'):
            value = re.search(rf'": "({choice})"', text)
            if value and path not in found[value[1]]:
                found[value[1]].append(path)
        return found

    def product_paths(self, skus: Iterable[str]) -> dict[str, str]:
        """Return the path of each SKU's record."""
        found = self.paths_naming(Kind.PRODUCT, dict.fromkeys(skus))
        if any(len(paths) != 1 for paths in found.values()):
            msg = "a SKU has no record, or several"
            raise DoesNotApply(msg)
        return {sku: paths[0] for sku, paths in found.items()}

    @cached_property
    def products(self) -> list[Record]:
        """All products, put together from two searches: one for the fields, one for the properties."""
        fields = self.lines(Kind.PRODUCT, r'^  "[^"]+": (?:[^{\[]|\{)')
        return list(_products_of(tuple(fields), tuple(self.lines(Kind.PRODUCT, r'^    "'))))

    @cached_property
    def stores(self) -> list[Record]:
        """Every branch with the fields that stand on a line of their own, its stock left out."""
        fields = _objects(_grouped(self.lines(Kind.STORE, r'^  "\w+": ["tfn\d]')))
        return [self._record(path, data) for path, data in fields.items()]

    def owns(self, data: Data) -> bool:
        """Say whether a record belongs to the signed-in customer."""
        return bool(data["customer_id"] == self.asker.id)


def _record_of(path: str, data: dict[str, Any], status: str = "") -> Record:
    kind = kind_of(path)
    names = fields_by_name(kind, data, status)
    return Record(path, renamed(kind, data, names), data, names)


@lru_cache(maxsize=2)
def _products_of(fields: tuple[tuple[str, str], ...], inner: tuple[tuple[str, str], ...]) -> tuple[Record, ...]:
    """Return the products of lines with their fields and properties. Every turn and submission of a trial asks for the
    same ones, and putting them together takes longer than the rest of a turn."""
    lines: dict[str, list[str]] = {}
    names: dict[str, set[str]] = {}
    for path, line in fields:
        if line.rstrip().endswith("{"):
            names.setdefault(path, set()).add(line.split('"')[1])
        else:
            lines.setdefault(path, []).append(line)
    data, properties = _objects(lines), _objects(_grouped(inner))
    if any(len(found) != 1 for found in names.values()):
        msg = "a product record has another form"
        raise DoesNotApply(msg)
    return tuple(
        _record_of(path, {**held, **{name: properties.get(path, {}) for name in names.get(path, ())}})
        for path, held in data.items()
    )


def _grouped(lines: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path, line in lines:
        found.setdefault(path, []).append(line)
    return found


def _objects(lines: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Any]]:
    """Return the objects that lines of JSON files make up, by path: each line is a field. Raises `ValueError` for a
    line that goes on."""
    texts = ("{" + ",".join(line.strip().rstrip(",") for line in held) + "}" for held in lines.values())
    return dict(zip(lines, map(json.loads, texts), strict=True))
