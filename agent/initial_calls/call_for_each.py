"""A call that an environment declares for each value of a listing, such as each file of a folder.

The environment says that every file which `find` lists in `/docs` is read before the model is
asked. Its paths are known only later. Then each of them gives a call:

    InitialCall("read", each_of=EachOf("find", {"root": "/docs"}, "paths"))

    for_each.call_for("/docs/a.md")   -> the call `read(path="/docs/a.md")`
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.sandbox.interface import (
    EachOf,
    Effect,
    InitialCall,
    Operation,
    Plain,
)


@dataclass(frozen=True, slots=True)
class CallForEach:
    """A call that is made for each value of a listing."""

    declaration: InitialCall
    """The call as the environment declares it."""
    listing: EachOf
    """The call that lists the values: `find(root="/docs")`."""
    operation: Operation
    """The operation that gets each value: `read`."""
    rules_path: str
    """The document with the workspace's rules. The listing may have it, too."""

    @property
    def is_for_fitting_files(self) -> bool:
        """True if only those files are read that fit the user's request."""
        return self.declaration.is_ranked and self.operation.effect is Effect.READS

    def call_for(self, value: Plain) -> DeclaredCall:
        """Return the call for one value of the listing, such as one file's path."""
        arguments = {**self.declaration.arguments, self.operation.subject: value}
        return DeclaredCall.of(
            self.declaration, self.operation, arguments, self.rules_path
        )
