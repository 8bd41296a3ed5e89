"""A shop's workspace: its rules, policies, tools and records, and the names that it uses.

Shops differ in what they call folders, fields and states: baskets are in `/proc/carts` here and in
`/proc/orders` there. A `ShopLayout` learns these names from the rules document, the list of
files and a few records of each kind, so no other module has to know them. A fact that is not
certain raises `CannotRead`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

from controlplane.benchmarks.shop.texts import (
    marked_words,
    most_marked,
    named_paths,
    require,
    value_or_raise,
)
from controlplane.benchmarks.shop.workspace.documents import ShopDocuments
from controlplane.benchmarks.shop.workspace.fields import (
    Data,
    Shape,
    every_row,
    keys_of,
    person_name_key,
    shape_of,
)
from controlplane.benchmarks.shop.workspace.kinds import Kind
from controlplane.benchmarks.shop.workspace.reading import (
    CLOCK,
    IDENTITY,
    SUBJECTS,
    FileList,
    Identity,
    WorkspaceReader,
    folded_id,
    possible_tools,
    read_identity,
    text_field_pattern,
    tools_by_use,
)
from controlplane.benchmarks.shop.workspace.records import (
    RecordFiles,
    RecordGroup,
    RecordKeys,
    SampledGroup,
    WorkspaceRecord,
    WorkspaceRecords,
    folder_of_records,
    sampled_groups,
)
from controlplane.gates.paths import record_id
from controlplane.sandbox.functions import Harness
from controlplane.sandbox.interface.outcomes import DENIED

# Finds the kind of a record, such as a payment, from the shapes of its values.
#
# Shops choose the names of their fields and folders, so these do not tell the kind. But a payment
# has a currency and a time, whatever its fields are called, and an employee has roles.

_SAMPLE_ROWS: Final = 8
"""The number of rows of a record that are looked at to find its kind."""


def _kind_of_record(data: Data, file_name: str) -> Kind | None:
    """Return the kind of a record by the shapes of its values; None if it is unknown.

    `file_name` is the record's file name without its extension. The kinds are tried in this
    order, because later ones have fewer signs of their own.
    """
    shapes = Counter(shape_of(value) for value in data.values())
    has_time = shapes[Shape.INSTANT] > 0
    has_rows = shapes[Shape.ROWS] > 0
    has_mapping = shapes[Shape.MAPPING] > 0
    ids = shapes[Shape.ID]
    # {"mail": "jan.vos@example.org", "roles": ["floor_lead"]}. Customers have no roles.
    if shapes[Shape.MAIL]:
        has_roles = shapes[Shape.WORDS] > 0
        return Kind.EMPLOYEE if has_roles else None
    # {"currency": "EUR", "created_at": "2027-03-01T10:00:00Z"}
    if shapes[Shape.CURRENCY] and has_time:
        return Kind.PAYMENT
    # {"sku": "AB-1", "properties": {"colour": "sand"}}, in the file AB-1.json
    if file_name in data.values() and has_mapping and not has_time:
        return Kind.PRODUCT
    # {"stock": [{"sku": "AB-1", "on_hand": 4, "reserved": 1}]}
    if has_rows and not has_time and _rows_count_stock(data):
        return Kind.BRANCH
    # {"created_at": "2027-03-01T10:00:00Z", "lines": [{"sku": "AB-1", "count": 2}]}
    if has_rows and has_time:
        return Kind.BASKET
    # {"id": "ret_1", "payment": "pay_7", "customer": "cust-4", "created_at": "2027-03-01"}
    if has_time and ids >= 3:
        return Kind.RETURN
    # {"name": "Graz Centre", "is_open": true}: a branch without stock
    if shapes[Shape.FLAG] and ids == 0 and not has_mapping:
        return Kind.BRANCH
    return None


def _rows_count_stock(data: Data) -> bool:
    """Return True if each row of a record has at least two numbers: units on hand and reserved."""
    rows = [row.data for row in every_row([data])][:_SAMPLE_ROWS]
    if not rows:
        return False
    return all(len(keys_of(row, Shape.NUMBER)) > 1 for row in rows)


# Finds out which records of a workspace are baskets, payments, people and so on.
#
# A shop may keep its baskets in `/proc/carts` or in `/proc/x7`. The shapes of values in a few
# sampled records of a folder show what its records are (`_kind_of_record`).


class _KnownKinds:
    """The records of each kind that a workspace has."""

    def __init__(self, groups: Mapping[Kind, SampledGroup], root: str) -> None:
        self._groups = groups
        """The paths of the records of each kind, with a few records that were read."""
        self._root = root
        """The folder of all records, for messages."""

    def known_group(self, kind: Kind) -> RecordGroup | None:
        """Return the records of a kind; None if the workspace has none."""
        sampled = self._groups.get(kind)
        return sampled.group if sampled is not None else None

    def group(self, kind: Kind) -> RecordGroup:
        """Return the records of a kind. Raises `CannotRead` if the workspace has none."""
        return self._sampled(kind).group

    def samples(self, kind: Kind) -> list[Data]:
        """Return the data of a few records of a kind.

        Raises `CannotRead` if the workspace has none.
        """
        return [sample.data for sample in self._sampled(kind).samples]

    def _sampled(self, kind: Kind) -> SampledGroup:
        refusal = f"no records of the kind {kind} are to be seen below {self._root}"
        return value_or_raise(self._groups.get(kind), refusal)

    def of(self, path: str) -> Kind | None:
        """Return the kind of the record at a path; None for any other path."""
        for kind, sampled in self._groups.items():
            if path in sampled.group.paths:
                return kind
        return None


def _known_kinds(records: WorkspaceRecords) -> _KnownKinds:
    """Return the kinds of a workspace's records.

    A group, such as the files of a folder, has a kind if its first and last record show this
    kind and no other. Groups of the same kind are joined.
    """
    groups: dict[Kind, SampledGroup] = {}
    for sampled in sampled_groups(records):
        kind = _common_kind(sampled.samples)
        if kind is None:
            continue
        if kind in groups:
            groups[kind] = groups[kind].joined(sampled)
        else:
            groups[kind] = sampled
    return _KnownKinds(groups, records.files.root)


def _common_kind(samples: Sequence[WorkspaceRecord]) -> Kind | None:
    """Return the kind that some records show; None if they show none, or several.

    A record whose kind cannot be told is ignored.
    """
    kinds = set()
    for sample in samples:
        kind = _kind_of_record(sample.data, record_id(sample.path))
        if kind is not None:
            kinds.add(kind)
    return kinds.pop() if len(kinds) == 1 else None


# Finds out which state of a basket means that it can be changed and bought, such as `open`.
#
# Shops choose the names of states. The policy on checkouts mentions this state more often than any
# other: "Only an `open` basket can be bought." `_most_marked_state` counts words in backticks. If
# there are none, `_states_in_records` collects the states of all baskets, and `_most_mentioned_state`
# counts these in the policy.


def _most_marked_state(policy: str, baskets: Sequence[Data]) -> str:
    """Return the state that a policy most often puts in backticks; empty if there is none.

    Policies also put names of fields in backticks: "`status` is `open`". So the names of the
    fields of `baskets`, a few that were read, and of their lines are left out.
    """
    field_names: set[str] = set()
    for basket in baskets:
        field_names.update(basket.keys())
    for line in every_row(baskets):
        field_names.update(line.data.keys())
    states = set()
    for word in marked_words(policy):
        if shape_of(word) is Shape.WORD and word not in field_names:
            states.add(word)
    return most_marked(policy, states)


def _states_in_records(
    reader: WorkspaceReader, state_key: str, folder: str
) -> frozenset[str]:
    """Return the states that occur in any record below a folder, in the field `state_key`.

    One search finds all lines such as `  "status": "open",`.
    """
    key_and_state = re.compile(rf'"{re.escape(state_key)}":\s*"([^"]+)"')
    states: set[str] = set()
    for _, line in reader.search(text_field_pattern([state_key]), folder):
        states.update(key_and_state.findall(line))
    return frozenset(states)


def _most_mentioned_state(policy: str, states: Collection[str]) -> str:
    """Return the state that a policy mentions most often; empty if it mentions none."""
    most_mentioned = ""
    most_mentions = 0
    for state in sorted(states):
        whole_word = rf"(?<![\w-]){re.escape(state)}(?![\w-])"
        mentions = len(re.findall(whole_word, policy))
        if mentions > most_mentions:
            most_mentioned = state
            most_mentions = mentions
    return most_mentioned


# The policies of a shop: which document is about access, which about discounts, and so on.
#
# Shops name their documents as they like. So a policy is recognized by the tool that it names: the
# only document that mentions `/bin/discount` is the policy on discounts.
#
# PolicyPages(documents, tools).by_subject
# -> {"security": "/docs/security.md", "discounts": "/docs/discounts.md"}

_SECURITY: Final = "security"
"""The subject of the policy about who may see what."""


class _PolicyPages:
    """Finds the policies among a shop's documents by the tools that they name."""

    def __init__(self, documents: ShopDocuments, tools: Mapping[str, str]) -> None:
        self.documents = documents
        self.tools = tools
        """The path of the tool for each subject: `{"discounts": "/bin/discount"}`."""

    @cached_property
    def by_subject(self) -> dict[str, str]:
        """The paths of the policies by subject: `security`, and those of tools (`SUBJECTS`).

        A subject without a certain policy is left out.
        """
        policies = {}
        security_policy = self._security_policy()
        if security_policy is not None:
            policies[_SECURITY] = security_policy
        for subject in SUBJECTS:
            policy = self._policy_on_tool(self.tools.get(subject))
            if policy is not None:
                policies[subject] = policy
        return policies

    def _policy_on_tool(self, tool: str | None) -> str | None:
        """Return the only document that names a tool: `/bin/discount` -> `/docs/discounts.md`.

        The result is None if there is no tool, or if no document or several name it.
        """
        if tool is None:
            return None
        pages = []
        for path, text in self.documents.texts.items():
            if tool in named_paths(text):
                pages.append(path)
        return pages[0] if len(pages) == 1 else None

    def _security_policy(self) -> str | None:
        """Return the document about who may see what; None if it is not certain.

        Such a document tells how to find out who asks, and when to deny a request. So it
        is the document which most often puts the identity tool in backticks and, among
        several equal ones, most often the outcome of a denial.
        """
        identity_tool = self.tools.get(IDENTITY, "")
        marks_by_path = {}
        for path, text in self.documents.texts.items():
            words = marked_words(text)  # those in backticks
            if identity_tool in words:
                tool_marks = words.count(identity_tool)
                denial_marks = words.count(DENIED)
                marks_by_path[path] = (tool_marks, denial_marks)
        if not marks_by_path:
            return None
        most_marks = max(marks_by_path.values())  # the tool's marks are compared first
        leaders = [path for path, marks in marks_by_path.items() if marks == most_marks]
        return leaders[0] if len(leaders) == 1 else None

    def text_of(self, subject: str) -> str:
        """Return the text of the policy on a subject; empty if the policy is not certain."""
        path = self.by_subject.get(subject)
        return self.documents.texts[path] if path is not None else ""

    def is_amended(self, policy_path: str) -> bool:
        """Return True if a notice may have changed what the policy at a path says.

        A notice is a document that the shop's rules do not name. It may have changed the policy
        if it mentions the path of the policy or of its tool. Only a model can read whether it
        does, so callers do not rely on such a policy.
        """
        mentions = [re.escape(policy_path)]
        for subject, path in self.by_subject.items():
            if path == policy_path and subject in self.tools:
                mentions.append(re.escape(self.tools[subject]))
        return self.documents.is_in_unnamed_document("|".join(mentions))


