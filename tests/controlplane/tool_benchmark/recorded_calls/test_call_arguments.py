"""The arguments of a call are recorded as they were passed, whatever the tool's function does to them.

    environment.runtime.call("put", {"items": ["one"]})     put appends "added" to its items
    environment.calls[0].arguments    ->    {"items": ["one"]}

A grader sees `environment.calls`.
"""

import pytest

from controlplane import TaskEnvironment, Tool


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(None, id="arguments read by the types of the function"),
        pytest.param(
            {"properties": {"items": {"type": "array"}}},
            id="arguments read by a schema",
        ),
    ],
)
def test_a_recorded_argument_is_not_changed_by_the_function(
    schema: dict[str, object] | None,
) -> None:
    def put(items: list[str]) -> None:
        items.append("added")

    environment = TaskEnvironment([Tool(put, "acts", schema=schema)])
    items = ["one"]

    environment.runtime.call("put", {"items": items})

    assert environment.calls[0].arguments == {"items": ["one"]}
    assert items == ["one"]  # The function has changed a copy of its own.


def test_a_recorded_dictionary_is_not_changed_by_the_function() -> None:
    def put(options: dict[str, int]) -> None:
        options["added"] = 1

    environment = TaskEnvironment([Tool(put, "acts")])

    environment.runtime.call("put", {"options": {"k": 1}})

    assert environment.calls[0].arguments == {"options": {"k": 1}}
