"""Shows the files that the instruction and the tools' outputs name, what hangs on them, and samples."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from agent.opening.name_index import ids_in
from agent.opening.section import Room, Section, title_of
from agent.opening.section_queue import SectionQueue
from sandbox.interface import CallError, Effect, NamedFiles, Operation

MOST_IN_TURN: Final = 8
"""A file that names more files than this is a list, and what it names is not read."""
LEAST_CHARS: Final = 250
"""With less room than this, a file is not read for its name."""
MOST_IDS: Final = 6
"""Names that are looked for in files."""
MOST_HITS: Final = 12


def add_named(queue: SectionQueue, named: NamedFiles) -> None:
    """Show files for their names: named ones, then what they name in turn or what holds such a name, then samples."""
    read = queue.recorder.surface.operation(named.read)
    queue.show_until(0)
    if read is None or read.effect is not Effect.READS or queue.left <= 0:
        return
    known, index = queue.known, queue.known.index(named.roots)
    said = known.said
    room, samples = Room(named.chars), Room(queue.left)
    exact = index.named_in(said)
    first = [*dict.fromkeys([*exact, *index.meant_in(known.instruction)])][: named.most]
    _add_files(queue, read, first, room, named.each_chars)
    hits = _holding(queue, named, ids_in(said))
    queue.show_until(0)
    in_turn = [index.named_in(known.texts.get(each, "")) for each in exact]
    then = [path for paths in in_turn if len(paths) <= MOST_IN_TURN for path in paths]
    later = [each for each in dict.fromkeys([*then, *index.named_in("\n".join(hits))]) if each not in first]
    shown = [*first, *later[: named.most - len(first)]]
    _add_files(queue, read, shown[len(first) :], room, named.each_chars)
    if named.sampled and queue.samples:
        _add_files(queue, read, index.samples(named.sampled, shown), samples, named.sample_chars)


def _holding(queue: SectionQueue, named: NamedFiles, ids: list[str]) -> list[str]:
    """Return the paths of files that hold one of `ids`. The lines that a search found are not shown.

    Roots in which the tree shows no file are not searched.
    """
    if not (named.search and ids and queue.recorder.surface.operation(named.search)):
        return []
    pattern = r"\b(?:" + "|".join(map(re.escape, ids[:MOST_IDS])) + r")\b"
    calls = []
    queue.show_until(0)
    for root in named.roots:
        if queue.known.files_in(root) == []:
            continue
        calls.append(queue.send(named.search, {"pattern": pattern, "root": root, "limit": MOST_HITS}))
    found = []
    for call in calls:
        try:
            matches = queue.recorder.receive(call, shown_chars=0).get("matches")
        except CallError:
            continue
        rows = matches if isinstance(matches, list) else []
        found += [str(each.get("path")) for each in rows if isinstance(each, dict)]
    return found


def _add_files(queue: SectionQueue, read: Operation, paths: Iterable[str], room: Room, chars: int) -> None:
    """Show these files, of each at most `chars` characters, as long as there is room."""
    for path in paths:
        # What is under way may yet fill its sections.
        while queue.under_way and min(room.left, queue.left) < (queue.under_way + 1) * chars:
            queue.show_first()
        if min(room.left, queue.left) < min(chars, LEAST_CHARS):
            return
        arguments = {read.subject: path}
        call = queue.send(read.name, arguments)
        queue.add(Section(read, title_of(read, arguments), call, room=room, chars=chars))
