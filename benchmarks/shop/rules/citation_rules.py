"""Rules on the single records that an answer must, or must not, cite."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from benchmarks.shop.language import request_kinds, shop_evidence
from benchmarks.shop.language.record_kinds import Kind, id_of, kind_of, named_ids, skus_in, skus_ruled_out
from benchmarks.shop.language.shop_evidence import DENIED, OK, UNSUPPORTED, cited_records
from benchmarks.shop.rules.existence_questions import asks_existence, rests_on_nothing
from gates import Case, Submission
from gates.language import derive_contract
from gates.types import Evidence
from toolkit.text import money_in_text

_ELSEWHERE: Final = re.compile(r"(?<![\w.])/(?!proc/)[a-z]+/\w", re.IGNORECASE)
_UNCITE: Final = "back with `scratchpad.uncite(path)`"
_MOST_NAMED: Final = 6
_PLAIN_WORD: Final = re.compile(r"[^\W_]+(?:[.-][^\W_]+)*")
_VALUE_WORDS: Final = 2
"""How many of a property's last words are its value."""
_NEAR: Final = 2
"""How many times the number of citations a number may be that is taken for a wrong count of them."""
_MARKED: Final = re.compile(r"`(\w+)`")
_MAX_CHARS: Final = 20_000
_NAMED_KINDS: Final = (Kind.BASKET, Kind.PAYMENT, Kind.RETURN)


