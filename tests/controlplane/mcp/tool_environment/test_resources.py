"""Scripts list and read the resources of an MCP server, which are texts with an address.

The server `loans` has one, with the rules of a library:

    loans://rules    ->    "A loan is kept for 14 days."
"""

from controlplane.mcp.tool_environment import ToolEnvironment
from controlplane.sandbox.interface import parsed_result
from tests.controlplane.mcp.tool_environment.loans_spec import operations_of


def test_resources_of_a_server_can_be_listed_and_read(loans: ToolEnvironment) -> None:
    """A resource is a text of the server with an address, such as a document."""
    listing = loans.call("loans.resources", {})
    resources = parsed_result(operations_of(loans)["loans.resources"], listing)
    rules = loans.call("loans.resource", {"uri": "loans://rules"})

    assert [resource["uri"] for resource in resources] == ["loans://rules"]
    assert rules == {
        "call_path": "/mcp/loans/resources/rules",
        "text": "A loan is kept for 14 days.",
        "data": "",
    }
