"""A shop's workspace as functions see it: records, policies, tools and branches, and the names of their fields.

All of this is learned from the rules document, the listing and a sample of each kind, by the forms of values: no
folder, field or state is known by its name. Uncertain facts raise `CannotRead`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property, lru_cache, wraps
from itertools import islice
from posixpath import normpath, splitext
from typing import Concatenate, Final, ParamSpec

from controlplane.benchmarks.shop.documents import (
    marked_words,
    most_marked,
    named_paths,
    yes_no_pair,
)
from controlplane.benchmarks.shop.field_shapes import (
    Data,
    Shape,
    every_row,
    keys_of,
    rows_of,
    shape_of,
)
from controlplane.benchmarks.shop.kinds import Kind
from controlplane.benchmarks.shop.records import (
    Identity,
    Record,
    RecordGroup,
    RecordKeys,
    WorkspaceReader,
    WorkspaceRecords,
    folded_id,
    id_of,
    is_same_id,
    read_identity,
)
from controlplane.benchmarks.shop.text import (
    Found,
    called_by_own_words,
    names_match,
    normal_words,
    sure,
)
from controlplane.benchmarks.shop.word_search import text_field_pattern
from controlplane.gates.evidence import record_id
from controlplane.gates.submission import DENIED
from controlplane.sandbox.functions import CannotRead, Harness

Given = ParamSpec("Given")
_MONEY: Final = re.compile(r"price|amount|cents?$|_ct$|cost|sum", re.IGNORECASE)
_MOST: Final = re.compile(r"max|limit|allowed|most", re.IGNORECASE)
_DAYS: Final = re.compile(r"(?:^|_)days?(?:_|$)")
_NEARLY_ALL: Final = 4
"""Rows that must support a reading, for each row that contradicts it."""


def kind_of_record(data: Data, code: str) -> Kind | None:
    """Return the kind of a record by its content, None if unknown; `code` is its file's name."""
    shapes = Counter(map(shape_of, data.values()))
    if shapes[Shape.MAIL]:
        return Kind.EMPLOYEE if shapes[Shape.WORDS] else None
    has_time = bool(shapes[Shape.INSTANT])
    if shapes[Shape.CURRENCY] and has_time:
        return Kind.PAYMENT
    if code in data.values() and shapes[Shape.MAPPING] and not has_time:
        return Kind.PRODUCT
    # Rows of a record that tell its kind.
    rows = (
        [row for _, row in islice(every_row([data]), 8)]
        if shapes[Shape.ROWS] and not has_time
        else []
    )
    if rows and min(len(keys_of(row, Shape.NUMBER)) for row in rows) > 1:
        return Kind.BRANCH
    if shapes[Shape.ROWS] and has_time:
        return Kind.BASKET
    if has_time and shapes[Shape.ID] > 2:
        return Kind.RETURN
    return (
        Kind.BRANCH
        if shapes[Shape.FLAG] and not (shapes[Shape.ID] or shapes[Shape.MAPPING])
        else None
    )


@dataclass(frozen=True, slots=True)
class ProductFields:
    """The names of products' fields; empty if not certain."""

    code: str
    name: str
    brand: str
    price: str
    """In cents."""
    properties: str


def product_fields(
    samples: Sequence[Data], codes: Collection[str], marked: Collection[str]
) -> ProductFields:
    """Return the fields of products. `codes` are their files' names, `marked` the words that the documents mark."""
    data = samples[0]
    code = next(
        (key for key, value in data.items() if isinstance(value, str) and value in codes), ""
    )
    texts = {key: value for key, value in data.items() if isinstance(value, str) and key != code}
    name = max(
        (key for key in texts if " " in texts[key]), key=lambda key: len(texts[key]), default=""
    )
    start = normal_words(texts.get(name, ""))
    brands = [
        key
        for key in texts
        if key != name and f"{start} ".startswith(f"{normal_words(texts[key])} ")
    ]
    numbers = keys_of(data, Shape.NUMBER)
    marks = [key for key in numbers if key in marked]
    prices = marks if len(marks) == 1 else [key for key in marks or numbers if _MONEY.search(key)]
    brand = next(iter(brands), next((key for key in texts if key in marked and key != name), ""))
    return ProductFields(
        code, name, brand, prices[0] if len(prices) == 1 else "", _first(data, Shape.MAPPING)
    )


@dataclass(frozen=True, slots=True)
class StockFields:
    """The names of the fields of a branch's stock; empty if not certain."""

    rows: str
    code: str
    on_hand: str
    reserved: str
    incoming: str = ""
    quantity: str = ""
    days: str = ""
    """Days until a delivery arrives."""


