"""Whoever does literally what the messages say, and nothing else, arrives at an accepted answer."""

import json
import random
import re
from collections.abc import Callable

import pytest

from gates.language.answer_contract import derive_contract
from tests.gates.sample_trials import FILES, Calls, judged, pad

PAIR = "For yes/no questions the whole message is `ja` or `nein`, nothing else."
INSTRUCTIONS = (
    "How long does a loan run?",
    "How many? Answer with number only.",
    'Answer in exactly format "<COUNT:%d>".',
    "Is b-104 on the shelf?",
    "Delete the old loans and cite the file you used.",
    "Return only the deleted paths, one per line, sorted alphabetically.",
    "Approve the loan. Answer with a JSON object with the keys `id`.",
    "What day is it? DD-MM-YYYY only. Cite every record counted.",
    "What exact `colour` is recorded for b-104? Answer only the field value.",
    "Create an export at /exports/a.csv. Return only the export path.",
)
REAL = (*FILES, "/docs/loans.md", "/B.txt", "/x#y.md", "/ a.md")
CITED = (*REAL, "/DOCS/Loans.md", "/shelves/b-104.json", "docs/Loans.md", "/shelves/", "/logs/lent.tsv#row=7", "/no.md")
REASONS = ("ok", "relevant document", "b-104 has 3 copies", "the loan rule of 21 days", "no row for b-999")
ANSWERS = ("It is 21 days.", "21", "ja", "OUTCOME_OK", "", "I have deleted it.", "/exports/a.csv", "none", "red", 7)
OUTCOMES = (
    "OUTCOME_OK",
    "OUTCOME_DENIED_SECURITY",
    "OUTCOME_NONE_CLARIFICATION",
    "OUTCOME_NONE_UNSUPPORTED",
    "OUTCOME_ERR_INTERNAL",
    "OK",
)
CHANGES = ([], "none", [{"path": "/x", "action": "write"}], [{"path": "/bin/ship", "action": "execute"}])
TOKENS = ("21", ["21"], ["ja", "nein"], [["ja", "nein"]], [""], [3], ["x"] * 101)
FACTS = (
    {"a": 1},
    {"a": {"value": 1, "description": "x", "source": "/docs/Loans.md", "confidence": "verified"}},
    {"a": {"value": 1, "description": "x", "source": "b", "confidence": "derived"}},
    {"a": {"value": 1, "description": "", "source": "task", "confidence": "derived"}},
    {"a": {"value": 1, "description": "d", "confidence": "pending"}},
)
Pad = dict[str, object]


def history(rng: random.Random) -> Calls:
    calls = Calls()
    for _ in range(rng.randint(0, 8)):
        path = rng.choice(REAL)
        tool = rng.choice(("/bin/ship", "/bin/show", "/bin/odd"))
        rng.choice(
            (
                lambda p=path: calls.read(p, shown_chars=rng.choice((None, None, 0, 9))),
                lambda p=path: calls.list(p.rpartition("/")[0] or "/", *rng.sample(REAL, rng.randint(0, 3))),
                lambda p=path: calls.write(p, rng.choice(("", "new text"))),
                lambda p=path: calls.delete(p),
                lambda p=path: calls.fail("read", p, rng.choice(("unavailable", "not_found"))),
                lambda p=path, t=tool: calls.run(t, p, stdout=rng.choice(("", "b-104")), exit_code=rng.choice((0, 1))),
            )
        )()
    return calls


def faulty(rng: random.Random) -> Pad:
    refs = {rng.choice(CITED): rng.choice(REASONS) for _ in range(rng.randint(0, 4))}
    scratchpad = pad(answer=rng.choice(ANSWERS), outcome=rng.choice(OUTCOMES), refs_why=refs)
    for name, values in (("changes", CHANGES), ("tokens", TOKENS), ("facts", FACTS)):
        if rng.random() < 0.4:
            scratchpad[name] = rng.choice(values)
    return scratchpad


class Reader:
    """Does what one sentence of a message says, without a thought of its own."""

    def __init__(self, scratchpad: Pad, calls: Calls, form: str) -> None:
        self.pad, self.calls, self.form = scratchpad, calls, form
        self.undone: set[str] = set()
        self.has_refused = False

    def refs(self) -> dict[str, str]:
        return self.pad["refs_why"]

    def respell(self, wrong: str, right: str) -> None:
        if wrong in self.refs():
            self.refs()[right] = self.refs().pop(wrong)

    def justify(self, path: str, sample: str | None) -> None:
        self.refs()[path] = f"it says {sample or '21 days'}"

    def undo(self, path: str) -> None:
        if path in self.undone:  # It was impossible: nobody saw the file before.
            self.say("Not supported.", "OUTCOME_NONE_UNSUPPORTED")
            self.has_refused = True
        else:
            self.calls.undo(path)
        self.undone.add(path)

    def own_up(self, listed: str) -> None:
        self.pad["changes"] = json.loads(listed)

    def add_changes(self, listed: str) -> None:
        self.pad["changes"] = [*self.pad["changes"], *json.loads(listed)]

    def drop_change(self, action: str, path: str) -> None:
        self.pad["changes"] = [e for e in self.pad["changes"] if (e["action"], e["path"]) != (action, path)]

    def drop(self, name: str) -> None:
        self.pad.pop(name, None)

    def add(self, token: str) -> None:
        self.pad["answer"] = f"{self.pad['answer']} {token}"

    def say(self, answer: str, outcome: str | None = None) -> None:
        if self.has_refused:  # Of a refusal, only what it owns up to is still added.
            self.pad["answer"] += f" {answer}" if answer.startswith("Done by mistake") else ""
            return
        self.pad["answer"] = answer
        self.pad["outcome"] = outcome or self.pad["outcome"]

    def read_and_cite(self) -> None:
        self.calls.read("/docs/Loans.md")
        self.refs()[self.calls.evidence_log.cite("/docs/Loans.md", "a loan runs 21 days")] = "a loan runs 21 days"

    def list_deleted(self, listed: str) -> None:
        told = [line for line in str(self.pad["answer"]).splitlines() if line.startswith("/")]
        self.say("\n".join(sorted({*told, *re.findall(r"`([^`]*)`", listed)})))

    def unlist(self, listed: str) -> None:
        wrong = re.findall(r"`([^`]*)`", listed)
        self.say("\n".join(x for x in str(self.pad["answer"]).splitlines() if x not in wrong) or "none")


