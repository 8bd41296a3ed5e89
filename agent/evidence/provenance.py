"""Where the arguments of a changing call come from: the request, the rules, data, running text, or nowhere.

Every text that came in is kept with its place, and indexed by the keys of its values. A value of an argument counts for
the most trusted place that has it; if it is nowhere, its parts are looked up. What a call repeats of its own arguments
gets no better by that. Nothing here reads a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, auto
from typing import Final

from controlplane.agent.evidence.result_texts import ResultText
from controlplane.agent.evidence.value_keys import (
    ArgumentValue,
    argument_values,
    halves_of,
    is_small_number,
    phrase_of,
    spelling_keys,
    word_keys,
)
from controlplane.sandbox.interface import Plain, bounds


class Origin(IntEnum):
    """The places that can hold a value, the most trusted first."""

    ASKED = auto()
    """The request, its hints, and earlier questions of the user."""
    RULES = auto()
    """The workspace's rules document, and folders that the environment declares as its owner's."""
    RECORD = auto()
    """A field of data, a listing, a declared operation, or a result that is declared trusted."""
    MADE = auto()
    """Nowhere: the script's own."""
    PROSE = auto()
    """Running text."""


TRUSTED: Final = (Origin.ASKED, Origin.RULES, Origin.RECORD)
PROSE: Final = "prose: "
"""Begins the journalled origin of an argument with a value that is in running text alone."""
_BLANK: Final = "\x1e"
"""Stands in a canonical text for what repeats an argument of the text's own call."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The origin of one value of an argument."""

    value: str
    origin: Origin
    key: str
    """What it was found by; its spelling in lower case if it is nowhere."""
    is_whole: bool = False
    """True if the value is an argument, or an item of one; false if it is a part of a longer text."""
    is_address: bool = False
    """True if it says whom, or what, a call reaches."""
    is_composed: bool = False
    """True if it is nowhere, and has parts that are looked up by themselves."""
    place: str = ""
    """Where the value is, if that is running text."""
    sentence: str = ""
    """The sentence around it there."""


@dataclass(frozen=True, slots=True)
class ArgumentOrigin:
    """The origin of an argument: that of its least trusted value."""

    origin: Origin
    findings: tuple[Finding, ...]
    """Its values, each once."""

    def findings_of(self, *origins: Origin) -> list[Finding]:
        """Return the values that have one of some origins."""
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
    values_by_sentence: dict[tuple[str, str], dict[str, list[str]]] = {}
    for argument, findings in findings_by_argument.items():
        for finding in findings:
            if not finding.place:
                continue
            sentence_values = values_by_sentence.setdefault((finding.place, finding.sentence), {})
            argument_values = sentence_values.setdefault(argument, [])
            if repr(finding.value) not in argument_values:
                argument_values.append(repr(finding.value))

    lines: list[str] = []
    for (place, sentence), sentence_values in values_by_sentence.items():
        parts: list[str] = []
        count = 0
        for argument, argument_values in sentence_values.items():
            shown_values = ", ".join(argument_values)
            parts.append(f"{argument}: {shown_values}" if argument else shown_values)
            count += len(argument_values)
        verb = "is" if count == 1 else "are"
        line = f"{'; '.join(parts)} {verb} only in the text of {place}, not in the request"
        if sentence:
            line = f"{line}: “{sentence}”"
        lines.append(line if sentence.endswith((".", "!", "?")) else f"{line}.")
    return lines


class _KnownText:
    """The texts of one origin that came in at one place, indexed by their keys."""

    def __init__(
        self,
        place: str,
        origin: Origin,
        parts: Sequence[str],
        *,
        path: str = "",
        is_field: bool = False,
        own: OwnArguments | None = None,
    ) -> None:
        self.place = place
        self.origin = origin
        self.path = path
        """The file whose text it is; empty for other texts."""
        self.is_field = is_field
        """True for fields of data, where a small number counts as a whole field only."""
        self.own = own or OwnArguments()
        """The arguments of its call, which it may repeat."""
        self._parts = parts
        self._phrases: str | None = None

    @property
    def text(self) -> str:
        """The text as it came in, its parts one after the other."""
        return "\n".join(self._parts)

    def has_phrase(self, phrase: str) -> bool:
        """Say whether the text has the words of a phrase in a row, and does not only repeat them.

        The words are read at the first question: most values are found by their keys.
        """
        if self._phrases is None:
            lines = [phrase_of(part) for part in self._parts]
            phrases = "\n".join(lines)
            for own_phrase in self.own.phrases:
                phrases = phrases.replace(own_phrase, f" {_BLANK} ")
            self._phrases = phrases
        return phrase in self._phrases


