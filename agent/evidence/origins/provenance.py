"""Finds where the arguments of a changing call come from: the request, the rules, data, or prose.

A value of an argument has the origin of the most trusted text that contains it.
If no text contains the whole value, its parts are looked up. A result may repeat
an argument of its own call. A repetition does not count, or any tool could make
a value trusted by repeating it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.evidence.origins.argument_origin import (
    ArgumentOrigin,
    Finding,
    Location,
    Origin,
)
from controlplane.agent.evidence.origins.argument_values import (
    NO_VALUES,
    ArgumentValue,
    ValueKeys,
    argument_values,
    keys_of_arguments,
)
from controlplane.agent.evidence.origins.known_texts import (
    KnownText,
    KnownTexts,
    joined_texts,
)
from controlplane.agent.evidence.origins.prose_location import locate
from controlplane.agent.evidence.origins.value_keys import halves_of
from controlplane.agent.evidence.texts.result_texts import ResultText
from controlplane.sandbox.interface import Plain, bounds

MAX_LOCATED_VALUES: Final = 10
"""How many values of one argument are shown with
their sentences. The search for a sentence is slow."""


class Provenance:
    """What one trial knows about the origins of values.

    The origin of a value says who supplied it: the user (asked), the workspace's owner
    (rules), data (record), running text such as a mail (prose), or the script (made).
    Created when a trial starts, and used by one thread at a time. `add` adds texts, and
    `origins` looks up the arguments of a call in them.
    """

    def __init__(self) -> None:
        self._texts = KnownTexts()
        self._kept: dict[str, Finding] = {}
        """By key or phrase, the untrusted values of earlier changing calls, with their origins.
        They keep these origins (see `keep_untrusted`)."""

    def add(
        self,
        place: str,
        texts: Iterable[ResultText],
        origin: Origin | None = None,
        *,
        repeatable: ValueKeys = NO_VALUES,
    ) -> None:
        """Add texts that a trial received from a place.

        Without an `origin`, a field of data is a record, and any other text counts as
        running text. `repeatable` are the arguments of the call that returned the texts:
        the texts may only repeat them, so these values do not come from there.
        """
        for text in joined_texts(texts, place, origin, repeatable):
            self._texts.add(text)

    def add_record_found_by(self, values: Iterable[Plain], place: str) -> None:
        """Treat the values by which a call found a record as values of that record.

        Example: a mail names an account. Once `get_account(iban=...)` has found it, the
        account is in a record, and no longer untrusted.
        """
        found_by = keys_of_arguments(values)
        self._texts.add_values(found_by, place)
        for key in (*found_by.keys, *found_by.phrases):
            self._kept.pop(key, None)

    def keep_untrusted(self, origins: Iterable[ArgumentOrigin]) -> None:
        """Keep the origins of the untrusted values in a changing call's arguments.

        Untrusted are values that no text has, or only running text. A tool may store such
        a value, and return it later in a field of data. Without this, it would then count
        as a record, which is trusted.
        """
        for argument in origins:
            for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
                if len(self._kept) < bounds.MOST_TRACED_KEYS:
                    self._kept.setdefault(finding.value.key, finding)

    def origins(
        self,
        arguments: Mapping[str, Plain],
        *,
        changed_path: str = "",
        declared_values: Mapping[str, ValueKeys] | None = None,
    ) -> dict[str, ArgumentOrigin]:
        """Return the origin of each argument of a call.

        An argument is left out if no value in it identifies anything, such as the word
        `restart`. In this call, two more kinds of values count as records:
        - what the trial has read in `changed_path`, the file that the call changes,
        - `declared_values`: by argument, the values
          that its schema lists, such as an enum.
        """
        file_keys = self._texts.keys_of_file(changed_path) if changed_path else set()
        origins: dict[str, ArgumentOrigin] = {}
        for name, argument in arguments.items():
            declared = (declared_values or {}).get(name, NO_VALUES)
            records = ValueKeys(declared.keys | file_keys, declared.phrases)
            search = _Search(self._texts, self._kept, records)
            search.add_all(argument_values(argument))
            if search.findings:
                origins[name] = ArgumentOrigin(tuple(search.findings.values()))
        return origins


@dataclass(slots=True)
class _Search:
    """Finds the origins of the values in one argument.

    A value is looked up by keys, which all its spellings share, or as a phrase of words.
    """

    texts: KnownTexts
    kept: Mapping[str, Finding]
    """The untrusted values of earlier changing calls, by key or phrase, with their origins."""
    records: ValueKeys
    """Values that count as records, which are trusted, wherever else they are found."""
    findings: dict[str, Finding] = field(default_factory=dict)
    """The findings so far, by the `key` of each value."""

    def add_all(self, values: Iterable[ArgumentValue]) -> None:
        """Find the origins of values. If there are too many, the others count as untrusted."""
        for number, value in enumerate(values):
            if number >= bounds.MOST_TRACED_VALUES:
                unknown = ArgumentValue(value.text)
                place = f"what is beyond the first {number} values"
                self.findings[unknown.key] = _in_prose(unknown, place)
                return
            self._add(value)

    def _add(self, value: ArgumentValue) -> None:
        """Find the origin of a value. If it is not in any text, also those of its parts."""
        if value.key in self.findings:
            return
        finding = self._finding_in_texts(value)
        if finding is not None:
            self.findings[value.key] = finding
            return
        if value.key:  # A long text has none: only its parts are looked up.
            self.findings[value.key] = self._finding_without_text(value)
        for part in value.parts:
            self._add(part)

    def _finding_in_texts(self, value: ArgumentValue) -> Finding | None:
        """Return the origin of a value that is in some text; None if it is in none.

        An untrusted value of an earlier changing call keeps the origin that it had then:
        a text that contains it now may be the result of that call. This does not apply
        to texts of the user and the rules, which are not results.
        """
        if self.records.has(value):
            return Finding(value, Origin.RECORD)

        text = self.texts.find(value)
        if text is not None and text.origin in (Origin.ASKED, Origin.RULES):
            return Finding(value, text.origin)

        for key in (*value.keys, value.phrase):
            if key in self.kept:
                kept = self.kept[key]
                # If it was in no text then, the script made it. It still counts as made.
                return None if kept.origin is Origin.MADE else kept

        if text is None:
            return None
        if text.origin is Origin.PROSE:
            return Finding(value, Origin.PROSE, self._location(text, value))
        return Finding(value, text.origin)

    def _location(self, text: KnownText, value: ArgumentValue) -> Location:
        """Return where a text has a value, with the sentence for the first values only."""
        if len(self.findings) >= MAX_LOCATED_VALUES:
            return Location(text.place)
        return locate(text, value)

    def _finding_without_text(self, value: ArgumentValue) -> Finding:
        """Return the origin of a value that is not in any text."""
        if self.texts.is_incomplete:
            return _in_prose(value, "what was read beyond the texts that are kept")

        # A script may have joined the value of two halves: `US13` and `30000001`.
        for key in value.keys:
            for first, second in halves_of(key):
                if self._is_in_prose(first) and self._is_in_prose(second):
                    place = f"what was read, in two parts, {first!r} and {second!r}"
                    return _in_prose(value, place)

        return Finding(value, Origin.MADE)

    def _is_in_prose(self, key: str) -> bool:
        """Return True if only running text has a key."""
        return self.texts.is_only_in_prose(key)


def _in_prose(value: ArgumentValue, place: str) -> Finding:
    """Return the finding that a value is in running text, which `place` describes."""
    return Finding(value, Origin.PROSE, Location(place))
