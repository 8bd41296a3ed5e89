"""Whatever a script submits, the gates judge it with bounded work, and never raise.

Each rule gives a verdict, twice the same, and a judgement can be told to the model and stored.
Lists that contain themselves are rejected. A submission cannot change while it is judged. Huge
texts, thousands of facts, tokens and records, and texts of one repeated piece take linear time.
"""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane.gates.evidence import Evidence
from controlplane.gates.judging import judge, rule_keys
from controlplane.gates.rule_set_loading import load_rule_set
from controlplane.gates.submission import Case
from controlplane.gates.verdicts import RULE_FAILED
from tests.gates.judged_scratchpads import (
    CallsOfTrial,
    ScriptedVerify,
    VerifyAnswer,
    judge_scratchpad,
    submission_of,
    valid_scratchpad,
)
from tests.support.executed_work import assert_linear, executed_lines

# Evidence of trials that have read the rules, or of which nothing is known, as Hypothesis draws it.


def evidence_of_read_rules() -> Evidence:
    """Return the evidence of a trial that has read the file `/docs/Loans.md`."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    return calls.evidence


ANY_EVIDENCE = st.sampled_from([Evidence(), evidence_of_read_rules()])
"""Half of the trials have read the rules. Of the others, it is unknown what they have read."""


# A text whose methods lie, as a hostile script submits it to fool the checks of answers.
#
# LyingText("x") == "OUTCOME_OK"   # True, and so is any other comparison


class LyingText(str):
    """A text that pretends to be a valid outcome, or any known path."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return hash("OUTCOME_OK")

    def strip(self, *chars: object) -> str:
        return "OUTCOME_OK"

    def __str__(self) -> str:
        raise RuntimeError("whoever puts the text into a message fails")


# Scratchpads with values of any type, made by Hypothesis, as a hostile or broken script submits.
#
# ANY_SCRATCHPAD.example()
# # {"answer": {1, 2}, "refs_why": [("/docs/Loans.md", 1e300)], "stray": b"bytes"}

# Built by a call, because Python refuses to print a number of 5,000 digits, and Hypothesis prints
# the values of a failing test: this one as `pow(10, 5000)`.
LONG_NUMBER = st.builds(pow, st.just(10), st.just(5_000))

SINGLE_VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | LONG_NUMBER
    | st.floats()
    | st.text(alphabet=st.characters(), max_size=20)
    | st.sampled_from(
        [
            b"bytes",
            {1, 2},
            object(),
            LyingText("x"),
            print,
            "\ud800",  # half of a surrogate pair, which UTF-8 cannot encode
            "/docs/Loans.md",
        ]
    )
)
"""Values of one piece, of which a script usually submits texts and numbers."""

# The usual keys of the mappings in a scratchpad's `facts` and `changes`, or any other.
MAPPING_KEYS = st.text(max_size=8) | st.sampled_from(
    ["value", "source", "confidence", "path", "action"]
)


def containers_of(values: st.SearchStrategy) -> st.SearchStrategy:
    """Return a strategy for lists, mappings and pairs of values: `[1]`, `{"path": 1}`, `(1, 2)`."""
    return (
        st.lists(values, max_size=4)
        | st.dictionaries(MAPPING_KEYS, values, max_size=4)
        | st.tuples(values, values)
    )


ANY_VALUE = st.recursive(SINGLE_VALUES, containers_of, max_leaves=12)
"""Single values, and lists, mappings and pairs of them within each other."""

ANY_SCRATCHPAD = st.fixed_dictionaries(
    {},
    optional={
        "answer": ANY_VALUE,
        "outcome": ANY_VALUE,
        "refs_why": ANY_VALUE,
        "facts": ANY_VALUE,
        "tokens": ANY_VALUE,
        "changes": ANY_VALUE,
        "stray": ANY_VALUE,
    },
)
"""Each key may be missing. The last one means nothing to the product."""


# Judging a submission with bounded work, and with a short message.
#
# A script is written by a model and may submit megabytes of text, or thousands of facts. To compare
# each part with all others would take billions of executed lines of Python.


def message_after_bounded_judging(scratchpad: dict[str, object]) -> str:
    """Judge a submission. Return the message to the model, such as "[gate 8: …] …".

    Assert that at most 20 million lines of Python were executed; a submission of usual size takes
    32,000.
    """
    messages: list[str] = []
    lines = executed_lines(
        lambda: messages.append(judge_scratchpad(scratchpad).message)
    )

    assert lines < 20_000_000
    (message,) = messages
    return message


# A trial that has read 200 large records, and the work to judge its answer.


