"""The diff of a change names what shows nothing, and says if it cannot show the whole change."""

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from controlplane.text_files import FileChange
from controlplane.view.asked_answer import OWN_FOOT, shown_change, visible_name
from tests.support.command import ROOT


def shown(folder: Path, before: bytes | None, after: str | None, mode: int = 0o644) -> str:
    place = folder / "a.txt"
    if before is not None:
        place.write_bytes(before)
        place.chmod(mode)
    return shown_change("a.txt", FileChange.of(folder, "/a.txt", after)).text


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b"one\ntwo\n", "one\u2028two\n", "+one‹U+2028 LINE SEPARATOR›two"),
        (b"one\ntwo\n", "one\r\ntwo\r\n", "+one‹CR›\n"),
        (b"one\r\ntwo\r\nthree\r\n", "one\ntwo\n", "(CRLF)"),
        (b"a\tb\n", "a    b\n", "-a‹TAB›b\n+a    b"),
        (b"a\n", "a  \n", "+a‹SPACE›‹SPACE›"),
        (b"pay\n", "p\u200bay\n", "+p‹U+200B ZERO WIDTH SPACE›ay"),
        (b"pay\n", "pay\u3164\u2800\n", "‹U+3164 HANGUL FILLER›‹U+2800 BRAILLE PATTERN BLANK›"),
        (b"a\n", "a\U000e0100\ufe0f\n", "+a‹U+E0100 VARIATION SELECTOR-17›‹U+FE0F VARIATION SELECTOR-16›"),
        (b"a\n", "\ufeffa\n", "+‹U+FEFF ZERO WIDTH NO-BREAK SPACE›a"),
        (b"a\n", "a\u202egpj\n", "+a‹U+202E RIGHT-TO-LEFT OVERRIDE›gpj"),
        (b"a\n", "a\x1b[2K\n", "+a‹U+001B CONTROL›[2K"),
        (b"a b\n", "a\u00a0b\n", "+a‹U+00A0 NO-BREAK SPACE›b"),
        (b"a", "a\n", "-a\n\\ No newline at end of file\n+a"),
        (b"\xfcber Geb\xfchr\n", "\u00c3\u00bc\n", "will be read as utf-8"),
        (b"a\0b\n", "b\n", "not a text"),
        (b"a\n", "x\n" * 30_000, "too large to show, before 2 bytes, sha256 87428fc5"),
        (b"a\n", None, "+++ /dev/null\n(deleted)"),
    ],
)
def test_a_diff_shows_every_byte_that_changes(tmp_path: Path, before: bytes, after: str | None, said: str) -> None:
    assert said in shown(tmp_path, before, after) + "\n"


def test_a_name_of_a_file_is_one_line_without_hidden_signs() -> None:
    assert visible_name("x\n+++ n\u200bo.md") == "x‹U+000A CONTROL›+++ n‹U+200B ZERO WIDTH SPACE›o.md"


def test_lines_of_an_answer_never_look_like_citations() -> None:
    own = "Signed [1].\n\n  [1] docs/a.md:7\n  docs/a.md:7\n    > signed\n  - a point"
    assert OWN_FOOT.sub("", own) == "Signed [1].\n\n[1] docs/a.md:7\ndocs/a.md:7\n> signed\n  - a point"


def test_a_mode_that_a_change_drops_is_named(tmp_path: Path) -> None:
    assert "(its mode 4755 becomes 0755)" in shown(tmp_path, b"a\n", "b\n", 0o4755)


def test_a_hunk_far_down_has_its_line_numbers(tmp_path: Path) -> None:
    lines = [f"{number}\n" for number in range(1, 3_001)]
    changed = [*lines[:1_999], "changed\n", *lines[2_000:]]
    assert "@@ -1997,7 +1997,7 @@" in shown(tmp_path, "".join(lines).encode(), "".join(changed))


LARGE = {
    "400,000 lines each": ("\n".join(f"{n} {n % 7}" for n in range(400_000)), lambda text: text[::-1]),
    "equal lines": ("a\nb\n" * 200, lambda text: "b\na\n" * 200),
    "10 MB of nothing": ("\0" * 10_000_000, lambda text: "now a text\n"),
    "one line of 8 MB": ("x" * 8_000_000, lambda text: "y" + text[1:]),
}


def measure(name: str, folder: Path) -> None:
    text, change = LARGE[name]
    (folder / "a.txt").write_text(text)
    after = change(text)
    del text
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    shown_change("a.txt", FileChange.of(folder, "/a.txt", after))
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert (time.monotonic() - began < 2, grown_mb < 200) == (True, True), (time.monotonic() - began, grown_mb)


@pytest.mark.parametrize("name", LARGE)
def test_a_diff_takes_little_time_and_memory(tmp_path: Path, name: str) -> None:
    words = [sys.executable, "-m", "tests.controlplane.view.test_shown_changes", name, str(tmp_path)]
    subprocess.run(words, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, timeout=60, check=True)


if __name__ == "__main__":
    measure(sys.argv[1], Path(sys.argv[2]))