def stock_fields(data: Data, marked: Collection[str]) -> StockFields | None:
    """Return the fields of a branch's stock; None if the meaning of the counts is not certain.

    `marked` are the words that the policy on stock marks, such as the days until a delivery arrives.
    """
    rows_key = _first(data, Shape.ROWS)
    rows = rows_of(data, rows_key)
    counts = _count_fields(rows) if rows else None
    if counts is None:
        return None
    code = next((key for key, value in rows[0].items() if isinstance(value, str)), "")
    listed = (row for row in rows if any(isinstance(value, list) for value in row.values()))
    incoming, delivery = next(every_row(listed), ("", {}))
    if not delivery:
        return StockFields(rows_key, code, *counts)
    numbers = keys_of(delivery, Shape.NUMBER)
    days = [field for field in numbers if field in marked] or [
        field for field in numbers if _DAYS.search(field)
    ]
    units = [field for field in numbers if field not in days]
    delivery_fields = (incoming, units[0], days[0]) if len(units) == len(days) == 1 else ()
    return StockFields(rows_key, code, *counts, *delivery_fields)


def _count_fields(rows: Sequence[Data]) -> tuple[str, str] | None:
    """Return the counts on hand and reserved, in this order: in nearly all rows the first is the larger.

    None if rows do not have two counts, or both readings are possible.
    """
    counts = sorted(
        {field for row in rows for field, value in row.items() if type(value) in (int, float)}
    )
    if len(counts) != 2 or any(
        type(row.get(count)) not in (int, float) for row in rows for count in counts
    ):
        return None
    first, second = counts
    more = sum(row[first] > row[second] for row in rows)
    less = sum(row[first] < row[second] for row in rows)
    if more > _NEARLY_ALL * less:
        return first, second
    return (second, first) if less > _NEARLY_ALL * more else None


def line_fields(samples: Sequence[Data]) -> tuple[str, str, str] | None:
    """Return the field of baskets' lines, and their fields of a code and a quantity: a text and a number."""
    for rows, row in every_row(samples):
        texts = [key for key, value in row.items() if isinstance(value, str)]
        numbers = keys_of(row, Shape.NUMBER)
        if len(texts) == len(numbers) == 1:
            return rows, texts[0], numbers[0]
    return None


def check_fields(payments: Sequence[Data]) -> tuple[str, dict[str, str]] | None:
    """Return the field of the bank check, if a payment holds one: a mapping with an instant and two counts.

    Beside it, the check's own fields by `state`, `attempts`, `max_attempts` and `retry_at`.
    """
    for data in payments:
        for key in keys_of(data, Shape.MAPPING):
            check = data[key]
            counts, instants = keys_of(check, Shape.NUMBER), keys_of(check, Shape.INSTANT)
            states = [
                field for field in check if isinstance(check[field], str) and field not in instants
            ]
            if len(counts) == 2 and len(instants) == 1 and states:
                checks = [other[key] for other in payments if isinstance(other.get(key), dict)]
                totals = {
                    field: sum(int(check_data.get(field, 0)) for check_data in checks)
                    for field in counts
                }
                ranked = sorted(
                    counts,
                    key=lambda field: (totals[field], bool(_MOST.search(field))),
                    reverse=True,
                )
                most, made = ranked
                return key, {
                    "state": states[0],
                    "attempts": made,
                    "max_attempts": most,
                    "retry_at": instants[0],
                }
    return None


def _first(data: Data, shape: Shape) -> str:
    return next(iter(keys_of(data, shape)), "")


IDENTITY: Final = "identity"
CLOCK: Final = "clock"
SUBJECTS: Final = ("checkout", "discounts", "returns", "verification", "stock")
"""Subjects whose policy describes the use of a tool."""
_WORDS: Final = {
    IDENTITY: "id whoami who identity signed user roles",
    CLOCK: "date clock time now",
    "checkout": "checkout check checks buy buys purchase",
    "discounts": "discount discounts",
    "returns": "refund refunds return returns",
    "verification": "verification verifications verify payments",
    "stock": "availability available stock sell",
}
"""Words for the use of tools, in their names or summaries."""


