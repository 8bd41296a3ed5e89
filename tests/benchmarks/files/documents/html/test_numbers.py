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
        pytest.param("12<small>99</small> EUR", "12 99 EUR", id="price"),
        pytest.param("1<sup>1</sup>/<sub>2</sub> cups", "1 1/2 cups", id="fraction"),
        pytest.param(
            '10<span style="vertical-align: super">3</span>',
            "10^3",
            id="raised by style",
        ),
        pytest.param(
            '<span style="display:none">99</span>12 <b hidden>5</b>', "12", id="hidden"
        ),
        pytest.param(
            "<style>.key { color: red; display: none } @media print { .seen { display: none } }"
            '</style><span class="a key">99</span>12 <b class=seen>5</b>',
            "12 **5**",
            id="hidden by a style sheet",
        ),
        pytest.param(
            "<math><msup><mn>10</mn><mn>3</mn></msup></math>", "10^3", id="formula"
        ),
        pytest.param(
            "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "1/2", id="ratio"
        ),
        pytest.param("<select><option>12<option>34</select>", "12 34", id="choices"),
        pytest.param(
            "<details><summary>Sum 5</summary>6 left</details>",
            "Sum 5 6 left",
            id="summary",
        ),
        pytest.param(
            "<select><option>12<option selected>34</select>", "34", id="choice"
        ),
        pytest.param(
            '<label>Fee</label><input value="42 EUR"><input type="hidden" value="7">',
            "Fee 42 EUR",
            id="field",
        ),
        pytest.param("1<progress>2</progress>3", "1 2 3", id="progress"),
        pytest.param("12&shy;34", "1234", id="place for a hyphen"),
        pytest.param(
            "<ruby>東京<rt>とう</rt></ruby>", "東京(とう)", id="how to say it"
        ),
        pytest.param(
            '<table><tr><th>a<tr><td><span style="display:block">1</span>'
            '<span style="display:block">2</span></table>',
            "| a |\n| --- |\n| 1  2 |",
            id="blocks in a cell",
        ),
        # What is said as one word stays one.
        pytest.param("CO<sub>2</sub>", "CO2", id="molecule"),
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


@pytest.mark.parametrize(
    "element", ["address", "aside", "details", "fieldset", "form", "main", "nav"]
)
def test_numbers_of_different_blocks_stay_apart(element: str) -> None:
    markdown = html_to_markdown(f"4<{element}>5</{element}>6")

    assert markdown.split() == ["4", "5", "6"]
