"""The player's knowledge of a trial. Asking for something unknown raises `LookupNeeded`, which becomes a script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from benchmarks.ecom.player.conversation import Conversation, lookup_key

Lookup: TypeAlias = Mapping[str, object]
"""One lookup, in the form that `scripts/look_ups.py.txt` takes."""
Cited: TypeAlias = dict[str, str]
"""Paths with the reasons for citing them."""

WORD: Final = re.compile(r"`([a-z0-9][\w-]*)`")
OK: Final = "OUTCOME_OK"
DENIED: Final = "OUTCOME_DENIED_SECURITY"
CLARIFICATION: Final = "OUTCOME_NONE_CLARIFICATION"
UNSUPPORTED: Final = "OUTCOME_NONE_UNSUPPORTED"


def finding(name: str, **arguments: object) -> Lookup:
    """Return the lookup of a toolkit function's finding."""
    return {"compute": name, "of": arguments}


class LookupNeeded(Exception):
    """Some lookups must be made first."""

    def __init__(self, lookups: Sequence[Lookup]) -> None:
        super().__init__(*lookups)
        self.lookups = tuple(lookups)


class NotStated(Exception):
    """The workspace does not state a fact that a rule needs."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change to make: `execute` a tool, or `write` or `delete` a file."""

    action: str
    path: str
    args: tuple[str, ...] = ()
    content: str = ""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The decision with which a trial ends."""

    message: str
    outcome: str
    citations: Mapping[str, str]
    changes: tuple[Change, ...] = ()
    tokens: tuple[str, ...] = ()
    """Strings that the message must hold."""


@dataclass(frozen=True, slots=True)
class Record:
    """A JSON record with the path that listings show."""

    path: str
    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The file's name without its extension."""
        return self.path.rsplit("/", 1)[1].removesuffix(".json")

    def text(self, field: str) -> str:
        """Return a field as text, booleans as in JSON; empty if the field is absent."""
        value = self.data.get(field, "")
        return str(value).lower() if isinstance(value, bool) else str(value)