# Learns what a shop calls the fields of its records from samples of baskets and employees.
#
# For example, `{"id": "basket_1", "buyer": "cust-7", "stage": "open", "made": "2027-03-01"}`
# shows that `buyer` is the owner, `stage` the state and `made` the time.


def _learned_keys(
    baskets: Sequence[Data],
    people: Sequence[Data],
    record_ids: Collection[str],
    documents: ShopDocuments,
) -> RecordKeys:
    """Return the names of fields: a record's owner, state and time, a person's name and roles.

    `record_ids` are the ids of all records, in one spelling (`folded_id`): `basket1`. The owner
    decides who may see a record, so exactly one field is returned for it. Raises `CannotRead` if
    that field is not certain. For the state and the others, all fields that fit in any sample
    are returned.
    """
    state_keys = []
    time_keys = []
    for basket in baskets:
        state_keys += _state_keys(basket, record_ids)
        time_keys += keys_of(basket, Shape.INSTANT)
    name_keys = []
    role_keys = []
    for person in people:
        name_keys.append(person_name_key(person))
        role_keys += keys_of(person, Shape.WORDS)
    return RecordKeys(
        owner=(_owner_key(baskets, record_ids, documents),),
        state=_each_once(state_keys),
        time=_each_once(time_keys),
        # Records of branches and others often call this field `name`.
        name=(*_each_once(name_keys), "name"),
        roles=_each_once(role_keys),
    )


