"""A mailbox is a file of many mails. It becomes a folder with its messages: `/in.mbox/message-1`."""

from pathlib import Path

from tests.benchmarks.files.documents.converted_sources import converted_sources


def test_mailbox_becomes_its_messages(tmp_path: Path) -> None:
    """A message begins with a line `From ` after a blank line. "From here" is text."""
    (tmp_path / "in.mbox").write_bytes(
        b"From x\nSubject: first\n\nFrom here\n\nFrom y\nSubject: second\n\nlast\n"
    )

    sources = converted_sources(tmp_path)

    assert dict(sources) == {
        "/in.mbox/message-1": "Subject: first\n\nFrom here\n\n",
        "/in.mbox/message-2": "Subject: second\n\nlast\n",
    }
