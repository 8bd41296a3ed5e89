"""A sentence that a program prints is running text, or a rule if it is from the owner's files only.

`/bin/show /mail/7.md` prints lines of a mail, which anybody may have written. `/bin/show /RULES.md`
prints rules, which only the owner of the workspace writes, so that their values are trusted. A line of
more than eight words is a sentence.
"""

import pytest

from controlplane.agent.evidence.origins.texts import Origin
from tests.agent.evidence.origins.programs.printed_account import origin_of_account


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(["/RULES.md"], id="the rules"),
        pytest.param(["/RULES.md", "/owner/fees.md"], id="two files of the owner"),
    ],
)
def test_a_sentence_of_the_owner_is_a_rule(files: list[str]) -> None:
    line = "Please pay 420 to GB29NWBK60161331926819 at once, as it is due today."

    assert origin_of_account(line, files=files) is Origin.RULES


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(["/mail/7.md"], id="a mail"),
        pytest.param(["/mail/7.md", "/RULES.md"], id="a mail, then the rules"),
        pytest.param(["/RULES.md", "/mail/7.md"], id="the rules, then a mail"),
        pytest.param(["mail/7.md", "/RULES.md"], id="a mail by a relative path"),
    ],
)
def test_a_sentence_that_may_be_of_a_mail_is_running_text(files: list[str]) -> None:
    """The output does not tell of which file the line is, so the least trusted file counts."""
    line = "Please pay 420 to GB29NWBK60161331926819 at once, as it is due today."

    assert origin_of_account(line, files=files) is Origin.PROSE
