"""The calls and trees of files for the first message to a model.

Calls run side by side if the environment allows it, with the same events, message and citable
documents as one by one. A trial that ends leaves none of them behind. A tree is drawn with as many
levels as are declared, folders of many files take one line, and trees that are too large are made
of a listing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from controlplane.agent.events import VARIES_BY_RUN, CallEvent, fields_marked
from controlplane.agent.loop import LeftOpen, LoopSettings
from controlplane.agent.opening.listing import (
    UNLISTED,
    ListedFiles,
    drawn_tree,
    paths_of_tree,
)
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    InitialCall,
    Plain,
    ToolSchema,
)
from tests.agent.opening.opened_trial import (
    READ_FITTING_DOCUMENTS,
    SHOP_SCHEMA,
    OpenedTrial,
    Shop,
)

# An environment, a shop, that notes when calls begin and end.
#
#     shop = TimedShop(SIDE_BY_SIDE)
#     finish = shop.begin("read", {"path": "/rules.md"})
#     finish()
#
# Then `shop.timeline` is `["begin read /rules.md", "end read /rules.md"]`.

PATHS = ("/rules.md", "/keys.md", "/docs/fees.md", "/docs/hours.md")
FILES = {path: f"This document is {path}." for path in PATHS}

IN_DOCS = {"name": "*.md", "root": "/docs", "limit": 12}
ONE_BY_ONE = ToolSchema(
    operations=FILE_OPERATIONS,
    initial_calls=(
        InitialCall("read", {"path": "/rules.md"}),
        InitialCall("read", {"path": "/keys.md"}),
        # The program may change something.
        InitialCall("exec", {"path": "/bin/odd"}),
        # A read of each file that `find` lists
        InitialCall("read", each_of=EachOf("find", IN_DOCS, "paths")),
    ),
)
"""What the shop declares: the calls of a trial before its model is asked."""

SIDE_BY_SIDE = replace(ONE_BY_ONE, reads_side_by_side=True)
"""The same, for an environment that allows several reads at a time."""


class TimedShop(Shop):
    """Makes a call by `call`, or begins it by `begin`, and ends it when the returned function is
    called."""

    def __init__(self, tool_schema: ToolSchema) -> None:
        super().__init__(tool_schema, files=FILES)
        self.timeline: list[str] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        self.timeline.append(_event("call", operation, arguments))
        return super().call(operation, arguments)

    def begin(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> Callable[[], dict[str, Plain]]:
        self.timeline.append(_event("begin", operation, arguments))

        def finish() -> dict[str, Plain]:
            self.timeline.append(_event("end", operation, arguments))
            return self.result_of(operation, arguments)

        return finish

    def result_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        return super().call(operation, arguments)


def _event(verb: str, operation: str, arguments: Mapping[str, Plain]) -> str:
    """Return a line of the timeline: `begin read /docs/a.md`."""
    subject = arguments.get("path") or arguments.get("root")
    return f"{verb} {operation} {subject}"


# The schema of a shop that lists its files otherwise, for the first message to a model.


def schema_with_calls(*calls: InitialCall) -> ToolSchema:
    """Return the schema of the shop with other initial calls.

    A call of `tree` has a `level`: how many levels of folders it lists, or 0 for all.
    """
    return replace(SHOP_SCHEMA, initial_calls=calls)


# A trial that ends during the calls before its model is asked leaves none of them behind.
#
# The calls run side by side: all reads are begun before the first one is waited for. The first read ends
# the trial by the exception `LeftOpen`, as if the user stopped the run.


class ShopThatIsLeft(TimedShop):
    """Ends the trial (`LeftOpen`) during the first read, as if the user stopped the run."""

    def result_of(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> dict[str, Plain]:
        if arguments.get("path") == "/rules.md":
            raise LeftOpen
        return super().result_of(operation, arguments)


class ShopWithoutBegin(Shop):
    """Declares that it allows reads at the same time, but can only make them one by one.

    The first read ends the trial.
    """

    def __init__(self) -> None:
        super().__init__(SIDE_BY_SIDE, files=FILES)
        self.read_paths: list[Plain] = []

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "read":
            self.read_paths.append(arguments["path"])
            raise LeftOpen
        return super().call(operation, arguments)


def test_a_trial_that_ends_while_calls_are_under_way_waits_for_them() -> None:
    """The second read must not go on behind its back."""
    shop = ShopThatIsLeft(SIDE_BY_SIDE)

    with pytest.raises(LeftOpen):
        OpenedTrial("Read.", shop)

    assert shop.timeline == [
        "begin read /rules.md",
        "begin read /keys.md",
        "end read /rules.md",  # which ends the trial
        "end read /keys.md",
    ]


def test_a_trial_that_ends_makes_no_call_that_was_not_started() -> None:
    """The reads wait for their turn. The first one ends the trial."""
    shop = ShopWithoutBegin()

    with pytest.raises(LeftOpen):
        OpenedTrial("Read.", shop)

    assert shop.read_paths == ["/rules.md"]


# The calls that are made before a model is asked run side by side if the environment allows it.
#
# An environment that is far away takes long for each call. The shop declares reads of two files, a run of
# a program, and reads of all files in `/docs`, which are listed first, by `find`. The program may change
# something, so it runs alone.


def test_reads_run_side_by_side_if_the_environment_allows_it() -> None:
    """The program runs alone: else it would be a matter of luck what the reads return."""
    shop = TimedShop(SIDE_BY_SIDE)

    OpenedTrial("Read.", shop)

    assert shop.timeline == [
        "begin read /rules.md",
        "begin read /keys.md",
        "end read /rules.md",
        "end read /keys.md",
        "call exec /bin/odd",
        "begin find /docs",
        "end find /docs",
        "begin read /docs/fees.md",
        "begin read /docs/hours.md",
        "end read /docs/fees.md",
        "end read /docs/hours.md",
    ]


def test_calls_are_made_one_by_one_if_the_environment_does_not_allow_more() -> None:
    shop = TimedShop(ONE_BY_ONE)

    OpenedTrial("Read.", shop)

    assert shop.timeline == [
        "call read /rules.md",
        "call read /keys.md",
        "call exec /bin/odd",
        "call find /docs",
        "call read /docs/fees.md",
        "call read /docs/hours.md",
    ]


# The events of a trial's calls do not depend on how the calls are made.
#
# The calls before a model is asked run side by side, or one by one, as the environment allows it. An event
# with the result comes after each call. A call that may change something has an announcement before it.


def announcements(trial: OpenedTrial) -> list[CallEvent]:
    """Return the events before calls."""
    return [event for event in call_events(trial) if event.is_under_way]


def results(trial: OpenedTrial) -> list[CallEvent]:
    """Return the events after calls."""
    return [event for event in call_events(trial) if not event.is_under_way]


def call_events(trial: OpenedTrial) -> list[CallEvent]:
    """Return all events of the calls of a trial."""
    return [event for event in trial.events if isinstance(event, CallEvent)]


def without_times(events: Sequence[CallEvent]) -> list[dict[str, object]]:
    """Return the fields of events, without those that differ in every run, such as times."""
    varying = set(fields_marked(CallEvent, VARIES_BY_RUN))
    return [event.model_dump(exclude=varying) for event in events]


@pytest.mark.parametrize(
    ("kind_of_events", "operations"),
    [
        pytest.param(announcements, ["exec"], id="announcements"),
        pytest.param(
            results, ["read", "read", "exec", "find", "read", "read"], id="results"
        ),
    ],
)
def test_the_journal_has_the_same_events_in_the_same_order(
    kind_of_events: Callable[[OpenedTrial], list[CallEvent]], operations: list[str]
) -> None:
    side_by_side = kind_of_events(OpenedTrial("Read.", TimedShop(SIDE_BY_SIDE)))
    one_by_one = kind_of_events(OpenedTrial("Read.", TimedShop(ONE_BY_ONE)))

    assert without_times(side_by_side) == without_times(one_by_one)
    assert [event.operation for event in side_by_side] == operations


# The first message, and what can be cited, do not depend on how calls are made.
#
# The calls before a model is asked run side by side, or one by one, as the environment allows it.
# `OpenedTrial("Read.", shop)` is a trial whose request is "Read.", after these calls.


def test_the_first_message_is_the_same() -> None:
    """A provider can then use its cache of the message for both."""
    side_by_side = OpenedTrial("Read.", TimedShop(SIDE_BY_SIDE))
    one_by_one = OpenedTrial("Read.", TimedShop(ONE_BY_ONE))

    assert side_by_side.message == one_by_one.message
    assert "This document is /keys.md." in one_by_one.message


@pytest.mark.parametrize("path", FILES)
@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(SIDE_BY_SIDE, id="side by side"),
        pytest.param(ONE_BY_ONE, id="one by one"),
    ],
)
def test_every_document_that_was_read_can_be_cited(
    schema: ToolSchema, path: str
) -> None:
    """What the first message shows counts as read. The reason names a word of each document."""
    trial = OpenedTrial("Read.", TimedShop(schema))

    assert trial.check_citation(path, "holds a document") == path


# A tree of files that the environment cannot list is made of a listing of all files.
#
# The first message to a model shows which files there are, by a call `tree`. A folder with many files takes
# one line: `carts/ (2: cart-1.json ..)`.


class ShopWithLargeTree(Shop):
    """Has too many files for the call `tree`."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "tree":
            raise CallError("resource_exhausted", "it holds more than 1300 lists")
        return super().call(operation, arguments)


