"""Keeps what a trial has read, written and executed, from the effects that its environment declares.

The log is filled by the parent, call by call, outside the sandbox; the same calls give the same evidence. What makes
a path citable, per effect, is told at each `_record_…` method.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final

from agent.evidence.governing_documents import GoverningDocuments
from agent.evidence.opened_files import opened_files
from agent.evidence.path_aliases import MAX_PATH_CHARS, PathAliases
from agent.retry import failure_of
from gates.checks import fault_of_reason
from gates.types import (
    CALL_FAILED,
    Action,
    Change,
    Evidence,
    Execution,
    Failure,
    SeenText,
    Touch,
    canonical,
    nearest,
    quote,
    seen_text,
    spelling_key,
    split_fragment,
)
from sandbox.interface import CallError, Effect, ExecutableKind, Operation, Plain, Surface

_BOOKKEEPING: Final = frozenset({"path", "sha256", "content_type", "name", "truncated", "exit_code"})
"""Result fields that are no text of the file."""
_WRITTEN: Final = frozenset({str, int, float, bool})
_TO_JSON: Final = json.JSONEncoder(ensure_ascii=False).encode
_MAX_MESSAGE_CHARS: Final = 300
MAX_KEPT_BYTES: Final = 4_000_000
"""Bytes of the texts that the evidence of one trial keeps. Beyond it a path stays citable, and a word that is missing
from what was kept of it proves nothing."""
_TEXT_BYTES: Final = 500
"""What keeping a text costs beyond its own bytes."""
MAX_PLACES: Final = 3_000
"""Paths that one trial makes citable."""
MAX_PLACE_CHARS: Final = 500_000
MAX_ARGUMENT_CHARS: Final = 1_000_000
"""Arguments of executions that are kept, together; those of later ones are not."""
MAX_FAILURES: Final = 1_000
MAX_NEAR: Final = 1_000
MAX_NEAR_CHARS: Final = 50_000
"""How many paths, and how many characters of them, are compared with one that was not read."""
_MAX_VARIANTS: Final = 20

Nearest = Callable[[str, list[str]], str]
"""Returns the path of a list that is nearest to another one, or an empty string."""


@dataclass(slots=True)
class _Place:
    """What happened so far at one path, under the spelling that its calls reached."""

    actions: set[Action] = field(default_factory=set)
    seen: dict[int, None] = field(default_factory=dict)
    """Numbers of texts, in their order."""


class EvidenceLog:
    """The evidence of one trial. Used by the thread that makes the trial's calls."""

    def __init__(self, surface: Surface, nearest_of: Nearest = nearest) -> None:
        """`nearest_of` compares paths that may be long and many."""
        self._surface = surface
        self._nearest_of = nearest_of
        self._spellings = PathAliases()
        self._places: dict[str, _Place] = {}
        self._place_room = MAX_PLACE_CHARS
        self._variants: dict[str, list[str]] = {}
        """Paths that calls reached, by their folded spelling."""
        self._changes: list[Change] = []
        self._unread_runs: list[int] = []
        """Numbers of the changes by executions that no later call has looked at."""
        self._unread: dict[str, list[int]] = {}
        """Those of other changes, by the folded spelling of their path."""
        self._argument_room = MAX_ARGUMENT_CHARS
        self._executions: list[Execution] = []
        self._failures: list[Failure] = []
        self.texts: list[SeenText] = []
        """The texts that were seen, by number."""
        self._numbers: dict[SeenText, int] = {}
        self._room = MAX_KEPT_BYTES
        self._is_changed = False
        """A call may have changed something; files may hold the script's own text from then on."""
        self._view: Evidence | None = None
        self._governing = GoverningDocuments(surface.rules_document)

    def record(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
        error: CallError | None,
        *,
        in_verify: bool = False,
        shown_chars: int | None = None,
    ) -> tuple[str, ...]:
        """Take note of one call and return what the script should be told about it.

        `result` is None if the call failed with `error`. `shown_chars` says how much of the text reached the model:
        the rest was cut, cannot justify a citation, and with nothing shown the path is not citable either.
        """
        self._view = None
        declared = self._surface.operation(operation)
        if declared is None:
            return ()
        subject = arguments.get(declared.subject)
        asked = canonical(subject) if isinstance(subject, str) and subject else ""
        may_change = self._surface.may_change(operation, arguments)
        self._is_changed |= may_change
        if error is not None or result is None:
            self._record_failure(declared, asked, error, may_change=may_change)
            if error is not None and asked and declared.effect is Effect.EXECUTES:
                self._record_failed_execution(asked, arguments, error, in_verify=in_verify)
            return ()
        changes = len(self._changes)
        notes = self._record_result(declared, asked, arguments, result, shown_chars, in_verify=in_verify)
        return notes + self._notes_on_changes(changes)

    def _record_result(
        self,
        declared: Operation,
        asked: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
        shown_chars: int | None,
        *,
        in_verify: bool,
    ) -> tuple[str, ...]:
        """Take note of a call that succeeded, by its effect."""
        if declared.effect is Effect.LISTS:
            return self._record_listing(asked or "/", result, is_shown=shown_chars != 0)
        if not asked or declared.effect is Effect.NONE:
            return ()
        if declared.effect is Effect.EXECUTES:
            return self._record_execution(declared, asked, arguments, result, shown_chars, in_verify=in_verify)
        if declared.effect is Effect.READS:
            return self._record_read(declared, asked, arguments, result, shown_chars)
        return self._record_change(declared, asked, arguments, result)

    def _record_failure(self, declared: Operation, asked: str, error: CallError | None, *, may_change: bool) -> None:
        """A failed call makes nothing citable; a path that was not found is remembered as missing."""
        if error is None:
            return
        if may_change and failure_of(error.code).in_doubt:
            self._spellings.forget_absences()
        if failure_of(error.code).is_tooling and len(self._failures) < MAX_FAILURES:
            self._failures.append(Failure(declared.name, error.code, error.message[:_MAX_MESSAGE_CHARS]))
        if error.code == "not_found" and asked:
            self._spellings.learn_missing(asked)
            self._governing.leave_out(asked)
            self._mark_read_back(spelling_key(asked), "delete")

    def _record_failed_execution(
        self, asked: str, arguments: Mapping[str, Plain], error: CallError, *, in_verify: bool
    ) -> None:
        """A run that the environment refused is known to rules as one that gave nothing."""
        words = self._words_of(arguments)
        if words == ("--help",):
            return
        kind = self._surface.executable_kind(asked)
        said = f"{error.code}: {error.message}"[:_MAX_MESSAGE_CHARS]
        kept = words if self._argument_room > 0 else ()
        self._executions.append(Execution(asked, kept, kind.value, CALL_FAILED, in_verify, said))

    def _words_of(self, arguments: Mapping[str, Plain]) -> tuple[str, ...]:
        """Return the arguments of an execution, and take their size off what may be kept."""
        words = tuple(_words(arguments.get("args")))
        self._argument_room -= sum(map(len, words)) + len(words)
        return words

    def _record_read(
        self,
        declared: Operation,
        asked: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
        shown_chars: int | None,
    ) -> tuple[str, ...]:
        """A read makes its path citable by the text it gave: of a range or a truncated file, by that part alone.

        A part without a word shows nothing of its file.
        """
        text = _text_of(result, declared.json_field)
        shown = _cut(text, shown_chars)
        is_part = len(shown) < len(text) or result.get("truncated") is True or bool(_given(declared, arguments))
        if is_part and not _has_words(shown):
            return ()
        path = self._spellings.learn_reached(asked, result.get("path"))
        self._touch(path, "read", shown, is_excerpt=is_part)
        self._spellings.settle(path)
        self._mark_runs_read_back()
        self._mark_read_back(spelling_key(path))
        return self._notes((asked,))

    def _record_change(
        self, declared: Operation, asked: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> tuple[str, ...]:
        """A write makes its path citable by the text written; a deletion keeps what was seen there before."""
        path = self._spellings.learn_reached(asked, result.get("path"))
        if declared.effect is Effect.WRITES:
            written = (value for name, value in arguments.items() if name != declared.subject)
            text = "\n".join(value for value in written if isinstance(value, str))
            self._touch(path, "write", text, is_proof=False)
            self._spellings.learn_written(path)
            self._add_change(Change(path, "write"))
        else:
            self._touch(path, "delete", "")
            self._add_change(Change(path, "delete"))
        return self._notes((asked,))

    def _record_execution(
        self,
        declared: Operation,
        asked: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
        shown_chars: int | None,
        *,
        in_verify: bool,
    ) -> tuple[str, ...]:
        """A tool that ran is citable by its output; one that only reads also makes the files that it opened citable.

        A file counts as opened if the tool's declaration says so, unless the trial knows that no such file exists.
        What a tool prints that was given arguments or stdin proves nothing else: a query can return any text.
        """
        words = self._words_of(arguments)
        if words == ("--help",):
            return ()
        path = self._spellings.listed(self._spellings.learn_reached(asked, result.get("path")))
        code = result.get(declared.exit_field or "exit_code", 0)
        exit_code = code if isinstance(code, int) else 1
        kind = self._surface.executable_kind(path)
        said = str(result.get("stderr") or result.get("stdout") or "").strip() if exit_code else ""
        kept = words if self._argument_room > 0 else ()
        self._executions.append(Execution(path, kept, kind.value, exit_code, in_verify, said[:_MAX_MESSAGE_CHARS]))
        output = _cut(_text_of(result, ""), shown_chars)
        given = _given(declared, arguments)
        self._touch(path, "execute", output, is_proof=not (exit_code or given))
        if kind is not ExecutableKind.READS:
            self._spellings.forget_absences()
        if exit_code:
            return (_exit_note(path, exit_code, said),) if declared.exit_field else ()
        if kind is ExecutableKind.CHANGES:
            self._add_change(Change(path, "execute", " ".join(words)[:_MAX_MESSAGE_CHARS]))
        if kind is not ExecutableKind.READS:
            return ()
        files = self._surface.executable(path).files if given <= {"args"} else None
        opened = opened_files(files, words, is_changed=self._is_changed)
        paths = [canonical(each) for each in opened.paths if len(each) <= MAX_PATH_CHARS]
        self._mark_runs_read_back()
        for each in paths:
            self._mark_read_back(spelling_key(each), spelling=each)
        if (opened.is_part or shown_chars is not None) and not _has_words(output):
            return ()
        read = [each for each in paths if each in self._places or self._spellings.may_exist(each)]
        for each in read:
            self._touch(each, "read", output, echoed=opened.echoed, is_excerpt=opened.is_part)
            self._spellings.settle(each)
        return self._notes(read)

    def _record_listing(self, asked: str, result: Mapping[str, Plain], *, is_shown: bool) -> tuple[str, ...]:
        """A listing makes nothing citable, but for the lines of a file that a search shows; it teaches spellings."""
        aliases = self._spellings.learn_listing(asked, result)
        lines: dict[str, list[str]] = {}
        for value in result.values() if is_shown else ():
            for each in value if isinstance(value, list) else ():
                if isinstance(each, dict) and isinstance(path := each.get("path"), str):
                    text = each.get("text")
                    if isinstance(text, str) and path.startswith("/") and len(path) <= MAX_PATH_CHARS:
                        lines.setdefault(path, []).append(text)
        for path, shown in lines.items():
            text = "\n".join(shown)
            if _has_words(text):
                self._touch(canonical(path), "read", text, is_excerpt=True)
        folder = spelling_key(asked).rstrip("/") + "/"
        for key in [each for each in self._unread if each.startswith(folder)]:
            self._mark_read_back(key, "delete")
        return self._notes(aliases)

    def _touch(
        self,
        path: str,
        action: Action,
        text: str,
        *,
        is_proof: bool = True,
        is_excerpt: bool = False,
        echoed: str = "",
    ) -> None:
        place = self._places.get(path)
        if place is None:
            if len(self._places) >= MAX_PLACES or len(path) > self._place_room:
                return
            place = self._places[path] = _Place()
            self._place_room -= len(path)
            variants = self._variants.setdefault(spelling_key(path), [])
            if len(variants) < _MAX_VARIANTS:
                variants.append(path)
        place.actions.add(action)
        if not text.strip():
            return
        whole = seen_text(text, is_proof=is_proof, is_excerpt=is_excerpt, echoed=echoed)
        number = self._numbers.get(whole)
        if number is None:
            size = _bytes_of(whole.text)
            if size > self._room:
                whole = replace(whole, text=whole.text[: self._room * len(whole.text) // size], is_whole=False)
            number = self._numbers.setdefault(whole, len(self.texts))
            if number == len(self.texts):
                self.texts.append(whole)
                self._room = max(self._room - size - _TEXT_BYTES, 0)
        place.seen[number] = None

    def _add_change(self, change: Change) -> None:
        unread = (
            self._unread_runs if change.action == "execute" else self._unread.setdefault(spelling_key(change.path), [])
        )
        unread.append(len(self._changes))
        self._changes.append(change)

    def _mark_runs_read_back(self) -> None:
        """Note that a call looked at what earlier executions changed."""
        for number in self._unread_runs:
            self._changes[number] = replace(self._changes[number], is_read_back=True)
        self._unread_runs.clear()

    def _mark_read_back(self, key: str, action: Action | None = None, *, spelling: str = "") -> None:
        """Note that a call looked at the path of this folded spelling: at changes of this kind, at this path alone."""
        left = []
        for number in self._unread.pop(key, ()):
            change = self._changes[number]
            if action in (None, change.action) and spelling in ("", change.path):
                self._changes[number] = replace(change, is_read_back=True)
            else:
                left.append(number)
        if left:
            self._unread[key] = left

    def _notes_on_changes(self, before: int) -> tuple[str, ...]:
        """Tell the script of changes, all but the first `before`, that a document governs which was not read."""
        found = (
            self._governing.note(each.path, self._spellings.shown, self._is_untouched, is_tool=each.action == "execute")
            for each in self._changes[before:]
        )
        return tuple(filter(None, found))

    def _is_untouched(self, path: str) -> bool:
        return not self._find(path)[1]

    def _notes(self, used: tuple[str, ...] | list[str]) -> tuple[str, ...]:
        """Tell the script which of the paths it used are to be cited by another name."""
        pairs = [(path, self._spellings.right(path)) for path in used]
        return tuple(f"{quote(one)} is {quote(right)}: cite it by that path." for one, right in pairs if right != one)

    def number_of(self, seen: SeenText) -> int:
        """Return the number of a text of this log."""
        return self._numbers[seen]

    def view(self) -> Evidence:
        """Return what is known by now, as the gates see it; later calls do not alter it."""
        if self._view is None:
            self._view = self._build_view()
        return self._view

    def _build_view(self) -> Evidence:
        right_of = self._spellings.right
        touches: dict[str, Touch] = {}
        aliases = {asked: right_of(asked) for asked in self._spellings.aliases}
        by_spelling = {key: tuple(paths) for key, paths in self._spellings.shown.items()}
        for path, place in self._places.items():
            right = right_of(path)
            if right != path:
                aliases[path] = right
            known = touches.get(right, Touch(right, frozenset()))
            touches[right] = Touch(
                right, known.actions | place.actions, known.seen + tuple(self.texts[number] for number in place.seen)
            )
            paths = by_spelling.get(spelling_key(right), ())
            if right not in paths:
                by_spelling[spelling_key(right)] = (*paths, right)
        return Evidence(
            has_trace=True,
            touches=touches,
            aliases=aliases,
            paths_by_spelling=by_spelling,
            directories=frozenset(self._spellings.directories),
            changes=tuple(replace(each, path=right_of(each.path)) for each in self._changes),
            executions=tuple(replace(each, path=right_of(each.path)) for each in self._executions),
            failures=tuple(self._failures),
        )

    def cite(self, path: str, reason: str) -> str:
        """Return the spelling under which `path` is to be cited, its fragment kept.

        Raises `ValueError` with a message for the script: the path was not read (it names the nearest kin that was), is
        a folder, or the reason has under 8 characters.
        """
        if fault := fault_of_reason(path, reason):
            raise ValueError(fault)
        base, fragment = split_fragment(path.strip())
        right, is_touched = self._find(path.strip())
        if not right:
            right, is_touched = self._find(base)
        else:
            fragment = ""
        if right in self._spellings.directories:
            msg = f"{quote(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if not is_touched:
            msg = f"{quote(path)} was not read in this trial{self._nearest_note(path)}: read it before citing it."
            raise ValueError(msg)
        return right + fragment

    def _find(self, asked: str) -> tuple[str, bool]:
        """Return the path to cite for `asked`, empty if nothing is known of it, and whether the trial touched it.

        Finds what `view().find` finds, without building a view; of many spellings of one path it looks at the first.
        """
        path = canonical(asked.strip())
        if path in self._spellings.aliases or path in self._places:
            path = self._spellings.right(path)
        key = spelling_key(path)
        shown = self._spellings.shown.get(key, ())
        touched = self._touched_paths(path, key)
        if path in touched or path in self._spellings.directories or path in shown:
            return path, path in touched
        known = dict.fromkeys((*shown, *touched))
        return (next(iter(known)), bool(touched)) if len(known) == 1 else ("", False)

    def _touched_paths(self, path: str, key: str) -> set[str]:
        """Return the paths to cite, of this folded spelling, for what calls reached."""
        right_of, shown = self._spellings.right, self._spellings.shown.get(key, ())
        reached = [path, *self._variants.get(key, ()), *shown[:_MAX_VARIANTS]]
        sources = {source for each in reached for source in self._spellings.sources(each)}
        found = {right_of(each) for each in sources if each in self._places}
        return {each for each in found if spelling_key(each) == key}

    def _nearest_note(self, reference: str) -> str:
        """Return a note that names the read path nearest to an unread one, or an empty string."""
        known, room = [], MAX_NEAR_CHARS
        for each in islice(self._places, MAX_NEAR):
            known.append(self._spellings.right(each))
            room -= len(each)
            if room < 0:
                break
        near = self._nearest_of(reference, known) if known else ""
        return f" (nearest that was read: {quote(near)})" if near else ""


def _exit_note(path: str, exit_code: int, said: str) -> str:
    """Return what the solver is told of a tool that did not end with exit code 0, whatever its script printed."""
    return f"{quote(path)} ended with exit code {exit_code}" + (
        f": {quote(said, _MAX_MESSAGE_CHARS)}" if said else " and said nothing."
    )


def _cut(text: str, shown_chars: int | None) -> str:
    return text if shown_chars is None else text[: max(shown_chars, 0)]


def _bytes_of(text: str) -> int:
    """Return what a text takes in memory, or in a message if that is more."""
    return (len(_TO_JSON(text)) - 2) * (1 if text.isascii() else 4)


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _given(declared: Operation, arguments: Mapping[str, Plain]) -> set[str]:
    """Return the names of what a call gives besides its path."""
    defaults = {each.name: each.default for each in declared.parameters}
    return {name for name, value in arguments.items() if name != declared.subject and value != defaults.get(name)}


def _text_of(value: Mapping[str, Plain], field_name: str) -> str:
    """Return the text of a result: the field that holds the content where there is one, else all strings in it."""
    for name in (field_name, "content"):
        content = value.get(name) if name else None
        if isinstance(content, str):
            return content
    return "\n".join(_strings(value))


def _strings(value: object) -> list[str]:
    """Return the texts and numbers in plain data, in their order."""
    found: list[str] = []
    if isinstance(value, Mapping):
        value = [each for name, each in value.items() if name not in _BOOKKEEPING]
    if isinstance(value, list) and _WRITTEN.issuperset(map(type, value)):
        return [*map(str, value)]
    for each in value if isinstance(value, list) else (value,):
        kind = type(each)
        if kind in _WRITTEN:
            found.append(str(each))
        elif isinstance(each, dict) and _WRITTEN.issuperset(map(type, each.values())):
            found += [str(held) for name, held in each.items() if name not in _BOOKKEEPING]
        elif kind is list or kind is dict:
            found += _strings(each)
    return found


def _words(value: Plain) -> Iterator[str]:
    for each in value if isinstance(value, list) else ():
        yield each if isinstance(each, str) else str(each)
