"""The result of a function of the benchmark prints as its value, followed by its notes, if any.

A benchmark may offer Python functions to scripts: `harness.tools.staff()` calls the function `staff`
of the module `shop`. Its result has a value, and notes that say what is doubtful about the value.
Here the results are given, and no function is called.
"""

from controlplane.sandbox.interface import Operation
from tests.sandbox.child.harness.harness_with_results import RecordedCalls, harness_with

STAFF = Operation(
    "staff",
    parameters=(),
    fields=(),
    summary="staff",
    finds="shop:staff",  # what makes it a function of `harness.tools`
)


def test_a_result_without_notes_prints_as_its_value() -> None:
    """So a script can use the result in a text."""
    calls = RecordedCalls([{"value": "Ada\nBob", "refs": [], "notes": []}])

    result = harness_with(STAFF, calls).tools.staff()

    assert result.value == "Ada\nBob"
    assert f"{result}" == "Ada\nBob"


def test_a_result_with_notes_prints_them_as_well() -> None:
    """The model, which reads what its script prints, should see the doubt."""
    result_with_note = {"value": "Ada\nBob", "refs": [], "notes": ["Bob has left"]}
    calls = RecordedCalls([result_with_note])

    result = harness_with(STAFF, calls).tools.staff()

    assert "Bob has left" in str(result)
