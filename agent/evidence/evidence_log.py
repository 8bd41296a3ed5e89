"""Keeps what a trial has read, written and executed, from the effects that its environment declares.

The parent fills the log, call by call, outside the sandbox; the same calls give the same evidence. Names of paths are
learnt from listings and calls. Each `_record_…` method says what its effect makes citable.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from typing import Final

from controlplane.agent.evidence.call_text import (
    OpenedFiles,
    ReturnedCall,
    has_words,
    opened_files,
    words_given,
)
from controlplane.agent.evidence.own_words import OwnWords
from controlplane.agent.failure_codes import failure_of
from controlplane.gates.evidence import (
    Access,
    Action,
    Change,
    Evidence,
    FunctionResultValue,
    ScriptRun,
    SeenText,
    base_name,
    canonical,
    nearest,
    spelling_key,
)
from controlplane.gates.submission import fault_of_reason, quote
from controlplane.gates.text_folding import fold_text, is_boilerplate, parts_of
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    ExecutableKind,
    Plain,
    ToolSchema,
    bounds,
)


class PathAliases:
    """Learns names from listings and aliases from calls. An alias, once settled, stays settled for the trial."""

    def __init__(self) -> None:
        self.shown: dict[str, tuple[str, ...]] = {}
        """Paths that a listing showed, by their folded spelling."""
        self.directories: set[str] = set()
        self.aliases: dict[str, str] = {}
        """Paths that calls used, with the path to which each refers."""
        self._room = bounds.MOST_PATHS_CHARS
        """Characters of paths that may still be learnt."""
        self._names: dict[str, list[str]] = {}
        self._complete: set[str] = set()
        self._missing: set[str] = set()
        self.written: set[str] = set()
        """Paths that the trial wrote, or may have written: these are never aliases of files that it did not write."""
        self._written_keys: set[str] = set()
        self._unsettled: dict[str, None] = {}

    def learn_listing(self, requested_path: str, result: Mapping[str, Plain]) -> tuple[str, ...]:
        """Learn the names that a listing shows; return the earlier paths that turn out to be aliases."""
        if isinstance(result.get("children"), list):
            self._learn_tree(requested_path, result, is_whole=result.get("truncated") is not True)
        elif isinstance(is_directory := result.get("is_dir"), bool):
            if is_directory:
                self.directories.add(requested_path)
            elif "#" in requested_path:
                self.learn_path(requested_path)  # a name, not a fragment of another file
        else:
            self._learn_entries(requested_path, result)
        settled = [path for path in self._unsettled if self._is_settled(path)]
        for path in settled:
            del self._unsettled[path]
        return tuple(path for path in settled if self.right(path) != path)

    def _learn_entries(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths of a flat listing. A listing whose entries state their kind shows the whole folder."""
        for value in result.values():
            for item in value if isinstance(value, list) else ():
                if isinstance(item, str):
                    self.learn_path(item)
                elif isinstance(item, dict) and isinstance(path := item.get("path"), str):
                    self.learn_path(path)
                    if (
                        item.get("is_dir") is True
                        and self._has_room
                        and len(path) <= bounds.MOST_PATH_CHARS
                    ):
                        self.directories.add(canonical(path))
        if "entries" in result and result.get("truncated") is not True:
            self.directories.add(self.listed(requested_path))
            if self._has_room:
                self._complete.add(spelling_key(requested_path))

    def _learn_tree(self, path: str, node: Mapping[str, Plain], *, is_whole: bool) -> None:
        """Learn the names of a tree. A folder without children may only be too deep for them to be shown."""
        if not self._has_room or len(path) > bounds.MOST_PATH_CHARS:
            return
        self.learn_path(path)
        children = node.get("children")
        if node.get("is_dir") is True or children:
            self.directories.add(path)
        if not isinstance(children, list) or not children:
            return
        if is_whole:
            self._complete.add(spelling_key(path))
        for child in children:
            if isinstance(child, dict) and isinstance(name := child.get("name"), str):
                below = canonical(f"{path}/{name}")
                if child.get("is_dir") is True or child.get("children"):
                    self._learn_tree(below, child, is_whole=is_whole)
                else:
                    self.learn_path(below)

    @property
    def _has_room(self) -> bool:
        return self._room > 0 and len(self.shown) < bounds.MOST_LISTED_PATHS

    def learn_path(self, path: str) -> None:
        """Learn one path as shown."""
        # Most paths are in small letters, and were shown before.
        is_path = path[:1] == "/" and len(path) <= bounds.MOST_PATH_CHARS
        if path in self.shown.get(path, ()) or not is_path or not self._has_room:
            return
        right = canonical(path)
        is_plain = (
            path.isascii() and "\\" not in path and path[-1] > " "
        )  # its key is quicker to find
        key = right.lower() if is_plain else spelling_key(path)
        spellings = self.shown.get(key, ())
        if right not in spellings:
            self._room -= len(right)
            self.shown[key] = (*spellings, right)
            self._names.setdefault(right.rpartition("/")[2], []).append(right)

    def learn_missing(self, path: str) -> None:
        """Remember that a call did not find `path`."""
        self._missing.add(path)

    def learn_written(self, path: str) -> None:
        """Treat `path` as the trial's own file from now on."""
        self.mark_as_own(path)
        self._missing.discard(path)
        self.learn_path(path)

    def mark_as_own(self, *paths: str) -> None:
        """Treat what is read at `paths`, in any case or Unicode form, as the trial's own text."""
        self.written.update(paths)
        self._written_keys.update(map(spelling_key, paths))

    def mark_as_moved(self, path: str, target: str) -> None:
        """Treat `target` as the trial's own, and all that it wrote below `path`, in any case, below `target`."""
        start, depth = f"{spelling_key(path)}/", path.count("/") + 1
        own = [known for known in self.written if spelling_key(known).startswith(start)]
        self.mark_as_own(target, *(f"{target}/{known.split('/', depth)[-1]}" for known in own))

    def is_own(self, path: str) -> bool:
        """Say whether a call for `path` may reach a file that the trial wrote, perhaps in another spelling."""
        key = spelling_key(path)
        return path in self.written or (
            key in self._written_keys and path not in self.shown.get(key, ())
        )

    def forget_absences(self) -> None:
        """Treat no path as missing any longer, because a tool may have made files."""
        self._missing.clear()
        self._complete.clear()

    def learn_reached(self, requested_path: str, given: Plain) -> str:
        """Return the path that a call reached; its result may give it under another name."""
        is_path = (
            isinstance(given, str)
            and given.startswith("/")
            and len(given) <= bounds.MOST_PATH_CHARS
        )
        path = canonical(str(given)) if is_path else requested_path
        if path != requested_path:
            self.aliases[requested_path] = path
        return path

    def settle_path(self, path: str) -> None:
        """Find out whether a path that was read is an alias, now or after a later listing."""
        if not self._is_settled(path) and len(self._unsettled) < bounds.MOST_UNSETTLED:
            self._unsettled[path] = None

    def _is_settled(self, path: str) -> bool:
        """Say whether listings settle what `path` is.

        A path that is missing from a whole listing of its folder is another name of the only shown file with its base
        name: some workspaces accept short paths that they do not list.
        """
        if path in self.written or self.shown.get(spelling_key(path)):
            return True
        namesakes = self._names.get(base_name(path), ())
        if len(namesakes) == 1 and spelling_key(_parent(path)) in self._complete:
            self.aliases[path] = namesakes[0]
            return True
        return False

    def listed(self, path: str) -> str:
        """Return the spelling of `path` that listings show, or `path` itself if they show no spelling or several."""
        shown = self.shown.get(spelling_key(path), ())
        return shown[0] if len(shown) == 1 else path

    def right(self, path: str) -> str:
        """Return the path to cite for a path that a call used: aliases resolved, in the spelling of the listings.

        An alias that is itself listed is a separate file.
        """
        for _ in range(2):
            if path in self.written:
                return path
            path = (
                self.aliases.get(path, path)
                if path not in self.shown.get(spelling_key(path), ())
                else path
            )
        return path if path in self.written else self.listed(path)

    def may_exist(self, path: str) -> bool:
        """Say whether a file could be at `path`, as far as is known."""
        if path in self._missing or path in self.directories:
            return False
        return (
            bool(self.shown.get(spelling_key(path)))
            or spelling_key(_parent(path)) not in self._complete
        )


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


