"""Keeps what a trial has read, written and executed, from the effects that its environment declares.

The log is filled by the parent, call by call, outside the sandbox; the same calls give the same evidence. What makes
a path citable, per effect, is told at each `_record_…` method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from agent.evidence.path_aliases import PathAliases
from agent.retry import failure_of
from gates.checks import fault_of_reason
from gates.types import (
    Action,
    Change,
    Evidence,
    Execution,
    Failure,
    SeenText,
    Touch,
    canonical,
    quote,
    seen_text,
    spelling_key,
)
from sandbox.interface import CallError, Effect, ExecutableKind, Operation, Plain, Surface

_BOOKKEEPING: Final = frozenset({"path", "sha256", "content_type", "name", "truncated", "exit_code"})
"""Result fields that are no text of the file."""
_MAX_MESSAGE_CHARS: Final = 300
MAX_KEPT_CHARS: Final = 20_000_000
"""Characters of text that the evidence of one trial keeps. Beyond it a path stays citable, and a word that is missing
from what was kept of it proves nothing."""


@dataclass(slots=True)
class _Place:
    """What happened so far at one path, under the spelling that its calls reached."""

    actions: set[Action] = field(default_factory=set)
    seen: list[SeenText] = field(default_factory=list)


class EvidenceLog:
    """The evidence of one trial. Used by the thread that makes the trial's calls."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._spellings = PathAliases()
        self._places: dict[str, _Place] = {}
        self._changes: list[Change] = []
        self._executions: list[Execution] = []
        self._failures: list[Failure] = []
        self._seen: dict[SeenText, SeenText] = {}
        self._room = MAX_KEPT_CHARS
        self._view: Evidence | None = None

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
        if error is not None or result is None:
            self._record_failure(declared, asked, error)
            return ()
        if declared.effect is Effect.LISTS:
            return self._record_listing(asked or "/", result)
        if not asked or declared.effect is Effect.NONE:
            return ()
        if declared.effect is Effect.EXECUTES:
            return self._record_execution(asked, arguments, result, in_verify=in_verify)
        if declared.effect is Effect.READS:
            return self._record_read(asked, _text_of(result, declared.json_field), result, shown_chars)
        return self._record_change(declared, asked, arguments, result)

    def _record_failure(self, declared: Operation, asked: str, error: CallError | None) -> None:
        """A failed call makes nothing citable; a path that was not found is remembered as missing."""
        if error is None:
            return
        if failure_of(error.code).is_tooling:
            self._failures.append(Failure(declared.name, error.code, error.message[:_MAX_MESSAGE_CHARS]))
        if error.code == "not_found" and asked:
            self._spellings.learn_missing(asked)
            key = spelling_key(asked)
            self._mark_read_back(lambda change: change.action == "delete" and spelling_key(change.path) == key)

    def _record_read(
        self, asked: str, text: str, result: Mapping[str, Plain], shown_chars: int | None
    ) -> tuple[str, ...]:
        """A read makes its path citable by the text it gave: of a range or a truncated file, by that part alone."""
        shown = text if shown_chars is None else text[: max(shown_chars, 0)]
        if text and not shown:
            return ()
        path = self._spellings.learn_reached(asked, result.get("path"))
        self._touch(path, "read", shown)
        self._spellings.settle(path)
        key = spelling_key(path)
        self._mark_read_back(lambda change: change.action == "execute" or spelling_key(change.path) == key)
        return self._notes((asked,))

    def _record_change(
        self, declared: Operation, asked: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> tuple[str, ...]:
        """A write makes its path citable by the text written; a deletion keeps what was seen there before."""
        path = self._spellings.learn_reached(asked, result.get("path"))
        if declared.effect is Effect.WRITES:
            written = (value for name, value in arguments.items() if name != declared.subject)
            self._touch(path, "write", "\n".join(value for value in written if isinstance(value, str)))
            self._spellings.learn_written(path)
            self._changes.append(Change(path, "write"))
        else:
            self._touch(path, "delete", "")
            self._changes.append(Change(path, "delete"))
        return self._notes((asked,))

    def _record_execution(
        self, asked: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain], *, in_verify: bool
    ) -> tuple[str, ...]:
        """A tool that ran is citable by its output; one that only reads also makes the files it was given citable.

        A file counts as given if an argument is its absolute path, unless the trial knows that no such file exists.
        """
        words = tuple(_words(arguments.get("args")))
        if words == ("--help",):
            return ()
        path = self._spellings.listed(self._spellings.learn_reached(asked, result.get("path")))
        code = result.get("exit_code", 0)
        exit_code = code if isinstance(code, int) else 0
        kind = self._surface.executable_kind(path)
        self._executions.append(Execution(path, words, kind.value, exit_code, in_verify))
        output = _text_of(result, "")
        self._touch(path, "execute", output)
        if exit_code:
            return ()
        if kind is ExecutableKind.CHANGES:
            self._changes.append(Change(path, "execute", " ".join(words)[:_MAX_MESSAGE_CHARS]))
        if kind is not ExecutableKind.READS:
            self._spellings.forget_absences()
            return ()
        given = [canonical(word) for word in words if word.startswith("/")]
        read = [each for each in given if each in self._places or self._spellings.may_exist(each)]
        for each in read:
            self._touch(each, "read", output)
            self._spellings.settle(each)
        self._mark_read_back(lambda change: change.action == "execute" or change.path in given)
        return self._notes(read)

    def _record_listing(self, asked: str, result: Mapping[str, Plain]) -> tuple[str, ...]:
        """A listing makes nothing citable, but for the lines of a file that a search shows; it teaches spellings."""
        aliases = self._spellings.learn_listing(asked, result)
        for value in result.values():
            for each in value if isinstance(value, list) else ():
                if isinstance(each, dict) and isinstance(path := each.get("path"), str):
                    text = each.get("text")
                    if isinstance(text, str) and text.strip() and path.startswith("/"):
                        self._touch(canonical(path), "read", text)
        folder = spelling_key(asked).rstrip("/") + "/"
        self._mark_read_back(lambda change: change.action == "delete" and spelling_key(change.path).startswith(folder))
        return self._notes(aliases)

    def _touch(self, path: str, action: Action, text: str) -> None:
        place = self._places.setdefault(path, _Place())
        place.actions.add(action)
        if not text.strip():
            return
        whole = seen_text(text)
        seen = self._seen.get(whole)
        if seen is None:
            kept = whole if len(whole.text) <= self._room else seen_text(text, self._room)
            seen = self._seen.setdefault(kept, kept)
            self._room -= len(seen.text)
        if all(seen is not each for each in place.seen):
            place.seen.append(seen)

    def _mark_read_back(self, is_seen: Callable[[Change], bool]) -> None:
        """Note that a call looked at what earlier changes did."""
        for number, change in enumerate(self._changes):
            if not change.is_read_back and is_seen(change):
                self._changes[number] = replace(change, is_read_back=True)

    def _notes(self, used: tuple[str, ...] | list[str]) -> tuple[str, ...]:
        """Tell the script which of the paths it used are to be cited by another name."""
        pairs = [(path, self._spellings.right(path)) for path in used]
        return tuple(f"{quote(one)} is {quote(right)}: cite it by that path." for one, right in pairs if right != one)

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
            touches[right] = Touch(right, known.actions | place.actions, known.seen + tuple(place.seen))
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

        Raises `ValueError` with a message for the script: the path was not read (it names the nearest one that was), is
        a folder, or the reason has under 8 characters.
        """
        if fault := fault_of_reason(path, reason):
            raise ValueError(fault)
        view = self.view()
        found = view.find(path.strip())
        if found.is_directory:
            msg = f"{quote(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if found.touch is None:
            msg = f"{quote(path)} was not read in this trial{view.nearest_note(path)}: read it before citing it."
            raise ValueError(msg)
        return found.citation


def _text_of(value: Mapping[str, Plain], field_name: str) -> str:
    """Return the text of a result: the field that holds the content where there is one, else all strings in it."""
    for name in (field_name, "content"):
        content = value.get(name) if name else None
        if isinstance(content, str):
            return content
    return "\n".join(_strings(value))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, int | float):
        yield str(value)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            if name not in _BOOKKEEPING:
                yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _words(value: Plain) -> Iterator[str]:
    for each in value if isinstance(value, list) else ():
        yield each if isinstance(each, str) else str(each)