def tools_by_use(tools: Mapping[str, str]) -> dict[str, str]:
    """Return by use the tool whose name and summary mention the use most. `tools` are summaries by path.

    A use that two tools mention equally often has no tool.
    """
    tool_words = {
        path: {*normal_words(f"{path.rsplit('/', 1)[-1]} {summary}").split()}
        for path, summary in tools.items()
    }
    by_use = {}
    for use, words in _WORDS.items():
        wanted = set(words.split())
        fitting = {path: len(said & wanted) for path, said in tool_words.items()}
        most = max(fitting.values(), default=0)
        best = [path for path, count in fitting.items() if count and count == most]
        if len(best) == 1:
            by_use[use] = best[0]
    return by_use


def possible_tools(paths: Iterable[str]) -> dict[str, str]:
    """Return the paths that can be tools if none is declared: those without files below and without an extension."""
    every = list(paths)
    folders = {folder for path in every for folder in _folders(path)}
    return {
        path: "" for path in every if path not in folders and "." not in path.rpartition("/")[2]
    }


_TOP_DOCUMENT: Final = re.compile(r"/docs/[^/]+\.md", re.IGNORECASE)
LEAST_NAMED, MOST_TOP_DOCUMENTS = 3, 40
"""Rules that name fewer documents do not name the policies; at most so many documents are read in their place."""
_RULES: Final = re.compile(r"/[^/]+\.md", re.IGNORECASE)


