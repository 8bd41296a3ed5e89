"""Checks the statements of a message in free words: states, reasons, changes, ids, values, and withheld facts.

The wording is free. Only plain assertions of a clause count, not what it denies, demands, or makes a condition.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Final

from benchmarks.ecom.runtime.record_names import RecordNames
from toolkit.text import NUMBER_WORDS

SHORTEST: Final = 4
"""Least letters and digits of a value that is looked for in any spelling; a shorter value is looked for as a word."""
PAUSES: Final = re.compile(
    r"(?:[.!?;:](?=\s|$)|[\n,()]|\s[-–—]\s|\s(?:but|because|since|although|though|and|so|as|which|who)\s)"
)
DENIED_LIST: Final = re.compile(r"(?i)\bno \w+(?:, \w+)+,? (?=n?or \w)")
SENTENCES: Final = re.compile(r"[.!?;](?=\s|$)|\n")
_NEGATIONS: Final = (
    "not no never nothing none nobody neither nor without cannot cant unable nowhere nicht kein keine non isnt wasnt "
    "hasnt havent doesnt dont didnt arent werent wont couldnt"
)
NEGATIONS: Final = frozenset(_NEGATIONS.split())
_CONDITIONS: Final = (
    "if once when whenever while until till unless whether before after must should need needs needed require requires "
    "required requirement can could may might would will shall only expects expected allows allowed permits "
    "supported supports wants asks asked claims claimed says claim claiming"
)
CONDITIONS: Final = frozenset(_CONDITIONS.split())
HYPHENS: Final = dict.fromkeys(range(0x2010, 0x2013), "-")
OPEN: Final = frozenset(("whether", "if", "ob"))
"""The words after which a clause asserts nothing, at any distance."""
STATES: Final[Mapping[str, Mapping[str, str]]] = {
    "basket": {
        "active": r"active|(?:still )?open|unpaid|pending|"
        r"not (?:yet )?(?:been )?(?:checked out|bought|paid(?: for)?|completed)",
        "checked_out": r"checked[ _-]?out|bought|purchased|paid(?: for)?|ordered|completed|sold|closed",
        "abandoned": r"abandoned|inactive|given up|dropped|cancelled|canceled|expired",
    },
    "payment": {
        "paid": r"paid|settled|completed|received",
        "awaiting_verification": r"awaiting(?:[ _-]verification)?|pending|unpaid|requires? verification|"
        r"not (?:yet )?(?:been )?(?:paid|settled)",
    },
    "return": {
        "requested": r"requested",
        "approved": r"approved|accepted",
        "rejected": r"rejected|declined|turned down",
        "refund_pending": r"refund[ _-]pending|pending refund|pending",
        "closed": r"closed|completed|finished",
    },
}
"""English words for the states of each kind of record, besides those that a world writes into its files."""
ASSERTING: Final = (
    r"(?:is|was|are|has been|been|(?<!to )be|has|status|state|stage|standing|as|in|still|already|currently|now|"
    r"remains?|reads?|shows?|stands?|stays?|marked|itself|it's|yes|no)"
)
REASONS: Final[Mapping[str, str]] = {
    "short": r"out of stock|sold out|not enough|insufficient|too few|no (?:same-day )?(?:stock|availability|units)|"
    r"unavailable|(?:not|isn't|aren't) (?:currently |all |fully )?(?:available(?! (?:to|for) \w)|in stock)|short of|"
    r"lacks? stock",
    "discounted": r"(?:already|existing|previous)(?: \S+){0,4} discount\b(?!_)|already discounted|"
    r"(?:current|another|second) discount\b(?!_)|discount(?: \S+){0,3} already",
    "branch": r"(?:another|different|other|wrong) (?:branch|store|shop)\b|"
    r"not (?:at|in|of|from|your)(?: \w+){0,2} (?:branch|store|shop)\b",
    "role": r"(?:lacks?|without|missing|no|not have|n't have|not hold|not among)(?: \S+){0,4} roles?\b",
    "attempts": r"no (?:more |further )?(?:attempts?|tries)|used (?:up )?all|limit (?:is |was |has been )?reached|"
    r"(?:attempts?|tries)(?: \w+){0,3} (?:used up|exhausted|reached)",
    "missing": r"no (?:such |linked )?return\b(?! (?:or|has|was)\b)|no return is|"
    r"return (?:\S+ )?(?:does not|doesn't) exist",
    "owner": r"(?:belongs? to|owned by|is) (?:another|a different|some(?:one|body) else)|not yours?\b|not belong to",
}
"""Reasons that a message may give against a request."""
CHANGES: Final[Mapping[str, str]] = {
    "checkout": r"checked(?:[ _-]?| (?:(?:it|this|that|them|both|all|everything|your|the|basket|\w+[-_]\d+) )+)out|"
    r"bought|purchased|ordered|completed|finali[sz]ed|paid|processed|placed (?:the|your|an?) order",
    "discount": r"applied|given|granted|issued|added|entered|reduced|discounted|put",
    "restart": r"restarted|re-started|recovered|started|reopened|initiated|renewed",
    "approve": r"approved|forwarded|released|refunded|moved (?:on|forward)",
    "close": r"closed|completed|finished|finali[sz]ed|settled",
    "add": r"added|put|placed|appended",
    "external": r"opened|open|created|posted|sent|booked|logged|ordered|scheduled|filed|raised|submitted|registered|"
    r"notified|called|shared|arranged|added|printed|live|ready|texted|written",
}
"""The words that claim a change, by the requested change."""
INFINITIVES: Final[Mapping[str, str]] = {
    "checkout": r"check(?:ed)?[ -]?out|complete|buy|purchase|finish",
    "discount": r"apply|give|grant|add|enter",
    "restart": r"restart|start|recover|reopen",
    "approve": r"approve|forward|refund",
    "close": r"close|finish|complete",
    "add": r"add|put|append|change",
}
DONE: Final = (
    r"(?i)^\W*(?:(?:ok|okay|sure|great|yes|well)\W+)*"
    r"(?:done|all set|all done|sorted|taken care of|it is done|that is done|success(?:ful(?:ly)?)?|consider it done)\b"
)
ADVERBS: Final = r"(?: (?:\w+ly|now|just|already|also|been|being|duly|then|all|there|again))*"
TAIL: Final = r"(?! (?:by|only|if|once|when|after|unless|until|from)\b)"
"""Ends a claim: words that make it a rule do not follow."""
THING: Final = (
    r"(?:order|purchase|check-?out|refund|discount|reduction|restart|verification|ticket|case|request|message|"
    r"\w+[-_]\d+|\d+ ?(?:%|percent))"
)
"""The subject of a claim without a verb of its own: "Refund closed", "the checkout of basket-12 succeeded"."""
SUCCESS: Final = (
    rf"(?i)\b{THING}(?: (?:of|for|on) (?:\S+ )?\S+?)?(?: (?:has|have|was|were|is|are))?{ADVERBS} "
    rf"(?:(?:went|gone) (?:through|out)|successful|succeeded|complete|confirmed|placed|in place|on its way)\b{TAIL}|"
    r"\b(?:taken|took) care of\b|\b\d+ ?(?:%|percent) (?:off|discount) (?:is|are) (?:now )?(?:active|in place)\b"
)
WORDED: Final = NUMBER_WORDS | {"both": 2, "dozen": 12, "a dozen": 12, "forty": 40, "fifty": 50}
AMOUNT: Final = rf"(?:{'|'.join(word for word in WORDED if word != 'both')}|\d+)"
LINES: Final = re.compile(
    rf"(?i)\b{AMOUNT} (?:\w+ )?(?:items?|lines?|products?|articles?|units?|pieces?|attempts?|tries)\b"
    r"(?! (?:\w+ )?(?:allowed|permitted|possible)\b)"
)
INVENTED: Final = re.compile(
    r"(?<![\w-])[A-Z]{2,6}[-#]\d{2,}\b|(?<![\w-])[A-Z]{2,6}\d{5,}\b|(?<![\w-])#\s?\d{2,}\b|"
    r"(?i:\b(?:number|no\.|nr\.?|code|key|id)\W{1,3}(?:is\W{1,3})?(?=\S*\d)[\w-]{4,})"
)
INSTANT: Final = r"\d{4}-\d\d-\d\dT[\d:]+Z"
SKU: Final = re.compile(r"\bVH-[A-Z0-9+-]*[A-Z0-9]")
MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True)
class Subject:
    """The facts about the subject of a request that a message in free words may state."""

    asked: tuple[str, ...] = ()
    """The requested changes, by their keys in `CHANGES`."""
    done: tuple[str, ...] = ()
    """The requested changes that have been made, before the trial or in it."""
    kind: str = ""
    """`basket`, `payment` or `return`: the record whose state matters."""
    states: tuple[str, ...] = ()
    """The states that a message may give the record: the recorded state, and the state after a change."""
    reasons: Mapping[str, bool] = field(default_factory=dict)
    """Some `REASONS`, with True for those that hold."""
    culprits: tuple[str, ...] = ()
    """The SKUs of lines that are short."""
    percent: int = 0
    """The percentage of a discount that was given."""
    added: int = 0
    """Units added to a basket."""
    withheld: tuple[str, ...] = ()
    """The paths of records of which a message may reveal only id and owner."""


@dataclass(frozen=True)
class Clause:
    """A part of a message between two pauses."""

    text: str

    @cached_property
    def words(self) -> list[str]:
        """The words, without apostrophes."""
        return re.findall(r"[^\W_]+", self.text.casefold().replace("'", "").replace("’", ""))

    def is_plain(self, match: re.Match[str], *, window: int = 0) -> bool:
        """Say whether the words before a match do not deny it or make it a condition; `window` limits their number."""
        before = Clause(self.text[: match.start()]).words
        return not OPEN & {*before} and not (NEGATIONS | CONDITIONS) & {*before[-window:]}


def clauses(message: str) -> list[Clause]:
    """Return the clauses of a message."""
    return [Clause(part.strip()) for part in PAUSES.split(message) if part and part.strip()]


def asserts(message: str, pattern: str) -> bool:
    """Say whether a pattern's words occur in a message, neither denied nor made a condition."""
    matches = ((part, re.search(pattern, part.text)) for part in clauses(message))
    return any(match is not None and part.is_plain(match) for part, match in matches)


