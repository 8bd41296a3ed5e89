"""What crosses the border between a script's process and the parent, which trusts nothing of it.

Both exchange *frames*: a length of four bytes, and a JSON object. The parent binds the arguments
of a call to the declared operation, as Python would; a host's result must be plain data; values
of the scratchpad are encoded, so that a date in Python is a date again in the next step.
"""

import json
import socket
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.sandbox.child.step.scratchpad.decoded_values import decode
from controlplane.sandbox.child.step.scratchpad.encoded_values import encode
from controlplane.sandbox.interface import (
    CallError,
    FileArguments,
    Operation,
    parse_json,
    plain_result,
    schema_fault,
)
from controlplane.sandbox.interface.argument_binding import bound_arguments
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.messages.frames import (
    LENGTH,
    Forged,
    FrameReader,
)
from controlplane.sandbox.interface.messages.message_fields import read_message
from controlplane.sandbox.interface.messages.tagged_values import (
    Damaged,
    NotKept,
    flatten,
)
from tests.support.executed_work import executed_lines


def file_operation(name: str) -> Operation:
    """Return a declared operation, such as `find(name, root="/", kind="all", limit=10)`."""
    for operation in FILE_OPERATIONS:
        if operation.name == name:
            return operation
    raise LookupError(name)


FIND = file_operation("find")
READ = file_operation("read")
WRITE = file_operation("write")

CITATION = {"path": "/docs/a.md", "reason": "the page"}
"""A citation, as a script finds it in its scratchpad."""


def test_a_call_about_a_path_takes_a_citation_instead() -> None:
    """`harness.read(citation)` reads the cited file."""
    arguments = bound_arguments(READ, positional=(CITATION,), named={})

    assert arguments["path"] == "/docs/a.md"


def test_a_citation_does_not_stand_for_any_other_text() -> None:
    """The script passes a citation as the content of a file."""
    with pytest.raises(TypeError, match="content is str, not dict"):
        bound_arguments(WRITE, positional=("/docs/b.md", CITATION), named={})


@pytest.mark.parametrize(
    ("positional", "named", "error"),
    [
        ((), {}, "needs 'name'"),
        (("a", "b", "c", 1, 2), {}, "takes 4 arguments, 5 were given"),
        (("a",), {"name": "b"}, "got two values for 'name'"),
        (("a",), {"limits": 3}, "has no argument 'limits'"),
        (("a",), {"zzz": 3}, "has no argument 'zzz'"),
        ((7,), {}, "name is str, not int 7"),
        (("a",), {"limit": True}, "limit is int, not bool True"),
        (("a",), {"limit": 1 << 65}, "limit is int, not int of more than 64 bits"),
    ],
)
def test_the_error_of_a_wrong_argument_begins_with_the_signature(
    positional: tuple[object, ...], named: dict[str, object], error: str
) -> None:
    """The call is `harness.find(...)` with these arguments; the model corrects it by the message."""
    with pytest.raises(TypeError) as raised:
        bound_arguments(FIND, positional, named)

    message = str(raised.value)
    assert message.startswith("harness.find(name, root='/'")
    assert error in message


@dataclass(frozen=True)
class SplitWords:
    """The words of a tool's command line: those before its files, the files, and those after.

    In `jq .id /a.json`, the filter `.id` stands before the file.
    """

    before: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@pytest.mark.parametrize(
    ("declaration", "words", "expected"),
    [
        pytest.param(
            FileArguments(),
            ["/a", "-", "/b"],
            SplitWords(files=("/a", "-", "/b")),
            id="all words are files",
        ),
        pytest.param(
            FileArguments(first=1),
            [".x", "/a"],
            SplitWords(before=(".x",), files=("/a",)),
            id="files begin at the second word, as in `jq FILTER FILE`",
        ),
        pytest.param(
            FileArguments(first=1),
            ["/a"],
            SplitWords(before=("/a",)),
            id="files begin at the second word, but there is one word",
        ),
        pytest.param(
            FileArguments(count=1),
            ["/a", "x", "/b"],
            SplitWords(files=("/a",), after=("x", "/b")),
            id="only the first word is a file",
        ),
        pytest.param(
            FileArguments(first=1, options=("-r",)),
            [".x", "-r", "/a"],
            SplitWords(before=(".x",), files=("/a",)),
            id="a declared option is left out",
        ),
    ],
)
def test_a_declaration_says_which_words_of_a_command_are_files(
    declaration: FileArguments, words: list[str], expected: SplitWords
) -> None:
    """`FileArguments` describes the command line of a tool: how many words stand before the files
    (`first`), how many files there are at most (`count`), and which options may be ignored.

    A file that a script reads with a tool counts as read, so that it can be cited.
    """
    parts = declaration.split(words)

    assert parts is not None
    assert SplitWords(*parts) == expected


