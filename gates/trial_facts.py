"""Facts that rules share about one trial: records and documents, who is signed in, and which changes still hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, Final

from gates.evidence import Action, Change, Evidence, Touch
from gates.paths import record_id
from gates.records import Record, id_prefix, is_id, parse, record_at
from gates.terms import fold_text, parts_of

MAX_CHARS: Final = 20_000
"""Max characters of a text in which ids are looked for."""
MAX_KNOWN_CHARS: Final = 1_000_000
"""Max characters of all texts together whose words are known."""
_IDENTITY_CHARS: Final = 2_000
_NAME: Final = re.compile(r"[^\W_]+(?:[-_.][^\W_]+)*")
_LEAST_NAME: Final = 3


class TrialFacts:
    """The facts of one trial's evidence, each computed when it is first needed."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self._naming: dict[str, frozenset[int]] = {}

    @cached_property
    def records(self) -> Mapping[str, Record]:
        """The records that were read as a whole, by path."""
        found = (record_at(touch) for touch in self.evidence.touches.values() if "execute" not in touch.actions)
        return {record.path: record for record in found if record is not None}

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """The texts of read files that are prose, by path."""
        return {
            path: "\n".join(seen.text for seen in touch.seen if seen.is_proof)
            for path, touch in self.evidence.touches.items()
            if touch.actions == {"read"} and not any(parse(seen.text, path).is_whole for seen in touch.seen)
        }

    @cached_property
    def public_text(self) -> str:
        """The folded text of all documents, and of tools' output to which the script gave no text."""
        printed = (
            seen.text
            for touch in self.evidence.touches.values()
            if "execute" in touch.actions
            for seen in touch.seen
            if seen.is_proof
        )
        return fold_text("\n".join((*self.documents.values(), *printed)))

    def knows(self, token: str) -> bool:
        """Say whether a folded token occurs in a text that the script cannot have supplied."""
        return all(part in self._known_words for part in parts_of(token))

    @cached_property
    def _known_words(self) -> frozenset[str]:
        known: set[str] = set()
        room = MAX_KNOWN_CHARS
        for seen in {seen: None for touch in self.evidence.touches.values() for seen in touch.seen if seen.is_proof}:
            words = parts_of(fold_text(seen.text[: max(room, 0)]))
            known.update(set(words) - set(parts_of(fold_text(seen.echoed))) if seen.echoed else words)
            room -= len(seen.text)
        return frozenset(known)

    @cached_property
    def _identity(self) -> frozenset[str] | None:
        """The folded ids that tools named when they ran without arguments; None if no such tool ran."""
        found: set[str] = set()
        has_answered = False
        for run in self.evidence.executions:
            touch = self.evidence.touches.get(run.path)
            if run.has_failed or run.arguments or run.kind != "reads" or touch is None:
                continue
            for seen in touch.seen:
                fields = parse(seen.text).fields if seen.is_proof and len(seen.text) <= _IDENTITY_CHARS else {}
                has_answered |= bool(fields)
                found.update(fold_text(value) for held in fields.values() for value in held if is_id(value))
        return frozenset(found) if has_answered else None

    @property
    def signed_in(self) -> frozenset[str]:
        """The folded ids of the signed-in user; empty if the user is unknown, or if nobody is signed in."""
        return self._identity or frozenset()

    def is_anothers(self, record: Record) -> bool:
        """Say whether a record names somebody else where it would name the signed-in user.

        The other id has the form of the user's (`cust-0042` beside `cust-0007`). While nobody is signed in, a record
        that names anybody is somebody else's.
        """
        if self._identity is None:
            return False
        if not self._identity:
            return bool(record.owners)
        prefixes = {id_prefix(user) for user in self._identity}
        kin = {fold_text(owner) for owner in record.owners if id_prefix(owner) in prefixes}
        return bool(kin) and kin.isdisjoint(self._identity)

    @cached_property
    def paths_by_id(self) -> Mapping[str, tuple[str, ...]]:
        """The paths of all files, read or listed, by their folded ids. A name of letters alone is not an id."""
        listed = _ids_of(_Same(self.evidence.paths_by_spelling))
        beside = [path for path in self.evidence.touches if path not in listed.get(fold_text(record_id(path)), ())]
        own = _by_id(beside)
        return {**listed, **{name: (*listed.get(name, ()), *paths) for name, paths in own.items()}} if own else listed

    def ids_in(self, text: str) -> tuple[str, ...]:
        """Return the folded ids of known files that the first 20,000 characters of a text name, each once, in order."""
        found: dict[str, None] = {}
        for name in map(fold_text, _NAME.findall(text[:MAX_CHARS])):
            named = name if name in self.paths_by_id else record_id(name)
            if len(named) >= _LEAST_NAME and named in self.paths_by_id:
                found[named] = None
        return tuple(found)

    def are_linked(self, one: str, other: str) -> bool:
        """Say whether something that was seen links two folded ids: a file of one that names the other, or a record or
        a line of a tool's output that names both."""
        return not self._parts_naming(one).isdisjoint(self._parts_naming(other))

    def _parts_naming(self, name: str) -> frozenset[int]:
        """Return the numbers of the linking texts that hold a folded id, looked up once."""
        if name not in self._naming:
            self._naming[name] = frozenset(at for at, part in enumerate(self._linking_texts) if name in part)
        return self._naming[name]

    @cached_property
    def _linking_texts(self) -> tuple[str, ...]:
        found: list[str] = []
        for path, touch in self.evidence.touches.items():
            if path in self.documents and touch.is_whole:
                continue
            for text in (fold_text(seen.text) for seen in touch.given):
                found += text.splitlines() if "execute" in touch.actions else [f"{fold_text(record_id(path))}\n{text}"]
        return tuple(found)

    @cached_property
    def standing_changes(self) -> tuple[Change, ...]:
        """The changes that still hold at the end of the trial: neither undone nor without an effect."""
        return tuple(change for change in self.evidence.changes if not (self.is_undone(change) or self.is_void(change)))

    def is_void(self, change: Change) -> bool:
        """Say whether a write gave a file the same data that it had before."""
        touch = self.evidence.touches.get(change.path)
        if change.action != "write" or touch is None or self._actions_at[change.path] != ["write"]:
            return False
        before = next((seen for seen in touch.seen if seen.is_proof), None)
        written = [seen for seen in touch.seen if not seen.is_proof]
        if before is None or not written or touch.seen[0] is not before or not before.is_whole or before.is_excerpt:
            return False
        one, other = parse(before.text, change.path), parse(written[-1].text, change.path)
        is_same_data = (
            one.is_whole and (one.fields or one.rows) and (one.fields, one.rows) == (other.fields, other.rows)
        )
        return before.text.strip() == written[-1].text.strip() or bool(is_same_data)

    def is_undone(self, change: Change) -> bool:
        """Say whether a change was undone: the file has its first text again, or a file that was made is deleted.

        False if nothing of the file was seen before it was changed, because then nobody can tell.
        """
        touch = self.evidence.touches.get(change.path)
        if change.action == "execute" or touch is None:
            return False
        actions = self._actions_at[change.path]
        if actions[-1] == "delete":
            return actions[0] == "write" and not (touch.seen and touch.seen[0].is_proof)
        return len(actions) > 1 and _has_first_text_again(touch)

    @cached_property
    def _actions_at(self) -> Mapping[str, list[Action]]:
        found: dict[str, list[Action]] = {}
        for change in self.evidence.changes:
            found.setdefault(change.path, []).append(change.action)
        return found