Step = Callable[..., None]
STEPS: tuple[tuple[str, Step], ...] = (
    (r"`([^`]*)` .*take it back with `scratchpad\.uncite\(path\)`", lambda r, path: r.refs().pop(path, None)),
    (r"`([^`]*)` .*: cite `([^`]*)`", Reader.respell),
    (r"The reason for `([^`]*)`(?:.*for example `([^`]*)`)?", Reader.justify),
    (r"(?:write|delete|execute) of `([^`]*)` was done and stands", lambda r, path: r.say(f"Done by mistake: {path}.")),
    (r"(?:write|delete) of `([^`]*)` was done, and .*: undo it", Reader.undo),
    (r"`(/[^`]*)` was changed, but the request wants a value .*: undo the change", Reader.undo),
    (r"undo the change; if that is impossible, refuse", lambda r: r.say("Not supported.", "OUTCOME_NONE_UNSUPPORTED")),
    (r"set `changes` to (\[.*\])", Reader.own_up),
    (r"`changes` leaves out .*: add (\[.*\])", Reader.add_changes),
    (r"`changes` (?:names|holds) (?:(\w+) of `([^`]*)`)?.*list what was done alone", Reader.drop_change),
    (r"`changes` is .*one for each change", lambda r: r.own_up("[]")),
    (r"The declared token `([^`]*)` .*put it there exactly", Reader.add),
    (r"None of the alternatives `([^`]*)`.*use exactly one of them", Reader.add),
    (r"form is fixed as a whole|`tokens` (?:holds|declares)", lambda r: r.drop("tokens")),
    (r"(?:Fact `|`facts` is)", lambda r: r.pad.update(facts={"a": FOUND})),
    (r"The (?:answer is (?:empty|the number)|outcome is)", lambda r: r.say("See the rules.", "OUTCOME_OK")),
    (r"say in words what holds", lambda r: r.say("See the rules.")),
    (r"form that is asked for: submit that", lambda r: r.say(r.form)),
    (r"has the outcome OUTCOME_OK", lambda r: r.say(r.pad["answer"], "OUTCOME_OK")),
    (r"answer from what is found, refuse, or ask", lambda r: r.say("Not supported.", "OUTCOME_NONE_UNSUPPORTED")),
    (r"if they forbid it, refuse", lambda r: r.say("Not allowed by the rules.", "OUTCOME_NONE_UNSUPPORTED")),
    (r"if that record holds none, say that", lambda r: r.say("none")),
    (r"asks for a citation: read", Reader.read_and_cite),
    (r"lists as deleted what was not: (.*)", Reader.unlist),
    (r"leaves out what was deleted: (.*)", Reader.list_deleted),
    (r"names `([^`]*/)([^`]*)`, which .*list its folder", lambda r, at, name: r.calls.list(at[:-1] or "/", at + name)),
)
FOUND = {"value": 1, "description": "what was asked for", "source": "task", "confidence": "derived"}


@pytest.mark.parametrize("batch", range(4))
def test_following_the_messages_to_the_letter_ends_in_an_accepted_answer(batch: int) -> None:
    turns = 0
    for seed in range(batch * 250, (batch + 1) * 250):
        rng = random.Random(seed)
        calls, scratchpad = history(rng), faulty(rng)
        asked = {"instruction": rng.choice(INSTRUCTIONS), "rules": rng.choice(("", PAIR))}
        contract = derive_contract(*asked.values())
        forms = [each.example for each in contract.clauses if not contract.breach(each.example)]
        reader = Reader(scratchpad, calls, forms[0] if forms else "")
        for _ in range(20):  # Changes are undone one by one, and owned up to where that is impossible.
            found = judged(scratchpad, calls, **asked)
            if found.accepted:
                break
            turns += 1
            for line in found.message.splitlines():
                for words, step in STEPS:
                    if (match := re.search(words, line)) is not None:
                        step(reader, *match.groups())
                        break
        else:
            pytest.fail(f"seed {seed}: no way out of {found.message}")
    assert turns > 250
