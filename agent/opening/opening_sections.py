"""Makes an environment's opening calls: those that it names, the texts that fit, and the files that are named."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Final

from agent.evidence.recorder import CallUnderWay
from agent.findings.compute_in_aide import tree_in_parts
from agent.opening.routing import asked_stems, codes_in, fitting, stems, subjects, unknown_words
from agent.opening.section_queue import Room, Section, SectionQueue, result_text, title_of
from agent.opening.workspace_files import MOST_NAMING_CHARS, best_of, ids_in, newest_first
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Effect,
    NamedFiles,
    OpeningCall,
    Operation,
    Plain,
    error_codes,
)

MOST_CALLS: Final = 100
"""Max calls of turn one; after them, folders of a large tree are left out."""
MOST_COMPARED: Final = 100
"""Max texts from which those that fit the instruction are chosen."""
_PATH: Final = re.compile(r"/[\w./-]*\w")
_NAME: Final = re.compile(r"\w[\w.-]*\w")
_JOINED: Final = re.compile(r"\b[^\W\d_]+(?:-[^\W\d_]+){2,}")
"""A code such as `team-red-three`."""
_AREA: Final = re.compile(r"\b(?:city|town|region|district)\b", re.IGNORECASE)
"""Words for an area, which may refer to all files of a kind."""
MOST_IN_TURN: Final = 8
"""A file that names more files than this is a list, and the files that it names are not read."""
LEAST_CHARS: Final = 250
"""Min room for which a file is read for its name."""
MARKS_CHARS: Final = 160
"""Characters around the text of a file: its title, and the notice of a cut."""
MOST_IDS: Final = 6
"""Max names that are looked for in files."""
MOST_HITS: Final = 12
MOST_MEANT_HITS: Final = 250
"""Max lines in which words of the request are looked for that no document has."""
MOST_WEIGHED: Final = 8
"""Max files that are read to find the one that the request means."""
MOST_TOLD_CHARS: Final = 2_000
"""Max characters of a text without fields, such as a receipt, that is shown, and whose words may refer to files."""
MOST_MEANT: Final = 4
"""Max files of a kind that are shown because the request may mean them."""


class OpeningSections:
    """The sections of turn one, in the order of their declarations."""

    def __init__(self, queue: SectionQueue) -> None:
        self._queue = queue
        self._surface = queue.recorder.surface

    def add_all(self) -> None:
        """Show the declared calls and the named files, and name what was left out."""
        for declared in self._surface.opening:
            self._add_declared(declared)
        if self._surface.named_files is not None:
            add_named(self._queue, self._surface.named_files)
        self._queue.show_until(0)
        if self._queue.left_out:
            self._queue.say(f"(Not opened for want of room: {', '.join(self._queue.left_out)}.)\n\n")

    def _add_declared(self, declared: OpeningCall) -> None:
        """Make the declared call, or one call for each value in its listing."""
        operation = self._surface.operation(declared.operation)
        if operation is None:
            return
        if declared.each_of is None:
            self._add(operation, dict(declared.arguments), declared)
            return
        given = [{**declared.arguments, operation.subject: subject} for subject in self._listed(declared.each_of)]
        if declared.fitting_chars is not None and operation.effect is Effect.READS:
            others = [asked for asked in given if not self._is_declared(operation, asked[operation.subject])]
            add_fitting(self._queue, operation, others, declared.fitting_chars)
            return
        for arguments in given:
            self._add(operation, arguments, declared)

    def _is_declared(self, operation: Operation, subject: Plain) -> bool:
        """Say whether another opening call shows this file by itself."""
        return any(
            declared.operation == operation.name and declared.arguments.get(operation.subject) == subject
            for declared in self._surface.opening
        )

    def _listed(self, listing: EachOf) -> list[Plain]:
        if (files := self._found_in_tree(listing)) is not None:
            return [*files]
        call = self._queue.send(listing.operation, listing.arguments)
        self._queue.show_until(0)
        try:
            listed = self._queue.recorder.receive(call).get(listing.field)
        except CallError:
            return []
        values = listed if isinstance(listed, list) else []
        return [
            value.get("path") if isinstance(value, dict) else value
            for value in values
            if not (isinstance(value, dict) and value.get("is_dir"))
        ]

    def _found_in_tree(self, listing: EachOf) -> list[str] | None:
        """Return the files that a `find` lists, if a tree already shows them all; else None."""
        match self._surface.operation(listing.operation), dict(listing.arguments):
            case Operation(name="find") as find, {"name": str(name), "root": str(root), "kind": "files", "limit": 0}:
                self._queue.show_until(0)
                files = self._queue.known.files_in(root) if find in FILE_OPERATIONS else None
                names = {path: path.rpartition("/")[2].lower() for path in files or ()}
                return None if files is None else [path for path in files if fnmatchcase(names[path], name.lower())]
        return None

    def _add(self, operation: Operation, arguments: Mapping[str, Plain], declared: OpeningCall) -> None:
        """Make one call and show its result; without room the call is named but not made, unless it reads the rules."""
        queue, title = self._queue, title_of(operation, arguments)
        is_rules = arguments.get(operation.subject) == self._surface.rules_document and bool(operation.json_field)
        # Calls under way may still fill their sections: only the room beyond is certain.
        while queue.under_way and queue.left - queue.under_way * queue.section_chars <= 0:
            queue.show_first()
        if not is_rules and min(queue.section_chars, queue.left) <= 0:
            queue.left_out.append(title)
            return
        call = queue.send(operation.name, arguments)
        parts = self._tree_in_parts(operation, call) if operation.drawn_as_tree else None
        queue.add(Section(operation, title, call, holds_rules=is_rules, declared=declared, parts=parts))
        if self._surface.may_change(operation.name, arguments):
            queue.show_until(0)

    def _tree_in_parts(self, operation: Operation, call: CallUnderWay) -> Mapping[str, Plain] | None:
        """Return the tree for a call that failed because the tree is too large; None if this is not the reason."""
        queue, error = self._queue, self._queue.recorder.outcome(call).error
        if error is None or error.code != error_codes.RESOURCE_EXHAUSTED:
            return None
        queue.show_until(0)
        with suppress(CallError):
            queue.recorder.receive(call)

        def listing(name: str, arguments: Mapping[str, Plain]) -> Mapping[str, Plain] | None:
            if len(queue.recorder.calls) < MOST_CALLS:
                with suppress(CallError):
                    return queue.recorder.receive(queue.send(name, arguments))
            return None

        return tree_in_parts(listing, str(call.call.arguments.get(operation.subject) or "/"))


def add_fitting(queue: SectionQueue, operation: Operation, given: list[dict[str, Plain]], chars: int) -> None:
    """Make the calls, and show the texts that fit the instruction, at most `chars` in all; name the others."""
    queue.show_until(0)
    chars = min(chars, queue.left)
    titles = [title_of(operation, arguments) for arguments in given]
    if chars <= 0:
        queue.left_out += titles
        return
    queue.left_out += titles[MOST_COMPARED:]
    calls = _sent(queue, operation, given[:MOST_COMPARED])
    results = [queue.recorder.outcome(call).result for call in calls]
    texts = ["" if result is None else result_text(operation, result) for result in results]
    names = [str(arguments.get(operation.subject)) for arguments in given]
    queue.known.unknown = unknown_words(queue.known.instruction, [queue.known.rules, *texts])
    means_records, folders = _kinds_named(queue)
    named_folders = tuple(f"{path}/" for path in _PATH.findall(queue.known.instruction))
    means_records |= any(file.startswith(named_folders) for file in set(queue.known.files).difference(names))
    asked, told = queue.known.instruction, subjects(queue.known.rules)
    values = "".join((queue.known.told_of or {}).values())
    for code in codes_in(asked):
        if f'"{code}"' in values:  # It is about records, not about a page; `basket_7` is about a basket.
            kind = code.rstrip("0123456789_")
            asked = asked.replace(code, "" if kind == code else kind)
    named = queue.recorder.surface.named_files
    if told and named is not None and not means_records:
        asked = "\n".join([asked, *map(queue.known.index(named.roots).word_of, folders)])
    pages = dict(zip(names, texts, strict=False))
    chosen = fitting(asked, pages, chars, folders=folders, rules=queue.known.rules, means_records=means_records)
    unfit = []
    for number, call in enumerate(calls):
        if results[number] is None or names[number] in chosen:
            queue.add(Section(operation, titles[number], call, room=Room(chars), chars=chars))
            queue.show_first()
        else:
            queue.recorder.receive(call, shown_chars=0)
            heading = "" if names[number] in told else f" ({_heading(texts[number])})"
            unfit.append(names[number] + heading)
    if unfit:
        queue.say(f"(Not shown, to be read where it matters: {', '.join(unfit)}.)\n\n")


def _sent(queue: SectionQueue, operation: Operation, given: list[dict[str, Plain]]) -> list[CallUnderWay]:
    """Begin the calls, as many at a time as may be under way."""
    calls: list[CallUnderWay] = []
    for arguments in given:
        if len(calls) >= queue.at_a_time:
            queue.recorder.outcome(calls[-queue.at_a_time])
        calls.append(queue.send(operation.name, arguments))
    return calls


def _kinds_named(queue: SectionQueue) -> tuple[bool, list[str]]:
    """Return the folders of the kinds of which the instruction names a file, or that hold words of it, and if any are.

    If there are none, return the folders of the files with a name that the opening tools print, such as the asker's.
    """
    named = queue.recorder.surface.named_files
    if named is None:
        return False, []
    index, instruction = queue.known.index(named.roots), queue.known.instruction
    files = [*index.named_in(instruction), *index.meant_in(instruction), *_told_of(queue, named)]
    others = [*_asked_paths(queue), *_called_so(queue, named)]
    return bool(files or others), index.kinds_of(files or _holding(queue, named))


def _asked_paths(queue: SectionQueue) -> list[str]:
    listed = set(queue.known.files)
    return [path for path in dict.fromkeys(_PATH.findall(queue.known.instruction)) if path in listed]


def _told_of(queue: SectionQueue, named: NamedFiles) -> dict[str, str]:
    """Return the files that hold a word of the request that no document has, or a code of the request as a value.

    Each file comes with the lines that hold one. The search is made once.
    """
    known = queue.known
    if known.told_of is None:
        joined = [code for code in _JOINED.findall(known.instruction) if not known.index(named.roots).named_in(code)]
        codes = dict.fromkeys([*codes_in(known.instruction), *joined])
        patterns = [rf'(?i)"{re.escape(code)}"(?!\s*:)' for code in codes]
        patterns += [rf'(?i)(?<![\w-]){re.escape(word)}(?![\w-]|"\s*:(?!\s*true))' for word in known.unknown]
        known.told_of = _hits(queue, named, patterns, MOST_MEANT_HITS, named.roots)
    return known.told_of


def _heading(text: str) -> str:
    return text.strip().partition("\n")[0].strip("# ")[:24]


def add_named(queue: SectionQueue, named: NamedFiles) -> None:
    """Show files for their names: named files, then files that these name or that hold such a name, then samples."""
    read = queue.recorder.surface.operation(named.read)
    queue.show_until(0)
    if read is None or read.effect is not Effect.READS or queue.left <= 0:
        return
    known, index = queue.known, queue.known.index(named.roots)
    said = known.said
    room = Room(named.chars)
    listed = set(known.files)
    asked = _asked_paths(queue)
    called = [] if asked else _called_so(queue, named)
    few = called if len(called) <= MOST_MEANT else []
    exact = [*dict.fromkeys([*asked, *index.named_in(said), *few])]
    hits = _holding(queue, named)
    queue.show_until(0)
    by_name = [path for path in index.meant_in(known.instruction) if path not in exact]
    meant = _meant(queue, named, read, by_name, exact)
    if _AREA.search(known.instruction):
        meant += [file for path in [*exact, *meant] for file in index.beside(path)]
    held = [path for path in index.named_in("\n".join(hits)) if path not in exact]
    newest = newest_first(_texts(queue, read, held[:MOST_WEIGHED]))
    texts = _texts(queue, read, exact[: named.most])
    in_turn = [index.named_in(text) + _beside(path, text, listed) for path, text in texts.items()]
    scans = [path for path, text in texts.items() if not text.startswith(("{", "["))]
    told = [path for scan in scans for path in index.told_in(texts[scan][:MOST_TOLD_CHARS])]
    then = [path for paths in in_turn if len(set(paths)) <= MOST_IN_TURN for path in paths]
    _add_files(queue, read, scans, room, named.each_chars)
    queue.show_until(0)
    if told and len(told) <= MOST_IN_TURN:  # They share the room equally.
        share = max(room.left // len(told) - MARKS_CHARS, LEAST_CHARS // 2)
        _add_files(queue, read, told, room, min(share, named.each_chars))
        queue.show_until(0)
    shown = [*dict.fromkeys([*index.in_turn([*exact, *meant]), *index.in_turn([*told, *then]), *newest])][: named.most]
    share = max(room.left // (len(exact) + 1) - MARKS_CHARS, LEAST_CHARS // 2)
    to_show = [path for path in shown if path not in known.texts]
    _add_files(queue, read, to_show, room, min(share, named.each_chars))
    queue.show_until(0)
    if named.sampled and queue.samples:
        _add_files(queue, read, index.samples(named.sampled, shown), room, named.sample_chars)
        queue.show_until(0)
    while known.compared:
        queue.recorder.receive(known.compared.popitem()[1], shown_chars=0)


def _meant(queue: SectionQueue, named: NamedFiles, read: Operation, by_name: list[str], exact: list[str]) -> list[str]:
    """Return the files whose names or texts share the most with the request, without the files that it names."""
    index, told = queue.known.index(named.roots), _told_of(queue, named)
    found: list[str] = []
    files_of = {kind: index.files_of(kind) for kind in index.kinds_of([*by_name, *told])}
    for kind, files in sorted(files_of.items(), key=lambda item: len(item[1].intersection(told))):
        if len(files.intersection(exact)) > 1:
            continue
        held = [path for path in told if path in files and path not in exact]
        called = [path.rpartition("/")[2].partition(".")[0] for path in found]
        names = [re.sub(r"\W|_", ".", name) for name in [*ids_in(queue.known.instruction), *called]]
        if len(held) > MOST_WEIGHED and names:
            named_there = _hits(queue, named, [f'"(?:{"|".join(names)})"'], MOST_MEANT_HITS, [kind])
            if both := [path for path in held if path in named_there]:
                found += both[:MOST_WEIGHED]
                continue
        likely = best_of(queue.known.instruction, {path: path + told[path] for path in held}, MOST_WEIGHED)
        texts = _texts(queue, read, [*dict.fromkeys([*likely, *(path for path in by_name if path in files)])])
        found += best_of(queue.known.instruction, texts, MOST_MEANT)
    return found


def _called_so(queue: SectionQueue, named: NamedFiles) -> list[str]:
    """Return the files outside the records whose names, or else folders, share a word with the request."""
    words = asked_stems(queue.known.instruction)
    roots = [root for root in named.roots if root != named.sampled]
    files = {file: file.removeprefix(root) for root in roots for file in queue.known.files_in(root) or ()}
    found = [file for file, name in files.items() if not words.keys().isdisjoint(stems(name.replace("_", " ")))]
    if not found and any(not words.keys().isdisjoint(stems(root)) for root in roots):
        found = [*files]
    return found


def _beside(path: str, text: str, listed: set[str]) -> list[str]:
    """Return the files of the same folder that a text names without their folder."""
    folder = path.rpartition("/")[0]
    named = (f"{folder}/{name}" for name in dict.fromkeys(_NAME.findall(text[:MOST_NAMING_CHARS])))
    return [file for file in named if file in listed and file != path]


def _texts(queue: SectionQueue, read: Operation, paths: Iterable[str]) -> dict[str, str]:
    """Return the texts of files, without showing them; files that cannot be read are left out."""
    texts = queue.known.read_texts
    for path in paths:
        if path not in texts:
            call = queue.send(read.name, {read.subject: path})
            result = queue.recorder.outcome(call).result
            if result is None:
                with suppress(CallError):
                    queue.recorder.receive(call, shown_chars=0)
            else:
                texts[path], queue.known.compared[path] = result_text(read, result), call
    return {path: texts[path] for path in paths if path in texts}


def _holding(queue: SectionQueue, named: NamedFiles) -> list[str]:
    """Return the paths of files that hold an id from the instruction or an opening tool; searched for once."""
    known = queue.known
    if known.holding is None:
        ids = ids_in(known.said)[:MOST_IDS]
        pattern = r"\b(?:" + "|".join(map(re.escape, ids)) + r")\b"
        known.holding = [*_hits(queue, named, [pattern] if ids else [], MOST_HITS, named.roots)]
    return known.holding


def _hits(
    queue: SectionQueue, named: NamedFiles, patterns: list[str], limit: int, roots: Iterable[str]
) -> dict[str, str]:
    """Return the lines that searches find, at most `limit` in each, by path. The lines are not shown.

    Roots in which the tree shows no file are not searched.
    """
    if not (named.search and queue.recorder.surface.operation(named.search)):
        return {}
    queue.show_until(0)
    asked = [(root, pattern) for root in roots if queue.known.files_in(root) != [] for pattern in patterns]
    calls = [queue.send(named.search, {"pattern": pattern, "root": root, "limit": limit}) for root, pattern in asked]
    found: dict[str, str] = {}
    for call in calls:
        try:
            matches = queue.recorder.receive(call, shown_chars=0).get("matches")
        except CallError:
            continue
        for row in matches if isinstance(matches, list) else []:
            if isinstance(row, dict):
                found[str(row.get("path"))] = f"{found.get(str(row.get('path')), '')}\n{row.get('text', '')}"
    return found


def _add_files(queue: SectionQueue, read: Operation, paths: Iterable[str], room: Room, chars: int) -> None:
    """Show these files, at most `chars` characters of each, as long as there is room."""
    for path in paths:
        # Calls under way may still fill their sections.
        while queue.under_way and min(room.left, queue.left) < (queue.under_way + 1) * chars:
            queue.show_first()
        if min(room.left, queue.left) < min(chars, LEAST_CHARS):
            return
        is_scan = not queue.known.read_texts.get(path, "{").startswith(("{", "["))
        arguments = {read.subject: path}
        call = queue.known.compared.pop(path, None) or queue.send(read.name, arguments)
        queue.add(
            Section(read, title_of(read, arguments), call, room=room, chars=MOST_TOLD_CHARS if is_scan else chars)
        )
