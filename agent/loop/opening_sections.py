"""Makes the opening calls and shows what they return, in their order, within the limits of turn one."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable, Mapping
from concurrent.futures import Executor, wait
from dataclasses import dataclass, field
from typing import Final

from agent.evidence.recorder import CallUnderWay, Recorder
from agent.opening import NameIndex, collapsed_tree, files_below, fitting, ids_in, joined_lines
from sandbox.interface import CallError, EachOf, Effect, NamedFiles, OpeningCall, Operation, Plain, Tree

AT_A_TIME: Final = 8
"""How many of turn one's calls are under way at a time, if the environment's reading calls may be."""
MOST_COMPARED: Final = 100
"""Texts of which those that fit the instruction are chosen."""
MOST_IN_TURN: Final = 8
"""A file that names more files than this is a list, and what it names is not read."""
LEAST_CHARS: Final = 250
"""With less room than this, a file is not read for its name."""
MOST_IDS: Final = 6
"""Names that are looked for in files."""
MOST_HITS: Final = 12


@dataclass(frozen=True, slots=True)
class InitialPromptLimits:
    """How much turn one may show. What is cut does not count as read."""

    section_chars: int = 12_000
    """Characters of one document or listing."""
    total_chars: int = 120_000
    """Characters of all of them."""


@dataclass(slots=True)
class _Room:
    """Characters that several sections have together."""

    left: int


@dataclass(frozen=True, slots=True)
class _Section:
    """A call whose result is to be shown."""

    operation: Operation
    title: str
    call: CallUnderWay
    holds_rules: bool = False
    declared: OpeningCall | None = None
    room: _Room | None = None
    """Set for a file that is shown for its name."""
    chars: int = 0
    """The most that it takes of `room`."""


@dataclass(slots=True)
class _Learned:
    """What the calls so far have told."""

    files: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    """What tools printed that were not asked for help."""
    texts: dict[str, str] = field(default_factory=dict)
    """What the files hold that are shown for their name, by path."""


class OpeningSections:
    """Makes the opening calls, up to `AT_A_TIME` of them side by side, and shows what they return in their order."""

    def __init__(
        self, recorder: Recorder, instruction: str, limits: InitialPromptLimits, executor: Executor | None
    ) -> None:
        self.pieces: list[str] = []
        """What turn one shows so far."""
        self.rules = ""
        self._recorder = recorder
        self._instruction = instruction
        self._section_chars = limits.section_chars
        self._left = limits.total_chars
        self._executor = executor
        self._most = 1 if executor is None else AT_A_TIME
        self._sent: list[CallUnderWay] = []
        self._under_way: deque[_Section] = deque()
        self._left_out: list[str] = []
        self._learned = _Learned()

    def add(self, declared: OpeningCall) -> None:
        """Make the declared call, or one for each value that its listing gives."""
        operation = self._recorder.surface.operation(declared.operation)
        if operation is None:
            return
        if declared.each_of is None:
            self._add(operation, dict(declared.arguments), declared)
            return
        given = [{**declared.arguments, operation.subject: subject} for subject in self._listed(declared.each_of)]
        if declared.fitting_chars is not None and operation.effect is Effect.READS:
            others = [each for each in given if not self._is_declared(operation, each[operation.subject])]
            self._add_fitting(operation, others, declared.fitting_chars)
            return
        for arguments in given:
            self._add(operation, arguments, declared)

    def add_named(self, named: NamedFiles) -> None:
        """Show the files that the instruction and the tools' outputs name, what hangs on them, and samples."""
        read = self._recorder.surface.operation(named.read)
        self._show_until(0)
        if read is None or read.effect is not Effect.READS or self._left <= 0:
            return
        index = NameIndex(self._learned.files, named.roots)
        said = "\n".join([self._instruction, *self._learned.outputs])
        room, samples = _Room(named.chars), _Room(self._left)
        exact = index.named_in(said)
        first = [*dict.fromkeys([*exact, *index.meant_in(self._instruction)])][: named.most]
        self._add_files(read, first, room, named.each_chars)
        hits = self._holding(named, ids_in(said))
        self._show_until(0)
        in_turn = [index.named_in(self._learned.texts.get(each, "")) for each in exact]
        then = [path for paths in in_turn if len(paths) <= MOST_IN_TURN for path in paths]
        later = [each for each in dict.fromkeys([*then, *index.named_in("\n".join(hits))]) if each not in first]
        shown = [*first, *later[: named.most - len(first)]]
        self._add_files(read, shown[len(first) :], room, named.each_chars)
        if named.sampled:
            self._add_files(read, index.samples(named.sampled, shown), samples, named.sample_chars)

    def finish(self) -> None:
        """Show what is still under way, and name what was left out."""
        self._show_until(0)
        if self._left_out:
            self.pieces.append(f"(Not opened for want of room: {', '.join(self._left_out)}.)\n\n")

    def await_calls(self) -> None:
        """Wait for the calls that nobody asks about any more because the trial is left."""
        wait([call.begun for call in self._sent if call.begun])

    def _is_declared(self, operation: Operation, subject: Plain) -> bool:
        """Say whether another opening call shows this by itself."""
        return any(
            each.operation == operation.name and each.arguments.get(operation.subject) == subject
            for each in self._recorder.surface.opening
        )

    def _listed(self, each: EachOf) -> list[Plain]:
        call = self._send(each.operation, each.arguments)
        self._show_until(0)
        try:
            listed = self._recorder.receive(call).get(each.field)
        except CallError:
            return []
        values = listed if isinstance(listed, list) else []
        return [
            value.get("path") if isinstance(value, dict) else value
            for value in values
            if not (isinstance(value, dict) and value.get("is_dir"))
        ]

    def _holding(self, named: NamedFiles, ids: list[str]) -> list[str]:
        """Return the paths of files that hold one of `ids`. The lines that a search found are not shown."""
        if not (named.search and ids and self._recorder.surface.operation(named.search)):
            return []
        pattern = r"\b(?:" + "|".join(map(re.escape, ids[:MOST_IDS])) + r")\b"
        calls = []
        for root in named.roots:
            self._show_until(0)
            calls.append(self._send(named.search, {"pattern": pattern, "root": root, "limit": MOST_HITS}))
        found = []
        for call in calls:
            try:
                matches = self._recorder.receive(call, shown_chars=0).get("matches")
            except CallError:
                continue
            rows = matches if isinstance(matches, list) else []
            found += [str(each.get("path")) for each in rows if isinstance(each, dict)]
        return found

    def _add_files(self, read: Operation, paths: Iterable[str], room: _Room, chars: int) -> None:
        for path in paths:
            # What is under way may yet fill its sections.
            while self._under_way and min(room.left, self._left) < (len(self._under_way) + 1) * chars:
                self._show_first()
            if min(room.left, self._left) < min(chars, LEAST_CHARS):
                return
            arguments = {read.subject: path}
            title = _title(read, arguments)
            call = self._send(read.name, arguments)
            self._under_way.append(_Section(read, title, call, room=room, chars=chars))

    def _add_fitting(self, operation: Operation, given: list[dict[str, Plain]], chars: int) -> None:
        """Make the calls, and show the texts that fit the instruction; the others are named."""
        self._show_until(0)
        room = min(chars, self._left)
        titles = [_title(operation, each) for each in given]
        if room <= 0:
            self._left_out += titles
            return
        self._left_out += titles[MOST_COMPARED:]
        calls: list[CallUnderWay] = []
        for arguments in given[:MOST_COMPARED]:
            if len(calls) >= self._most:
                self._recorder.outcome(calls[-self._most])
            calls.append(self._send(operation.name, arguments))
        results = [self._recorder.outcome(call).result for call in calls]
        texts = ["" if each is None else result_text(operation, each) for each in results]
        names = [str(each.get(operation.subject)) for each in given]
        chosen = fitting(
            self._instruction,
            dict(zip(names, texts, strict=False)),
            room,
            folders=self._kinds_named(),
            rules=self.rules,
        )
        unfit = []
        for number, call in enumerate(calls):
            if results[number] is None or names[number] in chosen:
                section = _Section(operation, titles[number], call, room=_Room(room), chars=room)
                self._under_way.append(section)
                self._show_first()
            else:
                self._recorder.receive(call, shown_chars=0)
                unfit.append(f"{names[number]} ({texts[number].strip().partition(chr(10))[0].strip('# ')[:60]})")
        if unfit:
            self.pieces.append(f"(Not shown, to be read where it matters: {', '.join(unfit)}.)\n\n")

    def _kinds_named(self) -> list[str]:
        """Return the folders of the kinds of which the instruction names a file."""
        named = self._recorder.surface.named_files
        if named is None:
            return []
        index = NameIndex(self._learned.files, named.roots)
        return index.kinds_of([*index.named_in(self._instruction), *index.meant_in(self._instruction)])

    def _add(self, operation: Operation, arguments: Mapping[str, Plain], declared: OpeningCall) -> None:
        title = _title(operation, arguments)
        rules_document = self._recorder.surface.rules_document
        holds_rules = arguments.get(operation.subject) == rules_document and bool(operation.json_field)
        # What is under way may yet fill its sections: only the room beyond is certain.
        while self._under_way and self._left - len(self._under_way) * self._section_chars <= 0:
            self._show_first()
        if not holds_rules and min(self._section_chars, self._left) <= 0:
            self._left_out.append(title)
            return
        call = self._send(operation.name, arguments)
        self._under_way.append(_Section(operation, title, call, holds_rules=holds_rules, declared=declared))
        if self._recorder.surface.may_change(operation.name, arguments):
            self._show_until(0)

    def _send(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay:
        """Begin a call: beside others if it only reads, else once they are done."""
        only_reads = not self._recorder.surface.may_change(operation, arguments)
        self._show_until(self._most - 1 if only_reads else 0)
        self._sent.append(self._recorder.send(operation, arguments, executor=self._executor if only_reads else None))
        return self._sent[-1]

    def _show_until(self, count: int) -> None:
        """Show the earliest sections until at most `count` calls are under way."""
        while len(self._under_way) > count:
            self._show_first()

    def _show_first(self) -> None:
        section = self._under_way.popleft()
        room = min(self._section_chars, max(self._left, 0))
        if section.room is not None:
            room = min(room, section.chars, section.room.left)
        if section.declared is not None and section.declared.most_chars is not None:
            room = min(room, section.declared.most_chars)
        result = self._recorder.outcome(section.call).result
        text = "" if result is None else self._text(section, result)
        shown, consumed = joined_lines(text, room) if section.room is not None else (text[:room], room)
        cut = max(len(text) - consumed, 0)
        try:
            self._recorder.receive(section.call, shown_chars=consumed)
        except CallError as error:
            failure = f"(failed: {error})"
            shown, cut = failure[:room], max(len(failure) - room, 0)
        self._left -= len(shown)
        pieces = [f'<section title="{section.title}">\n', shown, _closing(cut, section.title)]
        if section.room is not None:
            section.room.left -= sum(map(len, pieces))
        self.pieces += pieces

    def _text(self, section: _Section, result: Mapping[str, Plain]) -> str:
        """Return what a result shows, and learn from it."""
        operation, arguments = section.operation, section.call.call.arguments
        if operation.drawn_as_tree:
            root = str(arguments.get(operation.subject) or arguments.get("root") or "/")
            self._learned.files += files_below(result, root)
            longest = section.declared.longest_listing if section.declared else None
            if longest is not None:
                return collapsed_tree(result, longest, root=root, in_full=_FOLDER.findall(self._instruction))
        text = result_text(operation, result)
        if operation.effect is Effect.EXECUTES and arguments.get("args") != ["--help"]:
            self._learned.outputs.append(text)
        if section.holds_rules:
            self.rules = str(result.get(operation.json_field, ""))
        if section.room is not None:
            self._learned.texts[str(arguments.get(operation.subject))] = text
        return text


_FOLDER: Final = re.compile(r"/[\w./-]*[\w/]")


def _closing(cut: int, title: str) -> str:
    if cut <= 0:
        return "\n</section>\n\n"
    return f"\n</section>\n({cut} characters of {title} are not shown and do not count as read.)\n\n"


def _title(operation: Operation, arguments: Mapping[str, Plain]) -> str:
    subject = arguments.get(operation.subject)
    args = arguments.get("args")
    words = " ".join(str(each) for each in args) if isinstance(args, list) else ""
    return f"{operation.name} {subject or ''} {words}".strip().replace("  ", " ")


def result_text(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a call's result as text: its one text field, its tree, or its fields as JSON."""
    if operation.drawn_as_tree:
        return str(Tree(result))
    if operation.json_field:
        return str(result.get(operation.json_field, ""))
    texts = [str(result[each.name]) for each in operation.fields if isinstance(result.get(each.name), str)]
    texts = [each for each in texts if each and each != result.get(operation.subject)]
    if len(texts) == 1:
        return texts[0]
    return json.dumps(dict(result), ensure_ascii=False)
