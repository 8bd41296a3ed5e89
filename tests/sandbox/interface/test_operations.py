"""What crosses the sandbox's border: frames,
the scratchpad's values, and calls bound by a declaration."""

import json
import socket
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.sandbox.child.step.script_values import decode, encode
from controlplane.sandbox.interface import (
    CallError,
    FileArguments,
    parse_json,
    plain_result,
    schema_fault,
)
from controlplane.sandbox.interface.argument_binding import bound_arguments
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS
from controlplane.sandbox.interface.frames import (
    LENGTH,
    Forged,
    FrameReader,
    read_message,
)
from controlplane.sandbox.interface.tagged_values import Damaged, NotKept, flatten

FIND, READ, WRITE = (
    next(operation for operation in FILE_OPERATIONS if operation.name == name)
    for name in ("find", "read", "write")
)


def test_a_reference_stands_for_its_path_where_the_call_is_about_it() -> None:
    reference = {"path": "/docs/a.md", "reason": "the page"}
    assert bound_arguments(READ, (reference,), {})["path"] == "/docs/a.md"
    with pytest.raises(TypeError, match="content is str, not dict"):
        bound_arguments(WRITE, ("/docs/b.md", reference), {})


@pytest.mark.parametrize(
    ("given", "named", "says"),
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
def test_an_argument_that_does_not_fit_is_told_with_the_signature(
    given: tuple[object, ...], named: dict[str, object], says: str
) -> None:
    with pytest.raises(TypeError) as raised:
        bound_arguments(FIND, given, named)
    assert says in str(raised.value)
    assert str(raised.value).startswith("harness.find(name, root='/'")


@pytest.mark.parametrize(
    ("declared", "words", "parts"),
    [
        (FileArguments(), ["/a", "-", "/b"], ((), ("/a", "-", "/b"), ())),
        (FileArguments(first=1), [".x", "/a"], ((".x",), ("/a",), ())),
        (FileArguments(first=1), ["/a"], (("/a",), (), ())),
        (FileArguments(count=1), ["/a", "x", "/b"], ((), ("/a",), ("x", "/b"))),
        (
            FileArguments(first=1, options=("-r",)),
            [".x", "-r", "/a"],
            ((".x",), ("/a",), ()),
        ),
        (FileArguments(options=("-n",)), ["-r", "/a"], None),
        (FileArguments(options=("-n",)), ["-nr", "/a"], None),
    ],
)
def test_a_declaration_tells_which_arguments_are_files(
    declared: FileArguments, words: list[str], parts: tuple[tuple[str, ...], ...] | None
) -> None:
    assert declared.split(words) == parts


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError


class Odd(dict):
    def __iter__(self) -> object:
        raise LookupError

    def items(self) -> object:
        raise LookupError

    keys = items


def nested(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


def holding_itself() -> dict[str, object]:
    value: dict[str, object] = {}
    value["self"] = value
    return value


def raising(error: BaseException) -> Callable[[], object]:
    def call() -> object:
        raise error

    return call


BROKEN: dict[str, Callable[[], object]] = {
    "an exception": raising(ValueError("no such row")),
    "an exception that cannot be told": raising(Mute()),
    "an error of the system": raising(OSError(5, "I/O error")),
    "no memory": raising(MemoryError()),
    "too much recursion": raising(RecursionError("deep")),
    "the end of an iteration": raising(StopIteration()),
    "a failed assertion": raising(AssertionError()),
    "an exception of another package": raising(
        type("BenchmarkError", (Exception,), {})("down")
    ),
    "nothing": lambda: None,
    "a list": list,
    "a text": lambda: "text",
    "bytes": lambda: {"content": b"x"},
    "a set": lambda: {"paths": {"/a"}},
    "an object": lambda: {"x": object()},
    "no number": lambda: {"x": float("nan")},
    "an endless number": lambda: {"x": [float("-inf")]},
    "a number of too many digits": lambda: {"x": 10**5000},
    "a key that is no text": lambda: {(1, 2): "x"},
    "a mapping that holds itself": holding_itself,
    "a mapping that raises": lambda: Odd(x=1),
    "101 levels": lambda: {"x": nested(100)},
    "100,000 levels": lambda: {"x": nested(100_000)},
}


@pytest.mark.parametrize("call", BROKEN.values(), ids=BROKEN)
def test_a_fault_of_a_host_fails_the_call_with_one_short_message(
    call: Callable[[], object],
) -> None:
    with pytest.raises(CallError) as caught:
        plain_result("look", call)
    assert (caught.value.code, caught.value.host_broke) == ("internal", True)
    assert caught.value.message.startswith("look broke: ")
    assert len(caught.value.message) <= 400


def test_a_schema_whose_alternatives_repeat_each_other_is_compared_in_bounded_time() -> (
    None
):
    again = {"anyOf": [{"$ref": "#/$defs/a"}] * 20}
    schema = {"$defs": {"a": again}, "properties": {"n": {"type": "string", **again}}}
    started_s = time.process_time()

    assert schema_fault({"n": 5}, schema) == "['n'] is any | str, not int 5"
    assert time.process_time() - started_s < 5


ATOMS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False)
    | st.text(max_size=8)
    | st.dates()
    | st.datetimes(
        timezones=st.sampled_from([None, UTC, timezone(timedelta(hours=-3))])
    )
    | st.times()
    | st.timedeltas()
    | st.decimals(allow_nan=False)
)
HASHABLE = ATOMS | st.tuples(ATOMS, ATOMS)
VALUES = st.recursive(
    ATOMS | st.sets(HASHABLE, max_size=4) | st.frozensets(HASHABLE, max_size=4),
    lambda below: (
        st.lists(below, max_size=4)
        | st.dictionaries(
            st.text(max_size=4) | st.just("$") | st.integers(), below, max_size=4
        )
        | st.tuples(below, below)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_an_encoded_value_comes_back_and_is_json(value):
    tagged = encode(value)
    again = decode(json.loads(json.dumps(tagged, allow_nan=False)))

    assert again == value
    assert type(again) is type(value)
    assert encode(again) == tagged


def test_a_dataclass_is_kept_as_its_fields():
    @dataclass
    class Line:
        sku: str
        when: date

    assert decode(encode([Line("x", date(2026, 1, 1))])) == [
        {"sku": "x", "when": date(2026, 1, 1)}
    ]


@pytest.mark.parametrize(
    ("value", "place"),
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
def test_a_value_that_cannot_be_kept_is_named_with_its_place(value, place):
    with pytest.raises(NotKept, match=place):
        encode(value)


def test_a_value_that_holds_itself_is_refused():
    value: list = []
    value.append(value)
    with pytest.raises(NotKept, match="holds itself"):
        encode(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3)
        | st.dictionaries(
            st.sampled_from(["$", "v", "zone", "fold", "a"]), below, max_size=4
        )
        | st.fixed_dictionaries(
            {
                "$": st.sampled_from(
                    [
                        "date",
                        "datetime",
                        "set",
                        "dict",
                        "tuple",
                        "decimal",
                        "float",
                        "time",
                        "x",
                    ]
                ),
                "v": below,
            }
        )
    ),
    max_leaves=10,
)


@given(JSON)
def test_a_hostile_scratchpad_is_json_or_damaged(tagged):
    try:
        flat = flatten(tagged)
    except Damaged:
        return
    json.dumps(flat, allow_nan=False)


def test_a_message_in_parts_of_one_byte_takes_no_more_memory_than_a_whole_one():
    class Drip(socket.socket):
        def recv(self, count: int, flags: int = 0) -> bytes:
            return b"".join([super().recv(1), b""])

    here, there = socket.socketpair()
    with Drip(fileno=here.detach()) as drip, there:
        there.sendall(LENGTH.pack(100_000) + b'["' + b"x" * 99_996 + b'"]')
        tracemalloc.start()
        try:
            assert FrameReader(drip).receive(100_000) == ["x" * 99_996]
            assert tracemalloc.get_traced_memory()[1] < 1_000_000
        finally:
            tracemalloc.stop()


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'["\\ud83d",' + b"[" * 50_000 + b"]" * 50_001, "nested too deeply"),
        (b"[" + b"{}," * 100_000 + b"{}]", "too many values"),
        (b"[" + b"1," * 1_000_001 + b"1]", "too many values"),
        (b'"' + b"a" * 2_000 + b'"', "longer than 1,000 bytes"),
        (b'{"a":', "EOF"),
        ('["\\ud83d",]', "trailing comma"),
        ('["\ud83d",]', "trailing comma"),
    ],
)
def test_a_document_beyond_the_bounds_or_malformed_is_refused(
    content: str | bytes, fault: str
) -> None:
    most = 1_000 if "longer" in fault else 64 << 20
    with pytest.raises(ValueError, match=fault):
        parse_json(content, most_bytes=most)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"1",
        b"[]",
        b'"x"',
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b'{"a": ' + b"[" * 100_000,
        b'{"a": "\\ud800"}',
        b"\xff",
        b'{"a": [' + b"[]," * 10_000 + b"[]]}",
        b'{"a": [' + b"1," * 400_001 + b"1]}",
        b'{"a": ' + b"7" * 5_000 + b"}",
    ],
)
def test_a_body_that_is_not_an_object_of_json_within_the_bounds_is_forged(
    body: bytes,
) -> None:
    with pytest.raises(Forged):
        read_message(body)