class ShopLayout:
    """Reads every part once, and only on demand."""

    def __init__(self, reader: WorkspaceReader) -> None:
        self.reader = reader

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """Every file."""
        return tuple(self.reader.paths())

    @cached_property
    def rules(self) -> str:
        """The text of the rules document: the top-level document that names most of the workspace's documents."""
        paths = [path for path in self.paths if _RULES.fullmatch(path)]
        sure(paths, "there is no rules document: no document lies at the root of the workspace")
        texts = self.reader.read_all(paths)
        return max(
            texts,
            key=lambda text: len({*named_paths(text)}.intersection(self.paths)) if texts[1:] else 0,
        )

    @cached_property
    def documents(self) -> dict[str, str]:
        """The texts of the documents that the rules name, by path.

        If the rules name hardly any, the documents at the top of `/docs` are read as well.
        """
        spelled = {path.casefold(): path for path in self.paths if path.endswith((".md", ".MD"))}
        named = [
            spelled[path.casefold()]
            for path in named_paths(self.rules)
            if path.casefold() in spelled
        ]
        pages = [*dict.fromkeys(named)]
        texts = dict(zip(pages, self.reader.read_all(pages), strict=True))
        if len(texts) >= LEAST_NAMED:
            return texts
        others = [
            path for path in self.paths if _TOP_DOCUMENT.fullmatch(path) and path not in texts
        ][:MOST_TOP_DOCUMENTS]
        return texts | dict(zip(others, self.reader.read_all(others), strict=True))

    @cached_property
    def policies(self) -> dict[str, str]:
        """The paths of the policies by subject: of a tool's use, and `security`, which marks the identity tool most.

        Of several, it is that which marks the outcome of a denial most."""
        words = self.tools.get(IDENTITY, ""), DENIED
        mentions = {path: [*map(marks.count, words)] for path, marks in self._marks.items()}
        most = [
            path
            for path, counts in mentions.items()
            if counts[0] and counts == max(mentions.values())
        ]
        pages = {"security": most[0]} if len(most) == 1 else {}
        for subject in SUBJECTS:
            tool = self.tools.get(subject, "")
            fitting = [
                path
                for path, text in self.documents.items()
                if tool in text and tool in named_paths(text)
            ]
            if len(fitting) == 1:
                pages[subject] = fitting[0]
        return pages

    def is_amended(self, policy: str) -> bool:
        """Say whether a document that the rules do not name mentions a policy or its tool, and may say otherwise."""
        tools = {
            tool
            for use, path in self.policies.items()
            if path == policy and (tool := self.tools.get(use))
        }
        return self._is_told_apart("|".join(map(re.escape, (policy, *sorted(tools)))))

    @cached_property
    def stock_notes(self) -> tuple[str, ...]:
        """A note that stock may be other than in the records, if a document that the rules do not name tells of it."""
        is_told = self._is_told_apart(
            r"\b[Ii]nventories\b"
        )  # such as a day book that has to be added to the records
        return (
            "a page that the rules do not name tells of inventories: stock is by the records alone",
        ) * is_told

    def _is_told_apart(self, pattern: str) -> bool:
        paths = {path for path, _ in self.reader.search(pattern, "/")}
        return any(
            path.casefold().endswith(".md")
            for path in paths - self.documents.keys()
            if path.count("/") > 1
        )

    @cached_property
    def _marks(self) -> dict[str, tuple[str, ...]]:
        return {path: marked_words(text) for path, text in self.documents.items()}

    @cached_property
    def marked(self) -> frozenset[str]:
        """Every word that the documents set in code marks."""
        return frozenset(word for marks in self._marks.values() for word in marks)

    @cached_property
    def yes_no(self) -> tuple[str, str]:
        """The words for yes and for no."""
        why = "the rules document does not say with which words yes and no are answered"
        return sure(yes_no_pair(self.rules), why)

    @cached_property
    def unnamed(self) -> WorkspaceRecords:
        """The records, before the names of their fields are known."""
        records = WorkspaceRecords(self.reader, _root_of_records(self.paths, self.rules))
        records.all_paths = self.paths
        return records

    @cached_property
    def _kinds(self) -> dict[Kind, tuple[RecordGroup, list[Record]]]:
        groups: dict[Kind, tuple[RecordGroup, list[Record]]] = {}
        for group, samples in self.unnamed.samples():
            kinds = {kind_of_record(sample.data, record_id(sample.path)) for sample in samples} - {
                None
            }
            kind = kinds.pop() if len(kinds) == 1 else None
            if kind is not None and kind in groups:
                other, more = groups[kind]
                group = RecordGroup((*other.paths, *group.paths))
                samples = [*more, *samples]
            if kind is not None:
                groups[kind] = (group, samples)
        return groups

    @cached_property
    def _paths(self) -> frozenset[str]:
        return frozenset(self.paths)

    def spelled(self, path: str) -> str:
        """Return a path as the listing or the declared tools spell it, whatever its case, slashes and dots."""
        plain = normpath(f"/{path.lstrip('/')}")
        if plain in self._paths or plain in self.reader.tools:
            return plain
        folded = plain.casefold()
        return next(
            (known for known in (*self.reader.tools, *self.paths) if known.casefold() == folded),
            plain,
        )

    def known_group(self, kind: Kind) -> RecordGroup | None:
        """Return the records of a kind; None if the workspace shows none."""
        return self._kinds[kind][0] if kind in self._kinds else None

    def group(self, kind: Kind) -> RecordGroup:
        """Return the records of a kind. Raises `CannotRead` if the workspace shows none."""
        why = f"no records of the kind {kind} are to be seen below {self.unnamed.root}"
        return sure(self.known_group(kind), why)

    def samples(self, kind: Kind) -> list[Data]:
        """Return the data of one or two records of a kind. Raises `CannotRead` if the workspace shows none."""
        self.group(kind)
        return [sample.data for sample in self._kinds[kind][1]]

    def kind_of(self, path: str) -> Kind | None:
        """Return the kind of the record at a path; None for everything else."""
        return next((kind for kind, (group, _) in self._kinds.items() if path in group.paths), None)

    @cached_property
    def records(self) -> WorkspaceRecords:
        """The records, with the names of their fields."""
        self.unnamed.keys = self.keys
        return self.unnamed

    def closest(self, name: str, among: Sequence[str] = ()) -> str:
        """Return the paths of the three records with the most similar names, or files for a path, for a message."""
        ending = splitext(name)[1].casefold() or ".json"
        paths = {
            folded_id(record_id(path)): path
            for path in among or self.paths
            if path.casefold().endswith(ending)
        }
        names = get_close_matches(folded_id(id_of(name))[:100], paths, n=3, cutoff=0)
        return ", ".join(paths[near] for near in names) or "none"

    @cached_property
    def keys(self) -> RecordKeys:
        """The names of the fields for a record's owner, state and time, and for a person's name and roles."""
        baskets = self.samples(Kind.BASKET)
        people = self.samples(Kind.EMPLOYEE) if Kind.EMPLOYEE in self._kinds else []
        return RecordKeys(
            owner=(self._owner_key(baskets),),
            state=tuple(
                dict.fromkeys(key for basket in baskets for key in self._state_keys(basket))
            ),
            time=tuple(
                dict.fromkeys(key for basket in baskets for key in keys_of(basket, Shape.INSTANT))
            ),
            name=(*dict.fromkeys(_person_name(person) for person in people), "name"),
            roles=tuple(
                dict.fromkeys(key for person in people for key in keys_of(person, Shape.WORDS))
            ),
        )

    def _state_keys(self, basket: Data) -> list[str]:
        """The fields of a basket that hold a word which is not a record's id."""
        return [key for key in keys_of(basket, Shape.WORD) if not self._is_record(str(basket[key]))]

    def _is_record(self, name: str) -> bool:
        return folded_id(name) in self.unnamed.by_id

    def _is_foreign(self, value: object) -> bool:
        """Say whether a value is an id without a record in the workspace, such as a customer's."""
        return shape_of(value) is Shape.ID and not self._is_record(str(value))

    def _owner_key(self, baskets: Sequence[Data]) -> str:
        """The field of a basket with an id that is not a record's, or the only such field that the documents mark."""
        ids = {key for basket in baskets for key in keys_of(basket, Shape.ID)}
        foreign = {
            key
            for key in ids
            if all(self._is_foreign(basket[key]) for basket in baskets if key in basket)
        }
        keys = (
            foreign if len(foreign) == 1 else {key for key in foreign or ids if key in self.marked}
        )
        sure(len(keys) == 1, "it is not certain which field of a basket names its customer")
        return keys.pop()

    @cached_property
    def open_state(self) -> str:
        """The state in which a basket can still be changed and bought: the one that the policy mentions most."""
        text = self.documents.get(self.policies.get("checkout", ""), "")
        words = {word for word in marked_words(text) if shape_of(word) is Shape.WORD}
        baskets = self.samples(Kind.BASKET)
        fields = {key for data in baskets for key in data} | {
            key for _, row in every_row(baskets) for key in row
        }
        state = most_marked(text, words - fields) or self._most_said_state(text)
        return sure(state, "no policy says in which state a basket can be bought")

    def _most_said_state(self, policy: str) -> str:
        """The state of some basket that a policy without code marks names most often; empty if it names none."""
        key = re.escape("".join(self.keys.state[:1]))
        lines = (
            self.reader.search(
                text_field_pattern(self.keys.state[:1]), self.group(Kind.BASKET).root
            )
            if key
            else ()
        )
        states = {
            state for _, line in lines for state in re.findall(rf'"{key}":\s*"([^"]+)"', line)
        }
        mentions = {
            state: len(re.findall(rf"(?<![\w-]){re.escape(state)}(?![\w-])", policy))
            for state in sorted(states)
        }
        return max(
            (state for state in mentions if mentions[state]),
            key=lambda state: mentions[state],
            default="",
        )

    @cached_property
    def asker(self) -> Identity:
        """The signed-in identity, as the identity tool prints it."""
        identity = read_identity(self.reader.run(self._tool(IDENTITY)))
        sure(identity.roles, "the identity tool does not say in which roles somebody is signed in")
        return identity

    @cached_property
    def clock(self) -> str:
        """The output of the clock."""
        return self.reader.run(self._tool(CLOCK)).strip()

    @cached_property
    def tools(self) -> dict[str, str]:
        """The path of the tool for each use with a known tool."""
        if self.reader.tools:
            return tools_by_use(self.reader.tools)
        named = [
            path for text in (self.rules, *self.documents.values()) for path in named_paths(text)
        ]
        return tools_by_use(possible_tools(dict.fromkeys((*self.paths, *named))))

    def _tool(self, use: str) -> str:
        """Return the path of the tool for a use. Raises `CannotRead` if the tool is not certain."""
        return sure(self.tools.get(use), f"it is not certain which tool tells the {use}")


