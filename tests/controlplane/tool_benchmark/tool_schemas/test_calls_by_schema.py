"""Scripts call a tool that has a JSON schema of its arguments in place of a signature.

    schema={"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]}

Benchmarks bring such schemas, and many are not quite right. So `close(ticket="ticket_001")` is called
all the same, unless the tool is strict.
"""

import dataclasses

import pytest

from controlplane import TaskEnvironment, Tool

CLOSE_TOOL = Tool(
    lambda ticket: ticket,
    "returns",
    name="close",
    description="Close.",
    schema={"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]},
)
"""A tool with a schema of its own, which says that a ticket is an integer, and a function that
takes anything."""


def test_a_tool_with_a_schema_is_called_with_a_value_of_another_type() -> None:
    """Schemas of public benchmarks are often wrong, so the tool decides what it takes."""
    environment = TaskEnvironment([CLOSE_TOOL])

    result = environment.runtime.call("close", {"ticket": "ticket_001"})
    assert result["value"] == '"ticket_001"'


def test_a_tool_with_a_schema_is_not_called_with_an_unknown_or_missing_argument() -> (
    None
):
    """The tool takes one argument, "ticket"."""
    environment = TaskEnvironment([CLOSE_TOOL])

    with pytest.raises(TypeError, match="has no argument 'number'"):
        environment.runtime.call("close", {"ticket": 1, "number": 2})
    with pytest.raises(TypeError, match="needs 'ticket'"):
        environment.runtime.call("close", {})


def test_a_strict_tool_is_not_called_with_a_value_of_another_type() -> None:
    """Its schema says that a ticket is an integer."""
    strict_tool = dataclasses.replace(CLOSE_TOOL, is_strict=True)
    environment = TaskEnvironment([strict_tool])

    with pytest.raises(TypeError, match="ticket is int, not str"):
        environment.runtime.call("close", {"ticket": "ticket_001"})
