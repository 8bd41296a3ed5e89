"""Where the arguments of a changing call come from: the request, the rules, data, running text, or nowhere.

Every text that came in is kept with its place, and indexed by the keys of its values (`value_keys.py`). A value of an
argument has the origin of the most trusted place that has it; if no place has it, its parts are looked up. What a
result only repeats of its call's arguments is not indexed, so a value is not trusted more after a tool has repeated it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, auto
from typing import Final

from controlplane.agent.evidence.argument_values import ArgumentValue, argument_values
from controlplane.agent.evidence.result_texts import ResultText
from controlplane.agent.evidence.value_keys import (
    halves_of,
    is_small_number,
    phrase_of,
    spelling_keys,
    word_keys,
)
from controlplane.sandbox.interface import Plain, bounds


class Origin(IntEnum):
    """Where a value comes from, the most trusted place first.

    An argument has the origin of its least trusted value. `MADE` is trusted more than `PROSE`: what a script computes
    is its own, while running text may have been written by somebody who wants to be obeyed.
    """

    ASKED = auto()
    """The request, its hints, and earlier questions of the user."""
    RULES = auto()
    """The workspace's rules document, and folders that the environment declares as its owner's."""
    RECORD = auto()
    """A field of data, a listing, a declared operation, or a result that is declared trusted."""
    MADE = auto()
    """No text that came in has the value: the script has made it."""
    PROSE = auto()
    """Running text, such as the body of a mail."""


TRUSTED: Final = (Origin.ASKED, Origin.RULES, Origin.RECORD)
PROSE: Final = "prose: "
"""Begins the journalled origin of an argument with a value that is only in running text."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The origin of one value of an argument."""

    value: str
    """The value as the call has it."""
    origin: Origin
    key: str
    """The key that all spellings of the value have in common, or its words: `emma@site.com` for `Emma@Site.com`."""
    is_whole: bool = False
    """True if the value is an argument, or an item of one; false if it is a part of a longer text."""
    is_address: bool = False
    """True if it says whom, or what, a call reaches."""
    is_composed: bool = False
    """True if the value is nowhere as a whole, and its parts have findings of their own."""
    place: str = ""
    """Where the value is, if that is running text, as `/m.md, line 3`."""
    sentence: str = ""
    """The sentence around the value at that place; empty if it was not looked for."""


@dataclass(frozen=True, slots=True)
class ArgumentOrigin:
    """The origin of an argument: that of its least trusted value."""

    origin: Origin
    findings: tuple[Finding, ...]
    """The findings of its values, each value once."""

    def findings_of(self, *origins: Origin) -> list[Finding]:
        """Return the findings that have one of these origins."""
        return [finding for finding in self.findings if finding.origin in origins]

    def describe(self) -> str:
        """Return the origin's name; of running text with the values, their places and the sentences around them."""
        if self.origin is not Origin.PROSE:
            return self.origin.name.lower()
        return PROSE + " ".join(describe_prose({"": self.findings_of(Origin.PROSE)}))


def describe_prose(findings_by_argument: Mapping[str, Iterable[Finding]]) -> list[str]:
    """Return a line for each sentence of running text that has values of a call's arguments.

    Each line names the arguments, their values and the sentence's place, and quotes the sentence:
    `amount: '30'; to: 'Bob' are only in the text of /m.md, not in the request: “Pay Bob 30.”`
    An argument whose name is empty is not named.
    """
    values_by_location: dict[Location, dict[str, list[str]]] = {}
    """By location and argument, the values as they are shown, each once."""
    for argument, findings in findings_by_argument.items():
        for finding in findings:
            if not finding.place:
                continue
            location = Location(finding.place, finding.sentence)
            values_by_argument = values_by_location.setdefault(location, {})
            shown_values = values_by_argument.setdefault(argument, [])
            if repr(finding.value) not in shown_values:
                shown_values.append(repr(finding.value))

    lines: list[str] = []
    for location, values_by_argument in values_by_location.items():
        lines.append(_line_about(location, values_by_argument))
    return lines


def _line_about(location: Location, values_by_argument: Mapping[str, list[str]]) -> str:
    """Return the line about one sentence of running text, and the values that are in it."""
    parts: list[str] = []
    count = 0
    for argument, values in values_by_argument.items():
        shown_values = ", ".join(values)
        parts.append(f"{argument}: {shown_values}" if argument else shown_values)
        count += len(values)
    verb = "is" if count == 1 else "are"
    line = f"{'; '.join(parts)} {verb} only in the text of {location.place}, not in the request"
    if location.sentence:
        line = f"{line}: “{location.sentence}”"
    if location.sentence.endswith((".", "!", "?")):
        return line
    return f"{line}."