def _state_keys(basket: Data, record_ids: Collection[str]) -> list[str]:
    """Return the fields of a basket whose value is one word that is not the id of a record."""
    keys = []
    for key in keys_of(basket, Shape.WORD):
        if folded_id(str(basket[key])) not in record_ids:
            keys.append(key)
    return keys


def _owner_key(
    baskets: Sequence[Data], record_ids: Collection[str], documents: ShopDocuments
) -> str:
    """Return the field of a basket that names its customer: `buyer` of `{"buyer": "cust-7"}`.

    Customers have no records, so it is the field with ids of which no record exists. Raises
    `CannotRead` if the field is not certain. `record_ids` are folded.
    """
    # 1. `{"id": "basket_1", "buyer": "cust-7", "payment": "pay_7"}` has three fields with ids. Those
    #    of the basket and the payment have records, and that of the customer has none.
    id_keys = {key for basket in baskets for key in keys_of(basket, Shape.ID)}
    keys_without_records = {
        key for key in id_keys if _has_no_records(key, baskets, record_ids)
    }
    owner_keys = keys_without_records or id_keys

    # 2. If this does not single out one field, it is the only one that documents put in backticks.
    if len(keys_without_records) != 1:
        owner_keys = owner_keys.intersection(documents.marked)
    require(
        len(owner_keys) == 1,
        "it is not certain which field of a basket names its customer",
    )
    return next(iter(owner_keys))