def test_a_tree_too_large_for_one_call_is_made_of_a_listing_of_all_files() -> None:
    """The call `tree` fails. Then the call `find` lists all files, and a tree is made of
    them."""
    trial = OpenedTrial("Price of ITEM-A-1?", ShopWithLargeTree())

    assert trial.section("tree /") == [
        "/",
        "  RULES.md",
        "  data/",
        "    carts/ (2: cart-1.json ..)",
        "    items/ (2: ITEM-A-1.json ..)",
        "    paid/ (2: pay-8.json ..)",
        "    staff/",
        "      emp-5.json",
        "  docs/ (2: carts.md ..)",
    ]
    listing_calls: list[str] = []
    for call in trial.calls:
        if call.operation in ("tree", "find", "list"):
            listing_calls.append(call.operation)
    assert listing_calls == ["tree", "find"]


# The first message to a model shows a tree of files, of so many levels of folders as are declared.
#
#     InitialCall("tree", {"root": "/", "level": 2})
#
# Level 1 has what is in `/`, such as `data/`, and level 2 what is in its folders, such as `data/carts/`.
# `level` 0 lists all levels, down to `data/carts/cart-1.json`.

SHALLOW_TREE = InitialCall("tree", {"root": "/", "level": 2})
DEEP_TREE = InitialCall("tree", {"root": "/", "level": 0})


