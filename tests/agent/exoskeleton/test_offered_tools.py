from agent.exoskeleton.bindings import Permission
from agent.exoskeleton.offered_tools import completion_tool, tools_of
from gates.submission import OUTCOMES
from tests.support.exoskeleton_trials import SURFACE

ALL = Permission()


def names(*, allowed: Permission = ALL, with_helpers: bool = True) -> set[str]:
    return {tool.name for tool in tools_of(SURFACE, ("other",), allowed=allowed, with_helpers=with_helpers)}


def test_every_operation_is_a_tool_and_checks_are_none():
    assert names() == {operation.name for operation in SURFACE.operations} | {"report_completion"}


def test_a_disabled_or_forbidden_tool_is_not_offered():
    assert names() - names(with_helpers=False) == {"books_by"}
    assert names() - names(allowed=Permission(files=False)) == {"write", "delete"}


def objects_in(schema: dict) -> list[dict]:
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    found = [schema] if schema.get("type") == "object" else []
    return found + [each for one in inner for each in objects_in(one)]


def test_schemas_are_closed_and_name_what_is_required():
    tools = tools_of(SURFACE, ("other",), allowed=ALL, with_helpers=True)
    for each in (one for tool in tools for one in objects_in(tool.parameters)):
        assert each["additionalProperties"] is False
        assert set(each["required"]) <= set(each["properties"])
    (read,) = (each for each in tools if each.name == "read")
    assert read.parameters["required"] == ["path"]
    assert read.parameters["properties"]["start_line"] == {"type": "integer", "default": 0}


def test_a_completion_names_what_there_is_to_choose():
    properties = completion_tool(("books", "other")).parameters["properties"]
    assert properties["task_type"]["enum"] == ["books", "other"]
    assert properties["outcome"]["enum"] == [*OUTCOMES]
    assert set(properties) == {"notes", "task_type", "outcome", "message", "documents", "records", "protected"}
