"""A declaration binds the arguments of calls, and says which calls may change the world and which name files."""

import time
from collections.abc import Callable

import pytest

from sandbox.interface import (
    CallError,
    FileArguments,
    plain_result,
    schema_fault,
)
from sandbox.interface.operations import FILE_OPERATIONS, bound_arguments

FIND, READ, WRITE = (
    next(operation for operation in FILE_OPERATIONS if operation.name == name) for name in ("find", "read", "write")
)


def test_a_reference_stands_for_its_path_where_the_call_is_about_it() -> None:
    reference = {"path": "/docs/a.md", "reason": "the page"}
    assert bound_arguments(READ, (reference,), {})["path"] == "/docs/a.md"
    with pytest.raises(TypeError, match="content is a string, not dict"):
        bound_arguments(WRITE, ("/docs/b.md", reference), {})


@pytest.mark.parametrize(
    ("given", "named", "says"),
    [
        ((), {}, "needs 'name'"),
        (("a", "b", "c", 1, 2), {}, "takes 4 arguments, 5 were given"),
        (("a",), {"name": "b"}, "got two values for 'name'"),
        (("a",), {"limits": 3}, "has no argument 'limits'"),
        (("a",), {"zzz": 3}, "has no argument 'zzz'"),
        ((7,), {}, "name is a string, not int"),
        (("a",), {"limit": True}, "at most 64 bits, not bool"),
        (("a",), {"limit": 1 << 65}, "limit is a whole number of at most 64 bits, not int"),
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
        (FileArguments(first=1, options=("-r",)), [".x", "-r", "/a"], ((".x",), ("/a",), ())),
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
    "an exception of another package": raising(type("BenchmarkError", (Exception,), {})("down")),
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
def test_a_fault_of_a_host_fails_the_call_with_one_short_message(call: Callable[[], object]) -> None:
    with pytest.raises(CallError) as caught:
        plain_result("look", call)
    assert (caught.value.code, caught.value.host_broke) == ("internal", True)
    assert caught.value.message.startswith("look broke: ")
    assert len(caught.value.message) <= 400


def test_a_schema_whose_alternatives_repeat_each_other_is_compared_in_bounded_time() -> None:
    again = {"anyOf": [{"$ref": "#/$defs/a"}] * 20}
    schema = {"$defs": {"a": again}, "properties": {"n": {"type": "string", **again}}}
    started_s = time.process_time()
    assert schema_fault({"n": 5}, schema) == "['n'] is any | str, not int 5"
    assert time.process_time() - started_s < 5
