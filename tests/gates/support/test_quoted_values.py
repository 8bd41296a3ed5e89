"""A citation quotes lines of a file, and there a value of the answer is looked for first."""

from __future__ import annotations

from controlplane.gates.support.sources import LineNumbers, Place, Source
from controlplane.gates.support.value_support import ValueMarker


def test_a_value_is_found_first_where_a_citation_quotes_it() -> None:
    """The version 3.1 is in two lines. The answer cites the file, and quotes the second of them
    with the line before it. The size, 4 MB, is outside of the quotation."""
    text = "added: 3.1\n...\nparted cookies\nadded: 3.1\n4 MB\n"
    source = Source("/config.rst", text)
    # How many blanks are between two words does not matter.
    quoted_parts = list(source.quoted_parts("parted  cookies\nadded: 3.1"))
    marker = ValueMarker([source], cited=frozenset({source.path}), quoted=quoted_parts)

    version_mark, size_mark = marker.marks("Since 3.1; 4 MB.")

    assert version_mark.place == Place("/config.rst", line=4)
    assert size_mark.place == Place("/config.rst", line=5)


def test_a_quotation_of_one_line_is_found_at_its_first_place() -> None:
    """The line with the index 1 is the first one that is `added: 3.1`. The line before it,
    `added: 3.10`, only begins like the quotation."""
    source = Source("/config.rst", "added: 3.10\nadded: 3.1\n...\nadded: 3.1\n")

    line_index = source.line_of_quotation("added: 3.1")

    assert line_index == 1


def test_a_quotation_that_is_not_in_the_text_has_no_place() -> None:
    source = Source("/config.rst", "added: 3.10\nadded: 3.1\n")

    assert list(source.quoted_parts("added: 3.2")) == []


def test_quoted_rows_of_a_query_keep_their_lines_in_the_file() -> None:
    """The query returned the heading, line 1, with the rows in lines 7 and 9 of the file."""
    rows = "id;fee\nL-02;300\nL-04;470"
    source = Source("/loans.csv", rows, LineNumbers((1, 7, 9)))

    (quoted_rows,) = source.quoted_parts("L-02;300\nL-04;470")

    assert quoted_rows.place(0) == Place("/loans.csv", 7)
    assert quoted_rows.place(1) == Place("/loans.csv", 9)
