"""Finds the parts of a text that say what the answer must be: an order to give it, or a statement about it.

A part counts only where such an order begins a clause, so that reported speech, questions and permissions are none;
what stands in quotation marks, under a condition or about a file is none either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

_SOFT: Final = (
    r"(?:(?:please|pls|kindly|bitte|now|simply|also|so|hey|hi|hello|ok|okay|thanks|finally|again|and|then|und|dann|"
    r"just|only|solely|nur|bloß|lediglich|ausschließlich),?:?\s+){0,5}"
)
_GIVING: Final = (
    r"include|mention|begin|start|end|answer|reply|respond|return|output|print|give|list|state|report|show|tell|"
    r"provide|say|name|express|format|use|"
    r"write|put(?= it| that| this)|send(?= me| back| us)|antworte[nt]?|antwort(?= bitte| nur| als| im)|gib|"
    r"geben|nenn(?:en?)?|"
    r"liste|zeige?|schreibe?|formatiere|sage?|drucke"
)
HOLDING: Final = frozenset(("include", "mention", "begin", "start", "end"))
"""Verbs by which an order names a part of the answer."""
_ASKING: Final = (
    r"(?:(?:can|could|would|will) you|I(?:'d| would)? (?:want|need|like) you to|you (?:must|should|shall|"
    r"have to|need to|"
    r"are to)|make sure (?:that you|you|to)|be sure to|remember to|kannst du|könntest du|können Sie)\s+"
)
_WANTING: Final = (
    r"I(?:'d| would)?\s+(?:only |just |really |simply )?(?:want|need|like|expect)(?! you\b| to\b)|"
    r"ich (?:brauche|will|möchte|benötige)"
)
_ANSWER: Final = (
    r"(?:(?:the|your|my|every|each|all|die|deine|ihre|jede)\s+)?(?:(?:final|whole|entire|expected|required|full)\s+)?"
    r"(?:answers?|repl(?:y|ies)|responses?|messages?|outputs?|antwort(?:en)?|nachricht|ausgabe)"
    r"(?:\s+(?:format|message|form))?"
)
_BEING: Final = (
    r"(?:must|should|shall|has to|have to|needs? to|is to|are to|is|are|soll(?:te)?|muss|ist|hat|consists?|contains?)"
)
_PART: Final = (
    r"(?:the|any|every)\s+(?:date|count|number|amount|total|price|sum)s? in (?:the|your|an) "
    r"(?:answer|reply|response|message)"
)
_STATING: Final = rf"(?:{_ANSWER}|{_PART}|(?:output |answer )?format)\s*(?::|\b{_BEING}\b)"
_BOUND: Final = (
    r"(?:^|(?<=[,;)–—])\s|\s(?:and|then|und|dann)\s|"
    r"(?<=\w)\s(?=(?-i:Answer|Reply|Respond|Return|Output)\s(?:only|just|with|exactly|in|as)\b))"
)
_LEAD: Final = re.compile(
    rf"{_BOUND}\W{{0,2}}(?P<soft>{_SOFT})(?:(?P<stating>{_STATING})|(?P<wanting>{_WANTING})|(?:{_ASKING}(?:also |then |"
    rf"please |{_SOFT}))?(?P<giving>{_GIVING}))(?![\w-])",
    re.IGNORECASE,
)
_AFTER_COLON: Final = re.compile(
    r"^\W*(?:task|answer|output|format|reply|note|important|hint|reminder|question|request|instructions?|"
    r"no explanation|"
    r"aufgabe|wichtig|hinweis)\s*:\s",
    re.IGNORECASE,
)
_NOUNS: Final = r"(?:(?!(?:to|with|by|in|of|for|on|at|is|are|not|no|if)\b)[\w'#-]+\s){1,3}"
_BARE: Final = re.compile(
    rf"(?:^|,\s)\W?(?P<soft>{_SOFT})(?P<bare>(?=(?:only|just|nothing but|nur|bloß|lediglich|ausschließlich)\b)|"
    r"(?=(?:as|in|als|im)\s+(?:the form(?:at)? |format )?[\"'`<\[%])|"
    rf"(?={_NOUNS}(?:only\W*$|alone\W*$|only\s*[,:]|and nothing else\b))|"
    r"(?=(?:in |as )?\W?(?:YYYY|DD|MM|TT|Wkd|Month)\b[-./, A-Za-z]{2,30}(?:\W*$|\bformat\b)))",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:if|unless|whenever|in case|falls|wenn|sofern|should (?:the|there|it|you|this|that)|as long as|until)\b"
    r"|\bwhen(?! (?:done|finished|ready|you(?:'re| are) (?:done|finished|ready)))\b",
    re.IGNORECASE,
)
_TRAILING_CONDITION: Final = re.compile(
    r"\b(?:if|unless|in case|falls|wenn|sofern|as long as|otherwise|ansonsten|until)\b"
    r"|\bonly (?:after|when|where|once)\b|\bonly (?=[a-z]+ing\b)",
    re.IGNORECASE,
)
_ABOUT_A_FILE: Final = re.compile(
    r"\b(?:in|for|within|inside|into|on|of|im|für)\s+(?:the|each|every|your|its|any|grounding|der|die|"
    r"jede[rs]?)?\s*(?:\w+\s)?"
    r"(?:files?|reports?|exports?|references?|refs?|citations?|columns?|headers?|logs?|csv|tsv|dateien?)\b[^,.;]*,?$",
    re.IGNORECASE,
)
_FILING: Final = re.compile(
    r"\b(?:to|into|at|in|under|unter|nach)\s+[`'\"]?/\w|\b(?:file|field|column|datei)\b", re.IGNORECASE
)
_INSIDE: Final = re.compile(
    r"\b(?:in|for|inside|into|im|für)\s+(?:the|each|every|your|its|grounding|der|die)\s+(?:\w+\s)?"
    r"(?:files?|references?|refs?|citations?|columns?|headers?|logs?|dateien?)\b",
    re.IGNORECASE,
)
_FILING_VERBS: Final = frozenset(("write", "put", "send", "schreib", "schreibe", "format", "use"))
_DESTINATION: Final = re.compile(r"\b(?:to|into)\s+[`'\"]?/\w|\bto (?:the (?:customer|desk|supplier)|[A-Z]\w+\b)")
_END: Final = re.compile(
    r",?\s+(?:and|und|plus|but|,)\s+(?:then )?(?:also )?(?:cite|reference|explain|mention|zitiere|"
    r"list\b[^.]*\breferences)\b"
    r"|\b(?:cite|citing)\b|\s(?:because|so that|since)\s|\b(?:not|instead of|rather than|statt|anstatt|nicht|"
    r"never)\b(?! more)",
    re.IGNORECASE,
)
_MAX_LEADS: Final = 6
"""How many orders of a sentence are looked at."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One order to give the answer, or one statement about it."""

    sentence: str
    at: int
    """Where the sentence begins in the normalized text."""
    verb: str
    """The verb of giving in lower case; `want`, `be` or an empty string where there is none."""
    before: str
    """The particles before the verb, such as "please just"."""
    tail: str
    """What is said of the answer, up to the next order, a negation or a demand of citations."""
    tail_at: int
    """Where the tail begins in the normalized text."""