def on_harness(
    function: Callable[Concatenate[ShopLayout, Given], Found], /
) -> Callable[Concatenate[ShopLayout | Harness, Given], Found]:
    """Let a function that takes a shop be called with `harness`, too, as a trial's child calls it."""

    @wraps(function)
    def call(shop: ShopLayout | Harness, /, *given: Given.args, **named: Given.kwargs) -> Found:
        return function(
            shop if isinstance(shop, ShopLayout) else ShopLayout(WorkspaceReader(shop)),
            *given,
            **named,
        )

    return call


@lru_cache(maxsize=4)
def _root_of_records(paths: tuple[str, ...], rules: str) -> str:
    """Return the top folder of the records that the rules name, the root for none or several."""
    folders = {path.rpartition("/")[0] for path in paths if path.endswith((".json", ".JSON"))}
    holding = folders.union(*(set(_folders(folder)) for folder in folders))
    tops = {f"/{path.split('/')[1]}/" for path in named_paths(rules) if path in holding}
    return tops.pop() if len(tops) == 1 else "/"


def _folders(path: str) -> Iterator[str]:
    """Yield every folder above a file except the root."""
    while (path := path.rpartition("/")[0]) != "":
        yield path


def _person_name(data: Data) -> str:
    """The field whose words are in the person's mail address."""
    mail = str(data[keys_of(data, Shape.MAIL)[0]]).casefold()
    texts = (
        key
        for key in keys_of(data, Shape.TEXT)
        if all(word in mail for word in str(data[key]).casefold().split())
    )
    return next(texts, "name")


