"""What an endpoint takes of a request, learned from its refusals, and remembered in the journal."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Capabilities(BaseModel):
    """What one model at one endpoint was found to refuse. Everything counts as taken until it is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    endpoint: str
    """The address, without what may be secret in it."""
    model: str
    """The model's id there."""
    takes_schema: bool = True
    """It constrains a reply by a JSON schema."""
    takes_strict: bool = True
    """It takes the mark `strict` beside a JSON schema."""
    takes_bounds: bool = True
    """It takes bounds on lengths in a JSON schema."""
    takes_json: bool = True
    """It constrains a reply to a JSON object."""
    takes_tools: bool = True
    """It takes tools."""
    takes_named_tool: bool = True
    """It can be made to call a certain tool."""
    takes_required_tool: bool = True
    """It can be made to call any tool."""
    length_field: str = "max_tokens"
    """The name of the bound on a reply's tokens; empty if it takes none."""
    refused: tuple[str, ...] = ()
    """Other parameters that it refused, in order."""