@dataclass(frozen=True, slots=True)
class Location:
    """Where a value is in running text, as people are told."""

    place: str
    """The file, with the number of the line, or the call: `/m.md, line 3`, `call 3 of search`."""
    sentence: str = ""
    """The sentence around the value; empty if finding it would take too long."""


@dataclass(frozen=True, slots=True)
class ValueKeys:
    """The keys and phrases of some values, by which the values are recognised in a text, in any spelling."""

    keys: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()
    """The words of values of several words: ` ann miller `."""


def keys_of_arguments(arguments: Iterable[Plain]) -> ValueKeys:
    """Return the keys and phrases of all values in some arguments, and of the values' parts."""
    keys = set[str]()
    phrases: dict[str, None] = {}  # in their order, each once
    for argument in arguments:
        for whole_value in argument_values(argument):
            for value in _with_parts(whole_value):
                keys.update(value.keys)
                if value.phrase:
                    phrases[value.phrase] = None
    return ValueKeys(frozenset(keys), tuple(phrases))


def _with_parts(value: ArgumentValue) -> Iterator[ArgumentValue]:
    """Yield a value, its parts, and their parts."""
    yield value
    for part in value.parts:
        yield from _with_parts(part)


_REPEATED: Final = "\x1e"
"""Stands in the words of a text for what the text only repeats of its call's arguments: no value has this sign."""


@dataclass(slots=True)
class KnownText:
    """The texts of one origin that came in at one place."""

    place: str
    """Where they came in, as people are told: `/m.md`, `call 3 of search`."""
    origin: Origin
    parts: list[str] = field(default_factory=list)
    """The texts as they came in."""
    path: str = ""
    """The file that they are from; empty for other texts."""
    is_field: bool = False
    """True for fields of data, in which a small number counts only if it is the whole field."""
    repeatable: ValueKeys = ValueKeys()
    """The arguments of the call that returned the texts, which the texts may only repeat."""
    _words: str | None = field(default=None, compare=False)
    """The words of the parts in canonical form, once a phrase has been looked up."""

    @property
    def text(self) -> str:
        """The parts, one after the other."""
        return "\n".join(self.parts)

    def has_phrase(self, phrase: str) -> bool:
        """Say whether the text has the words of a phrase in a row, other than by repeating an argument of its call.

        The words are prepared at the first question, since most values are found by their keys.
        """
        if self._words is None:
            words = "\n".join(phrase_of(part) for part in self.parts)
            for repeatable_phrase in self.repeatable.phrases:
                words = words.replace(repeatable_phrase, f" {_REPEATED} ")
            self._words = words
        return phrase in self._words


