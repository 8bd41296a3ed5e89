"""A shop's tools: which one is used for what, who is signed in, and what time it is.

Shops choose the names of their tools. In one shop, `/bin/id` prints who is signed in, and
`/bin/whoami` in another. `tools_by_use` finds out which tool has which use.
"""

from __future__ import annotations

from functools import cached_property

from controlplane.benchmarks.shop.certain_values import require, value_or_raise
from controlplane.benchmarks.shop.workspace.file_list import FileList
from controlplane.benchmarks.shop.workspace.identity import Identity, read_identity
from controlplane.benchmarks.shop.workspace.shop_documents import ShopDocuments
from controlplane.benchmarks.shop.workspace.tool_uses import (
    CLOCK,
    IDENTITY,
    possible_tools,
    tools_by_use,
)


class ShopTools:
    """The tools of a shop. The output of the identity tool and of the clock is read once."""

    def __init__(self, files: FileList, documents: ShopDocuments) -> None:
        self._files = files
        self._documents = documents
        self._reader = files.reader

    @cached_property
    def by_use(self) -> dict[str, str]:
        """The path of the tool for each use: `{"identity": "/bin/id", "clock": "/bin/date"}`.

        If the environment declares no tools, all paths in the list of files and in the
        documents that may be tools are considered.
        """
        if self._reader.tools:
            return tools_by_use(self._reader.tools)
        paths = [*self._files.paths, *self._documents.named_paths()]
        return tools_by_use(possible_tools(dict.fromkeys(paths)))

    @cached_property
    def asker(self) -> Identity:
        """The person who is signed in. Raises `CannotRead` if the person or the roles are unknown."""
        identity = read_identity(self._output_of(IDENTITY))
        require(
            identity.roles,
            "the identity tool does not say in which roles somebody is signed in",
        )
        return identity

    @cached_property
    def time(self) -> str:
        """The time that the clock prints. Raises `CannotRead` if it is not certain."""
        return self._output_of(CLOCK).strip()

    def _output_of(self, use: str) -> str:
        """Return what the tool for a use prints."""
        refusal = f"it is not certain which tool tells the {use}"
        tool = value_or_raise(self.by_use.get(use), refusal)
        return self._reader.run(tool)
