"""Lists in any notation are split into their entries."""

import pytest

from toolkit.text.document_entries import entries_of


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("- ", "- "),
        ("1. ", "2. "),
        ("1) ", "2) "),
        ("(a) ", "(b) "),
        ("**One.** ", "**Two.** "),
        ("### One\n\n", "### Two\n\n"),
        ("  * ", "  * "),
        ("| ", "| "),
    ],
)
def test_an_entry_begins_at_the_sign_of_its_list(first: str, second: str) -> None:
    found = entries_of(f"# Title\n\n{first}Two\nlines of it.\n{second}And more.\n")
    assert any(each.endswith("Two lines of it.") for each in found)
    assert any(each.endswith("And more.") for each in found)


@pytest.mark.parametrize("text", ["It costs\n12 percent.", "It is\n-5 degrees.", "All of\n(both) of them."])
def test_a_line_without_a_sign_goes_on(text: str) -> None:
    assert entries_of(text) == [" ".join(text.split())]


def test_empty_lines_are_no_entries() -> None:
    assert entries_of("\n\nOne.\n\n\n\nTwo.\n\n") == ["One.", "Two."]
