"""The documents of a question are converted within a time, and those that are left are told by name."""

from pathlib import Path

import pytest

from controlplane.benchmarks.files.documents import document_converter
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.json_documents import is_larger
from controlplane.sandbox.parent import child_process, fork_server
from tests.benchmarks.files.documents.converted_sources import converted_sources


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let the cache of converted documents be in an empty folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.md").write_text("Plain text.")
    (folder / "page.html").write_text("<p>One page.</p>")
    (folder / "mail.eml").write_text("Subject: One\n\nA mail.\n")
    return folder


def test_documents_for_which_no_time_is_left_are_told_by_name(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "DOCUMENTS_S", 0.0)

    sources = converted_sources(folder)

    assert list(sources.paths) == ["/a.md"]
    assert sources.left_out == {
        "not read within 60 s, ask again": ["/mail.eml", "/page.html"]
    }


def test_a_document_is_not_blamed_for_a_process_that_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine, the libraries may take too long to load. The next question tries again."""
    (tmp_path / "bill.pdf").write_bytes(b"%PDF-1.7")
    monkeypatch.setattr(document_converter, "ForkServer", fork_server.ForkServer)
    monkeypatch.setattr(fork_server, "_START_TIMEOUT_S", 0.0)

    sources = converted_sources(tmp_path)

    assert sources.left_out == {
        "could not be read, as the process for documents failed: ask again": [
            "/bill.pdf"
        ]
    }


def test_a_document_that_uses_up_the_time_of_a_call_is_not_tried_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise, no question would get further than to the first such document."""
    monkeypatch.setattr(document_converter, "LEAST_DOCUMENT_CPU_S", 0.01)
    monkeypatch.setattr(document_converter, "DOCUMENT_CPU_S", 0.01)
    (folder / "page.html").write_text("<p>word" * 100_000)

    converted_sources(folder)
    monkeypatch.setattr(bounds, "DOCUMENTS_S", 0.0)
    of_folder = converted_sources(folder)
    (folder / "mail.eml").unlink()
    of_page = converted_sources(folder)

    assert "/page.html" in of_folder.paths  # A page that is too slow stays as it is.
    # Alone, it would get more time, if there were any left.
    assert of_page.left_out == {"not read within 60 s, ask again": ["/page.html"]}


def test_a_document_whose_reply_has_too_many_parts_is_not_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "many.eml").write_text(mail_with_attachments(30))

    def has_many_parts(body: bytes) -> bool:
        return is_larger(body, 20)

    monkeypatch.setattr(child_process, "is_larger", has_many_parts)

    converted_sources(folder)
    monkeypatch.setattr(bounds, "DOCUMENTS_S", 0.0)
    sources = converted_sources(folder)

    assert sources.left_out == {}  # A mail that cannot be converted stays as it is.


def mail_with_attachments(count: int) -> str:
    attachment = (
        "--b\nContent-Disposition: attachment; filename=a.txt\n"
        "Content-Type: text/plain\n\nx\n"
    )
    head = "Content-Type: multipart/mixed; boundary=b\n\n"
    return head + attachment * count + "--b--\n"


def test_a_mail_with_more_attachments_than_files_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "many.eml").write_text(mail_with_attachments(30))

    sources = converted_sources(tmp_path, most_files=20)

    (reason,) = sources.left_out
    assert "parts are beyond 20 files" in reason
