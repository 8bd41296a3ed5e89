"""Facts that rules share about one trial: records and documents, who is signed in, and which changes still hold."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, Final

from gates.evidence import Action, Change, Evidence, Touch
from gates.paths import record_id
from gates.records import Parsed, is_id, parse, states_at
from gates.terms import fold_text, parts_of

MAX_KNOWN_CHARS: Final = 1_000_000
"""Max characters of all texts together whose words are known."""
_IDENTITY_CHARS: Final = 2_000


class TrialFacts:
    """The facts of one trial's evidence, each computed when it is first needed."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence

    @cached_property
    def records(self) -> Mapping[str, tuple[Parsed, ...]]:
        """The files of fields that were read as a whole, by path: the states in which each was seen, in order."""
        read = ((path, touch) for path, touch in self.evidence.touches.items() if "execute" not in touch.actions)
        return {path: states for path, touch in read if (states := states_at(touch))}

    @cached_property
    def documents(self) -> Mapping[str, str]:
        """The texts of read files that are prose, by path."""
        return {
            path: "\n".join(seen.text for seen in touch.seen if seen.is_proof)
            for path, touch in self.evidence.touches.items()
            if touch.actions == {"read"} and not any(parse(seen.text, path).is_whole for seen in touch.seen)
        }

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
    def signed_in(self) -> frozenset[str]:
        """The folded ids that tools named when they ran without arguments: those of the signed-in user; empty if nobody
        is signed in, or if no such tool ran."""
        found: set[str] = set()
        for run in self.evidence.executions:
            touch = self.evidence.touches.get(run.path)
            if run.has_failed or run.arguments or run.kind != "reads" or touch is None:
                continue
            for seen in touch.seen:
                fields = parse(seen.text).fields if seen.is_proof and len(seen.text) <= _IDENTITY_CHARS else {}
                found.update(fold_text(value) for held in fields.values() for value in held if is_id(value))
        return frozenset(found)

    @cached_property
    def paths_by_id(self) -> Mapping[str, tuple[str, ...]]:
        """The paths of all files, read or listed, by their folded ids. A name of letters alone is not an id."""
        listed = _ids_of(_Same(self.evidence.paths_by_spelling))
        beside = [path for path in self.evidence.touches if path not in listed.get(fold_text(record_id(path)), ())]
        own = _by_id(beside)
        return {**listed, **{name: (*listed.get(name, ()), *paths) for name, paths in own.items()}} if own else listed

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
