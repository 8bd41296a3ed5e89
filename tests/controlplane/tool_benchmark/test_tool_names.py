"""The names under which scripts call tools, and functions that cannot be tools.

    Tool(look_up, "returns", name="users.get")     harness.users_get()

Scripts are Python code, so a name with a dot, or one that scripts use already, is adapted.
"""

import pytest

from controlplane import TaskEnvironment, Tool
from tests.controlplane.tool_benchmark.declared_tools import declared

READ_TOOL = Tool(lambda: 7, "returns", name="read")


class TestAdaptedNames:
    """A tool has a name that scripts cannot write, or that something else has.

    `Tool(look_up, "returns", name="users.get")` is called as `harness.users_get()`.
    """

    @pytest.mark.parametrize(
        ("name", "adapted_name"),
        [
            pytest.param("class", "class_", id="a word of Python"),
            pytest.param("answer", "answer_", id="a name that scripts have already"),
            pytest.param("get-user", "get_user", id="a hyphen"),
            pytest.param("users.get", "users_get", id="a dot"),
            pytest.param("2x", "t_2x", id="a digit at the beginning"),
        ],
    )
    def test_a_name_that_scripts_cannot_call_is_adapted_and_the_summary_says_so(
        self, name: str, adapted_name: str
    ) -> None:
        """The rules of a benchmark may speak of the tool by its own name."""
        tool = Tool(lambda: 1, "returns", name=name, description="looks")
        operation = declared(tool).operation

        assert operation.name == adapted_name
        assert operation.summary == f"looks (called {name} elsewhere)"

    def test_a_tool_keeps_its_name_if_that_of_another_is_adapted_to_the_same(
        self,
    ) -> None:
        """Scripts cannot write `get-user`, which would be adapted to `get_user`."""
        tools = [
            Tool(lambda: 1, "returns", name="get-user"),
            Tool(lambda: 2, "returns", name="get_user"),
        ]
        environment = TaskEnvironment(tools)

        assert environment.runtime.call("get_user", {})["value"] == "2"

    def test_without_files_a_tool_may_be_called_read(self) -> None:
        """Environments with files have a call `read` of their own."""
        environment = TaskEnvironment([READ_TOOL])

        assert environment.runtime.call("read", {})["value"] == "7"

    def test_with_files_a_tool_called_read_gets_another_name(self) -> None:
        """`read` reads the files of the task then."""
        environment = TaskEnvironment([READ_TOOL], files={"/a.txt": "blue"})

        content = environment.runtime.call("read", {"path": "/a.txt"})["content"]
        assert content == "blue"
        assert environment.runtime.call("read_2", {})["value"] == "7"


class Desk:
    """An object whose methods are to be tools."""

    def get_book(self, number: int) -> str:
        """Look a book up."""
        return f"book {number}"

    def lend(self, number: int) -> str:
        """Lend a book."""
        return f"lent {number}"

    def _hidden(self) -> None: ...


class TestFunctionsAndMethods:
    """A function becomes a tool, unless its arguments cannot be named or it is async.

    `Tool.of(Desk(), reads=("get_*",))` makes tools of the methods of an object.
    """

    def test_a_function_with_any_number_of_arguments_is_refused(self) -> None:
        def many(*words: str) -> None: ...

        with pytest.raises(ValueError, match=r"the tool many takes \*words: str"):
            declared(Tool(many, "returns"))

    def test_an_async_function_is_refused(self) -> None:
        async def later() -> None: ...

        with pytest.raises(ValueError, match="the tool later is async"):
            declared(Tool(later, "returns"))

    def test_the_public_methods_of_an_object_become_tools(self) -> None:
        """`reads` are patterns for the names of methods that change nothing."""
        get_book, lend = Tool.of(Desk(), reads=("get_*",))

        assert get_book.name == "get_book"
        assert get_book.effect == "returns"
        assert lend.name == "lend"
        assert lend.effect == "acts"
        environment = TaskEnvironment([get_book, lend])
        assert environment.runtime.call("lend", {"number": 3})["value"] == '"lent 3"'

    def test_a_pattern_that_fits_no_method_is_refused(self) -> None:
        with pytest.raises(ValueError, match="Desk has no method 'list_\\*'"):
            Tool.of(Desk(), reads=("list_*",))
