"""The diff of a change, which a user reads before they consent to it: no character may hide in it.

old bytes b"pay\\n", new text "p\\u200bay\\n"

-pay
+p‹U+200B ZERO WIDTH SPACE›ay
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from controlplane.file_changes.file_change import FileChange
from controlplane.view.answer.citation_indents import without_citation_indents
from controlplane.view.answer.file_diff import file_diff
from tests.support.command import ROOT
from tests.support.executed_work import executed_lines


@pytest.mark.parametrize(
    ("old_bytes", "new_text", "expected_part"),
    [
        pytest.param(
            b"one\ntwo\n",
            "one\u2028two\n",
            "+one‹U+2028 LINE SEPARATOR›two",
            id="unusual line end",
        ),
        pytest.param(
            b"one\ntwo\n",
            "one\r\ntwo\r\n",
            "+one‹CR›\n",
            id="line ends become CRLF",
        ),
        pytest.param(
            b"one\r\ntwo\r\nthree\r\n",
            "one\ntwo\n",
            "(CRLF)",
            id="file with CRLF keeps it",
        ),
        pytest.param(
            b"a\tb\n",
            "a    b\n",
            "-a‹TAB›b\n+a    b",
            id="tab becomes spaces",
        ),
        pytest.param(
            b"a\n",
            "a  \n",
            "+a‹SPACE›‹SPACE›",
            id="spaces at a line's end",
        ),
        pytest.param(
            b"pay\n",
            "p\u200bay\n",
            "+p‹U+200B ZERO WIDTH SPACE›ay",
            id="invisible space in a word",
        ),
        pytest.param(
            b"pay\n",
            "pay\u3164\u2800\n",
            "‹U+3164 HANGUL FILLER›‹U+2800 BRAILLE PATTERN BLANK›",
            id="letters that look like spaces",
        ),
        pytest.param(
            b"a\n",
            "a\U000e0100\ufe0f\n",
            "+a‹U+E0100 VARIATION SELECTOR-17›‹U+FE0F VARIATION SELECTOR-16›",
            id="invisible variation selectors",
        ),
        pytest.param(
            b"a\n",
            "\ufeffa\n",
            "+‹U+FEFF ZERO WIDTH NO-BREAK SPACE›a",
            id="byte-order mark",
        ),
        pytest.param(
            b"a\n",
            "a\u202egpj\n",
            "+a‹U+202E RIGHT-TO-LEFT OVERRIDE›gpj",
            id="text shown from right to left",
        ),
        pytest.param(
            b"a\n",
            "a\x1b[2K\n",
            "+a‹U+001B CONTROL›[2K",
            id="command to the terminal",
        ),
        pytest.param(
            b"a b\n",
            "a\u00a0b\n",
            "+a‹U+00A0 NO-BREAK SPACE›b",
            id="space that looks like another",
        ),
        pytest.param(
            b"a",
            "a\n",
            "-a\n\\ No newline at end of file\n+a",
            id="new line end at the end",
        ),
        pytest.param(
            b"\xfcber Geb\xfchr\n",
            "\u00c3\u00bc\n",
            "will be read as utf-8",
            id="new bytes look like another encoding",
        ),
        pytest.param(
            b"a\0b\n",
            "b\n",
            "not a text",
            id="binary file",
        ),
        pytest.param(
            b"a\n",
            "x\n" * 30_000,
            "too large to show, before 2 bytes, sha256 87428fc5",
            id="too many lines",
        ),
        pytest.param(
            b"a\n",
            None,
            "+++ /dev/null\n(deleted)",
            id="deleted file",
        ),
    ],
)
def test_a_diff_shows_every_byte_that_changes(
    tmp_path: Path, old_bytes: bytes, new_text: str | None, expected_part: str
) -> None:
    """The user consents to a diff, so no character may hide in it."""
    file = tmp_path / "a.txt"
    file.write_bytes(old_bytes)
    file.chmod(0o644)

    diff = file_diff("a.txt", FileChange.of(tmp_path, "/a.txt", new_text))

    assert expected_part in diff.text + "\n"


def test_lines_of_an_answer_never_look_like_citations() -> None:
    """Checked citations are printed indented below an answer. A model may write lines of the same
    form, so these lose their indent; other indented lines keep theirs."""
    answer = (
        "Signed [1].\n"
        "\n"
        "  [1] docs/a.md:7\n"
        "  docs/a.md:7\n"
        "\u2003\u00a0> signed\n"
        "  - a point"
    )

    assert without_citation_indents(answer) == (
        "Signed [1].\n"
        "\n"
        "[1] docs/a.md:7\n"
        "docs/a.md:7\n"
        "> signed\n"
        "  - a point"
    )  # fmt: skip


# --- The time and memory of a diff ---
#
# The memory of a process at its peak never falls again. So each large diff is measured in a
# process of its own: `python -m tests.controlplane.file_changes.test_diffs "equal lines" FOLDER`.

LARGE_CHANGES = {
    "400,000 lines each": (
        "\n".join(f"{n} {n % 7}" for n in range(400_000)),
        lambda text: text[::-1],
    ),
    "equal lines": ("a\nb\n" * 200, lambda text: "b\na\n" * 200),
    "10 MB of nothing": ("\0" * 10_000_000, lambda text: "now a text\n"),
    "one line of 8 MB": ("x" * 8_000_000, lambda text: "y" + text[1:]),
}
"""By name: the old text of a file, and a function of it that returns the new text."""


@pytest.mark.parametrize("name", LARGE_CHANGES)
def test_a_diff_of_large_texts_takes_little_work_and_memory(
    tmp_path: Path, name: str
) -> None:
    """A model may propose any text, and the user waits for the diff."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.controlplane.file_changes.test_diffs",
            name,
            str(tmp_path),
        ],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
    )


MAX_LINES = 1_000_000
MAX_GROWTH_MB = 200
"""How many lines of Python a diff may execute, and by how much the memory may grow."""


def peak_memory_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def check_cost_of_diff(name: str, folder: Path) -> None:
    """Assert that the diff of a large change takes little work and memory."""
    old_text, new_text_of = LARGE_CHANGES[name]
    (folder / "a.txt").write_text(old_text)
    new_text = new_text_of(old_text)
    del old_text
    peak_mb_before = peak_memory_mb()

    lines = executed_lines(
        lambda: file_diff("a.txt", FileChange.of(folder, "/a.txt", new_text))
    )

    assert lines < MAX_LINES
    assert peak_memory_mb() - peak_mb_before < MAX_GROWTH_MB


if __name__ == "__main__":
    check_cost_of_diff(sys.argv[1], Path(sys.argv[2]))