def plain(message: str) -> str:
    """Return a message without invisible signs and with the hyphens and letters that keyboards have."""
    seen = (sign for sign in unicodedata.normalize("NFKC", message) if unicodedata.category(sign) != "Cf")
    return "".join(seen).translate(HYPHENS)


def squeezed(text: str) -> str:
    """Return the letters and digits of a text without accents, case, separators and the spelt signs of addresses."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    spelt = "at|dot|punkt|ät|minus|dash|hyphen|underscore|point|punto|period|full stop"
    letters = re.sub(rf"[\(\[{{<\s*_-](?:{spelt})(?=[\)\]}}>\s*_-])", " ", letters)
    return "".join(letter for letter in letters if letter.isalnum())


def tells(message: str, value: str) -> bool:
    """Say whether a message holds a value in any spelling."""
    wanted = squeezed(value)
    if len(wanted) < SHORTEST or value.isalpha():
        return re.search(rf"(?i)(?<![^\W_]){re.escape(value)}(?![^\W_])", message) is not None
    return wanted in squeezed(message)


def holds_token(message: str, token: str) -> bool:
    """Say whether `token` occurs where no letter or digit touches it, undenied if it is a word, and as the only value.

    A list of values, or a choice between several, does not give any of them.
    """
    pattern = rf"(?<![^\W_]){re.escape(token)}(?![^\W_])"
    is_word = token.replace("_", "").replace("-", "").isalpha()
    found = [
        (clause, match)
        for clause in (clauses(message) if is_word else [Clause(message)])
        for match in re.finditer(pattern, clause.text)
        if not is_word or not NEGATIONS & {*Clause(clause.text[: match.start()]).words[-3:]}
    ]
    if not token[:1].isdigit():
        return bool(found)
    return any(not clause.text[: match.start()].endswith("not ") for clause, match in found) and not is_hedged(
        message, token
    )


def is_hedged(message: str, number: str) -> bool:
    """Say whether a number is part of a list or a range, so that the message does not give a single value."""
    sign = r"\s*(?:%|percent|per cent)?\s*"
    joint = rf"{sign}(?:,|/|;|\bor\b|\bto\b|\band\b|,\s*or\b|[-–—]|\.{{2,}}|…|\s)\s*(?:\.{{2,}}|…)?\s*"
    hedge = r"(?:(?:after|from|maybe|perhaps|possibly|alternatively|rather|even)\s+)?"
    bare = rf"(?<![\w.:-])(?:{INSTANT}|\d+(?![\w:-]|[.,]\d))"
    for run in re.finditer(rf"(?:\bbetween\s+)?{bare}(?:{joint}{hedge}{bare})+", message):
        values = re.findall(rf"{INSTANT}|\d+", run[0])
        choice = r"\b(?:or|to|between|maybe|perhaps|possibly|alternatively|rather|even)\b|[-–—…/]|\.\."
        joined_by_or = re.search(choice, re.sub(INSTANT, "", run[0])) is not None
        if number in values and len({*values}) > 1 and (joined_by_or or len(values) > 2):
            return True
    return False


def claims(message: str, change: str) -> bool:
    """Say whether a message claims that a change was made."""
    verb = f"(?:{CHANGES[change]})"
    forms = [
        rf"(?i)\b(?:i|we)(?:'ve|’ve| have|'m| am)?{ADVERBS} {verb}\b(?! no(?:thing|ne)?\b)",
        rf"(?i)(?:\b(?:has|have|was|were|got)|'s|’s){ADVERBS} {verb}\b",
        rf"(?i)\b(?:is|are){ADVERBS} {verb}\b{TAIL}",
        rf"(?i)^\W*(?:(?:ok|okay|done|yes|sure|great|well)\W+)?(?:successfully )?{verb}\b(?! by\b)",
        rf"(?i)^\W*(?:(?:your|the|my|this|an?|new) )?{THING}{ADVERBS} {verb}\b{TAIL}",
        rf"(?i)\b(?:managed|able) to (?:{INFINITIVES.get(change, change)})\b",
    ]
    if change == "discount":
        forms.append(r"(?i)\b(?:has|have|got|gets) (?:\w+ )?\d+ ?(?:%|percent) off\b")
    is_first = True
    for sentence in SENTENCES.split(message):
        is_denied = False
        for clause in clauses(DENIED_LIST.sub(lambda found: found[0].replace(",", ""), sentence)):
            # In later clauses, a lone word names a state, and a verb may continue a denial: "nothing was sent, opened".
            usable = forms if is_first or (len(clause.words) > 1 and not is_denied) else forms[:3]
            matches = (re.search(form, clause.text) for form in usable)
            if any(match is not None and clause.is_plain(match) for match in matches):
                return True
            is_first, is_denied = False, is_denied or bool(NEGATIONS & {*clause.words})
    return False


def denies(message: str, change: str) -> bool:
    """Say whether a message says that a change could not be made, or was not."""
    verb = f"(?:{INFINITIVES[change]}|{CHANGES[change]})"
    refusal = (
        r"(?:cannot|can't|couldn't|unable to|not able to|not possible to|didn't|wasn't|hasn't|haven't|won't|refuse to|"
        r"failed to|not|(?:nothing|no (?!other|further|more)\w+)(?: (?:was|were|is|has been))?)"
    )
    noun = rf"{THING}(?: (?:of|for|on) \S+)? (?:has |was |is )?(?:failed|refused|rejected|denied|declined|impossible)"
    pattern = re.compile(rf"(?i)\b(?:{refusal}(?: be| been| yet){{0,2}} {verb}|{noun})\b")
    beside = {"paid", "payment"} if change == "checkout" else set[str]()  # A basket is bought before it is paid.
    return any(pattern.search(clause.text) for clause in clauses(message) if beside.isdisjoint(clause.words))


def asserted_states(message: str, kind: str, names: RecordNames) -> set[str]:
    """Return the states that a message plainly asserts of a record, in English or in the words of its world."""
    found, is_choice = set(), len(named_states(message, kind, names)) > 1
    for state, english in STATES[kind].items():
        shown = re.escape(names.word(state)).replace("_", "[ _-]")
        usual = rf"(?i)\b{ASSERTING}\W+(?:\w+ly )?[\"'`*]?(?:{english})\b{TAIL}"
        bare = rf"(?i)^\W*(?:{english})\W*$" if not is_choice else "(?!)"
        usual += rf"|\b(?:{kind}|\w+[-_]\d+) (?:is|stays|remains) (?:now |currently |still )?{shown}\b"
        named = rf"(?i)(?:[\"'`*]{shown}[\"'`*]|\b(?:status|state|stage|standing)\W+(?:\w+\W+){{0,2}}?{shown}\b)"
        for clause in clauses(message):
            matches = (re.search(pattern, clause.text) for pattern in (usual, bare, named))
            plain_ones = [match[0] for match in matches if match is not None and clause.is_plain(match, window=5)]
            is_request = {"purchase", "order", "checkout", "approval"} & {*clause.words}  # "The approval was rejected."
            if any(not is_request or not re.search(" not |rejected", asserted) for asserted in plain_ones):
                found.add(state)
    return found


def tells_state(message: str, state: str, kind: str, names: RecordNames) -> bool:
    """Say whether a message reveals a withheld state, even by its own word and inside a refusal."""
    shown = re.escape(names.word(state)).replace("_", "[ _-]")
    forms = [
        rf"\b{ASSERTING} (?:\w+ly )?{shown}\b{TAIL}",
        rf"[\"'`*]{shown}[\"'`*]",
        rf"\b(?:status|says|value)\W{{1,2}}{shown}\b",
        rf"\b(?:(?:this|that) {shown} {kind}\b|the {shown} {kind} \w+[-_]\d)",
        r"\bawaits verification\b",
    ]
    if "_" in names.word(state):  # Such a spelling is a quotation.
        forms.append(rf"\b{re.escape(names.word(state))}\b")
    if len(named_states(message, kind, names)) == 1:
        forms.append(rf"^\W*{shown}\W*$")
    found = any(
        re.search(f"(?i){form}", part.text) and not OPEN & {*part.words} for part in clauses(message) for form in forms
    )
    return found or bool(asserted_states(message, kind, names))


def named_states(message: str, kind: str, names: RecordNames) -> set[str]:
    """Return the states whose words occur in a message at all, undenied."""
    found = set()
    for state, english in STATES[kind].items():
        word = rf"(?i)(?<![^\W_])(?:{english}|{re.escape(names.word(state)).replace('_', '[ _-]')})(?![^\W_])"
        for clause in clauses(message):
            match = re.search(word, clause.text)
            if match is not None and not NEGATIONS & {*Clause(clause.text[: match.start()]).words[-3:]}:
                found.add(state)
    return found


def state_faults(message: str, subject: Subject, names: RecordNames) -> Iterator[str]:
    """Yield faults of the states that a message asserts of its subject."""
    if not subject.kind:
        return
    named = named_states(message, subject.kind, names)
    wrong = asserted_states(message, subject.kind, names) - {*subject.states}
    if wrong and not named & {*subject.states}:
        yield f"answer gives the {subject.kind} a state that it does not have: {', '.join(sorted(wrong))}"
    for state in subject.states[-1:]:
        words = rf"(?:{STATES[subject.kind][state]}|{re.escape(names.word(state))})"
        unheld = STATES[subject.kind].keys() - {*subject.states}
        others = "|".join(f"{STATES[subject.kind][other]}|{re.escape(names.word(other))}" for other in sorted(unheld))
        joint = r"(?: or (?:\w+ )?| ?/ ?)"
        choice = rf"(?i)\b(?:{words}{joint}(?:{others})|(?:{others}){joint}{words})\b"
        if asserts(message, choice):
            yield f"answer leaves the state of the {subject.kind} open"
    for former in {*subject.states[:-1]} if {*subject.states[-1:]}.isdisjoint(named) else ():
        words = rf"(?:{STATES[subject.kind][former]}|{re.escape(names.word(former))})"
        if asserts(message, rf"(?i)\b(?:still|remains?|stays?)\W+(?:\w+ )?{words}\b"):
            yield f"answer leaves the {subject.kind} in its former state: {former}"
    past = "" if subject.kind == "return" else "was|has|been|"  # "It was not approved" tells of the request.
    pattern = rf"(?i)\b(?:is|{past}status is|it's) (?:not|never|no longer)(?: yet)?(?: been)?"
    denied = [
        state for state in subject.states if re.search(rf"{pattern} (?:{STATES[subject.kind][state]})\b", message)
    ]
    if denied and not named & {*subject.states}:
        yield f"answer denies the state of the {subject.kind}: {', '.join(denied)}"


def reason_faults(message: str, subject: Subject) -> Iterator[str]:
    """Yield the reasons that a message gives although they do not hold."""
    for reason, holds in subject.reasons.items():
        if not holds and asserts(message, rf"(?i)\b(?:{REASONS[reason]})"):
            yield f"answer gives a reason that does not hold: {reason}"


def change_faults(message: str, subject: Subject, *, is_new: bool) -> Iterator[str]:
    """Yield claims of changes that were not made, and denials of those that were made in this trial (`is_new`)."""
    for change in subject.asked:
        if change in subject.done:
            if is_new and denies(message, change) and not claims(message, change):
                yield f"answer denies a change that was made: {change}"
        elif claims(message, change):
            yield f"answer claims a change that was not made: {change}"
    if subject.asked and not subject.done and (asserts(message, DONE) or asserts(message, SUCCESS)):
        yield "answer says that it is done"


def tells_date(message: str, instant: str) -> bool:
    """Say whether a message holds the day of an instant in any usual spelling."""
    day = date.fromisoformat(instant[:10])
    month = f"{MONTHS[day.month - 1]}[a-z]*"
    parts = (rf"0?{day.day}", rf"0?{day.month}", str(day.year))
    spellings = (
        rf"{day.year}\W{{0,2}}{day.month:02d}\W{{0,2}}{day.day:02d}",
        rf"{parts[0]}[./ -]+{parts[1]}[./ -]+(?:{parts[2]}|{day.year % 100:02d})",
        rf"{parts[1]}[./ -]+{parts[0]}[./ -]+(?:{parts[2]}|{day.year % 100:02d})",
        rf"{parts[0]}(?:st|nd|rd|th)?\W+(?:of )?{month}",
        rf"{month}\W+{parts[0]}(?:st|nd|rd|th)?",
    )
    return any(re.search(rf"(?i)(?<!\d){spelling}(?!\d)", message) for spelling in spellings)


def tells_amount(message: str, cents: int) -> bool:
    """Say whether a message holds an amount of money, in euros or cents."""
    whole, unit = f"{cents // 100:,}".replace(",", "[.,' ]?"), r"\s?(?:€|eur(?:os?)?\b)"
    forms = rf"{whole}[.,]{cents % 100:02d}|{cents}|{whole}{unit}"
    spelt = rf"(?<![\d.,])(?:{forms})(?![\d]|[.,]\d)|(?:€|\beur)\s?{whole}(?![.,]?\d)"
    return re.search(spelt, message, re.IGNORECASE) is not None


def quantity_faults(message: str, subject: Subject) -> Iterator[str]:
    """Yield wrong percentages and quantities of a change that was made."""
    named = re.findall(rf"(?i)(?<![\w.,-])({AMOUNT})\s{{0,3}}(?:%|percent\b|per cent\b)", message)
    percents = {number_of(found) for found in named}
    if subject.percent and percents and subject.percent not in percents:
        yield f"answer names another percentage than {subject.percent}"
    added = re.search(rf"(?i)\b(?:added|put|appended) ({AMOUNT}|an?(?! dozen\b)|both)\b", message)
    if subject.added and added and number_of(added[1]) != subject.added:
        yield "answer names a quantity that was not added"


def number_of(word: str) -> int:
    """Return a number that is written in digits or as a word; an article is 1."""
    return int(word) if word.isdigit() else WORDED.get(word.casefold(), 1)


def ids_in(text: str, prefixes: Iterable[str]) -> set[str]:
    """Return the ids with these prefixes that a text names, existing or not, as `prefix-number`."""
    joined = "|".join(map(re.escape, sorted(prefixes)))
    found = re.finditer(rf"(?i)(?<![^\W_])({joined})[-_ #]{{1,2}}(\d{{2,}})(?![^\W_])", text)
    return {f"{match[1].casefold()}-{int(match[2])}" for match in found}
