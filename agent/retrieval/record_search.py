"""Finds the records that fit a request, which are files about one case, and scores them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from controlplane.agent.initial_calls.file_reader import FileReader
from controlplane.agent.retrieval.document_search import Asker, RequestFacts
from controlplane.agent.retrieval.file_names import FileNames, paths_in
from controlplane.agent.retrieval.ranking_reasons import (
    Candidate,
    Reason,
    ids_in,
    request_words,
)
from controlplane.sandbox.interface import NamedFiles, RecordOwners, ToolSchema
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# The records that were found for a request, and by what.
#
# A record is a file about one case, such as `/records/loans/l-12.json`. For "Close l-12", which
# also finds words of the request in `/records/loans/l-4.json`:
#
#     FoundRecords(
#         named=["/records/loans/l-12.json"],            # the request names it
#         of_asker=[],
#         linked=["/records/books/b7.json"],             # `l-12` names it: {"book": "b7"}
#         word_scores={"/records/loans/l-4.json": 1.0},  # it has words of the request
#     )


@dataclass(frozen=True, slots=True)
class FoundRecords:
    """The paths of the records that were found, by how they were found."""

    named: Sequence[str]
    """Those that the request names."""
    of_asker: Sequence[str]
    """Those of the user who asks."""
    linked: Sequence[str]
    """Those that the named records name."""
    word_scores: Mapping[str, float]
    """Those with words of the request, the best first, from 0 to 1."""

    @property
    def paths(self) -> list[str]:
        """All found records, each once, in this order."""
        return list(
            dict.fromkeys(
                (*self.named, *self.of_asker, *self.linked, *self.word_scores)
            )
        )


# Tells the kinds of records apart, by their folders.
#
# A record is a file about one case. If the environment declares that `/data` and `/letters` have
# records:
#
# | record | its kind |
# |---|---|
# | `/data/places/Delft/s-1.json` | `/data/places`, the folder below the declared one |
# | `/letters/l-1.txt` | `/letters`, as there is no folder between |


@dataclass(frozen=True, slots=True)
class RecordKinds:
    """The kinds of the records below some folders."""

    roots: tuple[str, ...]
    """The declared folders with records: `/data`, `/letters`."""

    def kind_of(self, record: str) -> str:
        """Return the folder with all records of the same kind; empty for other files."""
        for root in self.roots:
            folder = _root_with_slash(root)
            if record.startswith(folder):
                subfolder, slash, _ = record.removeprefix(folder).partition("/")
                return folder + subfolder if slash else root.rstrip("/")
        return ""

    def fullest_first(self, records: Iterable[str], max_kinds: int) -> list[str]:
        """Return at most `max_kinds` kinds of these records, those with the most records first."""
        counts = Counter(self.kind_of(record) for record in records)
        return [kind for kind, _ in counts.most_common(max_kinds)]

    def first_of_each(self, records: Iterable[str]) -> list[str]:
        """Return the first record of each kind, in the order of these records.

        l-4 and l-7, which are loans, and the book b7   -> l-4, b7
        """
        first: dict[str, str] = {}
        for record in records:
            first.setdefault(self.kind_of(record), record)
        return list(first.values())


def _root_with_slash(root: str) -> str:
    """Return a folder with a slash at its end: `/data` -> `/data/`."""
    return root.rstrip("/") + "/"


def declared_records(schema: ToolSchema) -> NamedFiles:
    """Return the environment's declaration of where its records are, and how they are read."""
    if schema.named_files is None:
        return NamedFiles(roots=(), most=0)
    return schema.named_files


# Tells which files are records, and which files a request or a record names.
#
# A record is a file about one case. Those that a request names are shown to the model before it is
# asked. The environment declares in which folders records are, such as `/records`. If the files are
# `/records/loans/l-12.json` and `/logs/a.txt`:
#
#     known.paths                                       -> ["/records/loans/l-12.json"]
#     known.kinds.kind_of("/records/loans/l-12.json")   -> "/records/loans"
#     known.names.files_named_in("Close l-12")          -> ["/records/loans/l-12.json"]
#     known.names.files_named_in("Send /logs/a.txt")    -> ["/logs/a.txt"], which is no record


@dataclass(frozen=True, slots=True)
class KnownRecords:
    """The records among the listed files, and what the environment declares about records."""

    declared: NamedFiles
    """In which folders records are, by which operations they are read and searched, and how many
    are read at once."""
    owners: RecordOwners | None
    """In which field a record names the user who owns it; None if everybody may see all records."""
    paths: list[str]
    """The paths of the records."""
    names: FileNames
    """Finds the files that a text names: a record by its id or path, any other file by its path."""
    kinds: RecordKinds
    """Tells of which kind each record is."""

    @classmethod
    def among(cls, files: Sequence[str], tool_schema: ToolSchema) -> KnownRecords:
        """Return the records among these files."""
        declared = declared_records(tool_schema)
        folders = tuple(_root_with_slash(root) for root in declared.roots)
        return cls(
            declared=declared,
            owners=tool_schema.record_owners,
            paths=[path for path in files if path.startswith(folders)],
            names=FileNames(files, folders),
            kinds=RecordKinds(declared.roots),
        )


# Reads to whom a record belongs, from its text. A record is a file about one case.
#
# An environment may declare the fields that name the owner:
# `RecordOwners(fields=("owner", "member"), ...)`. The record `{"id": "b7", "member": "u-4"}` then
# belongs to `u-4`.