def _has_no_records(
    key: str, baskets: Sequence[Data], record_ids: Collection[str]
) -> bool:
    """Return True if a field of baskets always has an id of which no record exists."""
    for basket in baskets:
        if key not in basket:
            continue
        value = basket[key]
        if shape_of(value) is not Shape.ID or folded_id(str(value)) in record_ids:
            return False
    return True


def _each_once(names: Sequence[str]) -> tuple[str, ...]:
    """Return names without repetitions, in the same order."""
    return tuple(dict.fromkeys(names))


Arguments = ParamSpec("Arguments")
"""The further arguments of a function that `layout_from_harness` decorates."""
_Result = TypeVar("_Result")
"""What such a function returns."""


class ShopLayout:
    """The contents of a shop's workspace, and the names that the shop uses.

    A function for scripts gets one from its `harness` (`layout_from_harness`). Each part is
    read when it is first used, and then kept.
    """

    def __init__(self, reader: WorkspaceReader) -> None:
        self.reader = reader
        self.files = FileList(reader)
        self.documents = ShopDocuments(self.files)

    # Tools. Shops choose their names: `/bin/id` prints who is signed in, or `/bin/whoami`.

    @cached_property
    def tools(self) -> dict[str, str]:
        """The path of the tool for each use: `{"identity": "/bin/id", "clock": "/bin/date"}`.

        If the environment declares no tools, all paths in the list of files and in the
        documents that may be tools are considered.
        """
        if self.reader.tools:
            return tools_by_use(self.reader.tools)
        paths = [*self.files.paths, *self.documents.named_paths()]
        return tools_by_use(possible_tools(dict.fromkeys(paths)))

    @cached_property
    def policies(self) -> _PolicyPages:
        """The documents that are policies, by their subjects."""
        return _PolicyPages(self.documents, self.tools)

    @cached_property
    def asker(self) -> Identity:
        """The person who is signed in. Raises `CannotRead` if the person or the roles are unknown."""
        identity = read_identity(self._output_of(IDENTITY))
        require(
            identity.roles,
            "the identity tool does not say in which roles somebody is signed in",
        )
        return identity

    @cached_property
    def clock(self) -> str:
        """The time that the shop's clock prints. Raises `CannotRead` if it is not certain."""
        return self._output_of(CLOCK).strip()

    def _output_of(self, use: str) -> str:
        """Return what the tool for a use prints."""
        refusal = f"it is not certain which tool tells the {use}"
        return self.reader.run(value_or_raise(self.tools.get(use), refusal))

    # Records

    @cached_property
    def record_files(self) -> RecordFiles:
        """The files with records. `raw_records` and `records` share them, so none is read twice."""
        paths = self.files.paths
        root = folder_of_records(paths, self.documents.rules)
        return RecordFiles(self.reader, paths, root)

    @cached_property
    def raw_records(self) -> WorkspaceRecords:
        """The records as plain data, for callers that need no owner, state or time.

        Unlike `records`, they can be read even if the names of those fields are not certain.
        """
        return WorkspaceRecords(self.record_files)

    @cached_property
    def kinds(self) -> _KnownKinds:
        """The records of each kind."""
        return _known_kinds(self.raw_records)

    # What the shop calls the fields of records, and the state of a basket that can be bought. In one
    # shop, an open basket is `{"customer_id": "cust-7", "status": "open"}`, and in another
    # `{"buyer": "cust-7", "stage": "active"}`.

    @cached_property
    def keys(self) -> RecordKeys:
        """The names of fields: a record's owner, state and time, a person's name and roles.

        They are learned from baskets and employees. Raises `CannotRead` if they are not
        certain.
        """
        baskets = self.kinds.samples(Kind.BASKET)
        people = []
        if self.kinds.known_group(Kind.EMPLOYEE):
            people = self.kinds.samples(Kind.EMPLOYEE)
        ids = self.record_files.by_id.keys()
        return _learned_keys(baskets, people, ids, self.documents)

    @cached_property
    def records(self) -> WorkspaceRecords:
        """The records, which know their owner, state and time.

        Raises `CannotRead` if the names of these fields are not certain.
        """
        return WorkspaceRecords(self.record_files, self.keys)

    @cached_property
    def open_state(self) -> str:
        """The state in which a basket can be changed and bought, such as `open`.

        It is the state that the policy on checkouts mentions most. Raises `CannotRead` if
        the policy mentions none.
        """
        policy = self.policies.text_of("checkout")
        # 1. Most policies put states in backticks.
        state = _most_marked_state(policy, self.kinds.samples(Kind.BASKET))
        # 2. For others, the states are collected from all baskets.
        if not state and self.keys.state:
            folder = self.kinds.group(Kind.BASKET).root
            states = _states_in_records(self.reader, self.keys.state[0], folder)
            state = _most_mentioned_state(policy, states)
        return value_or_raise(
            state, "no policy says in which state a basket can be bought"
        )


def layout_from_harness(
    function: Callable[Concatenate[ShopLayout, Arguments], _Result], /
) -> Callable[Concatenate[ShopLayout | Harness, Arguments], _Result]:
    """Decorate a function of a `ShopLayout`, so that it can also be called with a `harness`.

    A `harness` is an object with which a script reads a workspace. `read_all(harness, path)` makes
    a layout from it, and calls `read_all(layout, path)`. Other modules of the shop pass the layout
    that they have.
    """

    @wraps(function)
    def call(
        shop: ShopLayout | Harness, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> _Result:
        if isinstance(shop, ShopLayout):
            layout = shop
        else:
            layout = ShopLayout(WorkspaceReader(shop))
        return function(layout, *args, **kwargs)

    return call