def lines_to_judge(answer: str, outcome: str) -> int:
    """Return how many lines of Python are executed to judge an answer about 200 large records.

    `lines_to_judge("item-0001 is open.", "OUTCOME_OK")` -> about a million.

    The trial has read the records, has shipped each item, and cites them all. A record has 403
    fields: `{"id": "item-0012", "status": "open", "customer_id": "cust-5", "f0": ..., "f399": ...}`.
    """
    calls = CallsOfTrial()
    # A page says which values of `status` there are, and has a command that no call has run.
    calls.read_text(
        "/docs/a.md",
        "The `status` is `open` or `closed`. Run `/bin/refund approve <item>` to close one.",
    )
    reasons: dict[str, str] = {}
    for number in range(200):
        item = f"item-{number:04d}"
        path = f"/proc/items/{item}.json"
        record = {
            "id": item,
            "status": "open" if number % 2 == 0 else "closed",
            "customer_id": f"cust-{number % 7}",
        }
        for field in range(400):
            record[f"f{field}"] = f"value-{number}-{field}-{'x' * 20}"
        calls.read_text(path, json.dumps(record))
        calls.run("/bin/ship", item, stdout=f"{item} closed now\n" * 100)
        reasons[path] = f"{item} is the one"
    scratchpad = {"answer": answer, "outcome": outcome, "refs_why": reasons}
    rule_set = load_rule_set("ecom")

    def judge() -> None:
        judge_scratchpad(
            scratchpad,
            calls,
            instruction="Approve the refund of item-0001.",
            rule_sets=(rule_set,),
        )

    return executed_lines(judge)


# Whatever a script submits, the judgement of the gates can be told to the model, and stored.
#
# A gate is a check of an answer. Each test judges many scratchpads that Hypothesis makes, with values
# of any type under the usual keys: `{"answer": {1, 2}, "refs_why": [("/docs/Loans.md", 1e300)]}`.

judgements_pytestmark = pytest.mark.second_tier


