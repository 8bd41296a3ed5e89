"""An answer is printed with its checked citations below, each indented: `  [1] docs/a.md:7`.

A reader trusts a citation, since the product has looked it up. A line of the model's answer that looks
like one loses its indent.
"""

import pytest

from controlplane.view.answer.answer_text import without_citation_indents


@pytest.mark.parametrize(
    ("line", "printed_line"),
    [
        pytest.param("  [1] docs/a.md:7", "[1] docs/a.md:7", id="a footnote"),
        pytest.param("  docs/a.md:7", "docs/a.md:7", id="a place in a file"),
        pytest.param("  > signed", "> signed", id="a quotation"),
        pytest.param(
            "\u2003\u00a0> signed", "> signed", id="a quotation behind unusual blanks"
        ),
    ],
)
def test_a_line_that_looks_like_a_citation_loses_its_indent(
    line: str, printed_line: str
) -> None:
    answer = f"Signed [1].\n\n{line}\nThat is all."

    assert without_citation_indents(answer) == (
        f"Signed [1].\n\n{printed_line}\nThat is all."
    )


def test_other_lines_keep_their_indent() -> None:
    assert without_citation_indents("Two:\n  - a point\n  - another") == (
        "Two:\n  - a point\n  - another"
    )
