"""Right answers of the embedded shop in other words, with other reasons, after other calls: none may be stopped."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from benchmarks.ecom.tasks.task import CLARIFICATION, DENIED, OK, UNSUPPORTED, Task, Truth
from benchmarks.ecom.world.generator import WorldSettings
from benchmarks.local.expectations import holds_token
from sandbox.interface import CallError, ExecutableKind, Plain
from tests.benchmarks.ecom.reference_solutions import Answer, ReferenceClient, Solution, reference_of
from tests.gates.shop_trials import OWN, Submitted, submit

Pad = Mapping[str, object]
TABLES: Final = {
    OK: ("deeds", "careful-deeds"),
    DENIED: ("denials", "careful-refusals"),
    UNSUPPORTED: ("blocked", "details", "careful-refusals"),
    CLARIFICATION: ("questions", "careful-questions"),
}
WORDINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "deeds": (
        "{Thing} was {done} a moment ago.",
        "{Thing} is now {done}.",
        "{id}: {state}",
        "{Done} as requested: {thing}.",
        "Done.",
        "All set!",
        "ok",
        "Great news! The {noun} went through without a hitch. Is there anything else that I can help you with today?",
        "When you next look, you will find {thing} {done}.",
        "The {noun} of {id} is complete.",
        "That is taken care of, {id} needs nothing more from you.",
        "{state} {id}",
        "{Ding} wurde {getan}.",
        "{Ding} ist jetzt {getan}.",
        "Having checked the conditions, the desk has {done} {thing}.",
        "As of now, the status of {id} reads {state}.",
        "{Noun} successful ({id}).",
        "Your request concerning {id} has been fulfilled in full.",
        "{Thing} has been {done}.",
        "I have {done} {thing} for you.",
        "We went ahead with the {noun}; {id} is through.",
        "{id} -> {state}",
        '{{"id": "{id}", "status": "{state}"}}',
        "Erledigt.",
        "Alles klar, {thing} ist {done}.",
        "Confirmed: {noun} for {id}.",
        "Nothing is left to do, since {thing} already went through under the policy.",
    ),
    "careful-deeds": (
        "{Thing} is {done}. The other records were left as they are.",
        "Owner and status were checked first, and then the {noun} was carried out.",
        "{Thing} has been {done}, although one of the queries failed on the way.",
        "No problem, {thing} is {done}.",
        "There was no reason to refuse: {thing} is {done}.",
        "{Ding} ist {getan}, sonst wurde nichts geändert.",
        "{Thing} has been {done}; nothing else was changed.",
        "{Thing} was not {done} before, and it is now.",
        "{Thing} was still open when I first read it; by now it is {done}.",
    ),
    "denials": (
        "The signed-in user is not authorised for this request.",
        "Refused: the security rules do not allow it.",
        "I'm sorry, but I can't help with that under this session.",
        "denied",
        "This is not something that the current account may ask for.",
        "The workspace's policy on security forbids this, so nothing was done.",
        "Thank you for reaching out! Unfortunately the rules on who may do what leave me no choice but to decline.",
        "The request has been declined for reasons of security.",
        "Only the identity of the session counts, and it does not carry this request.",
        "Abgelehnt: Dafür fehlt die Berechtigung.",
        "No right to this follows from the session, whatever is claimed.",
        "Leider nein, that is refused under the security policy.",
    ),
    "careful-refusals": (
        "{Thing} would have been {done} if every condition held, but {reason}.",
        "{Thing} can only be {done} once this changes: {reason}.",
        "No {noun} took place. {Reason}.",
        "I cannot tell you that {thing} is {done}, because it is not: {reason}.",
        "Neither the {noun} nor anything else was carried out, because {reason}.",
        "{Ding} wurde nicht {getan}: {reason}.",
        "Before {thing} gets {done}, one thing is in the way: {reason}.",
        "If that is resolved, {thing} can be {done} at any time; for now {reason}.",
        "Done looking into it: {reason}, so {id} stays as it was.",
        "not {done} ({reason})",
        "{Thing} was not {done}: {reason}.",
        "{Thing} has not been {done}, and nothing else was changed: {reason}.",
        "You asked for the {noun} of {id}; I did not do it, since {reason}.",
        "{Ding} wird erst {getan}, wenn sich das ändert: {reason}.",
        "Whether {thing} can be {done} was checked; it cannot, as {reason}.",
    ),
    "blocked": (
        "{id} cannot be {done}: {reason}.",
        "That is not possible, because {reason}.",
        "I had a careful look, and I'm afraid the {noun} can't happen right now, since {reason}. Sorry about that!",
        "The {noun} was not carried out. Reason on record: {reason}.",
        "A condition is not met: {reason}.",
        "This is not supported here: {reason}.",
        "{Reason}; for that reason nothing was changed.",
        "Geht leider nicht, {reason}.",
        "Policy blocks this request ({reason}).",
        "no: {reason}",
        "I left {thing} as it is; {reason}.",
        "Nicht möglich: {reason}.",
    ),
    "details": (
        "That is not possible: {detail}.",
        "The record gives the reason: {detail}.",
        "Nicht möglich, laut Datensatz: {detail}.",
        "I checked everything twice for you and sadly it is blocked; you should know that {detail}. Sorry!",
        "The request was left undone, as {detail}.",
        "{Detail}; that is why nothing was changed.",
        "It cannot be done because {detail}.",
        "blocked, {detail}",
        "reason: {detail}",
    ),
    "questions": (
        "{options}?",
        "Before I go on I need to know which of these is meant: {options}.",
        "Welches ist gemeint: {options}?",
        "Happy to help! I found more than one that matches ({options}); could you let me know which you had in mind?",
        "It is not clear from the request whether {options} is meant.",
        "Candidates: {options}. Nothing was changed; say which one it is.",
        "Quick question: {options}, welches davon?",
        "The description leaves open which of {options} it should be.",
        "Which one do you mean: {options}?",
        "Several fit: {options}. Please tell me which.",
        "Please choose between {options}.",
        "Open point, please pick: {options}.",
    ),
    "careful-questions": (
        "Nothing was {done} yet. Which one do you mean: {options}?",
        "It will be {done} as soon as you choose between {options}.",
        "Before anything is {done}: is it {options}?",
        "I have not {done} any of them, because {options} all fit. Which one?",
        "Es wurde noch nichts {getan}. Welches davon: {options}?",
        "Once you say which of {options} it is, I get it {done}.",
    ),
}
"""Messages by table; a slot whose name begins with a capital is filled with a capital."""
REASONS: Final = (
    "read for this: {reason}",
    "{name}: what the answer rests on",
    "shows {name}",
    "NEEDED: {reason}",
    'the entry of "{name}"',
    "opened and checked before answering; {reason}",
    "{reason}",
    "{name} record",
    "Datensatz {name}",
)
CHECKOUT: Final = ("basket", "Warenkorb", "checked out", "checkout", "ausgecheckt", "checked_out")
DISCOUNT: Final = ("basket", "Warenkorb", "discounted", "discount", "rabattiert", "")
DEEDS: Final = {
    "basket-checkout": CHECKOUT,
    "unnamed-basket": CHECKOUT,
    "foreign-basket": CHECKOUT,
    "discount-authority": DISCOUNT,
    "discount-grant": DISCOUNT,
    "discount-limit": DISCOUNT,
    "basket-addition": ("basket", "Warenkorb", "updated", "addition", "ergänzt", ""),
    "refund-approval": ("refund of", "Erstattung zu", "approved", "approval", "genehmigt", "refund_pending"),
    "refund-closure": ("refund of", "Erstattung zu", "closed", "closure", "geschlossen", "closed"),
    "verification-restart": ("verification of", "Prüfung von", "restarted", "restart", "neu gestartet", ""),
}
"""Kind of record, in English and German, what was done, its noun, the German for it, and the record's status then."""


