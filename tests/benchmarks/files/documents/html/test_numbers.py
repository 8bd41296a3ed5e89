"""Numbers of an HTML page are the same in its Markdown: nothing beside them is joined to them."""

import pytest

pytest.importorskip("html5lib")

from controlplane.benchmarks.files.documents.document_texts import html_to_markdown


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("10<sup>3</sup> litres", "10^3 litres", id="power"),
        pytest.param("10<sup>-3</sup> m", "10^-3 m", id="negative power"),
        pytest.param("12<sup>1</sup> euros", "12^1 euros", id="mark of a footnote"),
        pytest.param("<b>12</b><sup>1</sup>", "**12**^1", id="behind an element"),
        pytest.param(
            '12<sup><a href="#n">1</a></sup>', "12^[1](#n)", id="link to a footnote"
        ),
        pytest.param("the fee<sup>1</sup>", "the fee^1", id="mark behind a word"),
        pytest.param("1001<sub>2</sub>", "1001_2", id="base"),
        pytest.param("x<sup>2</sup>3", "x^2 3", id="before a number"),
        # What is said as one word stays one.
        pytest.param("CO<sub>2</sub>", "CO2", id="formula"),
        pytest.param("5 m<sup>2</sup>", "5 m2", id="unit"),
        pytest.param("1<sup>st</sup>", "1st", id="ordinal"),
        pytest.param("<sup>1</sup> for members", "1 for members", id="footnote"),
        pytest.param(
            "<table><tr><th>a<th>b<tr><td>10<sup>3</sup><td>4<br>5</table>",
            "| a | b |\n| --- | --- |\n| 10^3 | 4 5 |",
            id="cells of a table",
        ),
    ],
)
def test_raised_and_lowered_digits_stay_apart(html: str, expected: str) -> None:
    assert html_to_markdown(f"<p>{html}</p>") == expected
