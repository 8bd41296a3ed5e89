"""Reads the files of an environment from the result of a declared call, such as `tree /`.

From these files, those are chosen that fit a request. A tree may list only some levels of folders:

    tree /           -> ["/a.md", "/docs/rules.md", "/docs/old/2019.md"]
    tree / level=1   -> ["/a.md", "/docs/" + UNLISTED], which stands for the files of `/docs`
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.initial_calls import InitialCalls
from controlplane.agent.initial_calls.sent_call import SentCall
from controlplane.agent.loop.initial_prompt.listings.found_files import found_files
from controlplane.agent.retrieval.listing.unlisted_files import paths_of_tree
from controlplane.sandbox.interface import error_codes

ALL_LEVELS: Final = 40
"""Stands for all levels of a tree. No real folder has as many."""


def tree_root(tree: DeclaredCall) -> str:
    """Return the folder whose tree a call lists: `/docs` for `tree /docs`.

    The `subject` of an operation is the name of its argument for the path.
    """
    return str(tree.arguments.get(tree.operation.subject) or "/")


def tree_levels(tree: DeclaredCall) -> int:
    """Return how many levels of folders a call lists: 2 for `tree / level=2`.

    A call without `level` has the default that its operation declares. If this is 0 or
    missing, the call lists all levels.
    """
    defaults = {
        parameter.name: parameter.default for parameter in tree.operation.parameters
    }
    levels = tree.arguments.get("level", defaults.get("level"))
    if not isinstance(levels, int) or levels == 0:
        return ALL_LEVELS
    return levels


def tree_files(sent: SentCall, calls: InitialCalls) -> list[str] | None:
    """Wait for the call that lists a tree, and return all files.

    A tree may be too large for one result. Its call then fails with `RESOURCE_EXHAUSTED`,
    and a `find` call lists the files instead. None if the result is empty, or the call
    failed for another reason: the files are unknown.
    """
    root = tree_root(sent.declared)
    outcome = sent.call.outcome()
    if outcome.result:
        levels = tree_levels(sent.declared)
        return paths_of_tree(outcome.result, root.rstrip("/"), levels)
    error = outcome.error
    if error is not None and error.code == error_codes.RESOURCE_EXHAUSTED:
        return found_files(root, calls)
    return None
