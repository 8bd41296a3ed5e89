"""The answer contract: the form that an instruction and the workspace's rules fix for an OK answer.

Patterns derive it, without a model, and leave out what is uncertain: a missed demand costs nothing, a wrong one holds
up a right answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from gates.language import format_clauses
from gates.language.format_clauses import Clause
from gates.language.text_normalization import normalize_text
from gates.language.yes_no import yes_no_clause
from gates.types.plain_data import quote

MAX_CHARS: Final = 50_000
"""How many characters of the instruction, and of the rules, are searched."""
_MAX_CLAUSES: Final = 20


@dataclass(frozen=True, slots=True)
class Contract:
    """All demands that could be derived with certainty."""

    clauses: tuple[Clause, ...]
    conflict: str = ""
    """Why the demands contradict each other, so that none is enforced; empty if they agree."""

    @property
    def is_enforced(self) -> bool:
        """Whether there are demands, and no conflict between them."""
        return bool(self.clauses) and not self.conflict

    @property
    def fixes_whole_answer(self) -> bool:
        """Whether the contract leaves no room for further words."""
        return any(clause.fixes_whole_answer for clause in self.clauses)

    def breach(self, answer: str) -> str:
        """Return the fix-it text of all demands that `answer` breaks, or an empty string."""
        broken = [clause.demand for clause in self.clauses if not clause.accepts(answer)]
        if not broken:
            return ""
        return (
            f"The answer {quote(answer)} is not {', and not '.join(broken)}, which is the form that is asked for: "
            "submit that."
        )


@lru_cache(maxsize=256)
def derive_contract(instruction: str, rules: str) -> Contract:
    """Return the contract that `instruction` and the workspace's `rules` fix for an OK answer."""
    text = normalize_text(instruction[:MAX_CHARS])
    sentences = _sentences(text)
    found = [*islice(_template_clauses(text), _MAX_CLAUSES), *islice(_table_clauses(text), _MAX_CLAUSES)]
    for sentence in sentences:
        found += [
            *_column_clauses(sentence),
            *_json_clauses(sentence),
            *_single_value_clauses(sentence),
            *_sorted_line_clauses(sentence),
        ]
    is_whole = any(clause.fixes_whole_answer for clause in found)
    found += _date_clauses(sentences, is_whole=is_whole)
    if (yes_no := yes_no_clause(text, rules[:MAX_CHARS])) is not None:
        found.append(yes_no)
    distinct = tuple({(clause.kind, clause.demand): clause for clause in found[:_MAX_CLAUSES]}.values())
    return Contract(distinct, _conflict_of(distinct))


def _conflict_of(found: tuple[Clause, ...]) -> str:
    """Return a text that names all demands if no clause's example meets all of them, else an empty string."""
    if not found or any(all(each.accepts(clause.example) for each in found) for clause in found):
        return ""
    return "these demands contradict each other: " + "; ".join(clause.demand for clause in found)


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", text)]


_ANSWERING: Final = re.compile(r"\b(?:answer|repl(?:y|ies)|respond|response|return|message|output)\b", re.IGNORECASE)
_ELSEWHERE: Final = re.compile(r"\b(?:refs?|references?|cite|file ?names?|columns?|header|log)\b", re.IGNORECASE)
_QUOTED_TEMPLATE: Final = re.compile(
    r"\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`|'([^'\n]{1,80})'|(<[A-Za-z_ ]{1,30}:\s?%d>|\[[A-Za-z_ ]{1,30}:\s?%d\])"
)
_FORMAT: Final = re.compile(r"\bformat", re.IGNORECASE)
_NUMBER_WORD: Final = re.compile(r"(?<=[: ])(?:NUMBER|N)(?=[>\]])")
_BARE_TEMPLATE: Final = re.compile(r"\bformat:?\s+([^\s\"'`<\[]\S*%0?\d?d\S*)", re.IGNORECASE)
_LONGEST_TEMPLATE: Final = 80
_CONTAINING: Final = re.compile(r"\b(?:contain|include|including|mention|begin|start|end)s?\b(?! only)", re.IGNORECASE)