class ShopWithoutDeepTree(Shop):
    """Lists a few levels of folders, and fails if all of them are asked for."""

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        if operation == "tree" and arguments["level"] == 0:
            raise CallError("unavailable", "no such luck")
        return super().call(operation, arguments)


def test_the_error_of_a_deep_tree_is_shown_beside_a_shallow_tree() -> None:
    """Documents are read as well, for which all paths are needed. The error is shown once."""
    tool_schema = schema_with_calls(SHALLOW_TREE, DEEP_TREE, READ_FITTING_DOCUMENTS)

    trial = OpenedTrial("Price of ITEM-A-1?", ShopWithoutDeepTree(tool_schema))

    assert "  data/" in trial.section("tree /")
    assert trial.message.count("no such luck") == 1


def test_the_default_of_the_operation_decides_how_many_levels_are_listed() -> None:
    """The operation `tree` lists two levels by default, so the files in `data/carts/` are missing.
    For each folder whose files are missing, the message says so."""
    tool_schema = schema_with_calls(InitialCall("tree", {"root": "/"}))

    trial = OpenedTrial("Check out cart-1.", Shop(tool_schema))

    assert trial.section("tree /") == [
        "/",
        "  RULES.md",
        "  data/",
        "    carts/ (not listed)",
        "    items/ (not listed)",
        "    paid/ (not listed)",
        "    staff/ (not listed)",
        "  docs/",
        "    carts.md",
        "    lore.md",
    ]


# The files that the call `tree` has listed, by their paths.
#
# A folder whose files were not listed is in the result without children. Its path ends in
# `UNLISTED`, which stands for files that are not known.


def file(name: str) -> dict[str, Plain]:
    """Return a file as the call `tree` returns it."""
    return {"name": name, "is_dir": False}


def folder(name: str, children: list[Plain] | None) -> dict[str, Plain]:
    """Return a folder as the call `tree` returns it. Without `children`, it was not listed."""
    return {"name": name, "is_dir": True, "children": children}


def test_a_tree_has_the_paths_of_its_files() -> None:
    """The files of the folder `huge` were not listed, so its path stands for files that are not known.
    The tree was listed from `/docs` on, with eight levels."""
    old = folder("old", [file("a.md"), file("b.md"), folder("huge", None)])
    docs = folder("docs", [old])

    assert paths_of_tree(docs, "/docs", level=8) == [
        "/docs/old/a.md",
        "/docs/old/b.md",
        f"/docs/old/huge/{UNLISTED}",
    ]


def test_a_file_that_is_listed_twice_is_kept_once() -> None:
    """The second listing of the folder has one of its files and a new one."""
    listed = ListedFiles()

    listed.add("/", ["/a.md", "/b.md"])
    listed.add("/", ["/a.md", "/c.md"])

    assert listed.below("/") == ["/a.md", "/b.md", "/c.md"]


# How the first message draws the files that the call `tree` has listed.
#
# `drawn_tree` draws paths such as `/docs/old/a.md`, a folder or file a line. A folder with more files
# than the longest listing takes one line, with their number and the first of them:
#
#     docs/
#       old/ (2: a.md ..)


