"""The facts that rules share about one trial: parsed records and documents, who is signed in, which changes still hold.

Fields come from JSON, YAML and `key: value` files, rows from CSV and Markdown tables. Anybody may have written the
texts, so the work is bounded, and a text in another format has no fields and no rows.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Any, Final

import re2

from gates.evidence import Action, Change, Evidence, Touch
from gates.submission import encodable
from gates.terms import fold_text, parts_of

MAX_CHARS: Final = 100_000
MAX_VALUES: Final = 5_000
MAX_ROWS: Final = 2_000
_MAX_DEPTH: Final = 12
_MAX_YAML_DEPTH: Final = 100
"""Max levels of a YAML text; libyaml recurses, and would end the process at tens of thousands."""
_MAX_NODES: Final = 20_000
"""Max lists, mappings and values that are visited: the aliases of a short YAML text may stand for billions."""
_MAX_KEYS: Final = 200
"""Max keys of a mapping in a list."""
_MAX_COLUMNS: Final = 60
_MAX_VALUE_CHARS: Final = 2_000
_KEY_VALUE: Final = re2.compile(r"([A-Za-z][\pL\pN_ -]{0,40}?)[ \t]?:(?:[ \t]+(.*)|)")
_SEPARATORS: Final = (",", "\t", "|", ";")
_TABLE_ROW: Final = re2.compile(r"(?m)^[ \t]*\|(.+)\|[ \t]*$")

Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Parsed:
    """The data in one text."""

    fields: Mapping[str, tuple[str, ...]]
    """Values by dotted name (`verification.state`); the values of a list share the list's name."""
    rows: tuple[Row, ...] = ()
    """Cells by column name."""
    is_whole: bool = True
    """False if the text also holds prose."""

    def all_values(self) -> Iterator[tuple[str, str]]:
        """Yield every value of fields and rows with its name."""
        yield from ((name, value) for name, held in self.fields.items() for value in held)
        yield from ((name, value) for row in self.rows for name, value in row.items())


NOTHING: Final = Parsed({}, is_whole=False)


def states_at(touch: Touch) -> tuple[Parsed, ...]:
    """Return the states of a file of fields that was seen as a whole, the last one last: the trial's own writes count,
    an excerpt or a cut text does not."""
    whole = (parse(seen.text, touch.path) for seen in touch.seen if seen.is_whole and not seen.is_excerpt)
    return tuple(parsed for parsed in whole if parsed.is_whole and parsed.fields)


@lru_cache(maxsize=1_024)
def parse(text: str, path: str = "") -> Parsed:
    """Return the fields and rows of a text; the extension of `path` tells YAML and separated values from prose."""
    if len(text) > MAX_CHARS:
        return NOTHING
    stripped = encodable(text).strip()
    ending = path.rpartition(".")[2].lower()
    if stripped[:1] in ("{", "["):
        try:
            return _from_data(json.loads(stripped))
        except (ValueError, RecursionError):
            return NOTHING
    if ending in ("yaml", "yml"):
        return _of_yaml(stripped)
    if ending in ("csv", "tsv", "psv"):
        return Parsed({}, _separated_rows(stripped))
    rows = _markdown_rows(stripped) if "|" in stripped else ()
    return _with_key_values(stripped, rows)


def _with_key_values(text: str, rows: tuple[Row, ...]) -> Parsed:
    """Return the fields of a text's `key: value` lines, together with the given rows."""
    fields: dict[str, tuple[str, ...]] = {}
    prose = 0
    for line in islice(filter(str.strip, text.splitlines()), MAX_ROWS):
        match = _KEY_VALUE.fullmatch(line.strip())
        if match is None:
            prose += not (_TABLE_ROW.match(line) or line.startswith("---"))
        else:
            value = (match[2] or "").strip()
            fields[match[1]] = (*fields.get(match[1], ()), *(part.strip() for part in value.split(",")))
    if not fields or (prose and len(fields) < 2):
        return Parsed({}, rows, is_whole=False)
    return Parsed(fields, rows, is_whole=not prose)


