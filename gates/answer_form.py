"""The form that an instruction fixes for an OK answer.

Patterns read plain words, so a demand derived from them leads to a question and never blocks; uncertain demands are
left out. Only a placeholder in brackets, such as `<COUNT:%d>`, is certain by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final

from gates.plain_data import quote

MAX_CHARS: Final = 50_000
"""Characters of the instruction, and of the rules, that are searched."""
_MAX_SENTENCES: Final = 100
_MAX_SENTENCE: Final = 1_500


# The text ------------------------------------------------------------------------------------------------------------

_SIGNS: Final = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "’": "'", "‘": "'"}
    | dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
)
_KEPT: Final = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"")
_WRAPPED: Final = re.compile(r"(?m)(^[^\n]{20,}[^\s.:;!?]) ?\n(?=[a-z(][\w'(-]*(?:[ ,.!?)]|$)(?![:=]))")
_FENCED: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_QUOTED_LINE: Final = re.compile(r"(?m)^ ?>[^\n]*$")
_QUOTATION: Final = re.compile(r"\"[^\"\n]{1,400}\"|(?<!\w)'[^'\n]{1,400}'(?!\w)")
_PROSE: Final = re.compile(r"(?:[^\W\d_]{2,}\W+){2,}[^\W\d_]{2,}")
_SENTENCE: Final = re.compile(r"\S[^\n]*?(?:[.!?](?=\s)|(?=\n)|$)")


@lru_cache(maxsize=256)
def normalize_text(text: str) -> str:
    """Return `text` with single spaces, straight quotation marks, `\\n` line ends and hard-wrapped sentences rejoined.

    Runs of spaces in code marks and quotations stay: an answer may have to repeat them. A line counts as wrapped if it
    has at least 20 characters and ends within a sentence, and the next line continues in lower case.
    """
    unified = text.replace("\r\n", "\n").translate(_SIGNS)
    parts: list[str] = []
    end = 0
    for kept in _KEPT.finditer(unified):
        parts += [re.sub(" +", " ", unified[end : kept.start()]), kept[0]]
        end = kept.end()
    parts.append(re.sub(" +", " ", unified[end:]))
    return _WRAPPED.sub(r"\1 ", "".join(parts))


@lru_cache(maxsize=64)
def asked_text(instruction: str) -> str:
    """Return the requester's own words: quoted lines, fenced blocks and quoted prose are blanked out."""
    text = normalize_text(instruction[:MAX_CHARS])
    for pattern in (_FENCED, _QUOTED_LINE):
        text = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return _QUOTATION.sub(_blank_prose, text)


def _blank_prose(found: re.Match[str]) -> str:
    quoted = found[0][1:-1]
    if not _PROSE.search(quoted) or re.search(r"%[0-9.]*[dsf]", quoted):
        return found[0]
    return found[0][0] + "·" * len(quoted) + found[0][-1]


def asks_only(request: str) -> bool:
    """Say whether a request consists only of questions, demands on the answer's form, and one or two words."""
    return all(
        len(sentence.split()) < 3
        or sentence.endswith("?")
        or (_CUE.search(sentence) is not None and _LEAD.search(sentence) is not None)
        for sentence in _SENTENCE.findall(request.replace(";", ".\n"))
    )


# The clauses ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clause:
    """One demand on an answer's form."""

    kind: str
    """`template`, `date`, `number` or `code`."""
    demand: str
    """Completes the sentence "the answer must be …"."""
    pattern: str
    is_whole: bool = True
    """False if other words may surround the demanded form."""

    def accepts(self, answer: str) -> bool:
        """Say whether an answer has the form."""
        if self.is_whole:
            return re.fullmatch(self.pattern, answer.strip(), re.DOTALL) is not None
        return re.search(self.pattern, answer) is not None


