"""Finds the command on a shop's page that describes a call of a tool.

A page says how to run a tool, and when:

    ## Discounts
    Only managers give a discount, of at most 15 percent.
    - Run `/bin/discount <basket_id> <percent>`.

The command in backticks describes the call `/bin/discount basket_12 10`: the last argument is
the percentage. The text above the command says when such a call is right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from controlplane.benchmarks.shop.texts.documents import entries_of, marked_words
from controlplane.benchmarks.shop.texts.text import require
from controlplane.benchmarks.shop.workspace.workspace import ShopLayout


@dataclass(frozen=True, slots=True)
class Command:
    """A command on a page, with the arguments of a call that it describes."""

    page: str
    """The path of the page."""
    text: str
    """The text of the page."""
    entry: str
    """The paragraph or list entry of the page that contains the command."""
    entries_before: tuple[str, ...]
    """The entries above it that belong to it: `Only managers give a discount, ...`.

    They go back to the last heading, or to another command of the tool, because the text
    above that is about something else.
    """
    arguments: Mapping[str, str]
    """The call's arguments by placeholder: `{"basket_id": "basket_12", "percent": "10"}`."""

    def argument_for(self, word: str) -> str:
        """Return the argument whose placeholder contains a word; empty if there is none."""
        for placeholder, argument in self.arguments.items():
            if word in placeholder:
                return argument
        return ""


def command_for(layout: ShopLayout, tool: str, words: Sequence[str]) -> Command:
    """Return the command that describes a call of a tool.

    `words` are the call's arguments: `["return_12"]` of the call `/bin/refund return_12`,
    which the command `/bin/refund <return_id>` describes. Raises `CannotRead` if no page has
    such a command, or if several pages have one.
    """
    commands = _commands_in(layout.documents.texts, tool, words)
    if not commands:
        # `layout.documents` are the pages that the shop's rules name. Another page may say
        # how to run the tool.
        unnamed_pages = set()
        for path, _ in layout.reader.search(re.escape(tool), "/"):
            if path.casefold().endswith(".md") and path not in layout.documents.texts:
                unnamed_pages.add(path)
        paths = sorted(unnamed_pages)
        texts = dict(zip(paths, layout.reader.read_all(paths), strict=True))
        commands = _commands_in(texts, tool, words)
    refusal = f"{len(commands)} pages tell how to run {tool} with {len(words)} words"
    require(len(commands) == 1, refusal)
    return commands[0]


def _commands_in(
    pages: Mapping[str, str], tool: str, words: Sequence[str]
) -> list[Command]:
    """Return the first command of each page that describes a call of `tool` with `words`."""
    commands = []
    for page, text in pages.items():
        if tool in text:
            command = _first_command(page, text, tool, words)
            if command is not None:
                commands.append(command)
    return commands


def _first_command(
    page: str, text: str, tool: str, words: Sequence[str]
) -> Command | None:
    """Return the first command on a page that describes a call of `tool` with `words`.

    The result is None if the page has no such command.
    """
    entries_before: list[str] = []
    # An entry is a heading, a paragraph or an item of a list.
    for entry in entries_of(text):
        # Commands are in backticks: `/bin/refund <return_id>`.
        commands_of_tool = [
            marked for marked in marked_words(entry) if marked.split()[:1] == [tool]
        ]
        for command in commands_of_tool:
            parts = command.split()[1:]  # without the tool
            arguments = _arguments_for(parts, words)
            if arguments is not None:
                return Command(
                    page=page,
                    text=text,
                    entry=entry,
                    entries_before=tuple(entries_before),
                    arguments=arguments,
                )
        # After a heading, or another command of the tool, begins the text about the next command.
        is_heading = entry.startswith("#")
        if is_heading or commands_of_tool:
            entries_before = []
        else:
            entries_before.append(entry)
    return None


def _arguments_for(parts: Sequence[str], words: Sequence[str]) -> dict[str, str] | None:
    """Return the words of a call by the placeholders of a command; None if they do not fit.

    The parts of the command and the words of the call are given without the tool:
    `["<basket_id>", "--percent", "<percent>"]`, `["basket_12", "--percent", "10"]` ->
    `{"basket_id": "basket_12", "percent": "10"}`
    """
    if len(parts) != len(words):
        return None
    arguments = {}
    for part, word in zip(parts, words, strict=True):
        if part.startswith("<"):
            arguments[part.strip("<>")] = word
        elif part != word:
            return None
    return arguments
