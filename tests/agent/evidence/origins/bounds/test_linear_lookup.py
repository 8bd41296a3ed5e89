"""To find where a value comes from takes work in proportion to the length of the texts.

A trial has read texts, and makes a call. The *origin* of each argument says which text has its value:
`Origin.MADE` if none has, so that the script has made it up.

`assert_linear(work, count)` counts the lines of Python that `work(count)` and `work(2 * count)` execute.
It fails if the second executes far more than twice as many.
"""

import pytest

from controlplane.agent.evidence.origins.texts import Origin
from controlplane.agent.evidence.texts.data_texts import ResultText
from controlplane.sandbox.interface import Plain
from tests.agent.evidence.origins.texts_of_trial import TextsOfTrial
from tests.support.executed_work import assert_linear


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param(
            "the quick brown fox jumps over the lazy dog and on\n", id="plain words"
        ),
        pytest.param(
            "On 3 May Ann wrote that INV-17 of 12.50 euros goes to ann@site.com.\n",
            id="many values",
        ),
        pytest.param("1" * 50, id="one long number"),
        pytest.param("a@", id="@ after @, as in mail addresses"),
        pytest.param("US13 30", id="letters and digits, as in account numbers"),
    ],
)
def test_searching_a_text_is_linear_work(piece: str) -> None:
    """The mail repeats one piece, such as `a@a@a@...`. A search for addresses that began anew at each
    `@` would take quadratic work."""

    def search(piece_count: int) -> None:
        texts = TextsOfTrial(mail=piece * piece_count)
        arguments: dict[str, Plain] = {
            "to": "no@nowhere.example",
            "amount": 4711,
            "ids": ["1" * 30, "x-1"],
        }
        texts.origins(arguments)

    assert_linear(search, 500)


def test_passed_values_are_not_compared_with_each_file_of_a_result() -> None:
    """A call passes many values, and its result has lines of many files. A value that the call passed
    itself does not count as found in the result. Comparing each value with each file would take
    quadratic work: there are ten values for each file, so that it would soon be most of the work."""

    def look_up(file_count: int) -> None:
        lines: list[ResultText] = []
        for number in range(file_count):
            line = f"Line {number} says hello."
            lines.append(ResultText(line, is_data=False, path=f"/f/{number}.md"))
        passed_values = [f"id-{number}" for number in range(10 * file_count)]

        texts = TextsOfTrial()
        texts.provenance.add("search", lines, passed_keys=passed_values)
        assert texts.origin_of("Ann Miller") is Origin.MADE

    assert_linear(look_up, 200)