def fault_of_stock_subject(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an answer about the stock of one product that cites several products, or only one that is ruled out.

    An answer may cite the product that the request rules out ("but not …"): workspaces differ in that.
    """
    if submission.outcome != OK or not request_kinds.STOCK_OF_ONE.find(case.instruction):
        return ""
    ruled_out = set(skus_ruled_out(case.instruction))
    products = cited_records(submission, Kind.PRODUCT)
    subjects = [path for path in products if id_of(path) not in ruled_out]
    if len(subjects) > 1:
        return (
            f"The request is about one product, but {len(subjects)} are cited ({', '.join(map(id_of, subjects[:6]))}): "
            f"keep the one whose stock was looked up, and take the others {_UNCITE}."
        )
    if products and not subjects:
        return f"Only {id_of(products[0])} is cited, which the request rules out: cite the product that is left."
    return ""


def fault_of_return(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an answer to a refund request that does not cite the one return, and the payment, that it is about.

    The answer may say that there is no return, unless the trace shows one that names the payment.
    """
    if submission.outcome not in (OK, UNSUPPORTED) or not request_kinds.REFUND.find(case.instruction):
        return ""
    named = named_ids(case.instruction)
    if not named:
        return ""
    returns = cited_records(submission, Kind.RETURN)
    terms = set(named)
    linked = [
        path
        for key, path in shop_evidence.read_records(evidence, Kind.RETURN).items()
        if key in terms or evidence.touches[path].contains_any(terms)
    ]
    faults: list[str] = []
    if len(returns) > _number_named(named):
        one = linked[0] if len(linked) == 1 else f"the one that belongs to {named[0]}"
        faults.append(
            f"A refund concerns one return, but {len(returns)} are cited: keep {one}, and take the others {_UNCITE}."
        )
    elif not returns and linked:
        faults.append(f"The return {id_of(linked[0])} belongs to this request and is not cited: cite {linked[0]}.")
    elif not returns and not re.search(r"\bno (?:\w+ ){0,2}returns?\b", submission.answer_text, re.IGNORECASE):
        faults.append(
            f"No return record is cited: look through all return records for the one whose payment is {named[0]}, and "
            "cite it; where none of them has it, the answer says that there is no return."
        )
    if not cited_records(submission, Kind.PAYMENT) and shop_evidence.can_be_cited(Kind.PAYMENT, evidence):
        known = shop_evidence.note_of_read_paths(evidence, Kind.PAYMENT)
        faults.append(f"No payment record is cited: cite the payment that the return belongs to{known}.")
    return "\n".join(faults)


def _number_named(ids: list[str]) -> int:
    """Return how many records of one kind a request is about: the most that it names of any kind, at least one."""
    return max(Counter(re.split("[-_]", each)[0] for each in ids).values(), default=1)


def fault_of_named_record(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an answer that leaves out a basket, payment or return that the request names and the trial has read.

    Without a trace the rule applies to checkouts alone. A checkout must not cite another basket either, and a count
    over listed SKUs must cite each of them.
    """
    faults = [fault] if (fault := _fault_of_listed_skus(submission, evidence, case)) else []
    if submission.outcome not in (OK, UNSUPPORTED):
        return "\n".join(faults)
    named = named_ids(case.instruction)
    have = {id_of(path): path for kind in _NAMED_KINDS for path in cited_records(submission, kind)}
    read = {key: path for kind in _NAMED_KINDS for key, path in shop_evidence.read_records(evidence, kind).items()}
    missing = [each for each in named if each not in have and each in read]
    if request_kinds.CHECKOUT.find(case.instruction) and not request_kinds.VERIFICATION.find(case.instruction):
        baskets = [each for each in named if each.startswith("basket")]
        extra = [each for each in have if baskets and kind_of(have[each]) is Kind.BASKET and each not in baskets]
        if extra:
            shown = ", ".join(extra[:6])
            faults.append(f"The request is about {baskets[0]}, but {shown} is cited as well: take it {_UNCITE}.")
        missing += [each for each in baskets[:1] if each not in have and not evidence.has_trace]
    faults += [
        f"The request is about {each}, and its record is not cited: cite {read.get(each, 'it')}."
        for each in missing[:_MOST_NAMED]
    ]
    return "\n".join(faults)


def _fault_of_listed_skus(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of a count that leaves out the record of a listed SKU; with a trace, of one that was read."""
    if submission.outcome != OK or not request_kinds.STOCK_OF_LISTED.find(case.instruction):
        return ""
    have = {id_of(path) for path in cited_records(submission, Kind.PRODUCT)}
    read = shop_evidence.read_records(evidence, Kind.PRODUCT)
    missing = [each for each in skus_in(case.instruction) if each not in have]
    known = [read.get(each, each) for each in missing if each in read or not evidence.has_trace]
    return (
        f"The count rests on every SKU that is listed; not cited: {', '.join(known[:8])}: cite each." if known else ""
    )


def fault_of_exported_records(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an export that leaves out a product record that the trial has read and whose SKU it contains."""
    if submission.outcome != OK or not request_kinds.EXPORT.find(case.instruction):
        return ""
    written = [evidence.touches[each.path] for each in evidence.changes if each.action == "write"]
    have = cited_records(submission, Kind.PRODUCT)
    missing = [
        path
        for key, path in shop_evidence.read_records(evidence, Kind.PRODUCT).items()
        if path not in have and any(touch.contains_any({key.lower()}) for touch in written)
    ]
    return (
        f"The export rests on every product in it; not cited: {', '.join(missing[:8])}: cite each." if missing else ""
    )


def fault_of_foreign_basket(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject the denial of a checkout that cites a basket, unless the trace shows it to be the asker's own."""
    if submission.outcome != DENIED or not request_kinds.CHECKOUT.find(case.instruction):
        return ""
    if request_kinds.DISCOUNT.find(case.instruction):
        return ""
    foreign = [
        path for path in cited_records(submission, Kind.BASKET) if not shop_evidence.belongs_to_asker(evidence, path)
    ]
    shown = ", ".join(foreign[:6])
    return f"A denied checkout shows nothing of the basket, but {shown} is cited: take it {_UNCITE}." if foreign else ""


def fault_of_payments(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject an answer about a card verification that cites more payments or baskets than the request names."""
    if submission.outcome not in (OK, UNSUPPORTED) or not request_kinds.VERIFICATION.find(case.instruction):
        return ""
    faults: list[str] = []
    for kind in (Kind.PAYMENT, Kind.BASKET):
        ids = [id_of(path) for path in cited_records(submission, kind)]
        named = [each for each in named_ids(case.instruction) if each in ids]
        if len(ids) > _number_named(named_ids(case.instruction)):
            extra = [each for each in ids if each not in named] if named else ids[1:]
            shown = ", ".join(extra[:6])
            faults.append(f"A card verification concerns one {kind}, but {len(ids)} are cited: take {shown} {_UNCITE}.")
    return "\n".join(faults)


def fault_of_counted(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a count that differs from the number of cited records of the counted kind.

    A count of people that cites documents and no employee record does not count records. One of described products may
    leave a product out that two descriptions fit.
    """
    number = shop_evidence.stated_number(submission)
    if submission.outcome != OK or number is None:
        return ""
    if request_kinds.COUNT_OF_DESCRIBED.find(case.instruction) and not skus_in(case.instruction):
        have = len(cited_records(submission, Kind.PRODUCT))
        if have > number:
            return f"The answer counts {number} of the products described, and {have} are cited: cite those that count."
    for kind, is_counted in ((Kind.PRODUCT, _counts_prices), (Kind.EMPLOYEE, _counts_people)):
        if is_counted(submission, evidence, case):
            have = len(cited_records(submission, kind))
            if not have and kind is Kind.EMPLOYEE and any(path.startswith("/docs/") for path in submission.citations):
                return ""
            if have != number:
                return (
                    f"The answer counts {number}, but the number of {kind}s that are cited is {have}: look at what was "
                    "found once more, cite exactly those that count, and give their number."
                )
    return ""


def _counts_prices(submission: Submission, evidence: Evidence, case: Case) -> bool:
    """Say whether a request is for a number of products by price: it names an amount, no SKU and no file."""
    if request_kinds.PRICE_COUNT.find(case.instruction):
        return True
    if not shop_evidence.read_records(evidence, Kind.PRODUCT):
        return False
    kinds = {each.kind for each in derive_contract(case.instruction, case.rules).clauses}
    is_priced = money_in_text(case.instruction[:_MAX_CHARS]) is not None and kinds <= {"number"}
    is_elsewhere = skus_in(case.instruction) or named_ids(case.instruction) or _ELSEWHERE.search(case.instruction)
    if not is_priced or is_elsewhere:
        return False
    if {kind_of(path) for path in submission.citations} - {None, Kind.PRODUCT}:
        return False
    return bool(kinds) or _counts_cited(submission, evidence)


def _counts_cited(submission: Submission, evidence: Evidence) -> bool:
    """Say whether an answer is a small number alone, near that of the products cited, which no record of them holds.

    So it is none of their values, nor what some of them cost.
    """
    answer = submission.answer_text.strip()
    cited = [evidence.find(path).touch for path in cited_records(submission, Kind.PRODUCT)]
    if not re.fullmatch(r"[1-9]\d{0,2}", answer) or int(answer) > _NEAR * (len(cited) + 1):
        return False
    return bool(cited) and not any(each is None or each.contains_any({answer}) for each in cited)


def _counts_people(submission: Submission, evidence: Evidence, case: Case) -> bool:
    """Say whether a request is for a number of staff: it marks a role that cited staff have, and wants a number."""
    if request_kinds.STAFF_COUNT.find(case.instruction):
        return True
    people = [evidence.find(path).touch for path in cited_records(submission, Kind.EMPLOYEE)]
    marked = {each.lower() for each in _MARKED.findall(case.instruction)} if people else set()
    return bool(people) and all(each is not None and each.contains_any(marked) for each in people)


def fault_of_existing_product(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject a yes to "does such a product exist" that does not cite exactly one product, and a no that cites any.

    All 35 recorded right answers of no cite none.
    """
    if submission.outcome != OK or not asks_existence(submission, evidence, case):
        return ""
    says_yes = shop_evidence.stated_yes(submission, case.rules)
    products = cited_records(submission, Kind.PRODUCT)
    if says_yes is False and products and not skus_in(case.instruction):
        shown = ", ".join(map(id_of, products[:6]))
        return f"No product fits by this answer, and {shown} is cited: take it {_UNCITE}, or look whether it does fit."
    if says_yes is False and rests_on_nothing(evidence):
        return "A look-up that failed shows no absence: look for the product in a way that works, and answer then."
    if not says_yes:
        return ""
    if len(products) > 1:
        return (
            f"One product decides that such a product exists, but {len(products)} are cited "
            f"({', '.join(map(id_of, products[:6]))}): keep the one that fits in everything."
        )
    if not products:
        if shop_evidence.can_be_cited(Kind.PRODUCT, evidence):
            return "The product that decides it is not cited: cite its record."
        return ""
    return _fault_of_further_property(products[0], submission, evidence, case)


def _fault_of_further_property(path: str, submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return the fault of a yes to a wish with a further property of which neither record nor reason holds a value.

    Of a figure with its unit the figure counts: records spell units in other words, or in a field's name. Words of
    which no other product that was read has any are a customer's own, and may mean what the record says in others.
    """
    wanted = request_kinds.FURTHER_PROPERTY.find(case.instruction)
    if wanted is None:
        return ""
    words = _PLAIN_WORD.findall(wanted[1].lower())[-_VALUE_WORDS:]
    words = [each for each in words if each.isdigit()] or words
    touch = evidence.find(path).touch
    if touch is not None:
        missing = {each for each in words if not touch.contains_any({each})}
        others = [evidence.touches[each] for each in shop_evidence.read_records(evidence, Kind.PRODUCT).values()]
        shows = not any(each.isdigit() or any(other.contains_any({each}) for other in others) for each in missing)
    else:
        reason = submission.refs_why.get(path) if isinstance(submission.refs_why, dict) else None
        shows = isinstance(reason, str) and set(words) <= set(_PLAIN_WORD.findall(reason.lower()))
    if shows:
        return ""
    return (
        f"The request asks for a property beside the product ({wanted[1].strip()!r}), and nothing shows that "
        f"{id_of(path)} has it: read it in the record; if another value stands there, the answer is the opposite."
    )


def fault_of_field(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Reject the value of a recorded field that does not cite the one record that holds it.

    The rule does not apply if the request names a tool, a document or another file as the source.
    """
    if submission.outcome != OK or not request_kinds.FIELD.find(case.instruction):
        return ""
    if _ELSEWHERE.search(case.instruction) or request_kinds.SEVERAL.find(case.instruction):
        return ""
    for kind in Kind:
        ids = [id_of(path) for path in cited_records(submission, kind)]
        if len(ids) > 1:
            return f"The value of a field comes from one {kind}, but {', '.join(ids[:6])} are cited: keep that one."
    if any(cited_records(submission, kind) for kind in Kind):
        return ""
    if evidence.has_trace and not shop_evidence.has_read_any_record(evidence):
        return ""
    return "The value of a field comes from one record, and none is cited: cite the record that holds it."
