"""Finds where the arguments of a changing call come from: the request, the rules, data,
or prose.

A trial keeps every text that it receives, with the place that it came from. The texts
are indexed by the keys of their values (`value_keys.py`): `Emma@Site.com` has the key
`emma@site.com`. A value of an argument has the origin of the most trusted text that
contains it. If no text contains the whole value, its parts are looked up. A result may
repeat an argument of its own call. Such a repetition is not indexed, or any tool could
make a value trusted by repeating it.
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
    """Where a value comes from, in order from most to least trusted.

    An argument has the origin of its least trusted value. `PROSE` comes last, even
    after `MADE`: the author of a running text may want to give the model orders.
    """

    ASKED = auto()
    """The request, its hints, or earlier questions of the user."""
    RULES = auto()
    """The workspace's rules document, or a folder that the environment declares as its
    owner's."""
    RECORD = auto()
    """A field of data, a listing, a declared operation, or a result that is declared
    trusted."""
    MADE = auto()
    """Nowhere in the received texts: the script made the value itself."""
    PROSE = auto()
    """Running text, such as the body of a mail."""


TRUSTED: Final = (Origin.ASKED, Origin.RULES, Origin.RECORD)
PROSE_PREFIX: Final = "prose: "
"""How the journal begins the origin of an argument whose value is only in running text.
The lines of `describe_prose` follow: `prose: '30' is only in the text of /m.md, …`."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The origin of one value of an argument."""

    value: str
    """The value as the call's argument spells it."""
    origin: Origin
    key: str
    """The same for all spellings of the value: `emma@site.com` for `Emma@Site.com`. For
    a value of several words, these words in folded form: ` ann miller `."""
    is_whole: bool = False
    """True for an argument, or an item of one. False for a part of a longer text."""
    is_address: bool = False
    """True if the value says whom, or what, a call reaches, such as an account or a
    URL."""
    is_composed: bool = False
    """True if no text contains the whole value. Its parts then have their own
    findings."""
    place: str = ""
    """The place of the value in running text, such as `/m.md, line 3`. Empty for other
    origins."""
    sentence: str = ""
    """The sentence around the value at that place. Empty if it was not searched for."""


@dataclass(frozen=True, slots=True)
class ArgumentOrigin:
    """The origin of an argument: that of its least trusted value."""

    origin: Origin
    findings: tuple[Finding, ...]
    """One finding for each different value."""

    def findings_of(self, *origins: Origin) -> list[Finding]:
        """Return the findings that have one of these origins."""
        return [finding for finding in self.findings if finding.origin in origins]

    def describe(self) -> str:
        """Return the origin's name. For running text, add the values and where they
        are.

        Examples: `asked`, `prose: '30' is only in the text of /m.md, not in the
        request: “Pay 30.”`
        """
        if self.origin is not Origin.PROSE:
            return self.origin.name.lower()
        # The journal has the argument's name elsewhere, so the lines are made without a
        # name.
        lines = describe_prose({"": self.findings_of(Origin.PROSE)})
        return PROSE_PREFIX + " ".join(lines)


def describe_prose(findings_by_argument: Mapping[str, Iterable[Finding]]) -> list[str]:
    """Return a line for each sentence of running text that contains values of a call's
    arguments.

    A line names the arguments, their values and the place, and quotes the sentence:
    `amount: '30'; to: 'Bob' are only in the text of /m.md, not in the request: “Pay Bob
    30.”` If the name of an argument is empty, the line has only its values.
    """
    # 1. Collect the values that each sentence contains.
    values_by_location: dict[Location, dict[str, list[str]]] = {}
    """Example: `{Location("/m.md", "Pay Bob 30."): {"amount": ["'30'"], "to":
    ["'Bob'"]}}`."""
    for argument, findings in findings_by_argument.items():
        for finding in findings:
            if not finding.place:
                continue  # The value is not in running text.
            location = Location(finding.place, finding.sentence)
            values_by_argument = values_by_location.setdefault(location, {})
            shown_values = values_by_argument.setdefault(argument, [])
            if repr(finding.value) not in shown_values:
                shown_values.append(repr(finding.value))

    # 2. Write a line about each sentence.
    lines: list[str] = []
    for location, values_by_argument in values_by_location.items():
        lines.append(_line_about(location, values_by_argument))
    return lines


