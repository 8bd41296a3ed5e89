"""What was changed agrees with what was asked for and with what is told, whatever the language of the request."""

import json

import pytest

from gates.judging import judge
from gates.submission import DENIED, UNSUPPORTED, Case, Submission
from gates.verdict import Judgement
from tests.gates.sample_trials import Calls, Verify, fault, judged, pad

BASKET, OTHER, POLICY = "/proc/baskets/basket-17.json", "/proc/baskets/basket-18.json", "/docs/baskets.md"
POLICY_TEXT = "A basket is `open` until it is paid. Whoever owns it may close it; a `locked` basket stays as it is."


def basket(status: str = "open", number: int = 17, **more: object) -> str:
    return json.dumps({"id": f"basket-{number}", "owner_id": "cust-4", "status": status, **more})


def trial(status: str = "open", *, writes: str = "", ships: str = "") -> Calls:
    """A trial that read the basket and its policy, and then wrote the basket or ran the tool that changes things."""
    calls = Calls().see(POLICY, POLICY_TEXT).see(BASKET, basket(status))
    if writes:
        calls.write(BASKET, writes)
    if ships:
        calls.run("/bin/ship", ships, stdout="done")
    return calls


def submitted(calls: Calls, instruction: str, answer: str, outcome: str = "OUTCOME_OK", **reasons: str) -> Judgement:
    paths = {"basket": BASKET, "policy": POLICY, "tool": "/bin/ship"}
    refs = {paths[name]: reason for name, reason in reasons.items()}
    submission = Submission.from_scratchpad(pad(answer=answer, outcome=outcome, refs_why=refs), Verify())
    return judge(submission, calls.evidence, Case(instruction, POLICY_TEXT, "/RULES.md"))


# The neutral case -----------------------------------------------------------------------------------------------------

ORDERS = [
    "Set the status of my basket basket-17 to closed. Answer with its id only.",
    "basket-17 should be closed from now on. Only the id, please.",
    "Could you see to it that basket-17 ends up closed? Reply with its id only.",
    "Mark basket-17 closed; id only.",
    "I want basket-17 shut. Its id alone as the answer.",
    "Setze den Status meines Warenkorbs basket-17 auf closed. Antworte nur mit der Id.",
    "Bitte basket-17 schließen. Nur die Id.",
    "Mets le statut de mon panier basket-17 à closed. Réponds seulement avec son identifiant.",
    "Merci de fermer basket-17. L'identifiant seulement.",
]


@pytest.mark.parametrize("instruction", ORDERS)
@pytest.mark.parametrize(
    "reason", ["basket-17 is closed", "basket-17, Status jetzt closed", "le panier basket-17, fermé"]
)
def test_an_order_in_any_words_that_was_carried_out_passes_with_its_id_only(instruction: str, reason: str) -> None:
    for calls in (trial(writes=basket("closed")), trial(ships="close basket-17")):
        found = submitted(calls, instruction, "basket-17", basket=reason)
        assert found.accepted, found.message


@pytest.mark.parametrize("instruction", ORDERS)
@pytest.mark.parametrize("outcome", [DENIED, UNSUPPORTED])
@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("That is not possible: a locked basket stays as it is.", "a `locked` basket stays as it is"),
        ("Das geht nicht, der Warenkorb ist gesperrt.", "ein gesperrter Warenkorb (locked) bleibt so"),
        ("Impossible : le panier est verrouillé.", "un panier verrouillé (locked) reste tel quel"),
    ],
)
def test_a_refusal_of_any_order_passes_with_a_policy_cited(
    instruction: str, outcome: str, answer: str, reason: str
) -> None:
    found = submitted(trial("locked"), instruction, answer, outcome, policy=reason)
    assert found.accepted, found.message


# Changes that came to nothing, or that nobody asked for ---------------------------------------------------------------


@pytest.mark.parametrize("outcome", [DENIED, UNSUPPORTED, "OUTCOME_NONE_CLARIFICATION"])
def test_a_refusal_after_a_change_that_still_holds_owns_up_to_it(outcome: str) -> None:
    calls = trial(writes=basket("closed"))
    silent = {"answer": "Which basket, 17 or 18?", "outcome": outcome, "refs_why": {POLICY: "a `locked` basket stays"}}
    found = fault(judged(pad(**silent), calls, instruction=ORDERS[0]), "6/unowned-change")
    told = json.loads(found[found.index("= [") + 2 : found.rindex("]") + 1])
    assert told == [BASKET]
    assert judged(pad(**silent, changes=told), calls, instruction=ORDERS[0]).accepted
    calls.write(BASKET, basket())
    assert judged(pad(**silent), calls, instruction=ORDERS[0]).accepted