class Knowledge:
    """The instruction, the documents and the results of all lookups so far."""

    def __init__(self, conversation: Conversation) -> None:
        self.instruction = conversation.instruction
        self._documents = conversation.documents
        self._unread = conversation.unread
        self._findings = conversation.findings

    def look_up(self, *lookups: Lookup) -> list[Any]:
        """Return the result of each lookup. Raises `LookupNeeded` with all that were not made yet."""
        missing = [lookup for lookup in lookups if lookup_key(lookup) not in self._findings]
        if missing:
            raise LookupNeeded(missing)
        return [self._findings[lookup_key(lookup)] for lookup in lookups]

    def computed(self, name: str, **arguments: object) -> tuple[Any, Cited]:
        """Return the value that a function of the toolkit finds, None if it is not certain, and the files to cite."""
        (found,) = self.look_up(finding(name, **arguments))
        return (found["value"], found["refs"]) if isinstance(found, dict) else (None, {})

    def needed(self, name: str, **arguments: object) -> tuple[Any, Cited]:
        """Return the finding of a function. Raises `NotStated` if it is not certain."""
        value, refs = self.computed(name, **arguments)
        if value is None:
            msg = f"{name.replace('_', ' ')} cannot be told of {', '.join(map(str, arguments.values())) or 'this shop'}"
            raise NotStated(msg)
        return value, refs

    @property
    def user(self) -> str:
        """The signed-in user."""
        return str(self.needed("who_asks")[0]["user"])

    @property
    def asker(self) -> str:
        """The kind of the signed-in user: customer, staff or guest."""
        return str(self.needed("who_asks")[0]["is"])

    def has_role_of(self, policy: str) -> bool:
        """Say whether the asker has a role that a policy marks. Raises `NotStated`."""
        return bool({*self.needed("who_asks")[0]["roles"]} & {*self.words_in(policy)} - {"employee", "customer"})

    def layout(self, part: str) -> Any:
        """Return a part of the finding of `workspace_layout`. Raises `NotStated` if it is empty."""
        found = self.needed("workspace_layout")[0][part]
        if not found:
            msg = f"no document tells the {part.replace('_', ' ')} of this shop"
            raise NotStated(msg)
        return found

    def root(self, kind: str) -> str:
        """Return the folder of a kind of record. Raises `NotStated`."""
        roots = self.layout("roots")
        if kind not in roots:
            msg = f"no folder of {kind} records is to be seen"
            raise NotStated(msg)
        return str(roots[kind])

    def document_paths(self) -> tuple[str, ...]:
        """Return the paths of all documents that turn one shows or names."""
        return (*self._documents, *self._unread)

    def _path_of(self, name: str) -> str:
        """Return the path of the policy on a subject, or of the document of that name; empty if neither exists."""
        for path in self.document_paths():
            if path.rsplit("/", 1)[1].partition(".")[0].casefold() == name.casefold():
                return path
        found = self.computed("workspace_layout")[0]
        return str(found["policies"].get(name, "")) if found else ""

    def document_text(self, name: str) -> str:
        """Return the text of the document on a subject. Raises `NotStated`, or `LookupNeeded` if it is unread."""
        path = self._path_of(name)
        if not path:
            msg = f"there is no document about {name}"
            raise NotStated(msg)
        return self.text(path) or ""

    def words_in(self, name: str) -> list[str]:
        """Return the words in back quotes of a document, repetitions included. Raises `NotStated`."""
        return WORD.findall(self.document_text(name))

    def read_all_documents(self) -> dict[str, str]:
        """Return the text of every document that turn one shows or names."""
        paths = self.document_paths()
        self.look_up(*({"read": path} for path in paths if path not in self._documents))
        return {path: self.text(path) or "" for path in paths}

    def cite(self, *names: str) -> Cited:
        """Return the paths of documents, each with its heading and first rule; unknown ones are left out."""
        paths = [path for name in names if (path := self._path_of(name))]
        self.look_up(*({"read": path} for path in paths if path not in self._documents))
        return {path: _first_rule(self.text(path) or path) for path in paths}

    def was_read(self, path: str) -> bool:
        """Say whether turn one shows a file in full, or a lookup has read it."""
        if path in self._documents or self._findings.get(lookup_key({"read": path})) is not None:
            return True
        return any(isinstance(found, dict) and path in found for found in self._findings.values())

    def records(self, kind: str, names: Iterable[str]) -> list[Record]:
        """Return the records with these ids or SKUs; unknown ones are left out."""
        wanted = dict.fromkeys(names)
        found = self.look_up(*({"find": f"{name}.json", "under": self.root(kind)} for name in wanted))
        return [record for listed in found for record in _records(listed)]

    def records_matching(self, kind: str, pattern: str) -> list[Record]:
        """Return the records that have a line which matches a regular expression."""
        return _records(self.look_up({"holding": pattern, "under": self.root(kind)})[0])

    def files(self, directory: str) -> list[str]:
        """Return the paths of all files below a directory."""
        return list(self.look_up({"files": directory})[0] or ())

    def text(self, path: str) -> str | None:
        """Return the text of a file, or None if it does not exist."""
        if path in self._documents:
            return self._documents[path]
        (found,) = self.look_up({"read": path})
        return None if found is None else str(found)


def deny(known: Knowledge, why: str, cited: Mapping[str, str] | None = None) -> Conclusion:
    """Return a refusal under the security rules, which cites only these rules and `cited`."""
    return Conclusion(why, DENIED, {**known.cite("security"), **(cited or {})})


def cite_records(*records: Record) -> Cited:
    """Return the paths of records, each with a reason that names something in its file."""
    return {record.path: f"record of {record.id} {record.text('name')}".strip() for record in records}


def _first_rule(text: str) -> str:
    """Return the heading of a document with its first sentence."""
    lines = [line.strip("#-* ") for line in text.splitlines() if line.strip() and not line.startswith("##")]
    return f"{lines[0]}: {' '.join(lines[1:3])}"[:200] if lines else "an empty document"


def _records(found: object) -> list[Record]:
    return [Record(path, data) for path, data in found.items()] if isinstance(found, dict) else []