@dataclass(slots=True)
class _NewText:
    """What came in and is not indexed yet."""

    place: str
    origin: Origin
    path: str
    is_field: bool
    parts: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class OwnArguments:
    """What a call was given: keys and phrases of its arguments, which its own result may repeat."""

    keys: frozenset[str] = frozenset()
    phrases: tuple[str, ...] = ()


def own_arguments(arguments: Iterable[Plain]) -> OwnArguments:
    """Return the keys and phrases of arguments, in every form in which a result may repeat them."""
    keys = set[str]()
    phrases: dict[str, None] = {}
    for argument in arguments:
        for value in argument_values(argument):
            _add_own(value, keys, phrases)
    return OwnArguments(frozenset(keys), tuple(phrases))


def _add_own(value: ArgumentValue, keys: set[str], phrases: dict[str, None]) -> None:
    keys.update(value.keys)
    if value.phrase:
        phrases[value.phrase] = None
    for part in value.parts:
        _add_own(part, keys, phrases)


class Provenance:
    """The texts of one trial by their trust. Used by one thread at a time."""

    def __init__(self) -> None:
        self._texts: dict[Origin, list[_KnownText]] = {origin: [] for origin in Origin}
        self._by_key: dict[str, _KnownText] = {}
        """The most trusted text with a key, and of these the first."""
        self._fixed: dict[str, Finding] = {}
        """By key or phrase, values that were given to a changing call when they were in no trusted place: they keep
        their origin, wherever they come back."""
        self._waiting: list[tuple[_NewText, OwnArguments]] = []
        """Texts that came in since an origin was looked up: most trials look up few."""
        self._unread: list[_KnownText] = []
        """Texts whose other spellings of numbers and dates have not been read: most values are found without."""
        self._bytes = 0
        """Bytes in UTF-8 of the texts that came in."""
        self.is_incomplete = False
        """True if the trial has read more texts than are kept: a value that is nowhere may be in the others."""

    def add(
        self,
        place: str,
        texts: Iterable[ResultText],
        origin: Origin | None = None,
        *,
        own: OwnArguments | None = None,
    ) -> None:
        """Keep the texts that came in at a place. Without an origin for all, data is a record, and the rest prose.

        What repeats a call's `own` arguments is left out.
        """
        by_kind: dict[tuple[Origin, str, bool], _NewText] = {}
        for text in texts:
            own_origin = Origin.RECORD if text.is_data else Origin.PROSE
            kind = (
                origin or own_origin,
                text.path,
                text.is_data and origin in (None, Origin.RECORD),
            )
            if kind not in by_kind:
                by_kind[kind] = _NewText(text.path or place, kind[0], text.path, kind[2])
            by_kind[kind].parts.append(text.text)
        for new_text in by_kind.values():
            for part in new_text.parts:
                self._bytes += len(part.encode("utf-8", "surrogatepass"))
            if self._bytes > bounds.MOST_TRACED_BYTES:
                self.is_incomplete = True
                return
            self._waiting.append((new_text, own or OwnArguments()))

    def _index_waiting(self) -> None:
        for new_text, own in self._waiting:
            self._index(new_text, own)
        self._waiting.clear()

    def _index(self, new_text: _NewText, own: OwnArguments) -> None:
        """Index a text by its keys, unless there are more than are kept."""
        if len(self._by_key) > bounds.MOST_TRACED_KEYS:
            self.is_incomplete = True
            return
        known = _KnownText(
            new_text.place,
            new_text.origin,
            new_text.parts,
            path=new_text.path,
            is_field=new_text.is_field,
            own=own,
        )
        self._texts[known.origin].append(known)
        self._unread.append(known)
        keys = word_keys(known.text)
        if new_text.is_field:
            short_fields = (part.strip() for part in new_text.parts)
            keys.update(field for field in short_fields if is_small_number(field))
        self._add_keys(known, keys)

    def _add_keys(self, known: _KnownText, keys: set[str]) -> None:
        for key in keys - known.own.keys:
            earlier = self._by_key.get(key)
            if earlier is None or known.origin < earlier.origin:
                self._by_key[key] = known

    def _read_spellings(self) -> None:
        """Index the numbers, dates and telephones of all texts by what they mean."""
        for known in self._unread:
            is_prose = known.origin is Origin.PROSE
            keys = spelling_keys(known.text, is_prose=is_prose, is_field=known.is_field)
            self._add_keys(known, keys)
        self._unread.clear()

    def origins(
        self,
        arguments: Mapping[str, Plain],
        *,
        telling: Sequence[str] = (),
        own_path: str = "",
        declared: Mapping[str, OwnArguments] | None = None,
    ) -> dict[str, ArgumentOrigin]:
        """Return the origin of each argument of a call, of those named in `telling` if any are.

        `own_path` is a file that the call changes: what was in the file may be there again. `declared` are the values
        that the declaration of an argument names, such as an enum: records.
        """
        self._index_waiting()
        own_keys = self._keys_of_file(own_path)
        origins: dict[str, ArgumentOrigin] = {}
        for name in telling or arguments:
            known = (declared or {}).get(name, OwnArguments())
            findings: dict[str, Finding] = {}
            lookup = _Lookup(self, own_keys | known.keys, known.phrases, findings)
            for number, value in enumerate(argument_values(arguments.get(name))):
                if number >= bounds.MOST_TRACED_VALUES:
                    place = f"what is beyond the first {number} values"
                    findings[""] = Finding(value.text, Origin.PROSE, "", place=place)
                    break
                lookup.add(value)
            if findings:
                origin = max(finding.origin for finding in findings.values())
                origins[name] = ArgumentOrigin(origin, tuple(findings.values()))
        return origins

    def fix(self, origins: Iterable[ArgumentOrigin]) -> None:
        """Let the values that a changing call is given keep their origins, if they are in no trusted place: a tool may
        store what it is given, and return it later as data."""
        for argument in origins:
            for finding in argument.findings_of(Origin.MADE, Origin.PROSE):
                if len(self._fixed) < bounds.MOST_TRACED_KEYS:
                    self._fixed.setdefault(finding.key, finding)

    def verify(self, values: Iterable[Plain], place: str) -> None:
        """Take the values by which a record was looked up, and found, as values of that record."""
        own = own_arguments(values)
        text = _KnownText(place, Origin.RECORD, own.phrases)
        self._texts[Origin.RECORD].append(text)
        for key in (*own.keys, *own.phrases):
            self._fixed.pop(key, None)
            earlier = self._by_key.get(key)
            if earlier is None or earlier.origin > Origin.RECORD:
                self._by_key[key] = text

    def _keys_of_file(self, path: str) -> frozenset[str]:
        """Return the keys of a file's text as the trial has read it."""
        keys = set[str]()
        if path:
            for texts in self._texts.values():
                for text in texts:
                    if text.path == path:
                        keys |= word_keys(text.text)
                        keys |= spelling_keys(text.text, is_prose=False, is_field=False)
        return frozenset(keys)

    def place_of(self, value: ArgumentValue) -> _KnownText | None:
        """Return the most trusted text with a value; None if the value is nowhere."""
        place = self._indexed_place_of(value)
        if self._unread and (place is None or place.origin not in TRUSTED):
            self._read_spellings()
            place = self._indexed_place_of(value)
        return place

    def _indexed_place_of(self, value: ArgumentValue) -> _KnownText | None:
        best: _KnownText | None = None
        for key in value.keys:
            known = self._by_key.get(key)
            if known is not None and (best is None or known.origin < best.origin):
                best = known
        if value.phrase:
            for origin, texts in self._texts.items():
                if best is not None and best.origin <= origin:
                    break
                for text in texts:
                    if text.has_phrase(value.phrase):
                        return text
        return best

    def fixed_finding(self, value: ArgumentValue) -> Finding | None:
        """Return the origin that a value has kept since a changing call was given it."""
        for key in (*value.keys, value.phrase):
            if key in self._fixed:
                return self._fixed[key]
        return None

    def is_in_prose_alone(self, key: str) -> bool:
        """Say whether running text has a key, and no trusted place."""
        known = self._by_key.get(key)
        return known is not None and known.origin is Origin.PROSE