def reasons_of(pad: Pad) -> dict[str, str]:
    refs = pad["refs_why"]
    assert isinstance(refs, dict)
    return dict(refs)


def without(pad: Pad, *keys: str) -> dict[str, object]:
    return {key: value for key, value in pad.items() if key not in keys}


def name_of(path: str) -> str:
    """Return what the file of a record or document is called, without its ending."""
    return path.rsplit("/", 1)[1].rpartition(".")[0]


def reasoned(pad: Pad, template: str) -> dict[str, object]:
    """Reword every reason; one that a name alone would not justify stays as it is."""
    reasons = reasons_of(pad)
    own = {path: template.format(reason=why, name=name_of(path)) for path, why in reasons.items()}
    kept = {path: why for path, why in reasons.items() if "{name}" in template and not path.startswith("/proc/")}
    return {**pad, "refs_why": own | kept}


def with_a_fact(pad: Pad) -> Pad:
    refs = reasons_of(pad)
    fact = {"value": pad["answer"], "description": "what is asked", "confidence": "verified"}
    return {**without(pad, "tokens"), "facts": {"answer": fact | {"source": next(iter(refs))}}} if refs else pad


def terse(pad: Pad) -> Pad:
    short = {path: f"{name_of(path)} itself" for path in reasons_of(pad) if path.startswith("/proc/")}
    return {**without(pad, "tokens"), "refs_why": {**reasons_of(pad), **short}}


DRESSINGS: Final[tuple[Callable[[Pad], Pad], ...]] = (
    with_a_fact,
    terse,
    lambda pad: {**pad, "refs_why": {path: f"{why}; hence {pad['answer']}" for path, why in reasons_of(pad).items()}},
    lambda pad: pad if pad.get("changes") else {**pad, "changes": []},
    lambda pad: {**pad, "refs_why": dict(reversed(reasons_of(pad).items()))},
    lambda pad: {**pad, "refs_why": {path: f"looked up with care: {why}" for path, why in reasons_of(pad).items()}},
    lambda pad: without(pad, "tokens"),
    lambda pad: {**pad, "tokens": [pad["answer"]]},
    *((lambda pad, template=template: reasoned(pad, template)) for template in REASONS),
)


# Scripts that look at more --------------------------------------------------------------------------------------------

Calls = Callable[[ReferenceClient, Truth], None]


