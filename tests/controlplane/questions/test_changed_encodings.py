"""A file that a model changes keeps its encoding, its line ends, and the bytes of all other lines.

Scripts of a model read and write text with "\\n". If the file is in UTF-16 with the line ends of
Windows, "\\r\\n" (CRLF), the new text is written in the same way, and the diff that the user sees
has only the lines that differ.
"""

from codecs import BOM_UTF8, BOM_UTF16_LE
from pathlib import Path

import pytest

from tests.controlplane.questions.asked_question import ask

APPEND_A_LINE = """
text = harness.read("/old.txt").content
harness.write("/old.txt", text + "Fünf Äpfel\\n")
scratchpad["answer"] = "old.txt is extended by one line."
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/old.txt", "the price list", "Preis: 3")
harness.answer(scratchpad, lambda sp: "old.txt" in sp["answer"])
"""
"""Writes the whole text of old.txt with a new line at its end, as the only way to change a file."""


def lines_of_diff(text: str) -> list[str]:
    """Return the added and removed lines of the diff in a text, such as `["-old", "+new"]`."""
    lines = []
    for line in text.splitlines():
        is_file_header = line.startswith(("---", "+++"))
        if line.startswith(("+", "-")) and not is_file_header:
            lines.append(line)
    return lines


@pytest.mark.parametrize(
    ("encoding", "byte_order_mark", "printed_form"),
    [
        ("cp1252", b"", "cp1252, CRLF"),
        ("utf-8", BOM_UTF8, "utf-8 with a byte-order mark, CRLF"),
        ("utf-16-le", BOM_UTF16_LE, "utf-16-le with a byte-order mark, CRLF"),
        ("utf-16-be", b"", "utf-16-be, CRLF"),
    ],
)
def test_a_changed_file_keeps_its_encoding_and_the_bytes_of_other_lines(
    encoding: str, byte_order_mark: bytes, printed_form: str, loan_folder: Path
) -> None:
    """Scripts read and write text with "\\n"; the file has "\\r\\n" (CRLF) and its own encoding."""
    path = loan_folder / "docs/old.txt"
    # The two lines of old.txt, with the line ends of Windows.
    original_text = "Grüße aus München\r\nPreis: 3 €\r\n"
    original_bytes = byte_order_mark + original_text.encode(encoding)
    path.write_bytes(original_bytes)

    options = ("--write", "docs", "--apply")
    request = "Append a line to old.txt."
    asked = ask(loan_folder, *options, script=APPEND_A_LINE, question=request)

    assert asked.code == 0, asked.err
    assert path.read_bytes() == original_bytes + "Fünf Äpfel\r\n".encode(encoding)
    assert f"({printed_form})\n" in asked.out
    assert lines_of_diff(asked.out) == ["+Fünf Äpfel"]