def _has_first_text_again(touch: Touch) -> bool:
    proven = [seen for seen in touch.seen if seen.is_proof]
    written = [seen for seen in touch.seen if not seen.is_proof and seen.is_whole and not seen.is_excerpt]
    if not proven or touch.seen[0] is not proven[0]:
        return False
    first, last = proven[0], (written or proven)[-1]  # The text that was read after a file was restored may be cut.
    if first.is_whole and not first.is_excerpt:
        return first.text.strip() == last.text.strip()
    before = touch.seen[: touch.seen.index(written[0])] if written else (first,)
    lines = {line.strip() for seen in before for line in seen.text.splitlines()} - {""}
    return bool(lines) and lines <= {line.strip() for line in last.text.splitlines()}


class _Same:
    """Makes an object the key of a cache by its identity: an equal but different object is another key."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __hash__(self) -> int:
        return id(self.held)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.held is self.held


def facts_of(evidence: Evidence) -> TrialFacts:
    """Return the facts of a trial's evidence: the same facts for the same object, so that rules share the work."""
    return _facts_of(_Same(evidence))


@lru_cache(maxsize=2)
def _facts_of(same: _Same) -> TrialFacts:
    return TrialFacts(same.held)


@lru_cache(maxsize=2)
def _ids_of(same: _Same) -> Mapping[str, tuple[str, ...]]:
    """Index listed paths once for all submissions of a trial that come with the same listings."""
    return _by_id([path for paths in same.held.values() for path in paths])


def _by_id(paths: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for path in paths:
        # The same as `record_id` in half the time; directories have no extension that could be an id's.
        name = fold_text(path.rpartition("/")[2].rpartition(".")[0])
        if name and not name.isalpha():
            found.setdefault(name, []).append(path)
    return {name: tuple(same_id) for name, same_id in found.items()}
