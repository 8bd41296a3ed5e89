"""The public methods of an object become tools.

    Tool.of(Desk(), reads=("get_*",))    ->    the tools `get_book`, which only reads, and `lend`

`reads` are patterns for the names of methods that change nothing.
"""

import pytest

from controlplane import TaskEnvironment, Tool


class Desk:
    """An object whose methods are to be tools."""

    def get_book(self, number: int) -> str:
        """Look a book up."""
        return f"book {number}"

    def lend(self, number: int) -> str:
        """Lend a book."""
        return f"lent {number}"

    def _hidden(self) -> None: ...


def test_the_public_methods_of_an_object_become_tools() -> None:
    get_book, lend = Tool.of(Desk(), reads=("get_*",))

    assert get_book.name == "get_book"
    assert get_book.effect == "returns"
    assert lend.name == "lend"
    assert lend.effect == "acts"
    environment = TaskEnvironment([get_book, lend])
    assert environment.runtime.call("lend", {"number": 3})["value"] == '"lent 3"'


def test_a_pattern_that_fits_no_method_is_refused() -> None:
    with pytest.raises(ValueError, match="Desk has no method 'list_\\*'"):
        Tool.of(Desk(), reads=("list_*",))
