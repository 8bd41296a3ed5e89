"""Keeps what a trial has read, written and executed, from the effects that its environment declares.

The parent fills the log, call by call, outside the sandbox; the same calls give the same evidence. Each `_record_…`
method says what its effect makes citable.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Final

from agent.evidence.citable_paths import MAX_PATH_CHARS, CitablePaths, Nearest, PathAliases, TouchedPlaces
from agent.evidence.made_changes import MAX_MESSAGE_CHARS, ChangeLog, ExecutionLog, GoverningDocuments
from agent.evidence.returned_call import ReturnedCall, has_words, opened_files, words_given
from agent.retry import failure_of
from gates.evidence import CALL_FAILED, Change, Evidence, Execution, Failure, FoundValue, SeenText, seen_text
from gates.paths import canonical, nearest, spelling_key
from gates.plain_data import quote
from gates.terms import NUMBER, fold_text, is_boilerplate, number_key, parts_of
from sandbox.interface import CallError, Effect, ExecutableKind, Plain, Surface

MAX_FAILURES: Final = 1_000
MAX_FOUND_CHARS: Final = 200_000
"""Max characters of values and paths of findings that are kept; later findings are not."""
MAX_FOUND_VALUE_CHARS: Final = 20_000
MAX_FOUND_PATHS: Final = 200
MIN_QUOTATION_CHARS: Final = 3
MAX_QUOTATION_CHARS: Final = 1_000
MAX_QUOTATIONS: Final = 100
"""Max quotations that are kept of one path."""
MAX_QUOTING_CHARS: Final = 50_000_000
"""Max characters, in total, in which one trial's quotations are looked for."""
HELP: Final = ("--help",)
"""The arguments of a call for help, which does not count as an execution."""
MAX_OWN_WORDS: Final = 50_000
"""Max own words of one trial that are kept; once there are more, every later text counts as own."""
MAX_SHOWN_WORDS_CHARS: Final = 4_000_000
"""Max characters of texts whose words count as shown."""
_END_CHARS: Final = 100
_ESCAPES: Final = re.compile(r"(?:\\(?:u[\da-fA-F]{4}|[bfnrt]))+")
"""Characters that JSON and most languages write by number or letter; tools print them as themselves."""


class OwnWords:
    """The words that a trial's script gave to calls that may change something, before any call had shown them.

    They are runs of letters and digits, and numbers in any format. A tool may store words that it is given, join them,
    and print them later at any path: they are still the script's own.
    """

    def __init__(self) -> None:
        self._own: set[str] = set()
        self._shown: set[str] = set()
        self._taken = 0
        self._room = MAX_SHOWN_WORDS_CHARS
        self._end = ""
        """The word with which the latest text ended: a tool may join the next text to it."""

    def give(self, given: Iterable[str], seen: Sequence[SeenText]) -> None:
        """Take the texts that a call is given after `seen` was seen."""
        for text in seen[self._taken :]:
            if text.is_proof and self._room > 0:
                self._room -= len(text.text)
                self._shown |= _words_of(fold_text(text.text)) - _words_of(fold_text(text.echoed))
        self._taken = len(seen)
        for stored in given:
            folded = fold_text(_unescaped(stored))
            joined = parts_of(self._end + folded)
            if not self._are_too_many:
                self._own |= {*_words_of(folded), *joined[:1], *_words_escaped(stored)} - self._shown
            self._end = joined[-1][-_END_CHARS:] if joined and folded[-1:].isalnum() else ""

    def within(self, text: str) -> tuple[str, bool]:
        """Return the own words of a text, and whether all of its words are own; with too many own words all are."""
        if not self._own or self._are_too_many:
            return (text, True) if self._own else ("", False)
        folded = fold_text(text)
        words = set(parts_of(folded))
        numbers = (number for number in NUMBER.findall(folded) if _number_key(number) in self._own)
        return "\n".join(sorted({*self._own & words, *numbers})), set() < words <= self._own

    @property
    def _are_too_many(self) -> bool:
        return len(self._own) > MAX_OWN_WORDS


def _words_of(folded: str) -> set[str]:
    return {*parts_of(folded), *map(_number_key, NUMBER.findall(folded))}


