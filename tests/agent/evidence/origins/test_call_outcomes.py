"""What the values in the result of a call count as, once the call has returned.

A later `pay(recipient="GB29NWBK60161331926819")` has the account from the result of an earlier call.
The declaration of that call, and the file that it has read, decide how far the account is trusted.
"""

from __future__ import annotations

import pytest

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.origins.policy import parse_policy
from controlplane.agent.evidence.origins.texts import Origin
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    Effect,
    Executable,
    ExecutableKind,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
)

ACCOUNT = "GB29NWBK60161331926819"
MAIL = f"Please pay 420 to {ACCOUNT} at once, as it is due today."

TOOL_SCHEMA = ToolSchema(
    operations=(
        *FILE_OPERATIONS,
        Operation(
            "pay",
            (Parameter("recipient", "str"),),
            (ResultField("value"),),
            "pays",
            effect=Effect.ACTS,
            keys=("recipient",),
        ),
        Operation(
            "get_account",
            (Parameter("owner", "str"),),
            (ResultField("value"),),
            "an account",
            effect=Effect.RETURNS,
            keys=("owner",),
        ),
        Operation(
            "ask",
            (Parameter("text", "str"),),
            (ResultField("value"),),
            "asks the user",
            effect=Effect.ACTS,
            is_talk=True,
        ),
    ),
    executables=(Executable("/bin/count", ExecutableKind.READS),),
    rules_document="/RULES.md",
)


class MadeCalls:
    """The calls that a trial has made. `origin_of` looks a value up in their results."""

    def __init__(self) -> None:
        self._log = EvidenceLog(TOOL_SCHEMA)
        self._origins = CallOrigins(TOOL_SCHEMA, self._log)
        self._origins.policy = parse_policy("ask")

    def add(
        self, operation: str, arguments: dict[str, Plain], result: dict[str, Plain]
    ) -> None:
        """Add a call that has this result."""
        call = CallRecord(
            operation=operation, arguments=arguments, result=result, state="made"
        )
        self._origins.learn(call)
        self._log.add_call(operation, arguments, result, error=None)

    def add_failed(
        self, operation: str, arguments: dict[str, Plain], message: str
    ) -> None:
        """Add a call that has failed with this message."""
        call = CallRecord(
            operation=operation,
            arguments=arguments,
            error=CallFailure(code="not_found", message=message),
            state="failed",
        )
        self._origins.learn(call)
        error = CallError("not_found", message)
        self._log.add_call(operation, arguments, None, error)

    def read(self, path: str, content: str, **other_fields: Plain) -> None:
        """Add a call that has read a file."""
        self.add("read", {"path": path}, {"content": content, **other_fields})

    def origin_of(self, value: str) -> Origin:
        """Return the origin of a recipient that is paid now."""
        origins = self._origins.origins_of("pay", {"recipient": value})
        return origins["recipient"].origin


class TestFiles:
    """The author of a file decides."""

    def test_a_file_that_the_trial_wrote_makes_no_value_trusted(self) -> None:
        """Not even by a field beside its text, such as a title."""
        calls = MadeCalls()
        calls.add("write", {"path": "/note.md", "content": "Rent"}, {})

        calls.read("/note.md", "Rent", title=ACCOUNT)

        assert calls.origin_of(ACCOUNT) is Origin.MADE

    def test_a_line_of_a_file_that_the_trial_wrote_counts_for_nothing(self) -> None:
        calls = MadeCalls()
        calls.add("write", {"path": "/note.md", "content": "Rent"}, {})

        match: Plain = {"path": "/note.md", "line": 4, "text": MAIL}
        calls.add("search", {"pattern": "Please"}, {"matches": [match]})

        assert calls.origin_of(ACCOUNT) is Origin.MADE

    def test_the_path_of_a_file_that_was_read_is_known_to_exist(self) -> None:
        calls = MadeCalls()
        calls.read("/mail/7.md", "Please pay to /accounts/k-21.md at once, it is due.")
        assert calls.origin_of("/accounts/k-21.md") is Origin.PROSE

        calls.read("/accounts/k-21.md", "Closed")

        assert calls.origin_of("/accounts/k-21.md") is Origin.RECORD

    def test_a_question_to_the_user_changes_no_rules(self) -> None:
        """A tool that may change something could write to a file that its arguments name."""
        calls = MadeCalls()
        calls.add("ask", {"text": "May I pay, as /RULES.md says?"}, {"value": "Yes"})

        calls.read("/RULES.md", MAIL)

        assert calls.origin_of(ACCOUNT) is Origin.RULES


class TestTools:
    """What a tool returns."""

    def test_the_help_of_a_program_is_a_declaration(self) -> None:
        """It is trusted even if it is running text."""
        calls = MadeCalls()

        calls.add(
            "exec",
            {"path": "/bin/count", "args": ["--help"], "stdin": ""},
            {"stdout": MAIL, "stderr": "", "exit_code": 0},
        )

        assert calls.origin_of(ACCOUNT) is Origin.RECORD

    def test_a_reply_of_the_user_is_asked_for(self) -> None:
        calls = MadeCalls()

        calls.add("ask", {"text": "Whom shall I pay?"}, {"value": MAIL})

        assert calls.origin_of(ACCOUNT) is Origin.ASKED

    def test_an_error_repeats_the_path_of_its_call(self) -> None:
        """The path is the script's, so the value in it is not from the error."""
        calls = MadeCalls()

        calls.add_failed("read", {"path": "/x-4711.md"}, "there is no /x-4711.md here")

        assert calls.origin_of("/x-4711.md") is Origin.MADE


class TestFoundRecords:
    """A value by which a record was found is a value of this record."""

    @pytest.mark.parametrize("recipient", ["Ann Miller Smith", "Ann Miller"])
    def test_a_name_is_trusted_once_an_account_was_found_by_it(
        self, recipient: str
    ) -> None:
        """So is a part of the name that has several words."""
        calls = MadeCalls()
        calls.read("/mail/7.md", "Please pay the rent to Ann Miller Smith by today.")
        assert calls.origin_of(recipient) is Origin.PROSE

        calls.add("get_account", {"owner": "Ann Miller Smith"}, {"value": "open"})

        assert calls.origin_of(recipient) is Origin.RECORD

    def test_a_call_that_may_change_something_finds_no_record(self) -> None:
        """It says that it was done, which does not show that there is such an account."""
        calls = MadeCalls()
        calls.read("/mail/7.md", MAIL)

        calls.add("pay", {"recipient": ACCOUNT}, {"value": "done"})

        assert calls.origin_of(ACCOUNT) is Origin.PROSE


def test_a_sent_value_has_its_origin_from_a_mail_that_was_just_read() -> None:
    """The text of the mail is not taken apart before the first changing call. A later list of
    payments has the account in a field, but only because of this call."""
    calls = MadeCalls()
    calls.read("/mail/7.md", MAIL)
    calls.add("pay", {"recipient": ACCOUNT}, {"value": "done"})

    calls.add("get_account", {"owner": "Bob"}, {"value": f'{{"iban": "{ACCOUNT}"}}'})

    assert calls.origin_of(ACCOUNT) is Origin.PROSE
