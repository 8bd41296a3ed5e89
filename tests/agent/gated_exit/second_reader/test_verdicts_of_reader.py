"""The verdict of a second reader, a model that reads an accepted answer before it is sent.

The verdict is "reject" if the reader quotes a line that is in the request, the rules or a cited file:
`{"against": ["Answer in German."]}`. The answer is then sent back, once. `review(reply)` is the verdict
on an answer in English, "Until May.", of a reader with this reply.
"""

import pytest

from controlplane.agent.model import ModelError
from tests.agent.gated_exit.second_reader.reviewed_answer import review


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("Answer in German.", id="of the request"),
        pytest.param("Name the fee, too.", id="of the rules"),
        pytest.param("A loan runs 21 days.", id="of a cited file"),
    ],
)
def test_a_reader_objects_by_quoting_a_line(line: str) -> None:
    verdict = review(f'{{"against": ["{line}"]}}')

    assert verdict.result == "reject"
    assert f"`{line}`" in verdict.reason  # The model is told which line it is.


def test_a_reader_that_makes_its_quotation_up_does_not_object() -> None:
    verdict = review('{"against": ["Nowhere at all."]}')

    assert verdict.result == "pass"
    assert verdict.reason == ""


def test_an_answer_is_not_lost_if_the_reader_fails() -> None:
    verdict = review(ModelError("down"))

    assert verdict.result == "not_applicable"
    assert verdict.reason == "the second reader failed: down"


@pytest.mark.parametrize(
    "reply",
    [
        pytest.param('{"against": ["Answer in German."]}', id="it objects"),
        pytest.param('{"against": []}', id="it does not object"),
        pytest.param(ModelError("down"), id="it fails"),
    ],
)
def test_an_answer_may_be_sent_in_spite_of_the_reader(reply: str | ModelError) -> None:
    """`ask`: the answer goes back to the model, and is sent if it is handed in again."""
    verdict = review(reply)

    assert verdict.key == "review"  # the reader's name in reports
    assert verdict.enforcement == "ask"