@given(ANY_SCRATCHPAD, st.text(max_size=60), ANY_EVIDENCE)
def test_a_scratchpad_is_accepted_exactly_if_the_model_gets_no_message(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    """The message tells the model what to correct; an accepted answer needs no correction."""
    judgement = judge(submission_of(scratchpad), evidence, Case(instruction))

    assert judgement.accepted is (judgement.message == "")


@given(ANY_SCRATCHPAD, st.text(max_size=60), ANY_EVIDENCE)
def test_a_judgement_can_be_stored_in_the_journal(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    """The journal stores verdicts as JSON, and texts as UTF-8, which has no lone surrogates."""
    judgement = judge(submission_of(scratchpad), evidence, Case(instruction))

    for verdict in judgement.verdicts:
        json.dumps(asdict(verdict)).encode("utf-8")
    judgement.message.encode("utf-8")
    judgement.answer.encode("utf-8")
    judgement.outcome.encode("utf-8")
    for path in judgement.refs:
        path.encode("utf-8")


# Whatever a script submits, the gates give verdicts, and never an exception.
#
# A gate is a check of an answer. Each test judges many scratchpads that Hypothesis makes, with values
# of any type under the usual keys: `{"answer": {1, 2}, "refs_why": [("/docs/Loans.md", 1e300)]}`.

verdicts_pytestmark = pytest.mark.second_tier


@given(ANY_SCRATCHPAD, st.text(max_size=60), ANY_EVIDENCE)
def test_every_rule_gives_a_verdict_and_none_fails(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    judgement = judge(submission_of(scratchpad), evidence, Case(instruction))

    # The rule `review`, which asks a second model, runs elsewhere.
    verdict_keys = {verdict.key for verdict in judgement.verdicts}
    assert verdict_keys == rule_keys() - {"review"}
    for verdict in judgement.verdicts:
        assert not verdict.reason.startswith(RULE_FAILED)


@given(ANY_SCRATCHPAD, st.text(max_size=60), ANY_EVIDENCE)
def test_a_submission_is_judged_twice_in_the_same_way(
    scratchpad: dict[str, object], instruction: str, evidence: Evidence
) -> None:
    """To judge a submission changes neither it nor the evidence."""
    submission = submission_of(scratchpad)

    first = judge(submission, evidence, Case(instruction))
    second = judge(submission, evidence, Case(instruction))

    assert first == second


# A script cannot change what it submitted while the gates, the checks of answers, judge it.
#
# Gate 7 calls the script's own function `verify`, which must confirm the answer. It may change the
# scratchpad that was submitted, but the gates judge a copy of it.

edited_submissions_pytestmark = pytest.mark.second_tier


class EditingVerify(ScriptedVerify):
    """A `verify` that edits the submitted scratchpad while gate 7 calls it, and then says yes."""

    def __init__(self, scratchpad: dict[str, object]) -> None:
        super().__init__()
        self.scratchpad = scratchpad

    def ask(self, blanked: bool) -> VerifyAnswer:
        """Sneak another outcome and a citation in."""
        self.scratchpad["outcome"] = "OUTCOME_DENIED_SECURITY"
        self.scratchpad["refs_why"]["/etc/passwd"] = "sneaked in later"
        return super().ask(blanked)


def test_a_verify_that_edits_the_scratchpad_does_not_change_the_submission() -> None:
    """The scratchpad was copied before `verify` was called, so that the edits come too late."""
    scratchpad = valid_scratchpad()

    judgement = judge_scratchpad(scratchpad, verify=EditingVerify(scratchpad))

    assert judgement.accepted
    assert judgement.outcome == "OUTCOME_OK"
    assert judgement.refs == ("/docs/Loans.md",)


# The gates, the checks of answers, reject lists that contain themselves or are nested very deeply.
#
# A script is written by a model and may submit anything, such as a list in a list, 100,000 times. The
# gates judge a plain copy of the submission. What cannot be copied counts as missing, without an
# exception.

nested_lists_pytestmark = pytest.mark.second_tier


def take_apart(deep_list: list[object]) -> None:
    """Free a list level by level. Python could overflow its stack if it freed all levels at
    once."""
    inner: object = deep_list
    while isinstance(inner, list):
        inner = inner.pop()


def test_a_list_that_contains_itself_is_rejected() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    facts = {"a": {"value": cycle, "confidence": "x"}}

    judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=cycle))

    assert not judgement.accepted


def test_a_list_of_100000_levels_is_rejected() -> None:
    """A function that called itself for each level would exceed Python's limit of recursion."""
    deep_list: list[object] = ["bottom"]
    for _ in range(100_000):
        deep_list = [deep_list]
    facts = {"a": {"value": deep_list, "confidence": "x"}}

    judgement = judge_scratchpad(valid_scratchpad(facts=facts, answer=deep_list))

    assert not judgement.accepted
    take_apart(deep_list)


# An answer with claims about 200 large records is compared with them in bounded work.
#
# A claim is a sentence such as "item-0012 is closed.", which the shop's rule set compares with the
# record `/proc/items/item-0012.json`. A hostile or careless script may submit thousands of them. To
# compare only 200 claims with all 403 fields of 200 records would be 16 million comparisons, of
# several lines of Python each.

claims_about_records_pytestmark = pytest.mark.second_tier

each_outcome = pytest.mark.parametrize(
    "outcome", ["OUTCOME_OK", "OUTCOME_DENIED_SECURITY"]
)


@each_outcome
def test_a_sentence_about_each_of_200_records(outcome: str) -> None:
    sentences = [f"item-{number:04d} is closed." for number in range(200)]

    assert lines_to_judge(" ".join(sentences), outcome) < 20_000_000


@each_outcome
def test_one_sentence_about_200_records_and_200_unknown_items(outcome: str) -> None:
    """Without a full stop, all claims are one sentence."""
    claims = [f"item-{number:04d} closed open" for number in range(400)]

    assert lines_to_judge(" ".join(claims), outcome) < 20_000_000


@each_outcome
def test_the_same_sentence_10000_times(outcome: str) -> None:
    assert lines_to_judge("item-0001 is open. " * 10_000, outcome) < 20_000_000


# A text of megabytes in a submission is judged with bounded work, and gets a short message.
#
# A script is written by a model and may submit any text: an answer of ten million characters, or a
# citation of `/docs/../../../…`. The message to the model has at most 40,000 characters.

huge_texts_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "scratchpad",
    [
        pytest.param(valid_scratchpad(answer="x" * 10_000_000), id="answer"),
        pytest.param(
            valid_scratchpad(refs_why={"/docs/Loans.md": "loan " * 200_000}),
            id="reason of a citation",
        ),
        pytest.param(
            valid_scratchpad(
                refs_why={"/docs/" + "../" * 100_000: "a loan runs 21 days"}
            ),
            id="cited path",
        ),
        pytest.param(
            valid_scratchpad(tokens=["\x00" * 1_000_000]),
            id="token, which the answer must have",
        ),
    ],
)
def test_a_huge_text_is_judged_with_bounded_work(scratchpad: dict[str, object]) -> None:
    message = message_after_bounded_judging(scratchpad)

    assert len(message) < 40_000


def test_lone_surrogates_do_not_get_into_the_message() -> None:
    """A Python string may have one half of a UTF-16 pair. The message is stored as UTF-8, which
    cannot encode it."""
    surrogates = "\ud800" * 100_000

    message = message_after_bounded_judging(
        valid_scratchpad(facts={surrogates: 1}, outcome=surrogates)
    )

    message.encode("utf-8")  # It could be encoded.
    assert len(message) < 40_000