_STRING: Final = r'"(?:[^"\\]|\\.)*"'


@dataclass(frozen=True, slots=True)
class NamedBranch:
    """A branch with name and city, before its record is read."""

    path: str
    name: str
    city: str

    @property
    def words(self) -> frozenset[str]:
        """The words of its name that are not in its city."""
        return frozenset(normal_words(self.name).split()) - frozenset(
            normal_words(self.city).split()
        )


def named_branches(layout: ShopLayout) -> list[NamedBranch]:
    """Return all branches with name and city, from one search."""
    name_key, city_key = _name_and_city(layout)
    fields: dict[str, dict[str, str]] = {}
    keys = "|".join(re.escape(known_key) for known_key in (name_key, city_key) if known_key)
    field = re.compile(rf'"({keys})":\s*({_STRING})')
    root = layout.group(Kind.BRANCH).root
    for path, line in layout.reader.search(
        text_field_pattern(filter(None, (name_key, city_key))), root
    ):
        for key, value in field.findall(line):
            fields.setdefault(path, {}).setdefault(key, str(json.loads(value)))
    return [
        NamedBranch(path, texts.get(name_key, ""), texts.get(city_key, ""))
        for path, texts in fields.items()
    ]


@lru_cache(maxsize=2)
def _name_and_city(layout: ShopLayout) -> tuple[str, str]:
    """The fields of a branch's name and of its city, which is a part of the name. Raises `CannotRead`."""
    data = layout.samples(Kind.BRANCH)[0]
    texts = {key: str(data[key]) for key in data if isinstance(data[key], str)}
    spoken = {
        key: value
        for key, value in texts.items()
        if not any(char.isdigit() for char in value) and key != "id"
    }
    pairs = [
        (name, city)
        for name in spoken
        for city in spoken
        if name != city and f" {normal_words(spoken[city])} " in f" {normal_words(spoken[name])} "
    ]
    if pairs:
        return pairs[0]
    names = [key for key in keys_of(data, Shape.TEXT) if key in spoken]
    sure(names, "it is not certain which field of a branch is its name")
    return names[0], ""


def branch_called(layout: ShopLayout, name: str) -> Record:
    """Return the branch that a name, a nickname or an id means. Raises `CannotRead` for none or several."""
    if (
        name.strip()
        and (record := layout.unnamed.record(id_of(name)))
        and layout.kind_of(record.path) is Kind.BRANCH
    ):
        return record
    said = normal_words(name)
    every = named_branches(layout)
    exact = [
        place for place in every if normal_words(place.name) == said or is_same_id(place.name, name)
    ]
    fitting = exact or called_by_own_words(
        {place: place.words for place in every}, set(said.split())
    )
    if (
        not fitting
        and len(alike := [place for place in every if names_match(place.name, name)]) == 1
    ):
        fitting = alike
    if len(fitting) != 1:
        names = [place.name for place in fitting or every]
        closest = names if fitting else get_close_matches(name, names, n=3, cutoff=0)
        msg = f"no single branch is called {name!r}; closest: {', '.join(closest)}"
        raise CannotRead(msg)
    return layout.unnamed.read([fitting[0].path])[0]


def text_of(layout: ShopLayout, path: str) -> str:
    """Return the whole text of a file. Raises `CannotRead` with the closest paths if the file does not exist."""
    try:
        return layout.reader.read(path)
    except LookupError:
        msg = f"there is no file {path}; closest: {layout.closest(path)}"
        raise CannotRead(msg) from None


def branches_around(layout: ShopLayout, place: str) -> list[Record]:
    """Return the branches of a city, or of a named branch's city, by name. Raises `CannotRead`."""
    every = named_branches(layout)
    cities = {branch.city for branch in every if branch.city}
    exact = [city for city in cities if normal_words(city) == normal_words(place)]
    fitting = exact or [city for city in cities if names_match(city, place)]
    city = fitting[0] if len(fitting) == 1 else ""
    if not city:
        path = branch_called(layout, place).path
        city = next((branch.city for branch in every if branch.path == path), "")
    records = layout.records.read([branch.path for branch in every if branch.city == city])
    names = {branch.path: branch.name for branch in every}
    return sorted(records, key=lambda record: names[record.path])