def owner_of(owners: RecordOwners, record: str) -> str | None:
    """Return the id of the owner that a JSON record names; None if it names none."""
    try:
        fields = read_json(record)
    except Unreadable:
        # The record may be cut, but its owner is on a line of its own.
        fields = _fields_by_line(record)
    if not isinstance(fields, dict):
        return None
    for name in owners.fields:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def _fields_by_line(record: str) -> dict[str, str]:
    """Return the text fields of a pretty-printed JSON object, from its lines `"NAME": "VALUE"`."""
    fields: dict[str, str] = {}
    for line in record.splitlines():
        name, colon, value = line.strip().rstrip(",").partition('": "')
        if colon:
            fields.setdefault(name.strip('"'), value.strip('"'))
    return fields


# Finds the records that the first message must not show to the user who asks.
#
# An environment may declare which fields of a record name its owner, and which roles see only
# their own records: `RecordOwners(fields=("owner", "member"), own_only=("reader",), ...)`
#
# | who asks | is shown the record `{"title": "Dune", "member": "u-4"}` |
# |---|---|
# | `u-4` | yes: it is the user's own |
# | `u-17` with the role `reader`, or without a role | no: it is withheld |
# | `u-17` with the roles `reader` and `clerk` | yes: a clerk sees all records |


def _withheld_records(
    owners: RecordOwners, asker: Asker, records: Mapping[str, str]
) -> list[str]:
    """Return the paths of the records that must not be shown. `records` has texts by path.

    They belong to another user than the one who asks. A record without an owner may be shown to
    everybody.
    """
    # One role beside those in `own_only`, such as `clerk`, is enough to see all records.
    wider_roles = asker.roles - set(owners.own_only)
    if wider_roles:
        return []
    own_id = _folded_id(asker.user)
    withheld: list[str] = []
    for path, record in records.items():
        owner = owner_of(owners, record)
        if owner is not None and _folded_id(owner) != own_id:
            withheld.append(path)
    return withheld


def _folded_id(text: str) -> str:
    """Return an id in lower case and without separators: `U-4` -> `u4`."""
    return text.casefold().replace("-", "").replace("_", "").replace(" ", "")


# Scores the records that were found for a request, and marks those that must not be shown.
#
# A record is a file about one case, such as `/records/loans/l-12.json`. For "Close l-12":
#
# | record | reason and its points | score |
# |---|---|---|
# | `/records/loans/l-12.json` | `NAMED` 8: the request names it | 8 |
# | `/records/books/b7.json` | `LINKED` 1.5: `l-12` names it, as in `{"book": "b7"}` | 1.5 |
# | `/records/loans/l-4.json` | `WORDS` 0, and its word score 1: it has words of the request | 1 |


@dataclass(slots=True, kw_only=True)
class RecordCandidate(Candidate):
    """A record that may be shown."""

    kind: str
    """The folder with all records of the same kind, such as `/records/loans`."""


def rank_records(
    found: FoundRecords, known: KnownRecords, file_reader: FileReader, asker: Asker
) -> list[RecordCandidate]:
    """Wait for the calls that read records, and return the found ones with their scores.

    Those that belong to somebody else than `asker`, the user who asks, may be withheld.
    """
    candidates: dict[str, RecordCandidate] = {}
    for path in found.paths:
        candidates[path] = RecordCandidate(
            path=path,
            read_operation=file_reader.operation,
            kind=known.kinds.kind_of(path),
        )
    _add_reasons(candidates, found)
    if known.owners is not None:
        texts = file_reader.texts(candidates)  # waits
        for path in _withheld_records(known.owners, asker, texts):
            candidates[path].refuse(Reason.WITHHELD)
    return list(candidates.values())


def _add_reasons(
    candidates: Mapping[str, RecordCandidate], found: FoundRecords
) -> None:
    """Add the reasons for which the records were found, with their points."""
    for path in found.named:
        candidates[path].add(Reason.NAMED)
    for path in found.of_asker:
        candidates[path].add(Reason.ASKER)
    for path in found.linked:
        candidates[path].add(Reason.LINKED)
    for path, score in found.word_scores.items():
        candidates[path].count_words(score)
        candidates[path].add(Reason.WORDS)


# The files that a request names, and the words by which others are searched.
#
# `Close loan-12 for the late returns` names the record with the id `loan-12`. Other files are
# searched by the words `close`, `late` and `returns`.


@dataclass(frozen=True, slots=True)
class RequestTerms:
    """The files that a request names, and the words by which others are searched."""

    # From the first line of the request. The other lines may quote somebody else.
    words: list[str]
    """The words."""
    named_documents: list[str]
    """The listed documents that it names, by their paths."""

    # From all lines of the request
    named_records: list[str]
    """The records that it names, by their paths or ids."""
    ids: list[str]
    """The ids, such as `loan-12`. If no record is named, also the ids that tools have printed,
    because they may say which record is meant."""

    # From what tools have printed, such as `member: m-17` by `/bin/whoami`
    asker_records: list[str]
    """The records of the user who asks: `/records/members/m-17.json`."""

    @classmethod
    def of(
        cls, facts: RequestFacts, documents: Collection[str], names: FileNames
    ) -> RequestTerms:
        """Return the terms of a request.

        `facts` has its text, and the outputs of the tools that were run before. `names` finds
        the records that a text names.
        """
        request = facts.instruction
        first_line = request.strip().partition("\n")[0]
        paths = paths_in(first_line)
        named_records = names.files_named_in(request)
        outputs = "\n".join(facts.outputs)
        text_with_ids = request if named_records else f"{request}\n{outputs}"
        return cls(
            words=request_words(first_line),
            named_documents=[path for path in documents if path in paths],
            named_records=named_records,
            ids=ids_in(text_with_ids),
            asker_records=names.files_named_in(outputs),
        )