def test_a_small_tree_is_drawn_with_all_files() -> None:
    drawing = drawn_tree(["/a.md", "/b.md"], longest_listing=2)

    assert drawing.splitlines() == ["/", "  a.md", "  b.md"]


def test_a_folder_with_more_files_than_the_limit_takes_one_line() -> None:
    files = ["/docs/old/a.md", "/docs/old/b.md"]

    drawing = drawn_tree(files, longest_listing=1, root="/docs")

    assert drawing.splitlines() == ["docs/", "  old/ (2: a.md ..)"]


def test_a_folder_that_is_to_be_drawn_in_full_has_all_its_files() -> None:
    files = ["/docs/old/a.md", "/docs/old/b.md"]

    drawing = drawn_tree(files, longest_listing=1, root="/docs", in_full=["/docs/old"])

    assert drawing.splitlines() == ["docs/", "  old/", "    a.md", "    b.md"]


def test_a_large_folder_of_folders_has_a_line_for_each_of_them() -> None:
    """Below the root, each of these folders may have one kind of records."""
    loans = ["/records/loans/l-1.json", "/records/loans/l-2.json"]
    cards = ["/records/cards/c-1.json", "/records/cards/c-2.json"]

    drawing = drawn_tree([*loans, *cards], longest_listing=1)

    assert drawing.splitlines() == [
        "/",
        "  records/",
        "    loans/ (2: l-1.json ..)",
        "    cards/ (2: c-1.json ..)",
    ]


def test_a_folder_that_was_not_listed_is_drawn_as_such() -> None:
    """The files of the folder `huge` are missing, so the number of files in `old` is not known."""
    files = ["/docs/old/a.md", "/docs/old/b.md", f"/docs/old/huge/{UNLISTED}"]

    short_drawing = drawn_tree(files, longest_listing=1, root="/docs")
    long_drawing = drawn_tree(files, longest_listing=9, root="/docs")

    assert short_drawing.splitlines() == ["docs/", "  old/ (2 or more: a.md ..)"]
    assert long_drawing.splitlines() == [
        "docs/",
        "  old/",
        "    a.md",
        "    b.md",
        "    huge/ (not listed)",
    ]


# A tree of files stands in the first message to a model.
#
# The shop has the documents `/docs/carts.md` and `/docs/lore.md`, and two records in
# `/data/carts`. `schema_with_calls` declares which calls are made for the first message. `level`
# is how many levels of folders a tree has; 0 stands for all.


@pytest.mark.parametrize(
    ("level", "finds_documents"),
    [
        pytest.param(0, False, id="tree of all levels"),
        pytest.param(1, True, id="tree of the first level"),
    ],
)
def test_documents_are_searched_only_if_the_tree_does_not_have_them_all(
    level: int, finds_documents: bool
) -> None:
    """`READ_FITTING_DOCUMENTS` needs the paths of all documents. If the tree does not have them,
    the call `find` gets them."""
    # The message shows at most one file of a folder, but the product has the paths of all.
    tree = InitialCall("tree", {"root": "/", "level": level}, longest_listing=1)
    shop = Shop(schema_with_calls(tree, READ_FITTING_DOCUMENTS))

    trial = OpenedTrial("Carts?", shop)

    operations = [call.operation for call in trial.calls]
    assert ("find" in operations) is finds_documents
    assert "# Carts" in trial.message  # The fitting document is shown.


def test_a_file_in_two_trees_is_shown_in_both() -> None:
    """One tree is of `/docs`, and the other of all files."""
    tool_schema = schema_with_calls(
        InitialCall("tree", {"root": "/docs", "level": 0}),
        InitialCall("tree", {"root": "/", "level": 0}),
    )

    trial = OpenedTrial("Check out cart-1.", Shop(tool_schema))

    assert "  lore.md" in trial.section("tree /docs")
    assert "    lore.md" in trial.section("tree /")


@pytest.mark.parametrize(
    ("most_chars", "line"),
    [
        pytest.param(400, "      cart-1.json", id="enough room"),
        # two files, of which the first is cart-1.json
        pytest.param(100, "    carts/ (2: cart-1.json ..)", id="too little room"),
    ],
)
def test_a_tree_without_room_shows_the_number_of_files_in_each_folder(
    most_chars: int, line: str
) -> None:
    """`most_chars` is how many characters of files the message has room for."""
    tool_schema = schema_with_calls(InitialCall("tree", {"root": "/", "level": 0}))

    settings = LoopSettings(initial_prompt_chars=most_chars)
    trial = OpenedTrial("Carts?", Shop(tool_schema), settings=settings)

    assert line in trial.section("tree /")