def _template_clauses(text: str) -> Iterator[Clause]:
    """Find printf templates of the answer, quoted in a sentence about it or alone on the line after one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for before, line in zip(["", *lines], lines, strict=False):
        if (
            before.endswith(":")
            and format_clauses.has_placeholder(line)
            and len(line) < _LONGEST_TEMPLATE
            and _FORMAT.search(before)
        ):
            if _ANSWERING.search(before) and not _ELSEWHERE.search(before):
                yield format_clauses.template_clause(line, f"{before} {line}", is_whole=not _CONTAINING.search(before))
            continue
        if "%" in line or "NUMBER" in line or ":N" in line:
            for sentence in _sentences(line):
                yield from _quoted_template_clauses(sentence)


def _quoted_template_clauses(sentence: str) -> Iterator[Clause]:
    bare = _BARE_TEMPLATE.search(sentence)
    if bare and _ANSWERING.search(sentence[: bare.start()]) and not _ELSEWHERE.search(sentence[: bare.start()]):
        yield format_clauses.template_clause(bare[1].rstrip(".,;"), sentence, is_whole=not _CONTAINING.search(sentence))
    for found in islice(_QUOTED_TEMPLATE.finditer(sentence), _MAX_CLAUSES):
        before = sentence[: found.start()]
        template = _NUMBER_WORD.sub("%d", next(group for group in found.groups() if group))
        if _ANSWERING.search(before) and not _ELSEWHERE.search(before) and format_clauses.has_placeholder(template):
            yield format_clauses.template_clause(template, sentence, is_whole=not _CONTAINING.search(before))


_TABLE: Final = re.compile(
    r"\b(?:answer|reply|respond|return)\b[^.\n]*\btab-separated\b[^.\n]*\bheader\b[^\n]*\n+([^\n]*\t[^\n]*)",
    re.IGNORECASE,
)
_FILING: Final = re.compile(r"\b(?:file|write|save)\b", re.IGNORECASE)
_PIPES: Final = re.compile(r"`([^`\n|]+(?: \| [^`\n|]+)+)`")


def _table_clauses(text: str) -> Iterator[Clause]:
    """Find the header of a tab-separated table that the answer must be."""
    for found in _TABLE.finditer(text) if "\t" in text else ():
        yield format_clauses.columns_clause(found[1], "\t", found[0])


def _column_clauses(sentence: str) -> Iterator[Clause]:
    """Find named columns, `a | b | c`, in a sentence about the answer."""
    if " | " in sentence and _ANSWERING.search(sentence) and not _FILING.search(sentence):
        for found in _PIPES.finditer(sentence):
            yield format_clauses.columns_clause(found[1], " | ", sentence)


_JSON: Final = re.compile(
    r"\b(?:answer|reply|respond|return|output)\b(?:\s+(?:only|exactly|just|with|as|in|a|an|one|the|single|valid|raw))*\s+"
    r"JSON\b(?!\s+(?:files?|records?|paths?|documents?))",
    re.IGNORECASE,
)
_KEYS: Final = re.compile(r"\b(?:keys?|fields?)\b:?((?:\s*(?:,|and)?\s*[`\"'][\w-]+[`\"'])+)")


def _json_clauses(sentence: str) -> Iterator[Clause]:
    """Find the demand of a JSON answer, with the keys that its sentence names."""
    if "JSON" in sentence and _JSON.search(sentence):
        keys = [key for found in _KEYS.finditer(sentence) for key in re.findall(r"[`\"']([\w-]+)[`\"']", found[1])]
        yield format_clauses.json_clause(tuple(keys), sentence)


_ARTICLES: Final = r"(?:(?:a|an|the|this|its|one|exact|bare|plain|single|raw|full|just)\s+)*"
_PHRASE: Final = r"([`\w.-]+(?:\s[`\w.-]+){0,3})"
_KNOWN_NOUN: Final = (
    r"((?:sku |product |item |zip |record |file |export |report )?(?:sku|code|id|number|path|value|date|name))"
)
_SINGLE_VALUE_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b(?:answer|reply|respond|return)\s+(?:with\s+|using\s+)?(?:only|just)\s+(?:with\s+|by\s+)?{_ARTICLES}{_PHRASE}",
        rf"\b(?:answer|reply|respond|return)\b(?:[^.?!,;:\n]*?\s(?:with|as|in))?\s+{_ARTICLES}{_PHRASE}\s+only\b(?=\W*$|[,:])",
        rf"(?:^|[.,:;?!]\s*)(?:(?:pls|please),?\s+)?(?:just|only)\s+{_ARTICLES}{_KNOWN_NOUN}\b(?=\W*$|[,:])",
        rf"(?:^|[.,:;?!]\s*){_ARTICLES}{_KNOWN_NOUN}\s+only\b(?=\W*$|[,:])",
        rf"\b(?:as|in)\s+{_ARTICLES}{_KNOWN_NOUN}\s+only\b(?=\W*$|[,:])",
    )
)
_ALONE: Final = re.compile(r"only|just", re.IGNORECASE)
_SEVERAL: Final = re.compile(r"\bper line\b|\bJSON\b(?! only)")
_NUMBERS: Final = frozenset(("number", "integer", "digit", "count", "figure"))
_CODES: Final = frozenset(("sku", "code", "id", "identifier"))
_ENDS_PHRASE: Final = frozenset(
    ("and", "or", "of", "for", "from", "in", "on", "at", "by", "to", "if", "that", "which", "when", "where", "with")
)
_SINGULAR_ENDINGS: Final = ("ss", "us", "is")


def _single_value_clauses(sentence: str) -> Iterator[Clause]:
    """Find the demand of one value alone: "number only", "return only the path", "just the code"."""
    if not _ALONE.search(sentence) or _SEVERAL.search(sentence):
        return
    found = next((match for form in _SINGLE_VALUE_FORMS if (match := form.search(sentence))), None)
    clause = _clause_of_phrase(found[1], sentence) if found is not None else None
    if clause is not None:
        yield clause


def _clause_of_phrase(phrase: str, sentence: str) -> Clause | None:
    """Return the demand of the value that `phrase` names, alone; None if it names several values or none."""
    words: list[str] = []
    for word in phrase.lower().replace("`", "").rstrip(".").split():
        if word in _ENDS_PHRASE:
            break
        words.append(word)
    if not words or (words[-1].endswith("s") and not words[-1].endswith(_SINGULAR_ENDINGS)):
        return None
    if words[-1] in _NUMBERS and len(words) == 1:
        return format_clauses.number_clause(sentence)
    if words[-1] in _CODES and words[:-1] in ([], ["product"], ["item"], ["sku"]):
        return format_clauses.token_clause(sentence)
    if words[-1] == "path":
        return format_clauses.path_clause(sentence)
    return format_clauses.line_clause(sentence)


_SORTED: Final = re.compile(
    r"\bone (?:\w+ )?per line\b[^.\n]*\b(?:sorted|ordered|in) (?:alphabetical|lexicographical)(?:ly| order)"
    r"|\bone (?:\w+ )?per line,? (?:and )?sorted(?=\s*(?:[.,;]|$))"
    r"|\b(?:sorted alphabetically|in alphabetical order)\b[^.\n]*\bone (?:\w+ )?per line\b",
    re.IGNORECASE,
)


_PATHS_WANTED: Final = re.compile(
    r"\b(?:answer|reply|respond|return)\b[^.,:;]*\bpaths\b[^.:;]*\bper line\b", re.IGNORECASE
)


def _sorted_line_clauses(sentence: str) -> Iterator[Clause]:
    """Find the demand of a sorted list, one item per line."""
    if _ANSWERING.search(sentence) and _SORTED.search(sentence):
        are_paths = _PATHS_WANTED.search(sentence) is not None
        yield format_clauses.sorted_lines_clause(sentence, are_paths=are_paths)


_OF_A_FILE: Final = re.compile(r"\b(?:files?|columns?|named|folders?|header|rows?|written|recorded)\b", re.IGNORECASE)


def _date_clauses(sentences: list[str], *, is_whole: bool) -> Iterator[Clause]:
    """Find date formats of the answer, in a sentence about it or alone behind the question."""
    for sentence in sentences:
        found = format_clauses.DATE_FORMAT.search(sentence)
        if found is None or not set(found[0].lower()).issuperset("dmy") or _OF_A_FILE.search(sentence):
            continue
        rest = re.sub(r"\b(?:format|in|only|please)\b|[^\w]", "", sentence.replace(found[0], ""), flags=re.IGNORECASE)
        if rest and not re.search(r"\b(?:answer|reply|respond|return|format)\b", sentence, re.IGNORECASE):
            continue
        alone = is_whole or re.search(r"\b(?:only|exactly|just)\b", sentence, re.IGNORECASE) is not None
        if re.search(r"\bweekday\b|\bday of the week\b|\btime\b", sentence, re.IGNORECASE):
            alone = False
        yield format_clauses.date_clause(found[0], sentence, is_whole=alone)