_PLACEHOLDER: Final = re.compile(r"%(?:(0?)(\d*))?(?:\.(\d))?([dsf])")
_BRACKETED: Final = re.compile(
    r"<[A-Za-z_ ]{1,30}[:=]\s?%[0-9.]{0,4}[dsf]>|\[[A-Za-z_ ]{1,30}[:=]\s?%[0-9.]{0,4}[dsf]\]"
)
_DATE_PARTS: Final = {
    "YYYY": r"\d{4}", "JJJJ": r"\d{4}", "YY": r"\d{2}", "MM": r"(?:0[1-9]|1[0-2])", "DD": r"(?:0[1-9]|[12]\d|3[01])",
    "TT": r"(?:0[1-9]|[12]\d|3[01])", "WKD": r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)", "MON": r"[A-Z][a-z]{2}",
    "MONTH": r"[A-Z][a-z]+",
}  # fmt: skip
_DATE_PART: Final = re.compile(r"YYYY|JJJJ|MONTH|WKD|MON|MM|DD|TT|YY", re.IGNORECASE)
_DATE_FORMAT: Final = re.compile(
    r"(?<![\w%/-])(?:YYYY|Wkd|(?i:Month)|Mon|MM|DD|TT)"
    r"(?:(?:, |[-/. ])(?:YYYY|JJJJ|(?i:Month)|Mon|MM|DD|YY)){1,3}(?!\w|[.-]\w)"
    r"|(?<![\w/-])(?:yyyy|mm|dd)(?:[-/.](?:yyyy|mm|dd)){2}(?!\w|[.-]\w)"
)
_BESIDE_A_DATE: Final = re.compile(r"\b(?:weekday|time|wochentag|HH|hh)\b|\bday of the week\b")
_NUMBER: Final = r"[-+]?\d+(?:[., '\u2019]\d{3})*(?:[.,]\d+)?"


def _form(kind: str, demand: str, pattern: str, *, is_whole: bool = True) -> Clause:
    where = demand if is_whole else f"a text that holds {demand}"
    return Clause(kind, where, pattern, is_whole)


def template_pattern(template: str) -> str:
    """Return the pattern of a printf template: `%d` integer, `%02d` two digits, `%.2f` two decimals, `%s` text."""
    pattern, end = "", 0
    for found in _PLACEHOLDER.finditer(template):
        pattern += re.escape(template[end : found.start()]) + _meaning(found)
        end = found.end()
    return pattern + re.escape(template[end:])


def _meaning(placeholder: re.Match[str]) -> str:
    zero, width, decimals, kind = placeholder.groups()
    if kind == "s":
        return r"\S(?:.*\S)?"
    if kind == "f":
        return rf"-?\d+\.\d{{{int(decimals or 6)}}}"
    return rf"\d{{{int(width)},}}" if zero and width else r"-?\d+"


def fault_of_template(instruction: str, answer: str) -> str:
    """Return the fault of an answer that fills in no bracketed placeholder of the request, or an empty string.

    Placeholders in quotations, quoted lines and fenced blocks do not count; one of several placeholders is enough.
    """
    text = _QUOTATION.sub(" ", asked_text(instruction))
    templates = list(dict.fromkeys(_BRACKETED.findall(text)))
    if not templates or any(re.search(template_pattern(template), answer) for template in templates):
        return ""
    return (
        f"The request fixes the form {quote(templates[0])}, and the answer does not hold it: fill the placeholder in."
    )


# The demands ---------------------------------------------------------------------------------------------------------

