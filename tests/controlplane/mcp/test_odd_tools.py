"""Tools of MCP servers that are oddly named, declared or written.

Servers name their tools as they like, such as `a.b`. A script calls them as functions, here
`harness.odd.a_b()`, and gets a result also if the server breaks its own rules. Each test writes down
its server `odd` in Python: `list_tools` declares the tools, and `call_tool` replies to a call.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import ToolEnvironment
from controlplane.sandbox.child.step.harness.result_types import with_attributes
from controlplane.sandbox.interface import CallError, bounds, parsed_result
from tests.controlplane.mcp.small_servers import EmptyEnvironment, small_server


@contextmanager
def tools_of(folder: Path, functions: str) -> Iterator[ToolEnvironment]:
    """Start the server `odd` with these functions, and end it behind the block."""
    access = ToolAccess({"odd": small_server(folder, functions)})
    with with_tools(EmptyEnvironment(), access) as environment:
        yield environment


ODDLY_NAMED_TOOLS = """
def list_tools(request):
    send_result(request, {"tools": [tool("a_b"), tool("a.b"), tool("class")]})

def call_tool(request):
    # Each tool returns the name by which it was called.
    name = request["params"]["name"]
    send_result(request, {"content": [{"type": "text", "text": name}]})
"""


class TestNamesAndParameters:
    """A tool and its parameters have names that Python cannot write.

    The tool `a.b` of the server becomes `harness.odd.a_b_2()`, the parameter `from` becomes
    `from_`. The server gets its own names.
    """

    @pytest.mark.parametrize(
        ("name_in_scripts", "name_of_server"),
        [
            pytest.param("odd.a_b", "a_b", id="nothing is odd"),
            pytest.param("odd.a_b_2", "a.b", id="a dot, and the name `a_b` is taken"),
            pytest.param("odd.class_", "class", id="a keyword of Python"),
        ],
    )
    def test_tool_is_called_by_a_name_that_scripts_can_write(
        self, name_in_scripts: str, name_of_server: str, tmp_path: Path
    ) -> None:
        """The server has the tools `a_b`, `a.b` and `class`."""
        with tools_of(tmp_path, ODDLY_NAMED_TOOLS) as environment:
            result = environment.call(name_in_scripts, {})

        assert result["text"] == name_of_server

    def test_parameters_are_sent_by_the_names_of_the_server(
        self, tmp_path: Path
    ) -> None:
        """A script writes `harness.odd.look(from_="x", a_b=None)` for the parameters `from` and
        `a-b`."""
        functions = """
def list_tools(request):
    parameters = {"from": {"type": "string"}, "a-b": {"type": "string"}}
    schema = {"type": "object", "properties": parameters, "required": ["from"]}
    send_result(request, {"tools": [tool("look") | {"inputSchema": schema}]})

def call_tool(request):
    # The tool returns its arguments.
    arguments = json.dumps(request["params"]["arguments"])
    send_result(request, {"content": [{"type": "text", "text": arguments}]})
"""

        with tools_of(tmp_path, functions) as environment:
            result = environment.call("odd.look", {"from_": "x", "a_b": None})

        assert json.loads(str(result["text"])) == {"from": "x", "a-b": None}


class TestResults:
    """A tool `look` returns a result with odd fields, of a wrong type, or an error.

    The protocol has a text for models, `content`, and data for programs, `structuredContent`,
    which the server may describe by a JSON schema, `outputSchema`.
    """

    def test_fields_of_a_result_may_have_the_names_of_dict_methods(
        self, tmp_path: Path
    ) -> None:
        """Scripts read `result.items`, although `items` is a method of Python's dict."""
        functions = """
def list_tools(request):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    send_result(request, {"tools": [tool("look") | {"outputSchema": schema}]})

def call_tool(request):
    data = {"n": 5, "items": [1, 2], "keys": "k"}
    send_result(request, {"content": [], "structuredContent": data})
"""

        with tools_of(tmp_path, functions) as environment:
            look = environment.tool_schema.operation("odd.look")
            assert look is not None
            result = parsed_result(look, environment.call("odd.look", {}))

        assert with_attributes(result).items == [1, 2]
        assert with_attributes(result).data.keys == "k"

    def test_result_that_breaks_its_schema_is_returned_with_a_warning(
        self, tmp_path: Path
    ) -> None:
        """The server declares that `n` is an integer, and returns a text. This mistake should not
        cost the script its result."""
        functions = """
def list_tools(request):
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    }
    send_result(request, {"tools": [tool("look") | {"outputSchema": schema}]})

def call_tool(request):
    content = [{"type": "text", "text": "x"}]
    send_result(request, {"content": content, "structuredContent": {"n": "five"}})
"""

        with tools_of(tmp_path, functions) as environment:
            result = environment.call("odd.look", {})

        assert str(result["text"]).startswith(
            "(The result breaks the schema of odd.look: it['n'] is int, not str 'five'.)"
        )

    def test_error_of_the_protocol_fails_the_call(self, tmp_path: Path) -> None:
        """The server replies with an error in place of a result."""
        functions = """
def call_tool(request):
    error = {"code": -32000, "message": "no such thing", "data": {"x": 1}}
    send(id=request["id"], error=error)
"""

        with (
            tools_of(tmp_path, functions) as environment,
            pytest.raises(CallError, match=r"odd\.look failed: no such thing$"),
        ):
            environment.call("odd.look", {})


