"""What one model accepts in a request at one endpoint, as far as it is known.

OpenAI-compatible endpoints differ: one refuses tools, another `max_tokens`. What was refused once
is not sent again: `Capabilities(..., takes_tools=False, refused=("seed",))`.
"""

from __future__ import annotations

from controlplane.agent.model.immutable_data import Frozen
from controlplane.agent.model.reply_mode import ReplyMode


class Capabilities(Frozen):
    """Request features that one model accepts at one endpoint.

    A feature counts as accepted until the endpoint refuses it.
    """

    endpoint: str
    """The address, without the parts that may be secret."""
    model: str
    """The model's id there."""
    takes_schema: bool = True
    """It can constrain a reply by a JSON schema."""
    takes_strict: bool = True
    """It accepts the flag `strict` with a JSON schema."""
    takes_bounds: bool = True
    """It accepts bounds on lengths in a JSON schema."""
    takes_json: bool = True
    """It can constrain a reply to a JSON object."""
    takes_tools: bool = True
    """It accepts tools."""
    takes_named_tool: bool = True
    """A request can force it to call a given tool."""
    takes_required_tool: bool = True
    """A request can force it to call some tool."""
    length_field: str = "max_tokens"
    """The parameter that limits a reply's tokens; empty if the endpoint accepts no limit."""
    refused: tuple[str, ...] = ()
    """Other parameters that it refused, in the order of the refusals."""

    def takes_mode(self, mode: ReplyMode) -> bool:
        """Return True unless the endpoint has refused a mode, in which replies are asked for."""
        match mode:
            case ReplyMode.SCHEMA:
                return self.takes_schema
            case ReplyMode.TOOL:
                return self.takes_tools
            case ReplyMode.JSON:
                return self.takes_json
            case ReplyMode.TEXT:
                return True