def _line_about(location: Location, values_by_argument: Mapping[str, list[str]]) -> str:
    """Return the line about one sentence of running text and the values in it
    (`repr`)."""
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
    """Where a value is in running text, as messages show it."""

    place: str
    """The file and line, or the call: `/m.md, line 3`, `call 3 of search`."""
    sentence: str = ""
    """The sentence around the value. Empty if the search for it would take too long."""


@dataclass(frozen=True, slots=True)
class ValueKeys:
    """By what to find some values in a text, however the text spells them.

    The values `Emma@Site.com` and `Ann Miller` have the key `emma@site.com` and the
    phrase ` ann miller `.
    """

    keys: frozenset[str] = frozenset()
    """One or more for each value that is a single word, a number, a date, an account
    and so on."""
    phrases: tuple[str, ...] = ()
    """One for each value of several words: these words in folded form."""


def keys_of_arguments(arguments: Iterable[Plain]) -> ValueKeys:
    """Return the keys and phrases of all values in some arguments, and of the parts of
    values."""
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
"""Replaces a phrase that a text may only repeat from its own call. Phrases consist of
words, so no phrase that is looked up contains this character."""


@dataclass(slots=True)
class KnownText:
    """Texts that a trial received from one place, and that have the same origin."""

    place: str
    """Where the texts come from, as messages show it: `/m.md`, `call 3 of search`."""
    origin: Origin
    parts: list[str] = field(default_factory=list)
    """The texts, unchanged."""
    path: str = ""
    """The file that contains the texts. Empty for texts that are not from a file."""
    is_field: bool = False
    """True for fields of data. In a field, a small number counts only if it is the
    whole field."""
    repeatable: ValueKeys = ValueKeys()
    """The arguments of the call that returned the texts. The texts may only repeat
    them, so they are not a source of these values."""
    _words: str | None = field(default=None, compare=False)
    """The folded words of the parts, in which phrases are searched. None before the
    first search, because most values are found by keys."""

    @property
    def text(self) -> str:
        """All parts, one in each line."""
        return "\n".join(self.parts)

    def has_phrase(self, phrase: str) -> bool:
        """Return True if the text has a phrase, other than as a repeated argument of
        its call."""
        if self._words is None:
            words = "\n".join(phrase_of(part) for part in self.parts)
            for repeatable_phrase in self.repeatable.phrases:
                words = words.replace(repeatable_phrase, f" {_REPEATED} ")
            self._words = words
        return phrase in self._words