@pytest.mark.parametrize("unknown_option", ["-r", "-nr"])
def test_a_command_with_an_option_that_is_not_declared_is_not_split(
    unknown_option: str,
) -> None:
    """Nobody knows whether the word after it is a file, or the option's value."""
    declaration = FileArguments(options=("-n",))

    assert declaration.split([unknown_option, "/a"]) is None


# Hosts with a defect. The host is the code, perhaps of another package, that answers a script's calls.


class ExceptionWithoutText(Exception):
    """An exception with a defect of its own: its text cannot be had."""

    def __str__(self) -> str:
        raise ValueError


class UnreadableMapping(dict[str, object]):
    """A mapping with a defect: the methods that read it raise."""

    def __iter__(self) -> object:
        raise LookupError

    def items(self) -> object:
        raise LookupError

    keys = items


class BenchmarkError(Exception):
    """An exception of a package that the product does not know."""


def nested_list(levels: int) -> object:
    """Return `[[[1]]]` for three levels."""
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def mapping_in_itself() -> dict[str, object]:
    """Return a mapping whose only value is the mapping itself."""
    value: dict[str, object] = {}
    value["self"] = value
    return value


def check_call_fails(call: Callable[[], object]) -> None:
    """Make a call `look` of a host, which must fail with one short message for the script."""
    with pytest.raises(CallError) as raised:
        plain_result("look", call)

    assert raised.value.code == "internal"
    assert raised.value.host_broke
    assert raised.value.message.startswith("look broke: ")
    assert len(raised.value.message) <= 400


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(ValueError("no such row"), id="an exception"),
        pytest.param(ExceptionWithoutText(), id="one that cannot be described"),
        pytest.param(OSError(5, "I/O error"), id="an error of the system"),
        pytest.param(MemoryError(), id="no memory"),
        pytest.param(RecursionError("deep"), id="too much recursion"),
        pytest.param(StopIteration(), id="the end of an iteration"),
        pytest.param(AssertionError(), id="a failed assertion"),
        pytest.param(BenchmarkError("down"), id="an exception of another package"),
    ],
)
def test_a_host_that_raises_fails_its_call(error: Exception) -> None:
    """The exception must not end the trial, only the call."""

    def raise_error() -> object:
        raise error

    check_call_fails(raise_error)


UNUSABLE_RESULTS = {
    "None": None,
    "a list": [],
    "a text": "text",
    "a mapping with bytes": {"content": b"x"},
    "a mapping with a set": {"paths": {"/a"}},
    "a mapping with an object": {"x": object()},
    "a mapping with a value that is not a number": {"x": float("nan")},
    "a mapping with an infinite number": {"x": [float("-inf")]},
    "a mapping with a number of too many digits": {"x": 10**5000},
    "a mapping with a key that is not a text": {(1, 2): "x"},
    "a mapping that contains itself": mapping_in_itself(),
    "a mapping that raises": UnreadableMapping(x=1),
    "a mapping of 101 levels": {"x": nested_list(100)},
    "a mapping of 100,000 levels": {"x": nested_list(100_000)},
}
"""Results that are not a mapping of plain data, which a script could be sent as JSON."""