TOOLS_THAT_HANG_OR_DIE = """
def list_tools(request):
    send_result(request, {"tools": [tool("look"), tool("hang"), tool("die")]})

def call_tool(request):
    name = request["params"]["name"]
    if name == "look":
        send_result(request, {"content": [{"type": "text", "text": "seen"}]})
    if name == "die":
        sys.exit(3)
    # `hang` gets no reply.
"""


class TestServersThatEnd:
    """A server that ends during a call is started again, but only once.

    Its tool `look` returns "seen", `die` ends the server, and `hang` gets no reply.
    """

    def test_server_that_ends_is_started_again_once(self, tmp_path: Path) -> None:
        """1. The call of `die` ends the server, and fails. The server is started anew.
        2. The new server replies.
        3. The next call of `die` ends it for good.
        """
        with tools_of(tmp_path, TOOLS_THAT_HANG_OR_DIE) as environment:
            with pytest.raises(CallError, match=r"odd\.die failed: .*was started anew"):
                environment.call("odd.die", {})
            result_of_new_server = environment.call("odd.look", {})
            with pytest.raises(CallError, match=r"odd\.die failed: .*has ended again"):
                environment.call("odd.die", {})

        assert result_of_new_server["text"] == "seen"

    def test_call_without_a_reply_does_not_count_as_an_end_of_its_server(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The call of `hang` fails after the time for calls. The server still runs, so that it is
        started anew when `die` ends it."""
        monkeypatch.setattr(bounds, "TOOL_CALL_S", 2.0)

        with tools_of(tmp_path, TOOLS_THAT_HANG_OR_DIE) as environment:
            with pytest.raises(CallError, match=r"odd\.hang gave no answer within 2 s"):
                environment.call("odd.hang", {})
            with pytest.raises(CallError, match=r"odd\.die failed: .*was started anew"):
                environment.call("odd.die", {})

    def test_server_that_ends_twice_leaves_the_other_servers_alone(
        self, tmp_path: Path
    ) -> None:
        """The servers `odd` and `other` have the same tools."""
        spec = small_server(tmp_path, TOOLS_THAT_HANG_OR_DIE)
        access = ToolAccess({"odd": spec, "other": spec})

        with with_tools(EmptyEnvironment(), access) as environment:
            for _ in range(2):
                with pytest.raises(CallError, match=r"odd\.die failed"):
                    environment.call("odd.die", {})
            result = environment.call("other.look", {})

        assert result["text"] == "seen"


@pytest.fixture
def changing_tools(tmp_path: Path) -> Iterator[ToolEnvironment]:
    """The tools `a_b`, `a.b`, `money` and `image`. The server says of none that it only reads.

    The user allows `a.b`, by the option `--allow odd.a_b_2`, and says in `[mcp.odd]` that the tools
    `m*` only read. Of `a_b` and `image`, the user says nothing.
    """
    functions = """
def list_tools(request):
    tools = []
    for name in ("a_b", "a.b", "money", "image"):
        tools.append(tool(name) | {"annotations": {"readOnlyHint": False}})
    send_result(request, {"tools": tools})

def call_tool(request):
    name = request["params"]["name"]
    send_result(request, {"content": [{"type": "text", "text": name}]})
"""
    server = small_server(tmp_path, functions)
    spec = server.model_copy(update={"read_only": ("m*",)})
    access = ToolAccess({"odd": spec}, allow=("odd.a_b_2",))
    with with_tools(EmptyEnvironment(), access) as environment:
        yield environment


class TestToolsThatMayChangeSomething:
    """A tool that may change something is called if the user allows it.

    The user gave `--allow odd.a_b_2`, and says in the configuration that `m*` only read:
    `[mcp.odd]` with `read_only = ["m*"]`. Of the tool `image`, nothing is said.
    """

    def test_tool_is_called_if_the_user_allows_it(
        self, changing_tools: ToolEnvironment
    ) -> None:
        """`--allow odd.a_b_2` names the tool `a.b` as scripts do."""
        assert changing_tools.call("odd.a_b_2", {})["text"] == "a.b"

    def test_tool_is_called_if_the_user_says_that_it_only_reads(
        self, changing_tools: ToolEnvironment
    ) -> None:
        """`read_only = ["m*"]` holds for the tool `money`."""
        assert changing_tools.call("odd.money", {})["text"] == "money"

    def test_tool_that_is_not_allowed_is_refused_with_both_remedies(
        self, changing_tools: ToolEnvironment
    ) -> None:
        """The user can allow the tool, or say that it only reads."""
        both_remedies = (
            r'--allow odd\.image, or with read_only = \["image"\] in \[mcp\.odd\]'
        )
        with pytest.raises(CallError, match=both_remedies):
            changing_tools.call("odd.image", {})