def frames_of(sentence: str, at: int) -> Iterator[Frame]:
    """Yield the frames of a sentence that begins at `at` of its text."""
    colon = _AFTER_COLON.match(sentence)
    start = colon.end() if colon is not None and not _LEAD.match(sentence) else 0
    body = sentence[start:]
    found = islice(_LEAD.finditer(body), _MAX_LEADS)
    leads = [lead for lead in found if not _is_blocked(sentence, start + lead.start())]
    if not any(not body[: lead.start()].strip() for lead in leads):
        nouns = islice(_BARE.finditer(body), _MAX_LEADS)
        bare = next((each for each in nouns if not _is_blocked(sentence, start + each.start())), None)
        if bare is not None and (not leads or bare.start() < leads[0].start()):
            leads.insert(0, bare)
    for lead, following in zip(leads, [*leads[1:], None], strict=False):
        end = following.start() if following is not None else len(body)
        tail = body[lead.end() : end]
        ends = (cut.start() for cut in _END.finditer(tail) if not _is_open(tail[: cut.start()]))
        tail = tail[: next(ends, len(tail))]
        verb = _verb_of(lead)
        if _TRAILING_CONDITION.search(body[lead.end() : end]) or _is_about_a_file(verb, tail):
            continue
        yield Frame(sentence, at, verb, lead["soft"].lower(), tail, at + start + lead.end())


def _verb_of(lead: re.Match[str]) -> str:
    found = lead.groupdict()
    if found.get("stating"):
        return "part" if re.match(_PART, found["stating"], re.IGNORECASE) else "be"
    if found.get("wanting"):
        return "want only" if re.search(r"\b(?:only|just)\b", found["wanting"], re.IGNORECASE) else "want"
    return (found.get("giving") or "").strip().lower()


def _is_blocked(sentence: str, start: int) -> bool:
    """Say whether what stands before a lead makes it conditional, quoted, or about a file or the citations."""
    before = sentence[:start]
    return bool(
        _CONDITION.search(before) or _ABOUT_A_FILE.search(before) or _is_open(before) or before.lstrip().startswith(">")
    )


def _is_open(text: str) -> bool:
    """Say whether a quotation that begins in `text` does not end there."""
    return text.count('"') % 2 == 1 or text.count("`") % 2 == 1


def _is_about_a_file(verb: str, tail: str) -> bool:
    if verb in _FILING_VERBS and _FILING.search(tail):
        return True
    return _DESTINATION.search(tail) is not None or _INSIDE.search(tail) is not None