@pytest.mark.parametrize("title", UNUSABLE_RESULTS)
def test_a_host_that_returns_something_else_than_plain_data_fails_its_call(
    title: str,
) -> None:
    """A result is sent to the script as JSON, so it must be a mapping that JSON can hold."""

    def return_result() -> object:
        return UNUSABLE_RESULTS[title]

    check_call_fails(return_result)


def test_a_schema_with_alternatives_that_multiply_is_checked_with_bounded_work() -> (
    None
):
    """The schema `a` has 20 alternatives, each of which is the schema `a` again."""
    twenty_times_itself = {"anyOf": [{"$ref": "#/$defs/a"}] * 20}
    schema = {
        "$defs": {"a": twenty_times_itself},
        "properties": {"n": {"type": "string", **twenty_times_itself}},
    }

    def check() -> None:
        assert schema_fault({"n": 5}, schema) == "['n'] is any | str, not int 5"

    # All alternatives of all alternatives would be 20, 400, 8,000 and so on.
    assert executed_lines(check) < 10_000_000


TIME_ZONES = st.sampled_from([None, UTC, timezone(timedelta(hours=-3))])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.dates()
    | st.datetimes(timezones=TIME_ZONES)
    | st.times()
    | st.timedeltas()
    | st.decimals(allow_nan=False)
)
HASHABLE_VALUES = SCALARS | st.tuples(SCALARS, SCALARS)
SETS = st.sets(HASHABLE_VALUES, max_size=4) | st.frozensets(HASHABLE_VALUES, max_size=4)
# The key "$" marks an encoded value, as in `{"$": "date", "v": "2026-01-01"}`.
KEYS = st.text(max_size=4) | st.just("$") | st.integers()


def containers_of(values):
    return (
        st.lists(values, max_size=4)
        | st.dictionaries(KEYS, values, max_size=4)
        | st.tuples(values, values)
    )


SCRATCHPAD_VALUES = st.recursive(SCALARS | SETS, containers_of, max_leaves=12)
"""Random values that a script may keep in its scratchpad."""


@given(SCRATCHPAD_VALUES)
def test_an_encoded_value_is_json_and_decodes_to_the_same_value(value):
    """Between two steps, the scratchpad is kept as JSON."""
    encoded = encode(value)
    decoded = decode(json.loads(json.dumps(encoded, allow_nan=False)))

    assert decoded == value
    assert type(decoded) is type(value)
    assert encode(decoded) == encoded


def test_a_dataclass_is_kept_as_a_mapping_of_its_fields():
    """The class itself is gone in the next step, as it belongs to the script."""

    @dataclass
    class Line:
        sku: str
        when: date

    decoded = decode(encode([Line("x", date(2026, 1, 1))]))

    assert decoded == [{"sku": "x", "when": date(2026, 1, 1)}]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (object(), r"scratchpad is of type object"),
        (
            {"k": [1, {2: print}]},
            r"scratchpad\['k'\]\[1\]\[2\] is of type builtin_function_or_method",
        ),
        ({"k": 1j}, r"scratchpad\['k'\] is of type complex"),
        ({"k": b"x"}, r"scratchpad\['k'\] is of type bytes"),
        ({"k": 1 << 20_000}, r"scratchpad\['k'\] is an integer of 20001 bits"),
        ({"k": {"x": type}}, r"scratchpad\['k'\]\['x'\] is of type type"),
    ],
)
def test_the_error_of_a_value_that_cannot_be_kept_says_where_it_is(value, error):
    """The model should find the value in a large scratchpad."""
    with pytest.raises(NotKept, match=error):
        encode(value)


def test_a_list_that_contains_itself_cannot_be_kept():
    value: list = []
    value.append(value)

    with pytest.raises(NotKept, match="holds itself"):
        encode(value)


TAGS = st.sampled_from(
    ["date", "datetime", "set", "dict", "tuple", "decimal", "float", "time", "x"]
)


def almost_encoded(values):
    """Return random lists and mappings that look like encoded values, such as
    `{"$": "date", "v": [7]}`."""
    return (
        st.lists(values, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$", "v", "zone", "fold", "a"]), values, max_size=4
        )
        | st.fixed_dictionaries({"$": TAGS, "v": values})
    )