class Provenance:
    """The texts that one trial has received, with an index of their values.

    Created when a trial starts, and used by one thread at a time. `add` is told of
    every text, and `origins` looks up the arguments of a call.

    Most trials look up few origins, or none. So a text is indexed as late as possible,
    in two stages:
    1. at the first look-up, by its words;
    2. if words do not find a value, by the meaning of its numbers and dates.
    """

    def __init__(self) -> None:
        self._texts: dict[Origin, list[KnownText]] = {origin: [] for origin in Origin}
        """The indexed texts by origin, the most trusted origin first."""
        self._by_key: dict[str, KnownText] = {}
        """By key, the most trusted text that has it. Of equally trusted texts, the
        first one."""
        self._not_indexed: list[KnownText] = []
        """Texts that wait for both stages of the index."""
        self._without_spellings: list[KnownText] = []
        """Texts that wait for the second stage: their numbers and dates are not indexed
        by meaning."""
        self._kept_findings: dict[str, Finding] = {}
        """By key or phrase, the untrusted values of earlier changing calls. They stay
        untrusted (see `keep_untrusted`)."""
        self._bytes = 0
        """The size of all received texts in UTF-8."""
        self.is_incomplete = False
        """True if some texts were dropped because there were too many. A value that is
        not found may be in one of these."""

    # --- Adding texts ---

    def add(
        self,
        place: str,
        texts: Iterable[ResultText],
        origin: Origin | None = None,
        *,
        repeatable: ValueKeys | None = None,
    ) -> None:
        """Add texts that a trial received from a place.

        All of them get the given `origin`. Without it, a field of data is a record, and
        any other text is prose. `repeatable` are the arguments of the call that
        returned the texts. The texts may only repeat them, so they are not a source of
        these values.
        """
        # 1. Join the texts that have the same origin, file and form.
        known_texts: dict[tuple[Origin, str, bool], KnownText] = {}
        for text in texts:
            if origin is not None:
                text_origin = origin
            elif text.is_data:
                text_origin = Origin.RECORD
            else:
                text_origin = Origin.PROSE
            # Data that is not a record, such as a table in the rules, is indexed like
            # running text.
            is_field = text.is_data and text_origin is Origin.RECORD

            group = (text_origin, text.path, is_field)
            if group not in known_texts:
                known_texts[group] = KnownText(
                    text.path or place,
                    text_origin,
                    path=text.path,
                    is_field=is_field,
                    repeatable=repeatable or ValueKeys(),
                )
            known_texts[group].parts.append(text.text)

        # 2. Keep them for the index, while there is memory.
        for known_text in known_texts.values():
            for part in known_text.parts:
                self._bytes += len(part.encode("utf-8", "surrogatepass"))
            if self._bytes > bounds.MOST_TRACED_BYTES:
                self.is_incomplete = True
                return
            self._not_indexed.append(known_text)

    def add_record_found_by(self, values: Iterable[Plain], place: str) -> None:
        """Treat the values by which a call found a record as values of that record.

        Example: a mail names an account. Once `get_account(iban=...)` has found it, the
        account is in a record, and no longer untrusted.
        """
        found_by = keys_of_arguments(values)

        # 1. Add a record with these values. Phrases are looked up in texts, so the record has them
        # as its text.
        record = KnownText(place, Origin.RECORD, list(found_by.phrases))
        self._texts[Origin.RECORD].append(record)

        # 2. Index it, and forget that an earlier call had one of the values from an untrusted text.
        for key in (*found_by.keys, *found_by.phrases):
            self._add_key(key, record)
            self._kept_findings.pop(key, None)

    def keep_untrusted(self, origins: Iterable[ArgumentOrigin]) -> None:
        """Keep the origins of the untrusted values in a changing call's arguments, from
        now on.

        The tool may store an argument and return it later in a field of data. Without
        this, the value would then count as a record.
        """
        for argument in origins:
            for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
                if len(self._kept_findings) < bounds.MOST_TRACED_KEYS:
                    self._kept_findings.setdefault(finding.key, finding)

    # --- The index ---

    def _index_words(self) -> None:
        """Index new texts by their words, while there is room in the index."""
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
        """Index numbers, dates and telephones by meaning: `15 May 2026` as
        `2026-05-15`."""
        for text in self._without_spellings:
            is_prose = text.origin is Origin.PROSE
            keys = spelling_keys(text.text, is_prose=is_prose, is_field=text.is_field)
            self._add_keys(keys, text)
        self._without_spellings.clear()

    def _add_keys(self, keys: set[str], text: KnownText) -> None:
        """Index a text by keys, without the keys of arguments that it may only
        repeat."""
        for key in keys - text.repeatable.keys:
            self._add_key(key, text)

    def _add_key(self, key: str, text: KnownText) -> None:
        """Index a text by a key, unless an earlier text with this key is as trusted, or
        more."""
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
        """Return the origin of each argument of a call, or only of the arguments in
        `names`.

        An argument is left out if no value in it identifies anything, such as the word
        `restart`. In this call, two more kinds of values count as records:
        - what the trial has read in `changed_path`, the file that the call changes,
        - `declared_values`: by argument, the values that its schema lists, such as an
          enum.
        """
        self._index_words()
        keys_of_file = self._keys_of_file(changed_path)
        origins: dict[str, ArgumentOrigin] = {}
        for name in names or arguments:
            declared = (declared_values or {}).get(name, ValueKeys())
            records = ValueKeys(keys_of_file | declared.keys, declared.phrases)
            lookup = _Lookup(self, records)
            lookup.add_all(argument_values(arguments.get(name)))
            findings = tuple(lookup.findings.values())
            if findings:
                # `Origin` is ordered from most to least trusted.
                least_trusted = max(finding.origin for finding in findings)
                origins[name] = ArgumentOrigin(least_trusted, findings)
        return origins

    def _keys_of_file(self, path: str) -> frozenset[str]:
        """Return the keys of all text that the trial has read in a file; none for an
        empty path."""
        if not path:
            return frozenset()
        keys = set[str]()
        for texts in self._texts.values():
            for text in texts:
                if text.path == path:
                    keys |= word_keys(text.text)
                    keys |= spelling_keys(text.text, is_prose=False, is_field=False)
        return frozenset(keys)

    def text_with(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted text that contains a value; None if there is none."""
        text = self._indexed_text_with(value)
        is_trusted = text is not None and text.origin in TRUSTED
        if self._without_spellings and not is_trusted:
            # A trusted text may have the value in another spelling: do the second stage
            # of the index, and look again.
            self._index_spellings()
            text = self._indexed_text_with(value)
        return text

    def _indexed_text_with(self, value: ArgumentValue) -> KnownText | None:
        """Return the most trusted indexed text that contains a value, by its keys or
        its phrase."""
        # 1. By its keys.
        best: KnownText | None = None
        for key in value.keys:
            text = self._by_key.get(key)
            if text is not None and (best is None or text.origin < best.origin):
                best = text
        if not value.phrase:
            return best

        # 2. By its phrase, from the most trusted texts on, as long as they are more trusted than
        # `best`.
        for origin, texts in self._texts.items():
            is_more_trusted = best is None or origin < best.origin
            if not is_more_trusted:
                break
            for text in texts:
                if text.has_phrase(value.phrase):
                    return text
        return best

    def kept_finding(self, value: ArgumentValue) -> Finding | None:
        """Return the finding that `keep_untrusted` kept for a value; None if there is
        none."""
        for key in (*value.keys, value.phrase):
            if key in self._kept_findings:
                return self._kept_findings[key]
        return None

    def is_only_in_prose(self, key: str) -> bool:
        """Return True if running text contains a key, and no more trusted text does."""
        text = self._by_key.get(key)
        return text is not None and text.origin is Origin.PROSE


@dataclass(slots=True)
class _Lookup:
    """Looks up the values of one argument, and collects their findings. Lives for one
    look-up."""

    provenance: Provenance
    records: ValueKeys
    """The values that count as records in this call, wherever else they are found."""
    findings: dict[str, Finding] = field(default_factory=dict)
    """The findings so far, by the first key of each value, or by its phrase."""

    def add_all(self, values: Iterable[ArgumentValue]) -> None:
        """Add the findings of the argument's values. If there are too many, the others
        are not looked up, and count as prose, the least trusted origin."""
        for number, value in enumerate(values):
            if number >= bounds.MOST_TRACED_VALUES:
                place = f"what is beyond the first {number} values"
                self.findings[""] = Finding(
                    value.text, Origin.PROSE, key="", place=place
                )
                return
            self.add(value)

    def add(self, value: ArgumentValue) -> None:
        """Add the finding of a value. If no text is its source, also add those of its
        parts."""
        key = value.keys[0] if value.keys else value.phrase
        if key in self.findings:
            return
        finding = self._finding_from_texts(value, key)
        if finding is not None:
            self.findings[key] = finding
            return
        if key:  # A long text has no key: only its parts are looked up.
            self.findings[key] = self._finding_of_unknown(value, key)
        for part in value.parts:
            self.add(part)

    def _finding_from_texts(self, value: ArgumentValue, key: str) -> Finding | None:
        """Return the finding of a value that a text is the source of; None if there is
        no such text.

        The first of these rules that applies decides:
        1. A value that counts as a record in this call has the origin `RECORD`.
        2. A value in the request or in the rules has their origin.
        3. A value of an earlier changing call keeps the origin that it had then. A text
           that contains it now may be the result of that call.
        4. Any other value has the origin of the most trusted text that contains it.
        """
        if self._is_record(value):
            return Finding(value.text, Origin.RECORD, key)

        text = self.provenance.text_with(value)
        if text is not None and text.origin in (Origin.ASKED, Origin.RULES):
            return Finding(value.text, text.origin, key)

        kept = self.provenance.kept_finding(value)
        if kept is not None:
            # The origin `MADE` means that no text is the source.
            return None if kept.origin is Origin.MADE else kept

        if text is None:
            return None
        return self._finding_in(text, value, key)

    def _is_record(self, value: ArgumentValue) -> bool:
        """Return True if a value is one of `records`."""
        if value.phrase and value.phrase in self.records.phrases:
            return True
        return any(key in self.records.keys for key in value.keys)

    def _finding_in(self, text: KnownText, value: ArgumentValue, key: str) -> Finding:
        """Return the finding of a value that `text` contains, with the sentence if it
        is prose."""
        if text.origin is not Origin.PROSE:
            return Finding(value.text, text.origin, key)
        # The search for the sentence is slow, so only the first values get theirs.
        if len(self.findings) >= MAX_LOCATED_VALUES:
            return self._prose_finding(value, key, text.place)
        location = locate(text, value)
        return self._prose_finding(value, key, location.place, location.sentence)

    def _finding_of_unknown(self, value: ArgumentValue, key: str) -> Finding:
        """Return the finding of a value that no text is the source of."""
        # 1. Texts were dropped, and one of them may have contained the value.
        if self.provenance.is_incomplete:
            return self._prose_finding(
                value, key, "what was read beyond the texts that are kept"
            )

        # 2. Two halves of the value are in running text, and the script may have joined them.
        halves = self._halves_in_prose(value)
        if halves is not None:
            first, second = halves
            place = f"what was read, in two parts, {first!r} and {second!r}"
            return self._prose_finding(value, key, place)

        # 3. The script made it.
        return Finding(
            value.text,
            Origin.MADE,
            key,
            is_whole=value.is_whole,
            is_address=value.is_address,
            is_composed=bool(value.parts),
        )

    def _halves_in_prose(self, value: ArgumentValue) -> tuple[str, str] | None:
        """Return two halves of a value that are only in running text; None if there are
        none.

        Example: `US13` and `30000001`, for the account `US1330000001`.
        """
        is_only_in_prose = self.provenance.is_only_in_prose
        for value_key in value.keys:
            for first, second in halves_of(value_key):
                if is_only_in_prose(first) and is_only_in_prose(second):
                    return first, second
        return None

    def _prose_finding(
        self, value: ArgumentValue, key: str, place: str, sentence: str = ""
    ) -> Finding:
        """Return the finding of a value that is only in running text."""
        return Finding(
            value.text,
            Origin.PROSE,
            key,
            is_whole=value.is_whole,
            is_address=value.is_address,
            place=place,
            sentence=sentence,
        )


# --- The place and the sentence that a message shows ---

MAX_LOCATED_VALUES: Final = 10
"""How many values of one argument are shown with their sentences."""
MAX_SENTENCE_CHARS: Final = 300
"""How many characters of a sentence a message shows."""
MAX_PASSAGES: Final = 50
"""How many passages of a text that have the letters of a value are examined. Most of
them may not have the value: the letters `a1` are also in `a10` and `data1`."""
MAX_SEARCHED_CHARS: Final = 50_000
"""The longest text, in characters, that is searched for other spellings of a value.
This takes about 0.1 s."""
_SENTENCE_ENDS: Final = (". ", "! ", "? ", "; ")


def locate(known: KnownText, value: ArgumentValue) -> Location:
    """Return where a value is in a text that contains it.

    The location is only shown in messages, so a long search is given up, for example in
    a text of 60,000 fields. The location is then the place of the whole text, without a
    sentence.
    """
    # 1. Search for the value as the argument spells it. This is fast.
    folded_value = value.text.casefold()
    if folded_value and folded_value in known.text.casefold():
        return _locate_spelling(known, value, folded_value)

    # 2. Search for other spellings, such as `15 May 2026` for `2026-05-15`. This is slow.
    if len(known.text) > MAX_SEARCHED_CHARS:
        return Location(known.place)
    for number, line in enumerate(known.text.split("\n"), start=1):
        if has_value(line, value):
            return Location(
                _place_of_line(known, number), _sentence_around(line, value)
            )
    return Location(known.place)


def _locate_spelling(
    known: KnownText, value: ArgumentValue, folded_value: str
) -> Location:
    """Return where a value is in a text that spells it like the argument, in any case.

    The same letters may also be inside of longer words, so each passage is checked with
    `has_value`. After `MAX_PASSAGES` of them, the search is given up.
    """
    passage_count = 0
    for number, line in enumerate(known.text.split("\n"), start=1):
        folded_line = line.casefold()
        position = folded_line.find(folded_value)
        while position >= 0 and passage_count < MAX_PASSAGES:
            passage_count += 1
            # Folding makes some letters longer (`ß` becomes `ss`), so positions in the
            # two lines differ a little. The passage is wide enough for that.
            start = max(position - MAX_SENTENCE_CHARS, 0)
            passage = line[start : position + len(folded_value) + MAX_SENTENCE_CHARS]
            if has_value(passage, value):
                return Location(
                    _place_of_line(known, number), _sentence_around(passage, value)
                )
            position = folded_line.find(folded_value, position + len(folded_value))
    return Location(known.place)


def _place_of_line(known: KnownText, number: int) -> str:
    """Return the place of a line: `/m.md, line 3`. Only texts of files have line
    numbers."""
    if known.path:
        return f"{known.place}, line {number}"
    return known.place


def has_value(text: str, value: ArgumentValue) -> bool:
    """Return True if a text contains a value, in any spelling."""
    if value.phrase and value.phrase in phrase_of(text):
        return True
    keys = word_keys(text) | spelling_keys(text, is_prose=True, is_field=False)
    return any(key in keys for key in value.keys)


def _sentence_around(line: str, value: ArgumentValue) -> str:
    """Return the sentence of a line that contains a value; the whole line if no
    sentence does."""
    start = 0
    for position in range(len(line)):
        if line[position : position + 2] in _SENTENCE_ENDS:
            sentence = line[start : position + 1]
            if has_value(sentence, value):
                return _shortened_around(sentence, value)
            start = position + 2
    last_sentence = line[start:]
    if has_value(last_sentence, value):
        return _shortened_around(last_sentence, value)
    return _shortened_around(line, value)


def _shortened_around(sentence: str, value: ArgumentValue) -> str:
    """Return a sentence, or the part of a long one around a value: `…pay 30 to Bob
    before…`."""
    sentence = sentence.strip()
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    position = sentence.casefold().find(value.text.casefold())
    # The value is in the middle. If it is spelled otherwise, and not found, show the
    # beginning.
    start = max(position - MAX_SENTENCE_CHARS // 2, 0)
    end = start + MAX_SENTENCE_CHARS
    shown = sentence[start:end]
    if start > 0:
        shown = f"…{shown}"
    if end < len(sentence):
        shown = f"{shown}…"
    return shown