@dataclass(slots=True)
class _Place:
    actions: set[Action] = field(default_factory=set)
    seen: dict[int, None] = field(default_factory=dict)
    """Numbers of texts, in their order."""


class AccessedPlaces:
    """The paths that calls reached, in their order, and the texts seen there, each kept once."""

    def __init__(self, most_bytes: int = 0) -> None:
        self.texts: list[SeenText] = []
        """The texts by number, in the order in which they were first seen."""
        self._numbers: dict[SeenText, int] = {}
        self._text_room = most_bytes or bounds.MOST_EVIDENCE_BYTES
        self._places: dict[str, _Place] = {}
        self._room = bounds.MOST_PATHS_CHARS
        """Characters of paths that may still become citable."""

    def __contains__(self, path: str) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def add_action(self, path: str, action: Action, seen: SeenText | None = None) -> None:
        """Note that a call did `action` at `path` and saw a text there. A blank text shows nothing."""
        place = self._places.get(path)
        if place is None:
            if len(self._places) >= bounds.MOST_CITABLE_PATHS or len(path) > self._room:
                return
            self._room -= len(path)
            place = self._places[path] = _Place()
        place.actions.add(action)
        if seen is not None and (seen.text.strip() or not seen.is_whole):
            number = self._keep(seen)
            if action == "write":
                place.seen.pop(number, None)  # What was written last comes last.
            place.seen[number] = None

    def _keep(self, seen: SeenText) -> int:
        """Keep a text, as far as there is room, and return its number."""
        number = self._numbers.get(seen)
        if number is not None:
            return number
        text = seen.text + seen.tainted
        size = len(text) * (1 if text.isascii() else 4)
        if size > self._text_room:
            kept = 0 if seen.tainted else self._text_room * len(seen.text) // size
            seen = replace(seen, text=seen.text[:kept], is_whole=False, tainted="")
        number = self._numbers.setdefault(seen, len(self.texts))
        if number == len(self.texts):
            self.texts.append(seen)
            self._text_room = max(self._text_room - size - 500, 0)  # 500 bytes for the object
        return number

    def accesses(self, right_of: Callable[[str], str]) -> dict[str, Access]:
        """Return what happened at each path, by the path to cite, which `right_of` returns."""
        accesses: dict[str, Access] = {}
        for path, place in self._places.items():
            right = right_of(path)
            access = accesses.get(right, Access(right, frozenset()))
            seen = tuple(self.texts[number] for number in place.seen)
            accesses[right] = Access(right, access.actions | place.actions, access.seen + seen)
        return accesses


