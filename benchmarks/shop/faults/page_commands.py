"""Finds the command on a shop's page that describes a run of a tool.

A page says how to run a tool, and when:

    ## Discounts
    Only managers give a discount, of at most 15 percent.
    - Run `/bin/discount <basket_id> <percent>`.

The command in backticks describes the run `/bin/discount basket_12 10`: the last argument is
the percentage. The text above the command says when such a run is right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from controlplane.benchmarks.shop.certain_values import require
from controlplane.benchmarks.shop.faults.tool_commands import Command, ToolRun
from controlplane.benchmarks.shop.texts.document_parts import entries_of
from controlplane.benchmarks.shop.texts.documents import marked_words
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout


def command_for(layout: ShopLayout, run: ToolRun) -> Command:
    """Return the command that describes a run: `/bin/refund <return_id>` for `/bin/refund return_12`.

    Raises `CannotRead` if no page has such a command, or if several pages have one.
    """
    commands = _commands_in(layout.documents.texts, run)
    if not commands:
        # `layout.documents` are the pages that the shop's rules name. Another page may say
        # how to run the tool.
        unnamed_pages = set()
        for path, _ in layout.reader.search(re.escape(run.tool), "/"):
            if path.casefold().endswith(".md") and path not in layout.documents.texts:
                unnamed_pages.add(path)
        paths = sorted(unnamed_pages)
        texts = dict(zip(paths, layout.reader.read_all(paths), strict=True))
        commands = _commands_in(texts, run)
    refusal = f"{len(commands)} pages tell how to run {run.tool} with {len(run.arguments)} words"
    require(len(commands) == 1, refusal)
    return commands[0]


def _commands_in(pages: Mapping[str, str], run: ToolRun) -> list[Command]:
    """Return the first command of each page that describes a run."""
    commands = []
    for page, text in pages.items():
        if run.tool in text:
            command = _first_command(page, text, run)
            if command is not None:
                commands.append(command)
    return commands


def _first_command(page: str, text: str, run: ToolRun) -> Command | None:
    """Return the first command on a page that describes a run; None if the page has none.

    Of the example above, it has the entry "- Run ..." and, as `entries_before`, the sentence
    "Only managers ...".
    """
    entries_before: list[str] = []
    for entry in entries_of(text):  # headings, paragraphs, and items of lists
        commands = _commands_of_tool(run.tool, entry)
        for words in commands:
            arguments = _arguments_by_placeholder(words, run.arguments)
            if arguments is not None:
                return Command(page, text, entry, tuple(entries_before), arguments)
        # After a heading, or another command of the tool, the text is about something else.
        if commands or entry.startswith("#"):
            entries_before = []
        else:
            entries_before.append(entry)
    return None


def _commands_of_tool(tool: str, entry: str) -> list[list[str]]:
    """Return the words after the tool in each command that an entry has in backticks.

    `/bin/refund`, "Run `/bin/refund <return_id>`." -> `[["<return_id>"]]`
    """
    commands = []
    for marked in marked_words(entry):
        words = marked.split()
        if words[:1] == [tool]:
            commands.append(words[1:])
    return commands


def _arguments_by_placeholder(
    words: Sequence[str], arguments: Sequence[str]
) -> dict[str, str] | None:
    """Return the arguments of a run by the placeholders of a command; None if they do not fit.

    `["<basket_id>", "--percent", "<percent>"]` in the command and `["basket_12", "--percent",
    "10"]` in the run -> `{"basket_id": "basket_12", "percent": "10"}`
    """
    if len(words) != len(arguments):
        return None
    by_placeholder = {}
    for word, argument in zip(words, arguments, strict=True):
        is_placeholder = word.startswith("<")
        if is_placeholder:
            by_placeholder[word.strip("<>")] = argument
        elif word != argument:
            return None
    return by_placeholder
