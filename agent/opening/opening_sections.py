"""Makes the opening calls that an environment declares, and shows what they return within the limits of turn one."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from agent.evidence.recorder import CallUnderWay
from agent.findings.compute_in_aide import tree_in_parts
from agent.opening.fitting_sections import add_fitting
from agent.opening.named_sections import add_named
from agent.opening.section import Section, title_of
from agent.opening.section_queue import SectionQueue
from sandbox.interface import FILE_OPERATIONS, CallError, EachOf, Effect, OpeningCall, Operation, Plain, error_codes

MOST_CALLS: Final = 100
"""Calls of turn one after which folders of a large tree are left out."""


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
        """Make the declared call, or one for each value that its listing gives."""
        operation = self._surface.operation(declared.operation)
        if operation is None:
            return
        if declared.each_of is None:
            self._add(operation, dict(declared.arguments), declared)
            return
        given = [{**declared.arguments, operation.subject: subject} for subject in self._listed(declared.each_of)]
        if declared.fitting_chars is not None and operation.effect is Effect.READS:
            others = [each for each in given if not self._is_declared(operation, each[operation.subject])]
            add_fitting(self._queue, operation, others, declared.fitting_chars)
            return
        for arguments in given:
            self._add(operation, arguments, declared)

    def _is_declared(self, operation: Operation, subject: Plain) -> bool:
        """Say whether another opening call shows this by itself."""
        return any(
            each.operation == operation.name and each.arguments.get(operation.subject) == subject
            for each in self._surface.opening
        )

    def _listed(self, each: EachOf) -> list[Plain]:
        if (files := self._found_in_tree(each)) is not None:
            return [*files]
        call = self._queue.send(each.operation, each.arguments)
        self._queue.show_until(0)
        try:
            listed = self._queue.recorder.receive(call).get(each.field)
        except CallError:
            return []
        values = listed if isinstance(listed, list) else []
        return [
            value.get("path") if isinstance(value, dict) else value
            for value in values
            if not (isinstance(value, dict) and value.get("is_dir"))
        ]

    def _found_in_tree(self, each: EachOf) -> list[str] | None:
        """Return the files that a `find` lists, if a tree shows them all already; else None."""
        match self._surface.operation(each.operation), dict(each.arguments):
            case Operation(name="find") as find, {"name": str(name), "root": str(root), "kind": "files", "limit": 0}:
                self._queue.show_until(0)
                files = self._queue.known.files_in(root) if find in FILE_OPERATIONS else None
                fits = re.compile(fnmatch.translate(name), re.IGNORECASE).fullmatch
                return None if files is None else [path for path in files if fits(path.rpartition("/")[2])]
        return None

    def _add(self, operation: Operation, arguments: Mapping[str, Plain], declared: OpeningCall) -> None:
        """Make one call and show its result; without room it is named, unless it reads the rules."""
        queue, title = self._queue, title_of(operation, arguments)
        is_rules = arguments.get(operation.subject) == self._surface.rules_document and bool(operation.json_field)
        # What is under way may yet fill its sections: only the room beyond is certain.
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
        """Return the tree that a call was asked for and that is too large for it; None if it is not."""
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