def _of_yaml(text: str) -> Parsed:
    import yaml

    loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    depth = 0
    try:
        for event in yaml.parse(text, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_YAML_DEPTH:
                return NOTHING
        # The base loader makes only strings, lists and mappings: `off` and dates stay as they are written.
        return _from_data(yaml.load(text, Loader=loader))
    except (yaml.YAMLError, ValueError, RecursionError, TypeError):
        return NOTHING


def _from_data(data: object) -> Parsed:
    fields: dict[str, list[str]] = {}
    nodes = islice(_nodes(data, "", 0), _MAX_NODES)
    for name, value in islice(((name, value) for name, value in nodes if value is not None), MAX_VALUES):
        fields.setdefault(name, []).append(value[:_MAX_VALUE_CHARS])
    rows: tuple[Row, ...] = ()
    if isinstance(data, list):
        mappings = [row for row in data[:MAX_ROWS] if isinstance(row, dict)]
        plain = str | int | float
        rows = tuple(
            {str(key): str(cell) for key, cell in islice(row.items(), _MAX_KEYS) if isinstance(cell, plain)}
            for row in mappings
        )
    return Parsed({name: tuple(values) for name, values in fields.items() if name or not rows}, rows)


def _nodes(data: object, name: str, depth: int) -> Iterator[tuple[str, str | None]]:
    """Yield every value with its name, and a list or mapping, before what is in it, as None."""
    if isinstance(data, dict | list):
        yield name, None
        pairs = data.items() if isinstance(data, dict) else ((None, value) for value in data)
        for key, value in pairs if depth < _MAX_DEPTH else ():
            yield from _nodes(value, name if key is None else f"{name}.{key}" if name else str(key), depth + 1)
    elif isinstance(data, bool):
        yield name, str(data).lower()
    elif data is not None:
        yield name, str(data)


def _separated_rows(text: str) -> tuple[Row, ...]:
    lines = text.splitlines()[: MAX_ROWS + 1]
    if len(lines) < 2:
        return ()
    separator = max(_SEPARATORS, key=lines[0].count)
    try:
        header, *rows = csv.reader(lines, delimiter=separator)
    except (csv.Error, ValueError):
        return ()
    names = [name.strip() for name in header]
    if len(names) > _MAX_COLUMNS or not all(name[:1].isalpha() for name in names):
        return ()
    if any(len(row) != len(names) for row in rows):
        return ()
    return tuple(dict(zip(names, map(str.strip, row), strict=True)) for row in rows)


def _markdown_rows(text: str) -> tuple[Row, ...]:
    rows: list[Row] = []
    names: list[str] = []
    end = -1
    for line in islice(_TABLE_ROW.finditer(text), MAX_ROWS):
        cells = [cell.strip().strip("`") for cell in line[1].split("|")]
        if line.start() != end + 1:
            names = cells
        elif line[1].strip(" \t|:-") and len(cells) == len(names):
            rows.append(dict(zip(names, cells, strict=True)))
        end = line.end()
    return tuple(rows)


MAX_KNOWN_CHARS: Final = 1_000_000
"""Max characters of all texts together whose words are known."""


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
        kept_words: set[str] = set()
        room = MAX_KNOWN_CHARS
        for seen in {seen: None for touch in self.evidence.touches.values() for seen in touch.seen if seen.is_proof}:
            words = parts_of(fold_text(seen.text[: max(room, 0)]))
            kept_words.update(set(words) - set(parts_of(fold_text(seen.echoed))) if seen.echoed else words)
            room -= len(seen.text)
        return frozenset(kept_words)

    @cached_property
    def standing_changes(self) -> tuple[Change, ...]:
        """The changes that still hold at the end of the trial: neither undone nor without an effect."""
        return tuple(change for change in self.evidence.changes if not self.is_undone(change))

    def is_undone(self, change: Change) -> bool:
        """Say whether a change has no effect: the file has its first data again, or a file that was made is deleted.

        False if nothing of the file was seen before it was changed, because then nobody can tell.
        """
        touch = self.evidence.touches.get(change.path)
        if change.action == "execute" or touch is None:
            return False
        actions = self._actions_at[change.path]
        if actions[-1] == "delete":
            return actions[0] == "write" and not (touch.seen and touch.seen[0].is_proof)
        return _has_first_data_again(touch, is_rewritten=len(actions) > 1)

    @cached_property
    def _actions_at(self) -> Mapping[str, list[Action]]:
        actions: dict[str, list[Action]] = {}
        for change in self.evidence.changes:
            actions.setdefault(change.path, []).append(change.action)
        return actions


def _has_first_data_again(touch: Touch, *, is_rewritten: bool) -> bool:
    proven = [seen for seen in touch.seen if seen.is_proof]
    written = [seen for seen in touch.seen if not seen.is_proof and seen.is_whole and not seen.is_excerpt]
    if not proven or touch.seen[0] is not proven[0] or not (written or is_rewritten):
        return False
    first, last = proven[0], (written or proven)[-1]  # The text that was read after a file was restored may be cut.
    if first.is_whole and not first.is_excerpt:
        one, other = parse(first.text, touch.path), parse(last.text, touch.path)
        is_data = one.is_whole and bool(one.fields or one.rows)
        return first.text.strip() == last.text.strip() or (is_data and one == other)
    before = touch.seen[: touch.seen.index(written[0])] if written else (first,)
    lines = {line.strip() for seen in before for line in seen.text.splitlines()} - {""}
    return is_rewritten and bool(lines) and lines <= {line.strip() for line in last.text.splitlines()}


@lru_cache(maxsize=2)
def facts_of(evidence: Evidence) -> TrialFacts:
    """Return the facts of a trial's evidence: the same facts for the same object, so that rules share the work."""
    return TrialFacts(evidence)
