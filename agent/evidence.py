"""Keeps what a trial has read, written and executed, from the effects that its environment declares.

The ledger is filled by the parent, call by call, outside the sandbox; the same calls give the same evidence. What makes
a path citable, per effect, is told at each `_record_…` method.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from gates.evidence import Action, Change, Evidence, Execution, Failure, Seen, Touch, index_text
from gates.paths import base_name, canonical, fold, nearest
from gates.plain import show
from sandbox.operations import TOOLING_FAILURES, CallError, Effect, ExecutableKind, Operation, Plain, Surface

MIN_REASON_CHARS: Final = 8
_BOOKKEEPING: Final = frozenset({"path", "sha256", "content_type", "name", "truncated", "exit_code"})
"""Result fields that are no text of the file."""
_MAX_MESSAGE_CHARS: Final = 300
_CACHED_TEXTS: Final = 64


@dataclass(slots=True)
class _Place:
    """What happened so far at one path, under the spelling that its calls resolved to."""

    actions: set[Action] = field(default_factory=set)
    seen: list[Seen] = field(default_factory=list)


class Ledger:
    """The evidence of one trial. Used by the thread that makes the trial's calls."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._places: dict[str, _Place] = {}
        self._aliases: dict[str, str] = {}
        self._shown: dict[str, list[str]] = {}
        self._shown_names: dict[str, list[str]] = {}
        self._directories: set[str] = set()
        self._complete: set[str] = set()
        self._missing: set[str] = set()
        self._changes: list[Change] = []
        self._executions: list[Execution] = []
        self._failures: list[Failure] = []
        self._indexed: dict[str, Seen] = {}
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

        `result` is None where the call failed with `error`. `shown_chars` says how much of the text reached the model:
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
            self._record_listing(asked or "/", result)
        elif declared.effect is Effect.EXECUTES and asked:
            self._record_execution(asked, arguments, result, in_verify=in_verify)
        elif declared.effect is not Effect.NONE and asked:
            return self._record_touch(declared, asked, arguments, result, shown_chars)
        return ()

    def _record_failure(self, declared: Operation, asked: str, error: CallError | None) -> None:
        """A failed call makes nothing citable; a path that was not found is remembered as missing."""
        if error is None:
            return
        if error.code in TOOLING_FAILURES:
            self._failures.append(Failure(declared.name, error.code, error.message[:_MAX_MESSAGE_CHARS]))
        if error.code == "not_found" and asked:
            self._missing.add(asked)
            self._mark_read_back(asked)

    def _record_touch(
        self,
        declared: Operation,
        asked: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
        shown_chars: int | None,
    ) -> tuple[str, ...]:
        """A read makes its path citable by the text it gave, however little; so do a write and a deletion."""
        path = self._resolved(asked, result)
        if declared.effect is Effect.READS:
            text = _text_of(result, declared.json_field)
            shown = text if shown_chars is None else text[:shown_chars]
            if shown_chars is not None and text and not shown:
                return ()
            self._touch(path, "read", shown)
            self._mark_read_back(path)
        elif declared.effect is Effect.WRITES:
            written = [value for name, value in arguments.items() if name != declared.subject]
            self._touch(path, "write", "\n".join(value for value in written if isinstance(value, str)))
            self._missing.discard(path)
            self._show(path)
            self._changes.append(Change(path, "write"))
        else:
            self._touch(path, "delete", "")
            self._changes.append(Change(path, "delete"))
        right = self._display(path)
        return () if right == asked else (f"{show(asked)} is {show(right)}: cite it by that path.",)

    def _record_execution(
        self, asked: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain], *, in_verify: bool
    ) -> None:
        """A tool that ran is citable by its output; one that only reads also makes the files it was given citable.

        A file counts as given where an argument is its absolute path, unless the trial knows that no such file exists.
        """
        words = tuple(_words(arguments.get("args")))
        if words == ("--help",):
            return
        path = self._resolved(asked, result)
        code = result.get("exit_code", 0)
        exit_code = code if isinstance(code, int) else 0
        kind = self._surface.executable_kind(self._display(path))
        self._executions.append(Execution(path, words, kind.value, exit_code, in_verify))
        output = _text_of(result, "")
        self._touch(path, "execute", output)
        if exit_code:
            return
        if kind is ExecutableKind.CHANGES:
            self._changes.append(Change(path, "execute", " ".join(words)[:_MAX_MESSAGE_CHARS]))
            self._complete.clear()
            self._missing.clear()
        elif kind is ExecutableKind.READS:
            self._mark_read_back("")
            for word in words:
                if word.startswith("/") and self._may_exist(canonical(word)):
                    self._touch(canonical(word), "read", output)

    def _record_listing(self, asked: str, result: Mapping[str, Plain]) -> None:
        """A listing makes nothing citable, but for the lines of a file that a search shows; it teaches spellings."""
        if isinstance(result.get("is_dir"), bool) and "children" not in result:
            if result["is_dir"]:
                self._directories.add(asked)
            return
        if isinstance(result.get("children"), list):
            self._record_tree(asked, result, is_whole=result.get("truncated") is not True)
            return
        for name, value in result.items():
            if not isinstance(value, list):
                continue
            for each in value:
                if isinstance(each, str):
                    self._show(each)
                elif isinstance(each, dict):
                    self._record_entry(each)
            if name == "entries" and result.get("truncated") is not True:
                self._complete.add(fold(asked))
                self._directories.add(self._display(asked))
        self._mark_read_back(asked)

    def _record_entry(self, entry: Mapping[str, Plain]) -> None:
        path = entry.get("path")
        if not isinstance(path, str) or not path.startswith("/"):
            return
        self._show(path)
        if entry.get("is_dir") is True:
            self._directories.add(canonical(path))
        text = entry.get("text")
        if isinstance(text, str) and text.strip():
            self._touch(canonical(path), "read", text)

    def _record_tree(self, path: str, node: Mapping[str, Plain], *, is_whole: bool) -> None:
        """Take the names of a tree; a folder drawn without children may only lie too deep to be shown."""
        self._show(path)
        children = node.get("children")
        if node.get("is_dir") is True or children:
            self._directories.add(path)
        if not isinstance(children, list) or not children:
            return
        if is_whole:
            self._complete.add(fold(path))
        for child in children:
            if isinstance(child, dict) and isinstance(name := child.get("name"), str):
                self._record_tree(canonical(f"{path}/{name}"), child, is_whole=is_whole)

    def _show(self, path: str) -> None:
        if not path.startswith("/"):
            return
        known = self._shown.setdefault(fold(path), [])
        right = canonical(path)
        if right not in known:
            known.append(right)
            self._shown_names.setdefault(base_name(right), []).append(right)

    def _resolved(self, asked: str, result: Mapping[str, Plain]) -> str:
        """Return the path that a call says it reached, and remember the other name it was reached by."""
        given = result.get("path")
        path = canonical(given) if isinstance(given, str) and given.startswith("/") else asked
        if path != asked:
            self._aliases[asked] = path
        return path

    def _display(self, path: str) -> str:
        """Return the path that listings show for `path`: in another case, or, where a whole listing of its folder does
        not hold it, the one place where its file name was shown. Without such, `path` itself."""
        shown = self._shown.get(fold(path), ())
        if len(shown) == 1:
            return shown[0]
        if not shown and fold(_parent(path)) in self._complete:
            namesakes = self._shown_names.get(base_name(path), ())
            if len(namesakes) == 1:
                return namesakes[0]
        return path

    def _may_exist(self, path: str) -> bool:
        if path in self._missing or path in self._directories:
            return False
        if path in self._places or self._shown.get(fold(path)):
            return True
        return fold(_parent(path)) not in self._complete

    def _touch(self, path: str, action: Action, text: str) -> None:
        place = self._places.setdefault(path, _Place())
        place.actions.add(action)
        if text.strip():
            seen = self._indexed.get(text)
            if seen is None:
                if len(self._indexed) >= _CACHED_TEXTS:
                    self._indexed.clear()
                seen = self._indexed[text] = index_text(text)
            if all(seen is not each for each in place.seen):
                place.seen.append(seen)

    def _mark_read_back(self, path: str) -> None:
        """Note that a later call looked at what a change did: at its path, or, for an execution, at anything."""
        for place, change in enumerate(self._changes):
            if not change.is_read_back and (change.action == "execute" or fold(change.path).startswith(fold(path))):
                self._changes[place] = replace(change, is_read_back=True)

    def view(self) -> Evidence:
        """Return what is known by now, as the gates see it; later calls do not alter it."""
        if self._view is None:
            self._view = self._build_view()
        return self._view

    def _build_view(self) -> Evidence:
        touches: dict[str, Touch] = {}
        aliases = {
            asked: self._display(path) for asked, path in self._aliases.items() if asked not in self._directories
        }
        folded = {key: tuple(paths) for key, paths in self._shown.items()}
        for path, place in self._places.items():
            right = self._display(path)
            if right != path:
                aliases[path] = right
            known = touches.get(right)
            actions = frozenset(place.actions) | (known.actions if known else frozenset())
            seen = (known.seen if known else ()) + tuple(place.seen)
            touches[right] = Touch(right, actions, seen)
            paths = folded.get(fold(right), ())
            if right not in paths:
                folded[fold(right)] = (*paths, right)
        return Evidence(
            has_trace=True,
            touches=touches,
            aliases=aliases,
            folded=folded,
            directories=frozenset(self._directories),
            changes=tuple(replace(each, path=self._display(each.path)) for each in self._changes),
            executions=tuple(replace(each, path=self._display(each.path)) for each in self._executions),
            failures=tuple(self._failures),
        )

    def cite(self, path: str, reason: str) -> str:
        """Return the spelling under which `path` is to be cited, its fragment kept.

        Raises `ValueError` with a message for the script: the path was not read (it names the nearest one that was), is
        a folder, or the reason has under 8 characters.
        """
        if len(reason.strip()) < MIN_REASON_CHARS:
            msg = (
                f"The reason for {show(path)} is {show(reason)}, under {MIN_REASON_CHARS} characters: name what was "
                "found there."
            )
            raise ValueError(msg)
        view = self.view()
        found = view.find(path.strip())
        if found.is_directory:
            msg = f"{show(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if found.touch is None:
            near = nearest(path, view.touches)
            hint = f" (nearest that was read: {show(near)})" if near else ""
            msg = f"{show(path)} was not read in this trial{hint}: read it before citing it."
            raise ValueError(msg)
        return found.citation


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


def _text_of(value: Plain | Mapping[str, Plain], field_name: str) -> str:
    """Return the text of a result: the field that holds the content where there is one, else all strings in it."""
    if isinstance(value, Mapping):
        for name in (field_name, "content"):
            content = value.get(name) if name else None
            if isinstance(content, str):
                return content
    return "\n".join(_strings(value))


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool | int | float):
        yield str(value)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            if name not in _BOOKKEEPING:
                yield from _strings(each)
    elif isinstance(value, list):
        for each in value:
            yield from _strings(each)


def _words(value: Plain) -> Iterator[str]:
    if isinstance(value, list):
        for each in value:
            yield each if isinstance(each, str) else str(each)