# Thousands of facts, citations or changes in a submission are checked with bounded work.
#
# A script is written by a model and may declare anything, such as 50,000 changes: `changes=[{"path":
# "/x/0", "action": "write"}, …]`. The message to the model has at most 40,000 characters.

many_parts_pytestmark = pytest.mark.second_tier


def test_a_chain_of_2000_derived_facts() -> None:
    """Fact 0 is derived from fact 1, fact 1 from fact 2, and so on."""
    facts: dict[str, object] = {}
    for number in range(2_000):
        facts[str(number)] = {
            "value": 1,
            "description": "d",
            "source": str(number + 1),
            "confidence": "derived",
        }

    message = message_after_bounded_judging(valid_scratchpad(facts=facts))

    assert len(message) < 40_000


def test_1000_citations() -> None:
    reasons: dict[str, str] = {}
    for number in range(1_000):
        reasons[f"/docs/{number}.md"] = "a loan runs 21 days"

    message = message_after_bounded_judging(valid_scratchpad(refs_why=reasons))

    assert len(message) < 40_000


def test_50000_declared_changes() -> None:
    changes: list[dict[str, str]] = []
    for number in range(50_000):
        changes.append({"path": f"/x/{number}", "action": "write"})

    message = message_after_bounded_judging(valid_scratchpad(changes=changes))

    assert len(message) < 40_000


# Many tokens, which the answer of a submission must have, are looked up with bounded work.
#
# A script declares `tokens=["21", ["open", "closed"]]`: the answer must have the 21, and exactly one
# of the alternatives `open` and `closed`. A model may declare thousands of them.

tokens_pytestmark = pytest.mark.second_tier


def test_1000_tokens_that_occur_often() -> None:
    message = message_after_bounded_judging(
        valid_scratchpad(answer="21 days " * 100_000, tokens=["21"] * 1_000)
    )

    assert len(message) < 40_000


def test_100000_alternatives_that_are_the_same() -> None:
    message = message_after_bounded_judging(valid_scratchpad(tokens=[["a"] * 100_000]))

    assert len(message) < 40_000


def test_100_alternatives_that_do_not_occur() -> None:
    # "q1", "q02", "q003", ..., each longer by one digit
    alternatives = [f"q{str(digits).zfill(digits)}" for digits in range(1, 101)]

    message = message_after_bounded_judging(
        valid_scratchpad(answer="x" * 200_000, tokens=[alternatives])
    )

    assert len(message) < 40_000


def test_100_tokens_that_contain_each_other() -> None:
    """Each of "aa", "aaa", "aaaa", ... occurs at each place of the answer."""
    tokens = ["a" * length for length in range(2, 102)]

    message = message_after_bounded_judging(
        valid_scratchpad(answer="a" * 300_000, tokens=tokens)
    )

    assert len(message) < 40_000


pytestmark = pytest.mark.second_tier


# The gates judge texts of one repeated piece in linear time.
#
# A hostile request, rule page or script may consist of `yes or no yes or no …`. The rules look for
# such phrases by patterns, and a slow pattern could take hours for one text.


class TestRepeatedPieces:
    """Texts of one repeated piece are judged in linear time.

    A pattern that looks for the rest of a phrase behind each piece would do quadratic work. So
    twice the text may take only twice the work.
    """

    @pytest.mark.parametrize(
        "piece",
        [
            # The beginnings of phrases that rules look for in instructions and answers
            "answer only ",
            "answer only JSON ",
            "cite ",
            "please ",
            "and then create ",
            "in a, ",
            "do ",
            "yes or no ",
            "is it, ",
            "one per line ",
            "read /a/",
            "role ",
            "if not ",
            # Marks of formats, quotations, blocks and ids
            '"%d" ',
            "`a | b` ",
            "[[",
            "BEGIN ",
            "--- ",
            "a-",
            "x",
            "\n",
            " ",
        ],
    )
    def test_judging_a_piece_that_is_repeated_many_times_is_linear_work(
        self, piece: str
    ) -> None:
        """Instruction, rules and answer consist of the same piece, 200 and 400 times over."""
        token = piece.strip() or "x"  # A token may not be blank.
        rule_set = load_rule_set("ecom")

        def judge_repeated(piece_count: int) -> None:
            text = piece * piece_count
            scratchpad = valid_scratchpad(answer=text, tokens=[token])
            case = Case(instruction=text, rules=text)
            no_calls = Evidence(has_trace=True)
            judge(submission_of(scratchpad), no_calls, case, rule_sets=(rule_set,))

        assert_linear(judge_repeated, 200)
