"""What a shop's tools tell about the moment: who is signed in, and what time it is."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.benchmarks.shop.texts.text import require
from controlplane.benchmarks.shop.workspace.identity import Identity, read_identity
from controlplane.benchmarks.shop.workspace.tool_uses import CLOCK, IDENTITY
from controlplane.benchmarks.shop.workspace.workspace_reader import WorkspaceReader


def asker_by(reader: WorkspaceReader, tools: Mapping[str, str]) -> Identity:
    """Return the person who is signed in, as the identity tool prints it.

    `tools` has the path of the tool for each use. Raises `CannotRead` if the tool is not
    certain, or if it prints no roles.
    """
    identity = read_identity(_output_of(IDENTITY, reader, tools))
    require(
        identity.roles,
        "the identity tool does not say in which roles somebody is signed in",
    )
    return identity


def time_by(reader: WorkspaceReader, tools: Mapping[str, str]) -> str:
    """Return the time that the clock prints. Raises `CannotRead` if the tool is not certain."""
    return _output_of(CLOCK, reader, tools).strip()


def _output_of(use: str, reader: WorkspaceReader, tools: Mapping[str, str]) -> str:
    """Run the tool for a use."""
    refusal = f"it is not certain which tool tells the {use}"
    return reader.run(require(tools.get(use), refusal))