@dataclass(slots=True)
class _Lookup:
    """Looks the values of one argument up, and collects what it finds by key."""

    provenance: Provenance
    known_keys: frozenset[str]
    """Keys that count as records here."""
    known_phrases: tuple[str, ...]
    findings: dict[str, Finding]

    def add(self, value: ArgumentValue) -> None:
        """Look a value up as a whole and, if it is nowhere, by its parts."""
        key = value.keys[0] if value.keys else value.phrase
        if key in self.findings:
            return
        is_known = any(own in self.known_keys for own in value.keys)
        if is_known or (value.phrase and value.phrase in self.known_phrases):
            self.findings[key] = Finding(value.text, Origin.RECORD, key)
            return
        known = self.provenance.place_of(value)
        if known is not None and known.origin < Origin.RECORD:
            self.findings[key] = Finding(value.text, known.origin, key)
            return
        fixed = self.provenance.fixed_finding(value)
        if fixed is not None and fixed.origin is Origin.PROSE:
            self.findings[key] = fixed
            return
        if fixed is None and known is not None:
            self.findings[key] = self._finding(value, key, known)
            return
        if key:
            self.findings[key] = self._unknown(value, key)
        for part in value.parts:
            self.add(part)

    def _finding(self, value: ArgumentValue, key: str, known: _KnownText) -> Finding:
        if known.origin is not Origin.PROSE:
            return Finding(value.text, known.origin, key)
        if len(self.findings) >= MAX_LOCATED_VALUES:
            return self._prose_finding(value, key, known.place)
        place, sentence = locate(known, value)
        return self._prose_finding(value, key, place, sentence)

    def _prose_finding(
        self, value: ArgumentValue, key: str, place: str, sentence: str = ""
    ) -> Finding:
        return Finding(
            value.text,
            Origin.PROSE,
            key,
            value.is_whole,
            value.is_address,
            place=place,
            sentence=sentence,
        )

    def _unknown(self, value: ArgumentValue, key: str) -> Finding:
        """Return the finding of a value that is nowhere: it may have been joined from two, or be in what is not kept."""
        if self.provenance.is_incomplete:
            return self._prose_finding(value, key, "what was read beyond the texts that are kept")
        for value_key in value.keys:
            for first, second in halves_of(value_key):
                has_first = self.provenance.is_in_prose_alone(first)
                if has_first and self.provenance.is_in_prose_alone(second):
                    place = f"what was read, in two parts, {first!r} and {second!r}"
                    return self._prose_finding(value, key, place)
        is_composed = bool(value.parts)
        return Finding(value.text, Origin.MADE, key, value.is_whole, value.is_address, is_composed)


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


