"""The declaration of an environment, in a stranger's journal.

The event `trial_started` of a journal has a tool schema: a text in JSON that declares what scripts
can call in the trial's environment. A stranger may write any text in its place.

    {"operations": [{"name": "find", "parameters": [{"name": "order", "schema": ...}], ...}], ...}
"""

import json

import pytest

from controlplane.errors import JournalDamaged
from controlplane.journal.tool_schema_text import tool_schema_from_text


def schema_with(**changes: object) -> str:
    """Return a tool schema without operations, with some of its fields changed."""
    fields = {"operations": [], "executables": [], "rules_document": ""}
    return json.dumps({**fields, "initial_calls": [], **changes})


def schema_with_parameter(*, name: object, schema: object) -> str:
    """Return a tool schema of one operation with one parameter, of this name and JSON schema."""
    parameter = {"name": name, "type": "any", "schema": schema}
    operation = {"name": "find", "parameters": [parameter], "fields": []}
    return schema_with(operations=[operation | {"summary": ""}])


def test_a_declaration_of_an_environment_is_read() -> None:
    """So the next test finds only the faults that it names."""
    text = schema_with_parameter(name="order", schema={"type": "string"})

    (operation,) = tool_schema_from_text(text).operations

    assert [parameter.name for parameter in operation.parameters] == ["order"]
    assert tool_schema_from_text(schema_with()).operations == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="no JSON"),
        pytest.param("[]", id="a list"),
        pytest.param("{}", id="no fields"),
        pytest.param("5", id="a number"),
        pytest.param('{"operations": 5}', id="operations not a list"),
        pytest.param('{"operations": [{"name": 1}]}', id="name not a text"),
        pytest.param("[" * 100_000, id="deep JSON"),
        pytest.param(
            schema_with_parameter(name="order", schema=True), id="schema true"
        ),
        pytest.param(
            schema_with_parameter(name="order", schema=[1]), id="schema a list"
        ),
        pytest.param(
            schema_with_parameter(name="order", schema="string"), id="schema a text"
        ),
        pytest.param(
            schema_with_parameter(name=5, schema=None), id="parameter without name"
        ),
        pytest.param(schema_with(executables=[5]), id="executable a number"),
        pytest.param(schema_with(rules_document=5), id="rules document a number"),
        pytest.param(schema_with(initial_calls=[{}]), id="empty initial call"),
        pytest.param(schema_with(named_files={"roots": 5}), id="roots a number"),
    ],
)
def test_a_malformed_declaration_of_an_environment_is_damage(text: str) -> None:
    with pytest.raises(
        JournalDamaged, match="declaration of its environment is malformed"
    ):
        tool_schema_from_text(text)
