"""Calls of operations: how their arguments are bound, and what results a host may return.

A script calls an operation that is declared, as in `harness.find("a.md", limit=4)`. The parent
binds the arguments to the declaration, as Python would. Then the *host* answers: code of a
benchmark, perhaps of another package, whose result must be a mapping of plain data.
"""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from controlplane.sandbox.interface import (
    CallError,
    FileArguments,
    Operation,
    plain_result,
)
from controlplane.sandbox.interface.argument_binding import bound_arguments
from controlplane.sandbox.interface.file_operations import FILE_OPERATIONS


def file_operation(name: str) -> Operation:
    """Return a declared operation, such as `find(name, root="/", kind="all", limit=10)`."""
    for operation in FILE_OPERATIONS:
        if operation.name == name:
            return operation
    raise LookupError(name)


CITATION = {"path": "/docs/a.md", "reason": "the page"}
"""A citation, as a script finds it in its scratchpad."""


class TestCitationsAsArguments:
    """A citation, as a script finds it in its scratchpad, may be passed for its path.

    Models pass it where the path of a file is wanted.
    """

    def test_a_call_about_a_path_takes_a_citation_instead(self) -> None:
        """`harness.read(citation)` reads the cited file."""
        read = file_operation("read")
        arguments = bound_arguments(read, positional=(CITATION,), named={})

        assert arguments["path"] == "/docs/a.md"

    def test_a_citation_does_not_stand_for_any_other_text(self) -> None:
        """The script passes a citation as the content of a file."""
        write = file_operation("write")

        with pytest.raises(TypeError, match="content is str, not dict"):
            bound_arguments(write, positional=("/docs/b.md", CITATION), named={})


class TestWrongArguments:
    """The error of a wrong argument begins with the signature of the call.

    The call is `harness.find(...)`, whose signature is `find(name, root="/", kind="all",
    limit=10)`. The model corrects its call by the message.
    """

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
        self, positional: tuple[object, ...], named: dict[str, object], error: str
    ) -> None:
        """The call is `harness.find(...)` with these arguments; the model corrects it by the
        message."""
        find = file_operation("find")

        with pytest.raises(TypeError) as raised:
            bound_arguments(find, positional, named)

        message = str(raised.value)
        assert message.startswith("harness.find(name, root='/'")
        assert error in message


class SplitWords(NamedTuple):
    """The words of a tool's command line: those before its files, the files, and those after.

    In `jq .id /a.json`, the filter `.id` stands before the file.
    """

    before: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


class TestFilesOfACommand:
    """A declaration says which words of a tool's command line are files.

    A script that reads a file with a tool may then cite the file. `FileArguments` says of a tool
    how many words stand before its files (`first`), how many files there are at most (`count`),
    and which options may be left out (`options`).
    """

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
        self, declaration: FileArguments, words: list[str], expected: SplitWords
    ) -> None:
        assert declaration.split(words) == expected

    @pytest.mark.parametrize("unknown_option", ["-r", "-nr"])
    def test_a_command_with_an_option_that_is_not_declared_is_not_split(
        self, unknown_option: str
    ) -> None:
        """Nobody knows whether the word after it is a file, or the option's value."""
        declaration = FileArguments(options=("-n",))

        assert declaration.split([unknown_option, "/a"]) is None


def check_call_fails(call: Callable[[], object]) -> None:
    """Let a host answer the operation `look` by `call`, which raises, or returns no plain data.

    The script must get one short error, "look broke: ...".
    """
    with pytest.raises(CallError) as raised:
        plain_result("look", call)

    assert raised.value.code == "internal"
    assert raised.value.host_broke
    assert raised.value.message.startswith("look broke: ")
    assert len(raised.value.message) <= 400


class ExceptionWithoutText(Exception):
    """An exception with a defect of its own: its text cannot be had."""

    def __str__(self) -> str:
        raise ValueError


class BenchmarkError(Exception):
    """An exception that a benchmark of another package defines."""


class TestHostsThatRaise:
    """An exception of a host ends the call, and nothing more.

    The host is code of a benchmark, perhaps of another package. `check_call_fails` asserts that
    the script gets one short error.
    """

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
    def test_a_host_that_raises_fails_its_call(self, error: Exception) -> None:

        def raise_error() -> object:
            raise error

        check_call_fails(raise_error)


class UnreadableMapping(dict[str, object]):
    """A mapping with a defect: the methods that read it raise."""

    def __iter__(self) -> object:
        raise LookupError

    def keys(self) -> object:
        raise LookupError

    def items(self) -> object:
        raise LookupError


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


class TestHostsThatReturnOtherData:
    """A result is sent to the script as JSON, so it must be a mapping that JSON can hold.

    A host may return bytes, a set, an infinite number, or a list of 100,000 levels.
    `check_call_fails` asserts that the script gets one short error.
    """

    @pytest.mark.parametrize(
        "result",
        [
            pytest.param(None, id="None"),
            pytest.param([], id="a list"),
            pytest.param("text", id="a text"),
            pytest.param({"content": b"x"}, id="a mapping with bytes"),
            pytest.param({"paths": {"/a"}}, id="a mapping with a set"),
            pytest.param({"x": object()}, id="a mapping with an object"),
            pytest.param(
                {"x": float("nan")}, id="a mapping with a value that is not a number"
            ),
            pytest.param(
                {"x": [float("-inf")]}, id="a mapping with an infinite number"
            ),
            pytest.param(
                {"x": 10**5000}, id="a mapping with a number of too many digits"
            ),
            pytest.param({(1, 2): "x"}, id="a mapping with a key that is not a text"),
            pytest.param(mapping_in_itself(), id="a mapping that contains itself"),
            pytest.param(UnreadableMapping(x=1), id="a mapping that raises"),
            pytest.param({"x": nested_list(100)}, id="a mapping of 101 levels"),
            pytest.param({"x": nested_list(100_000)}, id="a mapping of 100,000 levels"),
        ],
    )
    def test_a_host_that_returns_something_else_than_plain_data_fails_its_call(
        self, result: object
    ) -> None:

        def return_result() -> object:
            return result

        check_call_fails(return_result)
