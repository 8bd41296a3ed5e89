"""An account that only a mail states stays untrusted though a tool or a file repeats it as data.

Data is trusted: fields of a JSON file, names in a listing, results of tools. But a script could make
such data itself from the account of the mail, and then pay to it. The payment must stay *held*, that
is, it is not sent. `MAIL` asks for a payment to US133000000121212121212, and `PAY` is the tool for it.
"""

from controlplane import Tool
from tests.agent.evidence.origins.mail_payments import MAIL, PAY
from tests.agent.evidence.origins.mail_trial import MailTrial


def check(account: str) -> str:
    """Check an account."""
    return f"{account} is valid"


def test_an_account_that_a_tool_says_is_valid_stays_untrusted() -> None:
    trial = MailTrial(MAIL, PAY, Tool(check, "returns"))

    trial.call("check", account="US133000000121212121212")
    trial.end_step()

    assert trial.is_held("pay", recipient="US133000000121212121212")


def note(text: str) -> str:
    """Keep a note."""
    return f"kept: {text}"


def test_an_account_that_was_noted_stays_untrusted() -> None:
    """A note changes something, so it is held itself until the model insists on it."""
    trial = MailTrial(MAIL, PAY, Tool(note, "acts"))

    trial.insist_on("note", text="iban: US133000000121212121212")

    assert trial.is_held("pay", recipient="US133000000121212121212")


def test_an_account_that_was_written_into_a_data_file_stays_untrusted() -> None:
    """Fields of a JSON file are trusted, unless the trial itself wrote the file."""
    trial = MailTrial(MAIL, PAY)

    trial.insist_on(
        "write", path="/n.json", content='{"iban": "US133000000121212121212"}'
    )
    trial.call("read", path="/n.json")
    trial.end_step()

    assert trial.is_held("pay", recipient="US133000000121212121212")


def test_an_account_stays_untrusted_as_the_name_of_a_file() -> None:
    """Names in a listing are trusted, unless the trial itself wrote the file of that name."""
    trial = MailTrial(MAIL, PAY)

    trial.insist_on("write", path="/n/US133000000121212121212", content="a")
    trial.call("list", path="/n")
    trial.end_step()

    assert trial.is_held("pay", recipient="US133000000121212121212")