def locate(known: _KnownText, value: ArgumentValue) -> tuple[str, str]:
    """Return the place of a value in a text, with the number of its line, and the sentence around it.

    The sentence is for people only. It is empty if finding it takes too long, as in a text of
    60,000 fields whose last one is the value.
    """
    written = value.text.casefold()
    if written and written in known.text.casefold():
        return _locate_written(known, value, written)
    if len(known.text) > MAX_SEARCHED_CHARS:
        return known.place, ""
    for number, line in enumerate(known.text.split("\n"), start=1):
        if has_value(line, value):
            return _place_of_line(known, number), _sentence_around(line, value)
    return known.place, ""


def _locate_written(known: _KnownText, value: ArgumentValue, written: str) -> tuple[str, str]:
    """Locate a value that a text has in the same spelling, and perhaps inside of longer words."""
    passages = 0
    for number, line in enumerate(known.text.split("\n"), start=1):
        folded_line = line.casefold()
        at = folded_line.find(written)
        while at >= 0 and passages < MAX_PASSAGES:
            passages += 1
            start = max(at - MAX_SENTENCE_CHARS, 0)
            passage = line[start : at + len(written) + MAX_SENTENCE_CHARS]
            if has_value(passage, value):
                return _place_of_line(known, number), _sentence_around(passage, value)
            at = folded_line.find(written, at + len(written))
    return known.place, ""


def _place_of_line(known: _KnownText, number: int) -> str:
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
    """Return the sentence of a line that has a value; of a long one the part around the value."""
    start = 0
    for at in range(len(line)):
        if line[at : at + 2] in _SENTENCE_ENDS:
            if has_value(line[start : at + 1], value):
                return _shown_part(line[start : at + 1], value)
            start = at + 2
    last = line[start:]
    return _shown_part(last if has_value(last, value) else line, value)


def _shown_part(sentence: str, value: ArgumentValue) -> str:
    sentence = sentence.strip()
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    at = max(sentence.casefold().find(value.text.casefold()), 0)
    start = max(at - MAX_SENTENCE_CHARS // 2, 0)
    shown = sentence[start : start + MAX_SENTENCE_CHARS]
    before = "…" if start else ""
    behind = "…" if start + len(shown) < len(sentence) else ""
    return f"{before}{shown}{behind}"