MIN_QUOTATION_CHARS: Final = 3
HELP: Final = ("--help",)
"""The arguments of a call for help, which does not count as an execution."""


class EvidenceLog:
    """The evidence of one trial. Used by the thread that makes the trial's calls."""

    def __init__(self, tool_schema: ToolSchema, most_bytes: int = 0) -> None:
        """Keep texts of at most `most_bytes`, or of the bound of a trial."""
        self._tool_schema = tool_schema
        self._spellings = PathAliases()
        self._places = AccessedPlaces(most_bytes)
        self._changes: list[Change] = []
        self._unclear_runs: dict[str, None] = {}
        self._has_failures = False
        self._is_changed = False
        """True once a call may have changed something: files may hold the script's own text from then on."""
        self._own_texts: set[int] = set()
        """Keys of the texts that the script wrote before any call had shown them."""
        self._shown_texts: set[int] = set()
        self.own_words = OwnWords()
        for operation in tool_schema.operations:
            if operation.effect in (Effect.RETURNS, Effect.ACTS):
                names = (parameter.name for parameter in operation.parameters)
                self.own_words.know(" ".join((operation.name, operation.summary, *names)))
        self._function_results: list[FunctionResultValue] = []
        self._result_room = bounds.MOST_KEPT_CHARS
        """Characters of the values and paths of function results that may still be kept."""
        self._steps: list[ScriptRun] = []
        self._quoted: dict[str, list[str]] = {}
        self._quoting_room = bounds.MOST_QUOTED_CHARS
        """Characters in which quotations may still be looked for."""
        self._view: Evidence | None = None

    def check_citation(self, path: str, reason: str, quotation: str = "") -> tuple[str, int]:
        """Return the spelling under which `path` is to be cited, its fragment kept, and the line on which a quotation
        begins there, or 0.

        The quotation must be in what was read there, apart from blanks and case. Raises `ValueError` with a message for
        the script: the path was not read (the nearest path that was read is named), it is a folder, or the reason has
        under 8 characters and no quotation is given.
        """
        fault = fault_of_reason(path, reason)
        if fault and not quotation:
            raise ValueError(fault)
        spelling = self._spelling_to_cite(path.strip())
        if not quotation:
            return spelling, 0
        line = self._line_of(spelling, quotation)
        self.add_quotation(spelling, quotation)
        return spelling, line

    def right_path(self, path: str) -> str:
        """Return the path that a call means by `path`: canonical, an alias resolved, as the listings spell it."""
        return self._spellings.right(canonical(path))

    def is_own(self, path: str) -> bool:
        """Say whether the trial wrote, or may have written, what is at a path."""
        return self._spellings.is_own(canonical(path))

    def _spelling_to_cite(self, path: str) -> str:
        requested_path = canonical(path)
        if "#" not in path and (
            requested_path in self._places or requested_path in self._spellings.aliases
        ):
            right = self._spellings.right(requested_path)
            if (
                right in self._places
                and self._spellings.right(right) == right not in self._spellings.directories
            ):
                return right  # without the view, which takes as long to make as the trial has paths
        cited = self.view().find(path)
        if cited.is_directory:
            msg = f"{quote(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if cited.access is None:
            near = nearest(path, islice(self.view().accesses, 100))
            hint = f" (nearest that was read: {quote(near)})" if near else ""
            msg = f"{quote(path)} was not read in this trial{hint}: read it before citing it."
            raise ValueError(msg)
        return cited.citation

    def add_quotation(self, spelling: str, quotation: str) -> None:
        """Record a quotation that was found, now or in an earlier attempt, as evidence for its citation."""
        self._view = None
        quotations = self._quoted.setdefault(self.view().find(spelling).path, [])
        if len(quotations) < 100 and quotation not in quotations:
            quotations.append(quotation)
        self._view = None

    def _line_of(self, spelling: str, quotation: str) -> int:
        """Return the line on which a quotation begins, counted from 1, or 0 if that is unknown."""
        wanted = "".join(_bare_lines(quotation))
        words = {word for word in parts_of(fold_text(quotation)) if not is_boilerplate(word)}
        if len(quotation) > bounds.MOST_QUOTATION_CHARS or len(wanted) < MIN_QUOTATION_CHARS:
            size = f"{MIN_QUOTATION_CHARS} to {bounds.MOST_QUOTATION_CHARS} characters"
            msg = f"a quotation has {size}: {quote(quotation)}"
            raise ValueError(msg)
        access = self.view().find(spelling).access
        is_repeated = is_written = False
        for seen in access.seen if access else ():
            self._quoting_room -= len(seen.text)
            if self._quoting_room < 0:
                msg = "too much text was searched for quotations in this trial; cite without a quotation"
                raise ValueError(msg)
            lines = _bare_lines(seen.text)
            at = "".join(lines).find(wanted)
            if not seen.is_proof:
                is_written |= at >= 0
                continue
            tainted = fold_text(seen.tainted)
            others = words - {*parts_of(tainted)}
            # Letters and digits of a quotation that its call was not given, beside those that it was.
            is_short = others < words and sum(map(len, others)) < 6
            is_own = bool(tainted) and (wanted in "".join(_bare_lines(tainted)) or is_short)
            if at >= 0 and not is_own:
                return (
                    0
                    if seen.is_excerpt
                    else bisect_right(list(accumulate(map(len, lines))), at) + 1
                )
            is_repeated |= at >= 0
        msg = (
            f"{quote(quotation)} is not in what was read of {quote(spelling)}: quote it as it is written there (blanks "
            "and case aside), or cite without a quotation."
        )
        if is_written:
            msg = f"{quote(quotation)} was written or computed by a script, and not read: cite without a quotation."
        if is_repeated:
            msg = (
                f"{quote(quotation)} may come from the call's own arguments: ask with words that were read before (of "
                "tables, list them first), quote a longer passage, or cite without a quotation."
            )
        raise ValueError(msg)

    def record(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain] | None,
        error: CallError | None,
        *,
        shown_chars: int | None = None,
    ) -> tuple[str, ...]:
        """Record one call and return notes on it for the script.

        `result` is None if the call failed with `error`. `shown_chars` is the number of characters that reached the
        model: the rest was cut and cannot justify a citation; if nothing was shown, the path is not citable either.
        """
        self._view = None
        declared = self._tool_schema.operation(operation)
        if declared is None:
            return ()
        if declared.finds:
            self.record_function_result(operation, arguments, result)
        subject = arguments.get(declared.subject)
        requested_path = canonical(subject) if isinstance(subject, str) and subject else ""
        may_change = self._tool_schema.may_change(operation, arguments)
        self._is_changed |= may_change
        call = ReturnedCall(declared, requested_path, arguments, result or {}, shown_chars)
        if may_change:
            self.own_words.learn_given(call.given_texts(), self._places.texts)
        if error is not None:
            self._record_failure(call, error, may_change=may_change)
        if error is not None or result is None:
            return ()
        effect = declared.effect
        if declared.finds or effect is Effect.NONE:
            return ()  # what a function read was recorded call by call
        if effect is Effect.LISTS:
            return self._record_listing(call)
        if effect in (Effect.RETURNS, Effect.ACTS, Effect.UNDECLARED):
            return self._record_returned(call)
        if not call.requested_path:
            return ()
        if effect is Effect.EXECUTES:
            return self._record_execution(call)
        return self._record_read(call) if effect is Effect.READS else self._record_change(call)

    def _record_returned(self, call: ReturnedCall) -> tuple[str, ...]:
        """Make the result citable at a path of its own, except for words that the script gave; record what acted."""
        path, effect = call.result.get("call_path"), call.declared.effect
        if effect is not Effect.RETURNS and not call.declared.is_talk:
            cited = path if isinstance(path, str) and len(path) <= bounds.MOST_PATH_CHARS else ""
            name, is_optional = (
                call.declared.name,
                call.declared.is_undeclared or effect is Effect.UNDECLARED,
            )
            self._changes.append(Change(name, "execute", cited, is_optional))
        if isinstance(path, str) and path.startswith("/") and len(path) <= bounds.MOST_PATH_CHARS:
            text, _ = call.shown_text()
            server = call.declared.name.partition(".")[0]
            is_made = self.own_words.can_be_made_by(
                server, call.given_texts(), text, self._places.texts
            )
            self._places.add_action(
                path, "read", self._seen(text, text if is_made else call.taints, lines=())
            )
            self._spellings.learn_path(path)
        return ()

    def record_function_result(
        self, operation: str, arguments: Mapping[str, Plain], result: Mapping[str, Plain] | None
    ) -> None:
        """Record a function's value, which may support an answer; the function's reads are recorded call by call."""
        if result is None or self._result_room <= 0:
            return
        value = json.dumps(result.get("value"), ensure_ascii=False)[: bounds.MOST_COMPARED_CHARS]
        given = json.dumps(arguments, ensure_ascii=False)
        given = given if len(given) <= bounds.MOST_COMPARED_CHARS else "{}"
        self._view = None
        self._function_results.append(FunctionResultValue(operation, value, given))
        self._result_room -= len(value) + len(given) + 100

    def _record_failure(self, call: ReturnedCall, error: CallError, *, may_change: bool) -> None:
        """Record a failed call, which makes nothing citable; a path that was not found is remembered as missing."""
        declared, requested_path, failure = (
            call.declared,
            call.requested_path,
            failure_of(error.code),
        )
        if may_change and failure.in_doubt:
            self._spellings.forget_absences()
            if declared.effect in (Effect.WRITES, Effect.DELETES, Effect.MOVES):
                self._spellings.mark_as_own(requested_path)
        if failure.in_doubt and declared.target in call.arguments:
            self._spellings.mark_as_moved(
                requested_path, canonical(str(call.arguments[declared.target]))
            )
        self._has_failures |= failure.is_tooling
        if error.code == "not_found" and requested_path:
            self._spellings.learn_missing(requested_path)

    def _record_read(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a read, which makes its path citable by the returned text, even if this is only a part of the file.

        A part without a word shows nothing of its file.
        """
        shown, is_whole = call.shown_text(call.declared.json_field)
        if call.shown_chars is not None:
            self.record_script("", shown)
        is_part = not is_whole or call.result.get("truncated") is True or bool(call.given_names)
        if is_part and not has_words(shown):
            return ()
        path = self._reached(call)
        self._access_read(
            path, call.columns or shown, is_excerpt=is_part, tainted=call.taints, lines=call.lines
        )
        if (
            call.columns
        ):  # A query's result is no text of its table: it justifies a citation, and proves nothing.
            result = self._seen(shown, call.taints, is_proof=False, is_excerpt=True, lines=())
            self._places.add_action(path, "read", result)
        return self._notes((call.requested_path,))

    def _reached(self, call: ReturnedCall) -> str:
        """Return the path that a call reached; another name of a file that the trial wrote counts as written, too."""
        path = self._spellings.learn_reached(call.requested_path, call.result.get("path"))
        if self._spellings.is_own(call.requested_path):
            self._spellings.mark_as_own(path)
        return path

    def _access_read(
        self,
        path: str,
        text: str,
        *,
        lines: tuple[int, ...],
        is_excerpt: bool = False,
        tainted: str = "",
    ) -> None:
        """Record a text shown at a path, citable as read unless the script may have written the text itself."""
        if self._spellings.is_own(path) or _key_of(text) in self._own_texts:
            self._access_own(path, text, is_excerpt=is_excerpt)
            return
        self._shown_texts.add(_key_of(text))
        self._places.add_action(
            path, "read", self._seen(text, tainted, is_excerpt=is_excerpt, lines=lines)
        )
        self._spellings.settle_path(path)

    def _seen(
        self,
        text: str,
        tainted: str,
        *,
        lines: tuple[int, ...],
        is_proof: bool = True,
        is_excerpt: bool = False,
    ) -> SeenText:
        """Return a text as seen; the words of its call, and words that the script had stored, are the script's own."""
        own, is_own = self.own_words.within(text)
        tainted = f"{tainted}\n{own}" if own else tainted
        return _cut(
            SeenText(
                text,
                is_proof=is_proof and not is_own,
                tainted=tainted,
                is_excerpt=is_excerpt,
                lines=lines,
            )
        )

    def _access_own(self, path: str, text: str, *, is_excerpt: bool = False) -> None:
        """Record the script's own text, which makes its path citable only as written."""
        if not self._imitates_row(path):
            self._places.add_action(
                path, "write", _cut(SeenText(text, is_proof=False, is_excerpt=is_excerpt))
            )

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
            self._access_own(path, text)
            self._spellings.learn_written(path)
            self._changes.append(Change(path, "write"))
        else:
            if not (self._spellings.is_own(path) and self._imitates_row(path)):
                self._places.add_action(path, "delete")
            self._spellings.mark_as_own(path)
            self._changes.append(Change(path, "delete"))
            if (
                call.declared.target
            ):  # the script chose the new name, of a file or of all in a folder
                target = canonical(str(call.arguments[call.declared.target]))
                self._access_own(target, "")
                self._spellings.learn_written(target)
                self._spellings.mark_as_moved(path, target)
                self._changes.append(Change(target, "write"))
        return self._notes((call.requested_path,))

    def _record_execution(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a tool run, citable by its output; if the tool only reads, the files that it opened are citable, too.

        The output of a tool that was given arguments or stdin proves nothing else: a query can return any text.
        """
        words = words_given(call.arguments)
        if words == HELP:
            return ()
        path = self._spellings.listed(
            self._spellings.learn_reached(call.requested_path, call.result.get("path"))
        )
        kind, exit_code = self._tool_schema.executable_kind(path), call.exit_code
        output, _ = call.shown_text()
        if call.shown_chars is not None:
            self.record_script("", output)
        is_proof = not (exit_code or call.given_names or self._spellings.is_own(path))
        is_declared = self._tool_schema.executable(path) in self._tool_schema.executables
        if not exit_code or is_declared:  # else nothing may have run
            self._places.add_action(
                path, "execute", self._seen(output, call.taints, is_proof=is_proof, lines=())
            )
        if kind is not ExecutableKind.READS:
            self._spellings.forget_absences()
        if exit_code:
            said = f": {quote(call.complaint, 300)}" if call.complaint else " and said nothing."
            note = f"{quote(path)} ended with exit code {exit_code}{said}"
            return (note,) if call.declared.exit_field else ()
        if kind is ExecutableKind.UNKNOWN:
            self._unclear_runs[path] = None
        if kind is ExecutableKind.CHANGES:
            self._changes.append(Change(path, "execute"))
        return self._record_opened(path, call, output) if kind is ExecutableKind.READS else ()

    def _record_opened(self, tool: str, call: ReturnedCall, output: str) -> tuple[str, ...]:
        """Record the files that a tool opened, according to its declaration, as citable by the tool's output.

        Leaves out files that are known not to exist, and a run that was given more than arguments.
        """
        declared_files = None
        if call.given_names <= {"args"}:
            declared_files = self._tool_schema.executable(tool).files
        opened = opened_files(
            declared_files, words_given(call.arguments), is_changed=self._is_changed
        )
        is_part_shown = opened.is_excerpt or call.shown_chars is not None
        if is_part_shown and not has_words(output):
            return ()

        read_paths: list[str] = []
        for opened_path in opened.paths:
            path = canonical(opened_path)
            if path in self._places or self._spellings.may_exist(path):
                read_paths.append(path)
        for path in read_paths:
            self._read_output(path, output, opened)
        return self._notes(read_paths)

    def _read_output(self, path: str, output: str, opened: OpenedFiles) -> None:
        """Record what a tool printed as the text of a file: as a whole, or each line of an excerpt."""
        if not opened.is_excerpt:
            self._access_read(
                path, output, is_excerpt=False, tainted=opened.repeatable_text, lines=(1,)
            )
            return
        for line in output.splitlines():
            if has_words(line):
                self._access_read(
                    path, line, is_excerpt=True, tainted=opened.repeatable_text, lines=()
                )

    def _record_listing(self, call: ReturnedCall) -> tuple[str, ...]:
        """Record a listing, which teaches spellings; only the lines of files that a search shows become citable."""
        folder = call.requested_path or "/"
        aliases = self._spellings.learn_listing(folder, call.result)
        for shown in call.shown_lines():
            if has_words(shown.text):
                path = canonical(shown.path)
                self._access_read(path, shown.text, is_excerpt=True, lines=shown.lines)
        return self._notes(aliases)

    def _notes(self, used_paths: Iterable[str]) -> tuple[str, ...]:
        """Return notes on used paths that are to be cited by another name."""
        notes: list[str] = []
        for path in used_paths:
            right_path = self._spellings.right(path)
            if right_path != path:
                notes.append(f"{quote(path)} is {quote(right_path)}: cite it by that path.")
        return tuple(notes)

    def record_script(self, code: str, printed: str) -> None:
        """Take a script, and what the last one printed; the last ones are kept."""
        if code or not self._steps:
            self._steps.append(ScriptRun(code))
        last_step = self._steps[-1]
        self._steps[-1] = replace(last_step, printed=last_step.printed + printed)
        self._view = None
        kept_chars = sum(len(step.code) + len(step.printed) for step in self._steps)
        while kept_chars > bounds.MOST_KEPT_CHARS:
            dropped_step = self._steps.pop(0)
            kept_chars -= len(dropped_step.code) + len(dropped_step.printed)

    def view(self) -> Evidence:
        """Return the evidence so far, as the gates see it; later calls do not alter it."""
        if self._view is not None:
            return self._view

        # 1. Other names of the same files.
        right_of = self._spellings.right
        aliases: dict[str, str] = {}
        for path in self._spellings.aliases:
            aliases[path] = right_of(path)
        for path in self._places:
            right_path = right_of(path)
            if right_path != path:
                aliases[path] = right_path

        # 2. The spellings under which files were shown or accessed.
        accesses = self._places.accesses(right_of)
        by_spelling = dict(self._spellings.shown)
        for path in accesses:
            key = spelling_key(path)
            spellings = by_spelling.get(key, ())
            if path not in spellings:
                by_spelling[key] = (*spellings, path)

        # 3. What the script changed.
        changes: list[Change] = []
        for change in self._changes:
            changes.append(replace(change, path=right_of(change.path)))

        self._view = Evidence(
            has_trace=True,
            accesses=accesses,
            aliases=aliases,
            paths_by_spelling=by_spelling,
            directories=frozenset(self._spellings.directories),
            changes=tuple(changes),
            unclear_runs=tuple(right_of(path) for path in self._unclear_runs),
            has_failures=self._has_failures,
            function_results=tuple(self._function_results),
            steps=tuple(self._steps),
            quoted={path: tuple(quotations) for path, quotations in self._quoted.items()},
        )
        return self._view


def _cut(seen: SeenText) -> SeenText:
    """Return a text as seen, up to the characters that are kept and indexed."""
    if len(seen.text) <= bounds.MOST_SEEN_CHARS:
        return seen
    return replace(seen, text=seen.text[: bounds.MOST_SEEN_CHARS], is_whole=False)


def _key_of(text: str) -> int:
    return hash(text.strip())


def _bare_lines(text: str) -> list[str]:
    """Return the lines of a text, folded and without blanks: `"a b: 1 200" -> "ab:1 200"`.

    JSON and prose are quoted in any spacing. A blank between two digits stays, also at the beginning
    of a line, so that two numbers are not read as one.
    """
    lines: list[str] = []
    last_word = ""
    for line in text.split("\n"):
        bare_line = ""
        for word in fold_text(line).split():
            if last_word[-1:].isdigit() and word[0].isdigit():
                bare_line += " "
            bare_line += word
            last_word = word
        lines.append(bare_line)
    return lines
