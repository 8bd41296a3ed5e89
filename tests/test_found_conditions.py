"""A condition on the record of an earlier attempt is found in the source, in every form.

A trial is played anew, or goes on from the record of an earlier attempt. Code that plays it must
not ask which: `if self.tape.is_replay: ...`. The test in `test_record_conditions.py` looks for such
conditions, and would prove nothing if one were overlooked.
"""

import pytest

from tests.support.record_conditions import conditions_on_a_record


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("if record.answer is None: pass\n", id="if"),
        pytest.param("reply = recorded or ask()\n", id="or"),
        pytest.param(
            "def start(earlier: TrialRecord):\n    return 1 if earlier.steps else 2\n",
            id="conditional expression on a parameter",
        ),
        pytest.param(
            "calls = [call for call in calls if not self.tape.is_replay]\n",
            id="comprehension",
        ),
    ],
)
def test_a_condition_on_a_record_is_found(statement: str) -> None:
    """Each asks `record`, `recorded`, a parameter declared as a `TrialRecord`, or `self.tape`."""
    source = "record: TrialRecord\n" + statement

    assert conditions_on_a_record(source)
