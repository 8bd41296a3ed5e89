"""A server of `controlplane mcp docs` asks the user of its client before some calls.

A text that somebody else wrote, such as a mail, may try to steer a model. With the option
`--provenance approve`, a call that changes something is sent only if the user agrees, if an
argument of it stands only in such a text. MCP lets a server ask its client's user, and the
client here answers for the user.
"""

import asyncio
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controlplane import open_journal
from controlplane.view.trial_pages.trial_pages import pages_of
from tests.controlplane.mcp.docs_client import write_docs
from tests.controlplane.mcp.mail_session import MailSession, extend_loans_of_mail


class DecidedCalls(NamedTuple):
    """Two calls, of which the user allowed the first, for the loan 421, and refused the second."""

    questions: list[str]
    """What the user was asked before each call."""
    session: MailSession
    journal: Path


@pytest.fixture(scope="module", params=["auto", "legacy"])
def decided_calls(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> DecidedCalls:
    """The two calls, with each of the two forms in which a server asks a client's user."""
    from mcp import types

    questions: list[str] = []

    async def allow_only_421(
        context: Any, params: types.ElicitRequestFormParams
    ) -> types.ElicitResult:
        question = params.message
        questions.append(question)
        is_allowed = "number: '421'" in question
        # The user fills in the form ("accept"), also to say that the call must not be sent.
        return types.ElicitResult(action="accept", content={"send": is_allowed})

    folder = write_docs(tmp_path_factory.mktemp("mail"))
    mode: str = request.param
    session = asyncio.run(extend_loans_of_mail(folder, mode, allow_only_421))
    (journal,) = folder.rglob("*.jsonl")
    return DecidedCalls(questions, session, journal)


def decisions_in(journal: Path) -> list[str]:
    """Return what the user decided on each call, as the journal's pages say it.

    A page of `controlplane show` has a part such as `approved by the user: QUESTION`, for
    which this returns `approved by the user`.
    """
    (trial,) = open_journal(journal).trials.values()
    decisions: list[str] = []
    for page in pages_of(trial):
        for part in page.parts:
            decision, is_decision, _ = part.text.partition(": ")
            if is_decision and decision.endswith(" by the user"):
                decisions.append(decision)
    return decisions


class TestAskedUsers:
    """A mail names the loans 421 and 733; the user allows only the call for 421.

    Two scripts call `harness.loans.extend(number=...)` after a script has read the mail. The
    user is asked before each, in the present form of MCP and in the earlier one.
    """

    def test_user_is_asked_about_each_call_with_an_argument_from_a_mail(
        self, decided_calls: DecidedCalls
    ) -> None:
        """The question says where the argument comes from."""
        question_about_421, question_about_733 = decided_calls.questions

        reason = "number: '421' is only in the text of /mail.txt, line 2"
        assert reason in question_about_421
        assert "number: '733'" in question_about_733

    def test_call_that_the_user_allows_is_sent(
        self, decided_calls: DecidedCalls
    ) -> None:
        assert "extended 421" in decided_calls.session.text_for_421

    def test_call_that_the_user_refuses_is_not_sent(
        self, decided_calls: DecidedCalls
    ) -> None:
        """The script goes on, and prints what became of its call."""
        text = decided_calls.session.text_for_733

        assert "extended 733" not in text
        assert "loans.extend was not sent." in text

    def test_journal_has_the_users_decisions(self, decided_calls: DecidedCalls) -> None:
        decisions = decisions_in(decided_calls.journal)

        assert decisions == ["approved by the user", "refused by the user"]

    def test_calls_with_arguments_from_a_mail_are_not_sent_without_a_user_to_ask(
        self, tmp_path: Path
    ) -> None:
        """The client cannot ask its user. Both arguments come from the mail, so that both calls
        would need the user's consent."""
        session = asyncio.run(
            extend_loans_of_mail(write_docs(tmp_path), mode="auto", on_question=None)
        )

        assert "loans.extend was not sent." in session.text_for_421
        assert "loans.extend was not sent." in session.text_for_733
