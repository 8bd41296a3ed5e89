"""Each tool of an MCP server becomes an operation: a function that scripts of the model can call.

MCP is a protocol by which programs offer tools to agents. A run names such servers. The tool `loan`
of the server `loans` is then called with `harness.loans.loan(number=2)`. Further tools of the server
are `rows`, which reads a table, `extend`, which changes one loan, `class`, and `echo`, which the
user has denied.
"""

from controlplane.mcp.tool_environment import ToolEnvironment
from controlplane.sandbox.interface import Effect
from controlplane.sandbox.interface.schemas import type_text
from tests.controlplane.mcp.tool_environment.loans_spec import operations_of


def test_each_tool_is_an_operation_unless_it_is_denied(loans: ToolEnvironment) -> None:
    """The tool `loan` of the server `loans` becomes `harness.loans.loan`."""
    operations = operations_of(loans)

    assert "loans.loan" in operations
    assert "loans.echo" not in operations


def test_tool_that_only_reads_is_told_from_one_that_changes_something(
    loans: ToolEnvironment,
) -> None:
    """The server says of its tools which only read. Others need the user's permission."""
    operations = operations_of(loans)

    assert operations["loans.rows"].effect is Effect.RETURNS
    assert operations["loans.extend"].effect is Effect.ACTS


def test_parameter_of_a_tool_has_the_type_of_its_schema(loans: ToolEnvironment) -> None:
    """The schema of the server says `integer`, and scripts see `int`."""
    (parameter,) = operations_of(loans)["loans.loan"].parameters

    assert parameter.name == "number"
    assert type_text(parameter.json_schema) == "int"


def test_tool_whose_name_is_a_python_keyword_gets_an_underscore(
    loans: ToolEnvironment,
) -> None:
    """Scripts cannot write `harness.loans.class()`."""
    assert "loans.class_" in operations_of(loans)


def test_help_finds_tools_by_words(loans: ToolEnvironment) -> None:
    """A server may have too many tools for the prompt. Scripts then ask `help` for them."""
    help_for_one_word = loans.call("loans.help", {"words": "loan"})
    help_for_a_sentence = loans.call("loans.help", {"words": "extend a loan"})

    assert "number: int" in str(help_for_one_word["text"])
    assert "harness.loans.extend" in str(help_for_a_sentence["text"])