_ANSWERING: Final = (
    r"(?:answer|reply|respond|return|output|print|give|list|state|report|tell|say|express|write|name|format|message"
    r"|response|antwort\w*|gib|nenne?|liste|ausgabe|réponds?|répondez|donne)"
)
_LIMIT: Final = (
    r"(?:only|just|nothing (?:but|else)|alone|on its own|exactly|solely|nur|ausschließlich|sonst nichts"
    r"|seulement|uniquement|rien d'autre)"
)
_SOFT: Final = r"(?:(?:please|kindly|bitte|now|simply|then|and|und|dann|also|finally),?\s){0,4}"
_LEAD: Final = re.compile(
    r"(?:^|(?<=[,;:)–—.])\s|\s(?:and|then|und|dann)\s"
    rf"|^\W*(?:task|answer|output|format|note|hint|important|aufgabe|hinweis):\s)\W{{0,2}}{_SOFT}"
    rf"(?:(?P<answering>(?:(?:only|just|nur)\s)?{_ANSWERING}\b(?! (?:the|to|my|our) \w+ (?:to|by|that|in)\b)"
    r"|(?:(?:the|your|my|die|deine)\s)?(?:final\s)?(?:answer|reply|response|message|output|format|antwort|nachricht)"
    r"\s?(?::|must|should|has to|is|are|soll\w*|muss)"
    r"|(?:can|could|would|will) you |I (?:only |just )?(?:want|need)\b(?! you)|(?:you )?(?:must|should) )"
    rf"|(?P<bare>{_LIMIT}\b|(?:in|as|als|im)\s[`'\"<\[%A-Z]|(?:\w+ ){{0,3}}(?:only|alone|nur)\b"
    r"|(?:one|each|ein\w*|un\w*) |digits|YYYY|DD|TT|Wkd|Month))",
    re.IGNORECASE,
)
_CUE: Final = re.compile(
    r"%|\b(?:only|just|nothing|alone|line|digits?|format\w*|exactly|nur|sonst|zeile|seulement|uniquement|ligne)\b"
    r"|YYYY|JJJJ|DD",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|in case|falls|wenn|sofern|otherwise|until|si|when(?! (?:done|finished|ready)))\b", re.IGNORECASE
)
_ELSEWHERE: Final = re.compile(
    r"\b(?:files?|columns?|headers?|logs?|exports?|fields?|dateien?|fichiers?|refs?|references?|citations?|cite)\b"
    r"|\b(?:to|into|at|under) [`'\"]?/\w",
    re.IGNORECASE,
)
_REPORTED: Final = re.compile(
    r"\b(?:said|says|told|asked|sagte|either|refrain|avoid|subject|translate|customers?|used to|may|could be)\b",
    re.I,
)
_NEGATED: Final = re.compile(r"\b(?:not|never|don't|rather than|instead of|no need|nicht|kein\w*|statt|ne|pas)\b", re.I)
_NO_MORE: Final = re.compile(
    r"\b(?:nothing|no) (?:else|but|other|further|explanation)\w*|sonst nichts|nichts sonst", re.IGNORECASE
)
_LIMITED: Final = re.compile(
    rf"\b{_LIMIT}\b|\bno (?:other|further) (?:text|words?)\b|\bwithout (?:any )?\w+\s*$", re.IGNORECASE
)
_CONTAINING: Final = re.compile(r"\b(?:contain|includ|mention|begin|start|end|hold|somewhere|enthalt|enthält)\w*", re.I)
_NOUN: Final = (
    r"(?P<number>(?:bare |plain |whole )?(?:numbers?|digits?|figures?|integers?|count|zahl|ziffern?|chiffres?|nombre))"
    r"|(?P<code>(?:product |item |article |order )?(?:sku|ids?|identifier|code)s?)"
)
_LIMITED_NOUN: Final = re.compile(
    r"\b(?:(?:only|just|nothing but|nur|seulement|uniquement)(?: with| mit)?"
    rf"(?: (?:the|its|their|a|an|one|die|der|das|le|la))? (?:{_NOUN}))\b(?! of the| plate|\w)"
    rf"|\b(?:{_NOUN.replace('?P<', '?P<_')})(?:,? (?:only|alone|nur|and nothing else|nothing else))\b",
    re.IGNORECASE,
)
_BEFORE_A_NUMBER: Final = re.compile(
    r"\W*|the|a|an|one|as|with|just|only|but|die|der|das|eine|mit|nur|als|le|la|un|seulement", re.IGNORECASE
)


