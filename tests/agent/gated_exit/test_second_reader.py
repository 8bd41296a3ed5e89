"""The second reader: a model that reads an accepted answer before it is sent.

The reader looks for a line of the request, the rules or the cited files that speaks against the
answer, and quotes it: `{"against": ["Answer in German."]}`. The answer is then sent back, once. A
quotation that occurs in none of these texts is dropped, because the reader made it up.
"""

from __future__ import annotations

import pytest

from controlplane.agent.model import ModelError, ModelRequest, Reply
from controlplane.agent.second_reader import quoted_in, review_of
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict
from tests.gates.recorded_calls import CallsOfTrial


class TestQuotations:
    """Of a reader's reply, only quotations that occur in one of the texts are kept.

    The texts here are the request, "Until when may loan-02 be kept? Answer in German.", and the
    rules, "Name the fee, too."
    """

    @pytest.mark.parametrize(
        ("reply", "quotations"),
        [
            pytest.param(
                '{"against": ["Answer in German.", "Name the fee, too."]}',
                ["Answer in German.", "Name the fee, too."],
                id="from both texts",
            ),
            pytest.param(
                '{"against": ["Answer in  german."]}',
                ["Answer in  german."],
                id="other blanks and another case",
            ),
            pytest.param(
                'Here: {"against": ["Name the fee, too.", "Answer in German."]} as asked',
                ["Name the fee, too.", "Answer in German."],
                id="words around the JSON",
            ),
        ],
    )
    def test_quotations_from_the_request_and_the_rules_are_kept(
        self, reply: str, quotations: list[str]
    ) -> None:
        request = "Until when may loan-02 be kept? Answer in German."
        rules = "Name the fee, too."

        assert quoted_in(reply, [request, rules]) == quotations

    @pytest.mark.parametrize(
        "reply",
        [
            pytest.param('{"against": ["It is wrong, says the file."]}', id="made up"),
            pytest.param('{"against": ["German"]}', id="too short to be a quotation"),
            pytest.param('{"against": []}', id="none"),
            pytest.param('{"against": "Answer in German."}', id="text, not a list"),
            pytest.param(
                '{"against": [7, null, {"a": "Answer in German."}]}', id="not texts"
            ),
            pytest.param('{"verdict": "no"}', id="another key"),
            pytest.param("Answer in German.", id="not JSON"),
            pytest.param("[" * 50_000, id="brackets"),
            pytest.param("", id="empty"),
        ],
    )
    def test_a_reply_without_a_real_quotation_has_none(self, reply: str) -> None:
        request = "Until when may loan-02 be kept? Answer in German."
        rules = "Name the fee, too."

        assert quoted_in(reply, [request, rules]) == []


class Reader:
    """A second reader with this reply. Without a reply, its model is down."""

    def __init__(self, reply: str | None) -> None:
        self.reply = reply

    def __call__(self, request: ModelRequest) -> Reply:
        if self.reply is None:
            raise ModelError("down")
        return Reply(text=self.reply)


def review_by(reader: Reader) -> Verdict:
    """Return the reader's verdict on the answer "Until May.", which cites a file on loans."""
    calls = CallsOfTrial()
    calls.read("/docs/Loans.md")
    calls.evidence_log.add_script("until = harness.read('/docs/Loans.md')", "")
    submission = Submission(
        answer="Until May.",
        outcome="OUTCOME_OK",
        refs_why={"/docs/Loans.md": "the loan"},
    )
    case = Case(
        instruction="Until when may loan-02 be kept? Answer in German.",
        rules="Name the fee, too.",
    )
    return review_of(reader, submission, calls.evidence, case)


class TestVerdicts:
    """The second reader's verdict on the answer "Until May.".

    The request is "Until when may loan-02 be kept? Answer in German.", and the rules of the
    environment are "Name the fee, too.". The reader replies

    {"against": ["Answer in German."]}    it quotes the request, and so objects: `reject`
    {"against": ["nowhere at all"]}       it quotes no text, and so does not object: `pass`
    nothing, as its model is down         nobody has read the answer: `not_applicable`
    """

    def test_a_reader_objects_with_what_it_quotes(self) -> None:
        """The reason of the verdict is what the model is told: which line of its request speaks
        against the answer."""
        verdict = review_by(Reader('{"against": ["Answer in German."]}'))

        assert verdict.result == "reject"
        assert "`Answer in German.`" in verdict.reason

    def test_a_reader_may_object_with_a_line_of_the_rules(self) -> None:
        """The rules of the environment are "Name the fee, too.", which the answer does not do."""
        verdict = review_by(Reader('{"against": ["Name the fee, too."]}'))

        assert verdict.result == "reject"
        assert "`Name the fee, too.`" in verdict.reason

    def test_a_reader_that_makes_its_quotation_up_does_not_object(self) -> None:
        """Neither the request nor the rules nor the cited file has the quoted words."""
        verdict = review_by(Reader('{"against": ["nowhere at all"]}'))

        assert verdict.result == "pass"
        # An objection would quote its line in backquotes, as in the test above.
        assert "nowhere at all" not in verdict.reason
        assert "`Answer in German.`" not in verdict.reason

    def test_a_reader_that_fails_does_not_object(self) -> None:
        """If the reader's model is down, the answer is not lost."""
        verdict = review_by(Reader(None))

        assert verdict.result == "not_applicable"
        assert "`Answer in German.`" not in verdict.reason

    @pytest.mark.parametrize(
        "reader",
        [
            pytest.param(Reader('{"against": ["Answer in German."]}'), id="objects"),
            pytest.param(Reader('{"against": []}'), id="does not object"),
            pytest.param(Reader(None), id="fails"),
        ],
    )
    def test_an_answer_may_be_sent_in_spite_of_the_reader(self, reader: Reader) -> None:
        """All its verdicts are of the kind `ask`: an answer that it objects to goes back to the model,
        and is sent if the model hands it in again. `review` is the reader's name in reports."""
        verdict = review_by(reader)

        assert verdict.key == "review"
        assert verdict.enforcement == "ask"
