"""Of the messages of recorded right answers, our grader refuses few.

The answers were given to tasks of the public shop benchmark, which ours imitate. A message that
was right there, "basket-1 is not yours", is retold with the names of our shops, and graded there.
"""

import re

import pytest

from tests.benchmarks.ecom.recorded.answer_file import RECORDED_FILE
from tests.benchmarks.ecom.recorded.graded_messages import faults_in_our_worlds
from tests.benchmarks.ecom.recorded.recorded_messages import right_messages

CONFIRMS_POSITION = re.compile("is (?:confirmed as )?(?:the|a) store.manager")
"""Finds messages that tell a customer an employee's position: `Ada is the store manager`.

Our page on security forbids that. The page of the public benchmark did not.
"""


@pytest.mark.heavy
@pytest.mark.skipif(
    not RECORDED_FILE.exists(), reason="the recorded answers are not there"
)
@pytest.mark.parametrize(
    ("with_statements", "most_refused_share"),
    [
        pytest.param(False, 0.005, id="by what the public pages ask for"),
        pytest.param(True, 0.03, id="by what our pages ask for as well"),
    ],
)
def test_our_grader_refuses_few_recorded_right_messages(
    with_statements: bool, most_refused_share: float
) -> None:
    """Our pages also ask a message to state the record and what was done; the public ones did not.

    Our grader looks for that only if `with_statements` is true.
    """
    messages = list(right_messages())
    assert len(messages) > 300  # The answers were found.

    refused = []
    for message in messages:
        if CONFIRMS_POSITION.search(message.message):
            continue
        if faults_in_our_worlds(message, with_statements=with_statements):
            refused.append(message.message)

    assert len(refused) <= most_refused_share * len(messages), refused