@lru_cache(maxsize=256)
def derive_clauses(instruction: str) -> tuple[Clause, ...]:
    """Return an instruction's demands on the form of an OK answer; none if several of them fix the whole answer."""
    sentences = islice(_SENTENCE.findall(asked_text(instruction)), _MAX_SENTENCES)
    short = (sentence for sentence in sentences if len(sentence) < _MAX_SENTENCE and _CUE.search(sentence))
    clauses = {(clause.kind, clause.demand): clause for sentence in short for clause in _clauses_of(sentence)}
    return () if sum(clause.is_whole for clause in clauses.values()) > 1 else tuple(clauses.values())


def form_kinds(instruction: str) -> frozenset[str]:
    """Return the kinds of all demands of an instruction."""
    return frozenset(clause.kind for clause in derive_clauses(instruction))


def _clauses_of(whole: str) -> Iterator[Clause]:
    """Yield the demand of one sentence, the most exact form first.

    A clause of the sentence has to begin with an order to answer or with the form itself: reported speech, questions
    and permissions demand nothing.
    """
    if whole.endswith("?") or _CONDITION.search(whole) or _NEGATED.search(_NO_MORE.sub(" ", whole)):
        return
    lead = _LEAD.search(whole)
    if lead is None:
        return
    sentence = whole[lead.start() :]
    is_about_answer = lead["answering"] is not None
    is_limited = _LIMITED.search(sentence) is not None and not _CONTAINING.search(sentence)
    if _ELSEWHERE.search(sentence if is_about_answer else whole) or _REPORTED.search(whole):
        return
    if template := _template_in(sentence):
        is_alone = is_limited and any(f"{mark}{template}{mark}" in sentence for mark in "`\"'")
        yield _form("template", f"the form `{template}`", template_pattern(template), is_whole=is_alone)
    elif found := _DATE_FORMAT.search(sentence):
        is_alone = is_limited and not _BESIDE_A_DATE.search(sentence)
        yield _form("date", f"a date in the form `{found[0]}`", _date_pattern(found[0]), is_whole=is_alone)
    elif noun := _LIMITED_NOUN.search(sentence):
        yield from _noun_clause(noun, sentence)


def _template_in(sentence: str) -> str:
    """Return the printf template in a sentence: in quotation marks, in backquotes or as a word of its own."""
    for found in re.finditer(
        r"\"([^\"\n]{1,80})\"|`([^`\n]{1,80})`|'([^'\n]{1,80})'|(\S*%[0-9.]{0,4}[dsf]\S*)", sentence
    ):
        template = next(group for group in found.groups() if group)
        if _PLACEHOLDER.search(template):
            return template.rstrip(".,;:!?)") if found[4] else template.strip()
    return ""


def _date_pattern(form: str) -> str:
    pattern, end = "", 0
    for found in _DATE_PART.finditer(form):
        pattern += re.escape(form[end : found.start()]) + _DATE_PARTS[found[0].upper()]
        end = found.end()
    return rf"(?<!\w){pattern}{re.escape(form[end:])}(?!\w)"


def _noun_clause(noun: re.Match[str], sentence: str) -> Iterator[Clause]:
    """Yield the demand for the one value to which a sentence limits the answer."""
    kind, word = next((name.lstrip("_"), value.lower()) for name, value in noun.groupdict().items() if value)
    if kind == "number":
        before = sentence[: noun.start() + noun[0].lower().index(word)].split()
        if not before or not before[-1].isalpha() or _BEFORE_A_NUMBER.fullmatch(before[-1]):
            yield _form("number", "a number and nothing else", _NUMBER)  # The number of a thing may be its id.
    elif not word.endswith("s"):
        yield _form("code", "one code and nothing else", r"\S+")