class Provenance:
    """The texts that came in during one trial, and where their values are. Used by one thread at a time.

    Most trials look up the origin of few values, or of none, so a text is indexed in two stages, each as late as
    possible: by its words at the first look-up, and by the meaning of its numbers and dates when a value is not found
    by words.
    """

    def __init__(self) -> None:
        self._texts: dict[Origin, list[KnownText]] = {origin: [] for origin in Origin}
        """The indexed texts by origin, the most trusted first."""
        self._by_key: dict[str, KnownText] = {}
        """The most trusted text that has a key; of several the one that came in first."""
        self._not_indexed: list[KnownText] = []
        """Texts of which not even the words are indexed."""
        self._without_spellings: list[KnownText] = []
        """Texts that are indexed by their words, and not yet by the meaning of their numbers and dates."""
        self._kept_findings: dict[str, Finding] = {}
        """By key or phrase, the untrusted values that changing calls were given (see `keep_untrusted`)."""
        self._bytes = 0
        """Bytes in UTF-8 of the texts that came in."""
        self.is_incomplete = False
        """True if more texts came in than are kept: a value that is nowhere may be in the others."""

    # --- Texts that come in ---

    def add(
        self,
        place: str,
        texts: Iterable[ResultText],
        origin: Origin | None = None,
        *,
        repeatable: ValueKeys | None = None,
    ) -> None:
        """Keep the texts that came in at a place.

        All of them have the given `origin`; without one, data is a record, and other text is prose. `repeatable` are
        the arguments of the call that returned the texts: a text that only repeats one of them is no place of it.
        """
        known_texts: dict[tuple[Origin, str, bool], KnownText] = {}
        for text in texts:
            if origin is not None:
                text_origin = origin
            elif text.is_data:
                text_origin = Origin.RECORD
            else:
                text_origin = Origin.PROSE
            is_field = text.is_data and text_origin is Origin.RECORD

            kind = (text_origin, text.path, is_field)
            if kind not in known_texts:
                known_texts[kind] = KnownText(
                    text.path or place,
                    text_origin,
                    path=text.path,
                    is_field=is_field,
                    repeatable=repeatable or ValueKeys(),
                )
            known_texts[kind].parts.append(text.text)

        for known_text in known_texts.values():
            for part in known_text.parts:
                self._bytes += len(part.encode("utf-8", "surrogatepass"))
            if self._bytes > bounds.MOST_TRACED_BYTES:
                self.is_incomplete = True
                return
            self._not_indexed.append(known_text)

    def add_record_found_by(self, values: Iterable[Plain], place: str) -> None:
        """Count the values by which a call looked a record up, and found one, as values of that record.

        For example, an account that a mail names is in a record once `get_account(iban=...)` has found it. The values
        lose the origin that `keep_untrusted` has kept.
        """
        found = keys_of_arguments(values)
        text = KnownText(place, Origin.RECORD, list(found.phrases))
        self._texts[Origin.RECORD].append(text)
        for key in (*found.keys, *found.phrases):
            self._kept_findings.pop(key, None)
            self._add_key(key, text)

    def keep_untrusted(self, origins: Iterable[ArgumentOrigin]) -> None:
        """Let the untrusted values that a changing call is given keep their origins from now on.

        A tool may store what it is given and return it later as data, which would make a record of it.
        """
        for argument in origins:
            for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
                if len(self._kept_findings) < bounds.MOST_TRACED_KEYS:
                    self._kept_findings.setdefault(finding.key, finding)

    # --- The index ---

    def _index_words(self) -> None:
        """Index the texts that are not indexed by the keys of their words, as far as there is room."""
        for text in self._not_indexed:
            if len(self._by_key) > bounds.MOST_TRACED_KEYS:
                self.is_incomplete = True
                continue
            self._texts[text.origin].append(text)
            self._without_spellings.append(text)
            keys = word_keys(text.text)
            if text.is_field:
                for part in text.parts:
                    if is_small_number(part.strip()):
                        keys.add(part.strip())
            self._add_keys(keys, text)
        self._not_indexed.clear()

    def _index_spellings(self) -> None:
        """Index the numbers, dates and telephones of all texts by what they mean: `15 May 2026` by `2026-05-15`."""
        for text in self._without_spellings:
            is_prose = text.origin is Origin.PROSE
            keys = spelling_keys(text.text, is_prose=is_prose, is_field=text.is_field)
            self._add_keys(keys, text)
        self._without_spellings.clear()

    def _add_keys(self, keys: set[str], text: KnownText) -> None:
        """Index a text by keys, except for those of the arguments that it may only repeat."""
        for key in keys - text.repeatable.keys:
            self._add_key(key, text)

    def _add_key(self, key: str, text: KnownText) -> None:
        earlier_text = self._by_key.get(key)
        if earlier_text is None or text.origin < earlier_text.origin:
            self._by_key[key] = text

    # --- Looking up ---

    def origins(
        self,
        arguments: Mapping[str, Plain],
        *,
        names: Sequence[str] = (),
        changed_path: str = "",
        declared_values: Mapping[str, ValueKeys] | None = None,
    ) -> dict[str, ArgumentOrigin]:
        """Return the origin of each argument of a call, or only of those in `names` if there are any.

        An argument without a value that identifies something is left out. Two kinds of values count as records in this
        call alone: what the trial has read in the file `changed_path`, which the call changes, and by argument the
        `declared_values`, such as those of an enum.
        """
        self._index_words()
        keys_of_file = self._keys_of_file(changed_path)
        origins: dict[str, ArgumentOrigin] = {}
        for name in names or arguments:
            declared = (declared_values or {}).get(name, ValueKeys())
            records = ValueKeys(keys_of_file | declared.keys, declared.phrases)
            lookup = _Lookup(self, records)
            for number, value in enumerate(argument_values(arguments.get(name))):
                if number >= bounds.MOST_TRACED_VALUES:
                    lookup.add_unexamined(value, number)
                    break
                lookup.add(value)
            findings = tuple(lookup.findings.values())
            if findings:
                least_trusted = max(finding.origin for finding in findings)
                origins[name] = ArgumentOrigin(least_trusted, findings)
        return origins

    def _keys_of_file(self, path: str) -> frozenset[str]:
        """Return the keys of the texts that the trial has read in a file; none for an empty path."""
        keys = set[str]()
        if path:
            for texts in self._texts.values():
                for text in texts:
                    if text.path == path:
                        keys |= word_keys(text.text)
                        keys |= spelling_keys(text.text, is_prose=False, is_field=False)
        return frozenset(keys)

    def text_with(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that has a value; None if the value is nowhere."""
        text = self._indexed_text_with(value)
        is_trusted = text is not None and text.origin in TRUSTED
        if self._without_spellings and not is_trusted:
            self._index_spellings()
            text = self._indexed_text_with(value)
        return text

    def _indexed_text_with(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that has a value, by its keys or by its words in a row, as far as texts are
        indexed."""
        best: KnownText | None = None
        for key in value.keys:
            text = self._by_key.get(key)
            if text is not None and (best is None or text.origin < best.origin):
                best = text
        if not value.phrase:
            return best
        for origin, texts in self._texts.items():
            if best is not None and best.origin <= origin:
                break
            for text in texts:
                if text.has_phrase(value.phrase):
                    return text
        return best

    def kept_finding(self, value: ArgumentValue) -> Finding | None:
        """Return the finding that a value has kept since a changing call was given it; None if there is none."""
        for key in (*value.keys, value.phrase):
            if key in self._kept_findings:
                return self._kept_findings[key]
        return None

    def is_only_in_prose(self, key: str) -> bool:
        """Say whether running text has a key, and no trusted text has it."""
        text = self._by_key.get(key)
        return text is not None and text.origin is Origin.PROSE


@dataclass(slots=True)
class _Lookup:
    """Looks up the values of one argument, and collects their findings."""

    provenance: Provenance
    records: ValueKeys
    """The values that count as records here, whatever the texts say."""
    findings: dict[str, Finding] = field(default_factory=dict)
    """By the first key of a value, or its phrase, where the value comes from."""

    def add(self, value: ArgumentValue) -> None:
        """Find out where a value comes from and, if the whole value is nowhere, where its parts come from."""
        key = value.keys[0] if value.keys else value.phrase
        if key in self.findings:
            return
        if self._is_record(value):
            self.findings[key] = Finding(value.text, Origin.RECORD, key)
            return

        text = self.provenance.text_with(value)
        if text is not None and text.origin in (Origin.ASKED, Origin.RULES):
            self.findings[key] = Finding(value.text, text.origin, key)
            return

        # A value that a changing call was given keeps its origin: a record that has it now may be that call's result.
        kept = self.provenance.kept_finding(value)
        if kept is not None and kept.origin is Origin.PROSE:
            self.findings[key] = kept
            return
        if kept is None and text is not None:
            self.findings[key] = self._finding_in(text, value, key)
            return

        # The value is nowhere, or was nowhere when a changing call was given it.
        if key:  # A long text has no key of its own, only parts.
            self.findings[key] = self._finding_of_unknown(value, key)
        for part in value.parts:
            self.add(part)

    def add_unexamined(self, value: ArgumentValue, examined_count: int) -> None:
        """Count the values from this one on as prose, unseen: the argument has more than are looked up."""
        place = f"what is beyond the first {examined_count} values"
        self.findings[""] = Finding(value.text, Origin.PROSE, key="", place=place)

    def _is_record(self, value: ArgumentValue) -> bool:
        """Say whether a value is one of those that count as records here."""
        if value.phrase and value.phrase in self.records.phrases:
            return True
        return any(key in self.records.keys for key in value.keys)

    def _finding_in(self, text: KnownText, value: ArgumentValue, key: str) -> Finding:
        """Return the finding of a value that a text has; in running text, with its sentence."""
        if text.origin is not Origin.PROSE:
            return Finding(value.text, text.origin, key)
        if len(self.findings) >= MAX_LOCATED_VALUES:
            return self._prose_finding(value, key, text.place)
        location = locate(text, value)
        return self._prose_finding(value, key, location.place, location.sentence)

    def _finding_of_unknown(self, value: ArgumentValue, key: str) -> Finding:
        """Return the finding of a value that no text has as a whole.

        It counts as prose if texts were left out, since one of them may have it, or if it may have been joined from two
        halves that are only in running text. Else the script has made it.
        """
        if self.provenance.is_incomplete:
            return self._prose_finding(value, key, "what was read beyond the texts that are kept")
        for value_key in value.keys:
            for first, second in halves_of(value_key):
                if self.provenance.is_only_in_prose(first):
                    if self.provenance.is_only_in_prose(second):
                        place = f"what was read, in two parts, {first!r} and {second!r}"
                        return self._prose_finding(value, key, place)
        return Finding(
            value.text,
            Origin.MADE,
            key,
            is_whole=value.is_whole,
            is_address=value.is_address,
            is_composed=bool(value.parts),
        )

    def _prose_finding(
        self, value: ArgumentValue, key: str, place: str, sentence: str = ""
    ) -> Finding:
        return Finding(
            value.text,
            Origin.PROSE,
            key,
            is_whole=value.is_whole,
            is_address=value.is_address,
            place=place,
            sentence=sentence,
        )


# --- The place and the sentence that people are shown ---

MAX_LOCATED_VALUES: Final = 10
"""Values of one argument of which the sentence is looked for: an objection names no more."""
MAX_SENTENCE_CHARS: Final = 300
"""Characters around a value that an objection shows."""
MAX_PASSAGES: Final = 50
"""Occurrences of a value's letters in a text that are read to find the value itself: `a1` is also
in `a10` and `data1`."""
MAX_SEARCHED_CHARS: Final = 50_000
"""Characters of a text that are read to find a value in another spelling: reading them takes about
0.1 s."""
_SENTENCE_ENDS: Final = (". ", "! ", "? ", "; ")


def locate(known: KnownText, value: ArgumentValue) -> Location:
    """Return where a value is in a text that has it.

    This is for people only and may give up, as in a text of 60,000 fields whose last one is the value. Then the
    location is the place of the whole text, without a sentence.
    """
    written = value.text.casefold()
    if written and written in known.text.casefold():
        return _locate_written(known, value, written)
    if len(known.text) > MAX_SEARCHED_CHARS:
        return Location(known.place)
    for number, line in enumerate(known.text.split("\n"), start=1):
        if has_value(line, value):
            return Location(_place_of_line(known, number), _sentence_around(line, value))
    return Location(known.place)


def _locate_written(known: KnownText, value: ArgumentValue, written: str) -> Location:
    """Return where a value is that a text has in the same spelling, and perhaps inside of longer words, too."""
    passage_count = 0
    for number, line in enumerate(known.text.split("\n"), start=1):
        folded_line = line.casefold()
        at = folded_line.find(written)
        while at >= 0 and passage_count < MAX_PASSAGES:
            passage_count += 1
            start = max(at - MAX_SENTENCE_CHARS, 0)
            passage = line[start : at + len(written) + MAX_SENTENCE_CHARS]
            if has_value(passage, value):
                return Location(_place_of_line(known, number), _sentence_around(passage, value))
            at = folded_line.find(written, at + len(written))
    return Location(known.place)


def _place_of_line(known: KnownText, number: int) -> str:
    """Return the place of a line; the lines of a text that is not a file's are not counted."""
    if known.path:
        return f"{known.place}, line {number}"
    return known.place


def has_value(text: str, value: ArgumentValue) -> bool:
    """Say whether a text has a value, in any spelling."""
    if value.phrase and value.phrase in phrase_of(text):
        return True
    keys = word_keys(text) | spelling_keys(text, is_prose=True, is_field=False)
    return any(key in keys for key in value.keys)


def _sentence_around(line: str, value: ArgumentValue) -> str:
    """Return the sentence of a line that has a value; the whole line if no sentence has it by itself."""
    start = 0
    for at in range(len(line)):
        if line[at : at + 2] in _SENTENCE_ENDS:
            sentence = line[start : at + 1]
            if has_value(sentence, value):
                return _shortened_around(sentence, value)
            start = at + 2
    last_sentence = line[start:]
    if has_value(last_sentence, value):
        return _shortened_around(last_sentence, value)
    return _shortened_around(line, value)


def _shortened_around(sentence: str, value: ArgumentValue) -> str:
    """Return a sentence, or the part of a long one around a value, as `…pay 30 to Bob before…`."""
    sentence = sentence.strip()
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    at = max(sentence.casefold().find(value.text.casefold()), 0)
    start = max(at - MAX_SENTENCE_CHARS // 2, 0)
    shown = sentence[start : start + MAX_SENTENCE_CHARS]
    before = "…" if start else ""
    behind = "…" if start + len(shown) < len(sentence) else ""
    return f"{before}{shown}{behind}"
