"""The first message to a model shows the notices that are in force, and says which are not.

A notice such as `/docs/news/2031-05-11-carts.md` is in force from the day in its name on. The trials
here begin on 2031-05-10 at 23:30 UTC.
"""

import pytest

from tests.agent.loop.initial_prompt.dates.trial_in_may import open_on_may_10


@pytest.mark.parametrize(
    ("zone", "state"), [("+00:00", "not begun"), ("+01:00", "begun")]
)
def test_the_first_message_says_whether_a_notice_has_begun(
    zone: str, state: str
) -> None:
    """At 23:30 in Greenwich, it is the 10th there, and the 11th an hour further east."""
    files = {
        "/RULES.md": "Carts: /docs/carts.md. Notices in `/docs/news` win.\n",
        "/docs/carts.md": "A cart is checked out once.",
        "/docs/news/2031-05-11-carts.md": "Instead of `/docs/carts.md`: twice.",
    }

    trial = open_on_may_10("How is a cart checked out?", files, zone)

    assert f"/docs/news/2031-05-11-carts.md ({state})" in trial.message
    assert ("Instead of" in trial.message) == (state == "begun")


def test_a_notice_on_the_document_of_the_request_is_among_the_first_shown() -> None:
    """The document on carts comes first, then the notices that are in force: a general one, and one
    that names this document. The notice on keys is not on this subject."""
    files = {
        "/RULES.md": (
            "Carts: /docs/carts.md. Keys: /docs/keys.md. Notices in `/docs/news` win.\n"
        ),
        "/docs/carts.md": "A cart is checked out once.",
        "/docs/keys.md": "Two keys a room.",
        "/docs/news/2031-05-01-calls.md": "Calls are counted.",
        "/docs/news/2031-05-02-keys.md": "Instead of `/docs/keys.md`: one key.",
        "/docs/news/2031-05-03-carts.md": "Instead of `/docs/carts.md`: ask.",
        "/docs/news/2031-05-20-carts.md": "Instead of `/docs/carts.md`: twice.",
    }

    trial = open_on_may_10("How is a cart checked out?", files)

    shown_documents = [file.path for file in trial.files if file.chars > 0]
    assert shown_documents[:3] == [
        "/docs/carts.md",
        "/docs/news/2031-05-01-calls.md",
        "/docs/news/2031-05-03-carts.md",
    ]


def test_a_notice_that_has_not_begun_is_recorded_as_not_in_force() -> None:
    """A user who wonders why a file was not shown finds the reason in the journal."""
    files = {
        "/RULES.md": "Carts: /docs/carts.md. Notices in `/docs/news` win.\n",
        "/docs/carts.md": "A cart is checked out once.",
        "/docs/news/2031-05-20-carts.md": "Instead of `/docs/carts.md`: twice.",
    }

    trial = open_on_may_10("How is a cart checked out?", files)

    reasons = {file.path: file.reason for file in trial.files}
    assert reasons["/docs/news/2031-05-20-carts.md"] == "not in force"
