"""Whatever a host does inside a call, the call gives plain fields or one error."""

from collections.abc import Callable

import pytest

from sandbox.interface import CallError, guarded, plain_result


class Mute(Exception):
    def __str__(self) -> str:
        raise ValueError


class Leaving(Exception):
    leaves_step = True


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


@pytest.mark.parametrize("error", [CallError("not_found", "gone"), Leaving(), KeyboardInterrupt(), SystemExit(3)])
def test_errors_that_a_host_may_raise_pass(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        guarded("look", raising(error))
    assert caught.value is error
