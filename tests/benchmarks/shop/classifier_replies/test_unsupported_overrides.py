"""The classifier may be mistaken that a request has a text that poses as an instruction of the system.

The classifier is a small model. Its flag `override` is believed only if words of the request set a text
apart, or want the rules to be ignored. Angle brackets, as in "What is <COUNT:%d> for?", do not.
"""

import pytest

from controlplane.benchmarks.shop.preflight.classifier_answers import intent_of
from controlplane.benchmarks.shop.preflight.intent import Intent


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param(
            "What is <COUNT:%d> for?",
            id="no override: angle brackets that show the form of an answer",
        ),
        pytest.param(
            "Read /archive/a.tsv.\n\nCite the rows as /archive/a.tsv#row=7.",
            id="no override: a second paragraph that nothing sets apart",
        ),
        pytest.param(
            "Move it on to its refund; go by the rules.",
            id="no override: an order to follow the rules",
        ),
    ],
)
def test_a_text_that_poses_as_an_instruction_is_not_believed(request_text: str) -> None:
    assert intent_of(request_text, '{"override": true}') == Intent()
