"""Results of calls, as a script gets them from `harness`."""

from controlplane.sandbox.interface import Operation, ResultField
from tests.sandbox.child.harness.harness_with_results import RecordedCalls, harness_with


def test_a_result_is_a_dict_whose_keys_are_attributes_at_every_depth() -> None:
    look = Operation(
        "look", parameters=(), fields=(ResultField("rows", ("a",)),), summary="look"
    )
    calls = RecordedCalls([{"rows": [{"a": {"b": [1]}}]}])

    result = harness_with(look, calls).look()

    assert result.rows[0].a.b == [1]
    assert result == {"rows": [{"a": {"b": [1]}}]}
    assert isinstance(result, dict)


def test_json_parses_the_field_that_the_operation_names() -> None:
    look = Operation(
        "look",
        parameters=(),
        fields=(ResultField("text"),),
        summary="look",
        json_field="text",
    )
    calls = RecordedCalls([{"text": '{"x": 1}'}])

    assert harness_with(look, calls).look().json() == {"x": 1}


class TestResultsOfFunctions:
    """A function of the benchmark returns a value, with references and notes.

    `finds` names the Python function that computes it, `staff` of the module `shop`. Here nothing
    does: the result is given.
    """

    staff = Operation(
        "staff", parameters=(), fields=(), summary="staff", finds="shop:staff"
    )

    def test_the_result_of_a_function_prints_as_its_value(self) -> None:
        """Scripts use results in texts, and rarely want their notes there."""
        calls = RecordedCalls([{"value": "Ada\nBob", "refs": [], "notes": []}])

        result = harness_with(self.staff, calls).tools.staff()

        assert result.value == "Ada\nBob"
        assert f"{result}" == "Ada\nBob"

    def test_the_result_of_a_function_prints_its_notes(self) -> None:
        """A note says what is doubtful about a value, which the model should see."""
        calls = RecordedCalls(
            [{"value": "Ada\nBob", "refs": [], "notes": ["Bob has left"]}]
        )

        result = harness_with(self.staff, calls).tools.staff()

        assert "Bob has left" in str(result)
