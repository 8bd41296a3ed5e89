"""How the tests start the server `loans`, and what scripts can call of a server's tools.

For example:

    operations_of(environment)["loans.loan"].parameters    ->    the parameter `number`, an integer
"""

import sys

from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_environment import ToolEnvironment
from controlplane.sandbox.interface import Operation
from tests.support.product_files import ROOT

LOANS_SERVER = ROOT / "tests/support/loans_server.py"
"""A server with 10,000 loans: `rows` returns all of them, `loan` returns one, `extend` changes
one, and some further tools misbehave."""


LOANS_SPEC = ServerSpec(command=sys.executable, args=(str(LOANS_SERVER),))
"""How the server is started."""


def operations_of(environment: ToolEnvironment) -> dict[str, Operation]:
    """Return the operations that scripts can call, by name."""
    operations = environment.tool_schema.operations
    return {operation.name: operation for operation in operations}
