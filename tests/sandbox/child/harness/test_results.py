"""Results of calls, as a script gets them from `harness`."""

from controlplane.sandbox.interface import Operation, ResultField
from tests.sandbox.child.harness.harness_with_results import RecordedCalls, harness_with


def test_a_result_is_a_dict_whose_keys_are_attributes_at_every_depth() -> None:
    look = Operation(
        "look",
        parameters=(),
        fields=(ResultField("rows", items=("a",)),),
        summary="look",
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
