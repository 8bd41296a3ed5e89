"""Finds out which of a workspace's tools is used for what, by words in names and summaries.

The tool for checkouts may be `/bin/checkout` in one shop, and `/bin/till` with the summary
"buys a basket" in another. Its use is `checkout` in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from controlplane.benchmarks.shop.texts.names import normal_words

IDENTITY: Final = "identity"
"""The use of the tool that prints who is signed in."""
CLOCK: Final = "clock"
"""The use of the tool that prints the time."""
SUBJECTS: Final = ("checkout", "discounts", "returns", "verification", "stock")
"""The other uses. Shops have a policy, a document with rules, for most of them."""
_WORDS_OF_USES: Final = {
    IDENTITY: "id whoami who identity signed user roles",
    CLOCK: "date clock time now",
    "checkout": "checkout check checks buy buys purchase",
    "discounts": "discount discounts",
    "returns": "refund refunds return returns",
    "verification": "verification verifications verify payments",
    "stock": "availability available stock sell",
}
"""Words in the names or summaries of the tools for each use."""


def tools_by_use(tools: Mapping[str, str]) -> dict[str, str]:
    """Return the tool for each use: the one with the most words of the use in its name and summary.

    `tools` are summaries by path: `{"/bin/id": "who is signed in", "/bin/date": ""}` ->
    `{"identity": "/bin/id", "clock": "/bin/date"}`. If two tools have equally many words,
    the use has no tool.
    """
    words_by_tool: dict[str, set[str]] = {}
    for path, summary in tools.items():
        name = path.rsplit("/", 1)[-1]
        words_by_tool[path] = set(normal_words(f"{name} {summary}").split())
    by_use = {}
    for use, words in _WORDS_OF_USES.items():
        tool = _best_tool(words_by_tool, set(words.split()))
        if tool is not None:
            by_use[use] = tool
    return by_use


def _best_tool(words_by_tool: Mapping[str, set[str]], wanted: set[str]) -> str | None:
    """Return the tool with the most wanted words.

    The result is None if no tool has any, or if several have equally many.
    """
    best_tools: list[str] = []
    most_words = 0
    for path, words in words_by_tool.items():
        count = len(words & wanted)
        if count > most_words:
            best_tools = [path]
            most_words = count
        elif count and count == most_words:
            best_tools.append(path)
    return best_tools[0] if len(best_tools) == 1 else None


def possible_tools(paths: Iterable[str]) -> dict[str, str]:
    """Return the paths that may be tools, with empty summaries.

    This is for environments that declare no tools. A tool has no extension and is not a
    folder.
    """
    all_paths = list(paths)
    folders: set[str] = set()
    for path in all_paths:
        folders.update(folders_above(path))
    tools = {}
    for path in all_paths:
        file_name = path.rpartition("/")[2]
        if path not in folders and "." not in file_name:
            tools[path] = ""
    return tools


def folders_above(path: str) -> Iterator[str]:
    """Yield a file's folders except the root: `/docs/a/b.md` -> `/docs/a`, `/docs`."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]