FORGED_SCRATCHPADS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    almost_encoded,
    max_leaves=10,
)


@given(FORGED_SCRATCHPADS)
def test_a_forged_scratchpad_becomes_json_or_is_reported_as_damaged(encoded):
    """`flatten` makes the plain JSON that users see: a date becomes a text, a set a list."""
    try:
        flat = flatten(encoded)
    except Damaged:
        return
    json.dumps(flat, allow_nan=False)


class OneByteSocket(socket.socket):
    """A socket that receives one byte at a time, in a new object."""

    def recv(self, count: int, flags: int = 0) -> bytes:
        return b"".join([super().recv(1), b""])


def test_a_message_that_arrives_byte_by_byte_takes_little_memory():
    """A list of 100,000 parts of a byte each would take several megabytes."""
    text = "x" * 99_996
    message = b'["' + text.encode() + b'"]'
    message_bytes = 100_000
    assert len(message) == message_bytes
    receiver, sender = socket.socketpair()
    with OneByteSocket(fileno=receiver.detach()) as connection, sender:
        sender.sendall(LENGTH.pack(message_bytes) + message)
        tracemalloc.start()
        try:
            received = FrameReader(connection).receive(message_bytes)
            _, peak_bytes = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert received == [text]
    assert peak_bytes < 1_000_000


LARGEST_DOCUMENT_BYTES = 64 << 20


@pytest.mark.parametrize(
    ("content", "error"),
    [
        pytest.param(b"[" * 100_000 + b"]" * 100_000, "nested too deeply", id="deep"),
        pytest.param(
            b'["\\ud83d",' + b"[" * 50_000 + b"]" * 50_001,
            "nested too deeply",
            id="deep, with half of a surrogate pair",
        ),
        pytest.param(
            b"[" + b"{}," * 100_000 + b"{}]", "too many values", id="many mappings"
        ),
        pytest.param(
            b"[" + b"1," * 1_000_001 + b"1]", "too many values", id="many numbers"
        ),
        pytest.param(b'{"a":', "EOF", id="cut off"),
        pytest.param(
            '["\\ud83d",]',
            "trailing comma",
            id="a comma too many, with an escaped half of a surrogate pair",
        ),
        pytest.param(
            '["\ud83d",]',
            "trailing comma",
            id="a comma too many, with half of a surrogate pair",
        ),
    ],
)
def test_json_that_is_malformed_or_too_complex_is_refused(
    content: str | bytes, error: str
) -> None:
    """Half of a surrogate pair takes another path of the parser, with the same bounds."""
    with pytest.raises(ValueError, match=error):
        parse_json(content, most_bytes=LARGEST_DOCUMENT_BYTES)


def test_json_with_more_bytes_than_allowed_is_refused() -> None:
    content = b'"' + b"a" * 2_000 + b'"'

    with pytest.raises(ValueError, match="longer than 1,000 bytes"):
        parse_json(content, most_bytes=1_000)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b"1", id="a number"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b'"x"', id="a text"),
        pytest.param(b'{"a": NaN}', id="NaN"),
        pytest.param(b'{"a": Infinity}', id="infinity"),
        pytest.param(b'{"a": ' + b"[" * 100_000, id="deep"),
        pytest.param(b'{"a": "\\ud800"}', id="half of a surrogate pair"),
        pytest.param(b"\xff", id="not UTF-8"),
        pytest.param(b'{"a": [' + b"[]," * 10_000 + b"[]]}", id="many lists"),
        pytest.param(b'{"a": [' + b"1," * 400_001 + b"1]}", id="many numbers"),
        pytest.param(b'{"a": ' + b"7" * 5_000 + b"}", id="a number of 5,000 digits"),
    ],
)
def test_a_frame_that_is_not_a_json_object_within_the_bounds_is_called_forged(
    body: bytes,
) -> None:
    """The product's own child never sends such a frame, so the parent ends the child."""
    with pytest.raises(Forged):
        read_message(body)