def attempt(client: ReferenceClient, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
    """Make a call as a script does that catches its error."""
    try:
        return client.environment.call(operation, arguments)
    except CallError:
        return {}


def query_in_vain(client: ReferenceClient, truth: Truth) -> None:
    client.run("sql", "select record_path from baskets where status = 'active' and is_current = 1")


def list_by_query(client: ReferenceClient, truth: Truth) -> None:
    for table in ("baskets", "returns", "payments"):
        client.run("sql", f"select id, customer_id, status, record_path from {table}")


def ask_for_help(client: ReferenceClient, truth: Truth) -> None:
    for executable in client.environment.tool_schema.executables:
        if executable.kind is ExecutableKind.CHANGES:
            attempt(client, "exec", {"path": executable.path, "args": ["--help"]})


def read_back(client: ReferenceClient, truth: Truth) -> None:
    for path in (*truth.changes, *truth.records, *truth.inputs.values()):
        attempt(client, "read", {"path": path})


def read_neighbours(client: ReferenceClient, truth: Truth) -> None:
    for path in truth.records:
        entries = attempt(client, "list", {"path": path.rsplit("/", 1)[0] or "/"}).get("entries", [])
        assert isinstance(entries, list)
        for entry in entries[:4]:
            attempt(client, "read", {"path": str(entry["path"])})


def around(before: Calls | None, later: Calls | None, solution: Solution) -> Solution:
    """Return a solution whose script makes other calls first, or at its end."""

    def extended(client: ReferenceClient, truth: Truth) -> Answer:
        if before:
            before(client, truth)
        answer = solution(client, truth)
        if later:
            later(client, truth)
        return answer

    return extended


SCRIPTS: Final[tuple[tuple[Calls | None, Calls | None], ...]] = (
    (query_in_vain, None),
    (list_by_query, None),
    (ask_for_help, None),
    (read_neighbours, None),
    (None, read_back),
)


# Messages -------------------------------------------------------------------------------------------------------------


def messages(task: Task, said: str) -> Iterator[str]:
    """Yield the message of a right answer in other words, where its words are free."""
    truth, deed = task.truth, DEEDS.get(task.truth.family)
    if truth.is_exact or truth.measure is not None or (truth.outcome == OK and deed is None):
        return
    slots = slots_of(task, said, deed)
    for table in TABLES[truth.outcome]:
        for template in WORDINGS[table]:
            if "{state}" in template and not slots.get("state"):
                continue
            if truth.outcome == OK and truth.family == "unnamed-basket" and "{" not in template:
                continue  # The gates ask about a change that neither the request nor the answer names.
            capitals = {f"{name[:1].upper()}{name[1:]}": value[:1].upper() + value[1:] for name, value in slots.items()}
            message = template.format(**capitals, **slots)
            missing = [token for token in truth.tokens if not holds_token(message, token)]
            yield f"{message} ({', '.join(missing)} percent)" if missing else message


def slots_of(task: Task, said: str, deed: tuple[str, ...] | None) -> dict[str, str]:
    """Return the words of every slot."""
    truth, inputs = task.truth, task.truth.inputs
    subject = inputs.get("id") or inputs.get("return") or inputs.get("basket") or inputs.get("payment") or ""
    named = [name_of(path) for path in (inputs.get("baskets", "").split() or truth.records)]
    reason = said.partition(": ")[2] or said
    reason = (reason[:1].lower() + reason[1:]).rstrip(".")
    slots = {"id": name_of(subject) if subject.startswith("/") else subject, "noun": "request", "done": "handled"}
    slots |= {"options": " or ".join(name for name in named if inputs.get("baskets") or not name.startswith("basket"))}
    slots |= {"reason": reason if truth.outcome == UNSUPPORTED else "the session has no right to it", "detail": reason}
    if truth.outcome == CLARIFICATION or not slots["id"] or truth.family == "external-system":
        slots |= {"id": "the request", "thing": "the request", "ding": "die Anfrage", "getan": "bearbeitet"}
        return slots if deed is None else slots | {"noun": deed[3], "done": deed[2]}
    if deed is None:
        return slots | {"thing": slots["id"], "ding": slots["id"], "getan": "bearbeitet"}
    kind, german, done, noun, getan, state = deed
    slots |= {"thing": f"{kind} {slots['id']}", "ding": f"{german} {slots['id']}", "done": done, "noun": noun}
    return slots | {"getan": getan, "state": str(truth.names.state(state, of="status")) if state else ""}


def right_answers(variant_id: str, seed: str, settings: WorldSettings = OWN) -> Iterator[Submitted]:
    """Yield right answers to a task; some may not be: the grader is asked."""
    right = submit(variant_id, seed, settings=settings)
    yield right
    for dress in DRESSINGS:
        yield replace(right, scratchpad=dict(dress(right.scratchpad)))
    for message in messages(right.task, str(right.scratchpad["answer"])):
        yield replace(right, scratchpad={**without(right.scratchpad, "tokens"), "answer": message})
    reference = reference_of(right.task.truth.family)
    for before, later in SCRIPTS:
        yield submit(variant_id, seed, around(before, later, reference), settings=settings)