def _number_key(number: str) -> str:
    return f"#{number_key(number)}"


def _unescaped(text: str) -> str:
    return _ESCAPES.sub(lambda found: str(json.loads(f'"{found[0]}"')), text)


def _words_escaped(text: str) -> list[str]:
    """Return the words of a text with escapes as it stands, or as a tool writes it as JSON: an escaped line break
    makes `noon` of `oon`."""
    if text.isascii() and text.isprintable():
        return parts_of(fold_text(text)) if "\\" in text else []
    forms = (json.dumps(text, ensure_ascii=is_ascii) for is_ascii in {True, text.isascii()})
    return [word for form in forms for word in parts_of(fold_text(form))]


class EvidenceLog:
    """The evidence of one trial. Used by the thread that makes the trial's calls."""

    def __init__(self, surface: Surface, nearest_of: Nearest = nearest) -> None:
        """`nearest_of` compares paths that may be long and many."""
        self._surface = surface
        self._spellings = PathAliases()
        self._places = TouchedPlaces()
        self.texts = self._places.texts
        """The texts that were seen, by number."""
        self.number_of = self._places.number_of
        self._citable = CitablePaths(self._spellings, self._places, nearest_of)
        self._changes = ChangeLog()
        self._executions = ExecutionLog()
        self._failures: list[Failure] = []
        self._is_changed = False
        """True once a call may have changed something: files may hold the script's own text from then on."""
        self._own_texts: set[int] = set()
        """Keys of the texts that the script wrote before any call had shown them."""
        self._shown_texts: set[int] = set()
        self._own_words = OwnWords()
        self._found: list[FoundValue] = []
        self._found_room = MAX_FOUND_CHARS
        self._quoted: dict[str, list[str]] = {}
        self._quoting_room = MAX_QUOTING_CHARS
        self._view: Evidence | None = None
        self._governing = GoverningDocuments(surface.rules_document)

    def cite(self, path: str, reason: str, quotation: str = "") -> tuple[str, int]:
        """Return the spelling under which `path` is to be cited, and the line on which a quotation begins there, or 0.

        The quotation must be in what was read there, apart from blanks and case. Raises `ValueError` with a message for
        the script.
        """
        spelling = self._citable.cite(path, reason)
        if not quotation:
            return spelling, 0
        line = self._line_of(spelling, quotation)
        self.take_quotation(spelling, quotation)
        return spelling, line

    def take_quotation(self, spelling: str, quotation: str) -> None:
        """Record a quotation that was found, now or in an earlier attempt, as evidence for its citation."""
        self._view = None
        known = self._quoted.setdefault(self.view().find(spelling).path, [])
        if len(known) < MAX_QUOTATIONS and quotation not in known:
            known.append(quotation)
        self._view = None

    def _line_of(self, spelling: str, quotation: str) -> int:
        """Return the line on which a quotation begins, counted from 1, or 0 if that is unknown."""
        wanted = _bare(quotation)
        words = {word for word in parts_of(fold_text(quotation)) if not is_boilerplate(word)}
        if len(quotation) > MAX_QUOTATION_CHARS or len(wanted) < MIN_QUOTATION_CHARS:
            msg = f"a quotation has {MIN_QUOTATION_CHARS} to {MAX_QUOTATION_CHARS} characters: {quote(quotation)}"
            raise ValueError(msg)
        touch = self.view().find(spelling).touch
        for seen in touch.seen if touch else ():
            self._quoting_room -= len(seen.text)
            if self._quoting_room < 0:
                msg = "too much text was searched for quotations in this trial; cite without a quotation"
                raise ValueError(msg)
            lines = list(map(_bare, seen.text.split("\n"))) if seen.is_proof else []
            at = "".join(lines).find(wanted)
            echoed = fold_text(seen.echoed)
            is_own = bool(echoed) and (wanted in _bare(echoed) or set() < words <= set(parts_of(echoed)))
            if at >= 0 and not is_own:
                return 0 if seen.is_excerpt else bisect_right(list(accumulate(map(len, lines))), at) + 1
        msg = (
            f"{quote(quotation)} is not in what was read of {quote(spelling)}: quote it as it is written there (blanks "
            "and case aside), or cite without a quotation."
        )
        raise ValueError(msg)

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
        """Record one call and return notes on it for the script.

        `result` is None if the call failed with `error`. `shown_chars` is the number of characters that reached the
        model: the rest was cut and cannot justify a citation; if nothing was shown, the path is not citable either.
        """
        self._view = None
        declared = self._surface.operation(operation)
        if declared is None:
            return ()
        if declared.finds:
            self._record_finding(operation, result)
        subject = arguments.get(declared.subject)
        asked = canonical(subject) if isinstance(subject, str) and subject else ""
        may_change = self._surface.may_change(operation, arguments)
        self._is_changed |= may_change
        call = ReturnedCall(declared, asked, arguments, result or {}, shown_chars, in_verify)
        if may_change:
            self._own_words.give(call.given_texts(), self._places.texts)
        if error is not None:
            self._record_failure(call, error, may_change=may_change)
        if error is not None or result is None:
            return ()
        changes = len(self._changes.changes)
        notes = self._record_result(call)
        return notes + self._notes_on_changes(changes)

    def _record_result(self, call: ReturnedCall) -> tuple[str, ...]:
        effect = call.declared.effect
        if effect is Effect.LISTS:
            return self._record_listing(call)
        if effect in (Effect.RETURNS, Effect.ACTS):
            return self._record_returned(call)
        if not call.asked or effect is Effect.NONE:
            return ()
        if effect is Effect.EXECUTES:
            return self._record_execution(call)
        return self._record_read(call) if effect is Effect.READS else self._record_change(call)

    def _record_returned(self, call: ReturnedCall) -> tuple[str, ...]:
        """Make the result of a server's tool citable at a path of its own, except for words that the script gave."""
        path = call.result.get("call_path")
        if isinstance(path, str) and path.startswith("/") and len(path) <= MAX_PATH_CHARS:
            text, _ = call.shown_text()
            given = call.given_texts()
            echoed = "\n".join(form for one in given for form in (one, _unescaped(one), *_words_escaped(one)))
            self._places.touch(path, "read", self._seen(text, echoed))
            self._spellings.learn(path)
        return ()

    def _record_finding(self, operation: str, result: Mapping[str, Plain] | None) -> None:
        """Record a function's value, which may support an answer; the function's reads are recorded call by call."""
        if result is None or self._found_room <= 0:
            return
        value = json.dumps(result.get("value"), ensure_ascii=False)[:MAX_FOUND_VALUE_CHARS]
        refs = result.get("refs")
        paths = tuple(str(ref.get("path")) for ref in refs if isinstance(ref, dict)) if isinstance(refs, list) else ()
        self._found.append(FoundValue(operation, value, paths[:MAX_FOUND_PATHS]))
        self._found_room -= len(value) + sum(map(len, paths[:MAX_FOUND_PATHS])) + 100

    def _record_failure(self, call: ReturnedCall, error: CallError, *, may_change: bool) -> None:
        """Record a failed call, which makes nothing citable; a path that was not found is remembered as missing.

        Rules see a run that the environment refused as a run without output.
        """
        declared, asked, failure = call.declared, call.asked, failure_of(error.code)
        if may_change and failure.in_doubt:
            self._spellings.forget_absences()
            if declared.effect in (Effect.WRITES, Effect.DELETES, Effect.MOVES):
                self._spellings.take_as_own(asked)
        if failure.in_doubt and declared.target in call.arguments:
            self._spellings.take_as_moved(asked, canonical(str(call.arguments[declared.target])))
        if failure.is_tooling and len(self._failures) < MAX_FAILURES:
            self._failures.append(Failure(declared.name, error.code, error.message[:MAX_MESSAGE_CHARS]))
        if error.code == "not_found" and asked:
            self._spellings.learn_missing(asked)
            self._governing.leave_out(asked)
            self._changes.note_missing(asked)
        words = words_given(call.arguments)
        if asked and declared.effect is Effect.EXECUTES and words != HELP:
            kind, said = self._surface.executable_kind(asked), f"{error.code}: {error.message}"
            self._executions.add(Execution(asked, words, kind.value, CALL_FAILED, call.in_verify, said))

    def _record_read(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a read, which makes its path citable by the returned text, even if this is only a part of the file.

        A part without a word shows nothing of its file.
        """
        shown, is_whole = call.shown_text(call.declared.json_field)
        is_part = not is_whole or call.result.get("truncated") is True or bool(call.given)
        if is_part and not has_words(shown):
            return ()
        path = self._reached(call)
        self._touch_read(path, shown, is_excerpt=is_part, echoed=call.said)
        self._changes.note_read(path)
        return self._notes((call.asked,))

    def _reached(self, call: ReturnedCall) -> str:
        """Return the path that a call reached; another name of a file that the trial wrote counts as written, too."""
        path = self._spellings.learn_reached(call.asked, call.result.get("path"))
        if self._spellings.is_own(call.asked):
            self._spellings.take_as_own(path)
        return path

    def _touch_read(self, path: str, text: str, *, is_excerpt: bool = False, echoed: str = "") -> None:
        """Record a text shown at a path, citable as read unless the script may have written the text itself."""
        if self._spellings.is_own(path) or _key_of(text) in self._own_texts:
            self._touch_own(path, text, is_excerpt=is_excerpt)
            return
        self._shown_texts.add(_key_of(text))
        self._places.touch(path, "read", self._seen(text, echoed, is_excerpt=is_excerpt))
        self._spellings.settle(path)

    def _seen(self, text: str, echoed: str, *, is_proof: bool = True, is_excerpt: bool = False) -> SeenText:
        """Return a text as seen; the words of its call, and words that the script had stored, are the script's own."""
        own, is_own = self._own_words.within(text)
        echoed = f"{echoed}\n{own}" if own else echoed
        return seen_text(text, is_proof=is_proof and not is_own, is_excerpt=is_excerpt, echoed=echoed)

    def _touch_own(self, path: str, text: str, *, is_excerpt: bool = False) -> None:
        """Record the script's own text, which makes its path citable only as written."""
        if not self._imitates_row(path):
            self._places.touch(path, "write", seen_text(text, is_proof=False, is_excerpt=is_excerpt))

    def _imitates_row(self, path: str) -> bool:
        """Say whether a name of the script's own reads like a row of another file, as in `x.json#row=1`."""
        return "#" in path and path not in self._places

    def _record_change(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a write, which makes its path citable as written, a deletion, which keeps earlier texts, or a move."""
        path = self._reached(call)
        if call.declared.effect is Effect.WRITES:
            text = call.written_text()
            if text.strip() and (key := _key_of(text)) not in self._shown_texts:
                self._own_texts.add(key)
            self._touch_own(path, text)
            self._spellings.learn_written(path)
            self._changes.add(Change(path, "write"))
        else:
            if not (self._spellings.is_own(path) and self._imitates_row(path)):
                self._places.touch(path, "delete")
            self._spellings.take_as_own(path)
            self._changes.add(Change(path, "delete"))
            if call.declared.target:
                self._record_move(path, canonical(str(call.arguments[call.declared.target])))
        return self._notes((call.asked,))

    def _record_move(self, path: str, target: str) -> None:
        """Count a file, or all in a folder, at its new path as the script's own, because the script chose the name."""
        self._touch_own(target, "")
        self._spellings.learn_written(target)
        self._spellings.take_as_moved(path, target)
        self._changes.add(Change(target, "write"))

    def _record_execution(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a tool run, citable by its output; if the tool only reads, the files that it opened are citable, too.

        The output of a tool that was given arguments or stdin proves nothing else: a query can return any text.
        """
        words = words_given(call.arguments)
        if words == HELP:
            return ()
        path = self._spellings.listed(self._spellings.learn_reached(call.asked, call.result.get("path")))
        kind, exit_code = self._surface.executable_kind(path), call.exit_code
        self._executions.add(Execution(path, words, kind.value, exit_code, call.in_verify, call.complaint))
        output, _ = call.shown_text()
        is_proof = not (exit_code or call.given or self._spellings.is_own(path))
        if not exit_code or self._surface.executable(path) in self._surface.executables:  # else nothing may have run
            self._places.touch(path, "execute", self._seen(output, call.said, is_proof=is_proof))
        if kind is not ExecutableKind.READS:
            self._spellings.forget_absences()
        if exit_code:
            said = f": {quote(call.complaint, MAX_MESSAGE_CHARS)}" if call.complaint else " and said nothing."
            note = f"{quote(path)} ended with exit code {exit_code}{said}"
            return (note,) if call.declared.exit_field else ()
        if kind is ExecutableKind.CHANGES:
            self._changes.add(Change(path, "execute", " ".join(words)[:MAX_MESSAGE_CHARS]))
        return self._record_opened(path, call, output) if kind is ExecutableKind.READS else ()

    def _record_opened(self, tool: str, call: ReturnedCall, output: str) -> tuple[str, ...]:
        """Record the files that a tool opened, according to its declaration, as citable by the tool's output.

        Leaves out files that are known not to exist, and a run that was given more than arguments.
        """
        files = self._surface.executable(tool).files if call.given <= {"args"} else None
        opened = opened_files(files, words_given(call.arguments), is_changed=self._is_changed)
        paths = [canonical(path) for path in opened.paths if len(path) <= MAX_PATH_CHARS]
        self._changes.note_opened(paths)
        if (opened.is_part or call.shown_chars is not None) and not has_words(output):
            return ()
        read = [path for path in paths if path in self._places or self._spellings.may_exist(path)]
        for path in read:
            self._touch_read(path, output, is_excerpt=opened.is_part, echoed=opened.echoed)
        return self._notes(read)

    def _record_listing(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a listing, which teaches spellings; only the lines of files that a search shows become citable."""
        folder = call.asked or "/"
        aliases = self._spellings.learn_listing(folder, call.result)
        for path, text in call.lines_by_path().items():
            if has_words(text):
                self._touch_read(canonical(path), text, is_excerpt=True)
        self._changes.note_listed(folder)
        return self._notes(aliases)

    def _notes_on_changes(self, before: int) -> tuple[str, ...]:
        """Return notes on changes, all but the first `before`, that an unread document governs."""
        shown, is_unread = self._spellings.shown, self._citable.is_untouched
        found = (
            self._governing.note(change.path, shown, is_unread, is_tool=change.action == "execute")
            for change in self._changes.changes[before:]
        )
        return tuple(filter(None, found))

    def _notes(self, used: tuple[str, ...] | list[str]) -> tuple[str, ...]:
        """Return notes on used paths that are to be cited by another name."""
        pairs = [(path, self._spellings.right(path)) for path in used]
        return tuple(f"{quote(one)} is {quote(right)}: cite it by that path." for one, right in pairs if right != one)

    def view(self) -> Evidence:
        """Return the evidence so far, as the gates see it; later calls do not alter it."""
        if self._view is not None:
            return self._view
        right_of = self._spellings.right
        aliases = {path: right_of(path) for path in self._spellings.aliases}
        aliases |= {path: right for path in self._places if (right := right_of(path)) != path}
        touches = self._places.touches(right_of)
        by_spelling = dict(self._spellings.shown)
        for path in touches:
            known = by_spelling.get(spelling_key(path), ())
            if path not in known:
                by_spelling[spelling_key(path)] = (*known, path)
        self._view = Evidence(
            has_trace=True,
            touches=touches,
            aliases=aliases,
            paths_by_spelling=by_spelling,
            directories=frozenset(self._spellings.directories),
            changes=tuple(replace(change, path=right_of(change.path)) for change in self._changes.changes),
            executions=tuple(
                replace(execution, path=right_of(execution.path)) for execution in self._executions.executions
            ),
            failures=tuple(self._failures),
            found=tuple(self._found),
            quoted={path: tuple(quotations) for path, quotations in self._quoted.items()},
        )
        return self._view


def _key_of(text: str) -> int:
    return hash(text.strip())


def _bare(text: str) -> str:
    """Return a text folded and without blanks: JSON and prose are quoted in any spacing."""
    return "".join(fold_text(text).split())
