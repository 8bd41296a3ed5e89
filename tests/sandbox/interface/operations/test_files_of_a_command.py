"""The declaration of a command-line tool says which words of its command line are files.

A script that reads a file with a tool may then cite the file. In `jq .id /a.json`, the filter `.id`
stands before the file: `FileArguments(first=1).split([".id", "/a.json"])` -> `((".id",),
("/a.json",), ())`.
"""

from typing import NamedTuple

import pytest

from controlplane.sandbox.interface import FileArguments


class SplitWords(NamedTuple):
    """The words of a command line: those before its files, the files, and those after."""

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
    assert declaration.split(words) == expected


@pytest.mark.parametrize("unknown_option", ["-r", "-nr"])
def test_a_command_with_an_option_that_is_not_declared_is_not_split(
    unknown_option: str,
) -> None:
    """Nobody knows whether the word after it is a file, or the option's value."""
    declaration = FileArguments(options=("-n",))

    assert declaration.split([unknown_option, "/a"]) is None
