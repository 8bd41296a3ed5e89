"""Which files of a folder a question is about, and how they are read and searched.

Text files are sources. Hidden and ignored files, journals, links, pipes and binary files are left
out, and rules of `.gitignore` hold as in git. Versions of one file are recognised, and the newer
one is known. Large files are read in parts, many small ones in one call, and searches are linear
work.
"""

import os
import re
from pathlib import Path

import pytest

from controlplane.benchmarks.files.files_benchmark import find_sources
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.sources.file_sources import SourceFiles, SourceLimits
from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.opened_files import environment_of, write_files
from tests.support.executed_work import assert_linear

# Families of files that are versions of one another, in a folder with files of such names.
#
# `versions_of(folder, "policy-2023.md", "policy-2025.md")` is
# `[["/policy-2025.md", "/policy-2023.md"]]`: the newest version comes first.


def versions_of(folder: Path, *names: str) -> list[list[str]]:
    """Add files of these names to a folder, and return the families of all its files."""
    write_files(folder, dict.fromkeys(names, "x"))
    return find_sources(folder).versions


# A folder of files, of which rules in `.gitignore` files leave some out.
#
#     ignored_files(folder, {"": "build/"})     # {"build/x.md", "c/build/y.md"}
#
# A question about a folder does not read the files that git would ignore.

FILES = {
    "a.md",
    "b/a.md",
    "b/keep.md",
    "b/c/a.md",
    "build/x.md",
    "c/build/y.md",
    "#h.md",
    "!i.md",
    "[q].md",
}
"""The files of the folder to which the rules are applied."""


def ignored_files(folder: Path, rules_by_folder: dict[str, str]) -> set[str]:
    """Write `FILES` and rules below `folder`, and return which of the files are ignored.

    `{"": "*.md", "b": "!*.md"}` are the rules of `.gitignore` and of `b/.gitignore`.
    """
    write_files(folder, dict.fromkeys(FILES, "x"))
    for subfolder, rules in rules_by_folder.items():
        (folder / subfolder / ".gitignore").write_text(rules)
    sources = {path.removeprefix("/") for path in find_sources(folder)}
    assert sources <= FILES
    return FILES - sources


# A file of more than 1 MB is not read as a whole here. The refusal names a call that reads a part.
#
# The file `/big.csv` has 100,000 lines. The message suggests, for example,
# `harness.read('/big.csv', start_line=1, end_line=4200)`.


@pytest.fixture
def large_file(tmp_path: Path) -> str:
    """The text of the file `/big.csv`, which has 100,000 lines and more than 1 MB."""
    lines = [f"{number},name {number}\n" for number in range(100_000)]
    text = "".join(lines)
    (tmp_path / "big.csv").write_text(text)
    return text


def refusal_to_read_whole(environment: FilesEnvironment) -> str:
    """Try to read all of `/big.csv`, and return the message of the error."""
    no_limit = 0
    whole_file = {"path": "/big.csv", "start_line": no_limit, "end_line": no_limit}
    with pytest.raises(CallError) as refusal:
        environment.call("read", whole_file)
    return refusal.value.message


def test_reading_a_large_file_as_a_whole_is_refused_with_its_size(
    tmp_path: Path, large_file: str
) -> None:
    """The text after the last line end, which is empty, counts as a line."""
    message = refusal_to_read_whole(environment_of(tmp_path, file_mb=1.0))

    line_count = large_file.count("\n") + 1
    assert f"{line_count:,} lines and {len(large_file):,} characters" in message
    assert message.startswith("/big.csv has ")


@pytest.mark.usefixtures("large_file")
def test_the_refusal_suggests_a_call_that_reads_as_many_lines_as_fit(
    tmp_path: Path,
) -> None:
    """A script can copy it: `harness.read('/big.csv', start_line=1, end_line=4200)`."""
    environment = environment_of(tmp_path, file_mb=1.0)
    message = refusal_to_read_whole(environment)

    suggestion = re.search(
        r"harness.read\('/big.csv', start_line=1, end_line=(\d+)\)", message
    )
    assert suggestion is not None
    end_line = int(suggestion[1])
    part = environment.call(
        "read", {"path": "/big.csv", "start_line": 1, "end_line": end_line}
    )
    assert str(part["content"]).count("\n") == end_line
    assert part["truncated"] is False


# A text that is longer than one result is read in parts.
#
# The call `harness.read("/long.txt")` of a script returns at most about a megabyte of a file. The
# result has `truncated`, which is true if something is missing, and `next_char`: where in the text the
# next part begins, or 0 if there is none.


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("word " * 300_000, id="one line"),
        pytest.param("\u7d04" * 700_000, id="one line in Chinese"),
        pytest.param("x\n" * 700_000, id="short lines"),
    ],
)
def test_text_longer_than_one_result_is_read_in_parts(
    tmp_path: Path, text: str
) -> None:
    """A script calls `read` again, from the character `next_char` on, until that is 0."""
    (tmp_path / "long.txt").write_text(text, encoding="utf-8")
    environment = environment_of(tmp_path)

    read_text = ""
    part_count = 0
    start_char = 0
    while True:
        part = environment.call("read", {"path": "/long.txt", "start_char": start_char})
        assert part["line"] == read_text.count("\n") + 1
        assert part["truncated"] is bool(part["next_char"])
        read_text += str(part["content"])
        part_count += 1
        start_char = int(str(part["next_char"]))
        if start_char == 0:
            break

    assert read_text == text
    assert part_count > 1


# Reading all files with such a name in one call: `harness.read_many(files="*.txt")`.
#
# The result is limited in size. `next` says with which file the next call goes on (0 if there is
# none), and `cut` names the files of which only the beginning is returned.


def test_thousands_of_small_files_are_read_in_one_call(tmp_path: Path) -> None:
    """Each has its text: `{"files": [{"path": "/t0000.txt", "text": ...}, ...]}`."""
    texts: dict[str, str] = {}
    for number in range(2_000):
        name = f"t{number:04}.txt"
        texts[f"/{name}"] = f"Ticket {number}\n{'x' * 100}\n"
        (tmp_path / name).write_text(texts[f"/{name}"])

    result = environment_of(tmp_path).call("read_many", {"files": "*.txt"})

    assert {file["path"]: file["text"] for file in result["files"]} == texts
    assert result["total"] == len(texts)
    assert result["next"] == 0


def test_files_that_do_not_fit_into_one_result_are_read_in_a_second_call(
    tmp_path: Path,
) -> None:
    """The files b and c do not fit into one result, so the first one ends after b."""
    half_a_result = "y" * 500_000
    (tmp_path / "a.txt").write_text("short")
    (tmp_path / "b.txt").write_text(half_a_result)
    (tmp_path / "c.txt").write_text(half_a_result)
    (tmp_path / "d.txt").write_text("short")
    environment = environment_of(tmp_path)

    first = environment.call("read_many", {"files": "*.txt"})
    second = environment.call("read_many", {"files": "*.txt", "start": first["next"]})

    assert [file["path"] for file in first["files"]] == ["/a.txt", "/b.txt"]
    assert [file["path"] for file in second["files"]] == ["/c.txt", "/d.txt"]
    assert second["next"] == 0


def test_file_that_is_longer_than_one_result_of_read_many_is_named_as_cut(
    tmp_path: Path,
) -> None:
    """No further call would return the rest of the long file, so `next` is 0: `read` has to.

    The short file is complete.
    """
    longer_than_one_result = "x\n" * 350_000 + "THE END"
    (tmp_path / "a.txt").write_text(longer_than_one_result)
    (tmp_path / "b.txt").write_text("short")
    environment = environment_of(tmp_path)

    both_files = environment.call("read_many", {"files": "*.txt"})
    short_file = environment.call("read_many", {"files": "b.txt"})

    assert both_files["truncated"] is True
    assert both_files["cut"] == ["/a.txt"]
    assert both_files["next"] == 0
    assert short_file["truncated"] is False
    assert short_file["cut"] == []


# Searching files: `harness.search("x", context=1)` returns the lines that match a pattern.
#
# Each match may have further lines around it. Whatever the files and the pattern are, a search must
# not take long, or fail.


def test_pattern_for_file_names_is_limited_in_length(tmp_path: Path) -> None:
    """A glob is a pattern such as `*.md`. A match with a long one could take ages."""
    (tmp_path / "a.md").write_text("x\n")
    long_pattern = "*a" * 200

    with pytest.raises(CallError, match="a glob has at most 255 characters"):
        environment_of(tmp_path).call("search", {"pattern": "x", "files": long_pattern})


def test_search_with_context_shows_each_line_once(tmp_path: Path) -> None:
    """With `context=1`, a match shows one more line before and after it, from line `first`.

    Lines that an earlier match shows are not repeated. So the match on line 1 shows lines 1
    and 2, and the match on line 2 adds only line 3.
    """
    (tmp_path / "a.md").write_text("x\n" * 1_000_000)
    arguments = {
        "pattern": "x",
        "context": 1,
        "limit": 1_000,
    }  # Every line matches.

    result = environment_of(tmp_path).call("search", arguments)

    lines_with_first = [(match["line"], match["first"]) for match in result["matches"]]
    assert lines_with_first[:3] == [(1, 1), (2, 3), (3, 4)]


def test_search_with_context_is_linear_work(tmp_path: Path) -> None:
    """Every line matches. The file is read once, not once for each match."""
    arguments = {"pattern": "x", "context": 1, "limit": 1_000}

    def search(line_count: int) -> None:
        folder = tmp_path / str(line_count)
        folder.mkdir()
        (folder / "a.md").write_text("x\n" * line_count)
        environment_of(folder).call("search", arguments)

    assert_linear(search, 2_000)


def test_search_skips_a_file_that_was_deleted_meanwhile(tmp_path: Path) -> None:
    """The user may change files while a question is answered.

    Both files were there when the environment was opened, so
    both count as searched. The kept one is in Latin-1.
    """
    (tmp_path / "kept.txt").write_bytes("gr\xfcne Eule\n".encode("latin-1"))
    (tmp_path / "deleted.txt").write_text("Eule\n")
    environment = environment_of(tmp_path)
    (tmp_path / "deleted.txt").unlink()

    result = environment.call("search", {"pattern": "Eule"})

    assert result["matches"] == [{"path": "/kept.txt", "line": 1, "text": "grüne Eule"}]
    assert result["searched"] == "2 of 2 files"


# Files whose names differ in a date or a version number are versions of one another.
#
# A model is shown such a family with the newest version first, so that an answer does not use an old
# one: `["/policy-2025.md", "/policy-2023.md"]`.


def test_files_with_a_date_in_their_names_are_versions(tmp_path: Path) -> None:
    """Two documents have two versions each: one by its year, and one by its day."""
    versions = versions_of(
        tmp_path,
        "policy-2023.md",
        "policy-2025.md",
        "log.2025-01-31.txt",
        "log.2025-02-01.txt",
    )

    assert versions == [
        ["/log.2025-02-01.txt", "/log.2025-01-31.txt"],
        ["/policy-2025.md", "/policy-2023.md"],
    ]


def test_version_10_is_newer_than_version_2(tmp_path: Path) -> None:
    """Numbers are compared as numbers, and not as texts."""
    versions = versions_of(tmp_path, "api-v2.md", "api-v10.md")

    assert versions == [["/api-v10.md", "/api-v2.md"]]


def test_numbered_parts_and_invoices_are_not_versions(tmp_path: Path) -> None:
    """A higher number does not replace a lower one: both invoices have to be paid."""
    versions = versions_of(
        tmp_path, "t-01.txt", "t-02.txt", "2025-0117.txt", "2025-0119.txt"
    )

    assert versions == []


def test_year_month_and_version_number_cannot_be_put_in_order(tmp_path: Path) -> None:
    """Nobody knows whether version 2 is from before or after March."""
    versions = versions_of(tmp_path, "plan-2025.md", "plan-2025-03.md", "plan-v2.md")

    assert versions == []


# A file may say that it replaces another one, or its name may. Then it is a newer version.
#
# Versions of one file are a *family*, with the newest first: `["/fees (corrected).md", "/fees.md"]`.
# A model is shown the families, so that its answer does not use an old version. `versions_of(folder,
# *names)` adds files of these names to the folder, and returns the families of all its files.


def test_file_that_says_what_it_replaces_is_newer(tmp_path: Path) -> None:
    """Only the head counts, between the lines `---`. There, 3 is not the path of a file.

    A sentence below the head does not count: policy-2023.md is in no family.
    """
    new_text = "---\nreplaces: old/rules.md\n---\nIt replaces policy-2023.md.\n"
    old_text = "---\nsuperseded_by: [../new.md, 3]\n---\n"
    write_files(tmp_path, {"new.md": new_text, "old/rules.md": old_text})

    versions = versions_of(tmp_path, "policy-2023.md")

    assert versions == [["/new.md", "/old/rules.md"]]


def test_corrected_copy_is_newer_than_its_original(tmp_path: Path) -> None:
    """`korrigiert` is German for "corrected"."""
    versions = versions_of(
        tmp_path, "fees.md", "fees (corrected).md", "bill.csv", "bill_korrigiert.csv"
    )

    assert versions == [
        ["/bill_korrigiert.csv", "/bill.csv"],
        ["/fees (corrected).md", "/fees.md"],
    ]


def test_file_without_another_version_is_not_in_a_family(tmp_path: Path) -> None:
    """`bill_korrigiert.md` is no CSV file, and there is no other day than `day-20250131.md`."""
    versions = versions_of(
        tmp_path, "bill.csv", "bill_korrigiert.md", "day-20250131.md"
    )

    assert versions == []


# Journals of earlier questions in a folder. They are left out, unless the user asks about them.
#
# A journal, `20261124-210308-files-614c.jsonl`, has an earlier question with its answer. It is
# written to a folder `runs`, together with the schema of its lines.


@pytest.fixture
def folder_with_journals(tmp_path: Path) -> Path:
    """A folder whose subfolder `runs` has the journal of an earlier question, and its schema."""
    write_files(
        tmp_path,
        {
            "runs/20261124-210308-files-614c.jsonl": "...",
            "runs/journal-3.schema.json": "{}",
            "a.md": "x",
        },
    )
    return tmp_path


def test_journals_of_earlier_questions_are_left_out(folder_with_journals: Path) -> None:
    """Otherwise the answer to an earlier question would be evidence for the next one."""
    sources = find_sources(folder_with_journals)

    assert list(sources) == ["/a.md"]
    assert sources.left_out["journals of runs"] == ["/runs"]


def test_journals_are_sources_if_the_user_names_their_folder(
    folder_with_journals: Path,
) -> None:
    """The question is about the subfolder `runs`, or names it."""
    sources_of_subfolder = find_sources(folder_with_journals / "runs")
    sources_by_name = find_sources(folder_with_journals, ["runs"])

    assert "/20261124-210308-files-614c.jsonl" in sources_of_subfolder
    assert "/runs/20261124-210308-files-614c.jsonl" in sources_by_name


def test_folder_with_only_the_schema_of_journals_is_not_left_out(
    tmp_path: Path,
) -> None:
    """Such a folder has no journal, so that nothing would be evidence for itself."""
    write_files(tmp_path, {"journal/journal-3.schema.json": "{}"})

    assert list(find_sources(tmp_path)) == ["/journal/journal-3.schema.json"]


# What is not a text file in a folder, such as a link. It is left out, and never read as a text.
#
# `ask "Until when may loan-02 be kept?" loans/` reads the text files below `loans/`.
# `sources.left_out` has what else there is, by the reason: `{"a link": ["/up"]}`.


def test_binary_file_is_left_out(tmp_path: Path) -> None:
    """A file with a NUL byte is not a text."""
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\x00\x01")

    assert dict(find_sources(tmp_path).left_out) == {"binary": ["/logo.png"]}


@pytest.mark.parametrize(
    ("name", "readable_suffix"),
    [("costs.ods", ".xlsx"), ("costs.XLSB", ".xlsx"), ("re.msg", ".eml")],
)
def test_document_that_is_not_read_is_named_with_a_format_that_is(
    tmp_path: Path, name: str, readable_suffix: str
) -> None:
    """`binary` would not tell its reader what to do."""
    (tmp_path / name).write_bytes(b"PK\x00\x03")

    left_out = dict(find_sources(tmp_path).left_out)
    assert left_out == {f"not read: save it as {readable_suffix}": [f"/{name}"]}


def test_links_are_left_out(tmp_path: Path) -> None:
    """A link in a downloaded folder could point to any file of the user."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/passwd").symlink_to("/etc/passwd")
    (tmp_path / "up").symlink_to("/etc")

    left_out = find_sources(tmp_path).left_out

    assert sorted(left_out["a link"]) == ["/docs/passwd", "/up"]


def test_pipe_is_left_out(tmp_path: Path) -> None:
    """Reading a pipe would wait for a writer without end."""
    os.mkfifo(tmp_path / "pipe")

    assert dict(find_sources(tmp_path).left_out) == {"not a file": ["/pipe"]}


def test_link_that_replaces_a_file_later_is_not_followed(tmp_path: Path) -> None:
    """Files are read long after the folder was scanned, and may have been replaced."""
    write_files(tmp_path, {"notes.md": "Call Ines.\n", "docs/loans.md": "# Loans\n"})
    sources = find_sources(tmp_path)

    (tmp_path / "notes.md").unlink()
    (tmp_path / "notes.md").symlink_to("/etc/passwd")
    (tmp_path / "docs").rename(tmp_path / "moved")
    (tmp_path / "docs").symlink_to(tmp_path / "moved")

    assert sources.get("/notes.md") is None
    assert sources.get("/docs/loans.md") is None


# Files of a folder whose names say that a question is not about them. They are left out.
#
# `ask "Until when may loan-02 be kept?" loans/` reads the text files below `loans/`.
# `sources.left_out` has the others by the reason: `{"hidden": ["/.gitignore"]}`.


def test_hidden_files_and_folders_are_left_out(tmp_path: Path) -> None:
    """Their names begin with a dot, or are those of caches."""
    write_files(
        tmp_path, {".gitignore": "", "docs/.hidden": "x", "__pycache__/x.pyc": "x"}
    )

    sources = find_sources(tmp_path)

    assert dict(sources) == {}
    hidden_paths = ["/.gitignore", "/__pycache__", "/docs/.hidden"]
    assert sorted(sources.left_out["hidden"]) == hidden_paths
    assert len(sources.left_out) == 1


def test_files_that_git_ignores_are_left_out(tmp_path: Path) -> None:
    """The rules ignore a folder and all logs, except for one."""
    write_files(
        tmp_path,
        {
            ".gitignore": "build/\n*.log\n!keep.log\n",
            "build/out.txt": "x",
            "a.log": "x",
            "keep.log": "x",
        },
    )

    sources = find_sources(tmp_path)

    assert list(sources) == ["/keep.log"]
    assert sorted(sources.left_out["named by .gitignore"]) == ["/a.log", "/build"]


def test_file_with_a_line_break_in_its_name_is_left_out(tmp_path: Path) -> None:
    """Lists of files have one file a line."""
    (tmp_path / "two\nlines.md").write_text("x")

    left_out = find_sources(tmp_path).left_out

    assert dict(left_out) == {"its name cannot be used": ["/two\nlines.md"]}


# The text files of a folder: they are the sources that a question is about.
#
# `ask "Until when may loan-02 be kept?" loans/` reads the text files below `loans/`. `sources` maps
# the path of each to its text. `sources.left_out` has the files that are no sources, by the reason,
# and `sources.large` those that are read in parts.


def test_text_files_are_sources(tmp_path: Path) -> None:
    write_files(tmp_path, {"docs/loans.md": "# Loans\n", "notes.md": "Call Ines.\n"})
    # A text file may also be in the older encoding Latin-1.
    (tmp_path / "docs/latin.dat").write_bytes("gr\xfc\xdfe".encode("latin-1"))

    sources = find_sources(tmp_path)

    assert list(sources) == ["/docs/latin.dat", "/docs/loans.md", "/notes.md"]
    assert sources["/docs/latin.dat"] == "gr\xfc\xdfe"
    assert dict(sources.left_out) == {}


def test_text_file_of_9_mb_is_a_source_that_is_read_in_parts(tmp_path: Path) -> None:
    """`sources.large` has the files that are too long to be read as a whole."""
    (tmp_path / "huge.txt").write_text("x" * 9_000_000)

    sources = find_sources(tmp_path)

    assert list(sources) == ["/huge.txt"]
    assert sources.large == {"/huge.txt"}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_file_of_the_system_without_a_size_is_empty() -> None:
    """Linux makes the text of /proc/.../status while the file is read, and says that its size is 0.

    Such a file could be of any length, so it is read only up to its size.
    """
    folder = Path(f"/proc/{os.getpid()}")
    sources = SourceFiles(folder, SourceLimits())

    assert sources.bytes_of("/status") == b""
    assert sources.first_bytes_of("/status", 100) == b""


# Many rules with many stars in a `.gitignore` file take no long time.


def test_many_rules_with_many_stars_are_applied(tmp_path: Path) -> None:
    """A matcher that tries all places of the stars would take hours for names full of `a`.

    No rule with stars fits a name, since the names end with `x`. The file `c` is ignored.
    """
    rules = [f"*a*a*a*a*{number}\n" for number in range(300)]
    similar_names = [f"{'a' * 60}-{number}x" for number in range(100)]
    write_files(tmp_path, {".gitignore": "".join(rules) + "c\n"})
    write_files(tmp_path, dict.fromkeys(["b", "c", *similar_names], "x"))

    sources = find_sources(tmp_path)

    assert "/b" in sources.paths
    assert "/c" not in sources.paths
    assert len(sources.paths) == 1 + len(similar_names)  # 1 is `b`.


# Rules of a `.gitignore` file: the files that git ignores are left out of a question.
#
# The files are `a.md`, `b/a.md`, `b/keep.md`, `b/c/a.md`, `build/x.md`, `c/build/y.md`, and three
# with a sign at the beginning: `#h.md`, `!i.md` and `[q].md`. The expected files are those that git
# itself ignores.


@pytest.mark.parametrize(
    ("rules", "expected_files"),
    [
        pytest.param(
            "build/\n# a.md\n\n",
            {"build/x.md", "c/build/y.md"},
            id="folder of any level, and a comment",
        ),
        pytest.param(
            "/build\n/a.md", {"build/x.md", "a.md"}, id="only on the first level"
        ),
        pytest.param(
            "*\n!*/\n!keep.md", FILES - {"b/keep.md"}, id="everything but one name"
        ),
        pytest.param(
            "b/**\n!b/keep.md\nbuild",
            {"b/a.md", "b/c/a.md", "build/x.md", "c/build/y.md"},
            id="content of a folder but one file",
        ),
        pytest.param(
            "b/*\n!b/c/",
            {"b/a.md", "b/keep.md"},
            id="content of a folder but one subfolder",
        ),
        pytest.param(
            "b/\n!b/keep.md",
            {"b/a.md", "b/keep.md", "b/c/a.md"},
            id="file of an ignored folder is not taken back",
        ),
        pytest.param(
            "\\#h.md\n\\!i.md\n\\[q].md",
            {"#h.md", "!i.md", "[q].md"},
            id="signs with a meaning of their own, escaped by a backslash",
        ),
        pytest.param(
            "**/a.md\r\n\\!i.md  \n\\[q].md",
            {"a.md", "b/a.md", "b/c/a.md", "!i.md", "[q].md"},
            id="line break of Windows, and blanks at the end of a rule",
        ),
        pytest.param(
            "[!ab]*\n[^a]*/\nb/**/a.md", FILES - {"a.md"}, id="sets of characters"
        ),
        pytest.param("**", FILES, id="everything"),
        pytest.param("[\n", set(), id="invalid rule"),
    ],
)
def test_files_are_ignored_as_git_does(
    tmp_path: Path, rules: str, expected_files: set[str]
) -> None:
    assert ignored_files(tmp_path, {"": rules}) == expected_files


# Rules of a `.gitignore` file for a name with a space, which may have a backslash before it.
#
# The folder has the files `a.md` and `e f.md`, and only `a.md` is read for a question.


@pytest.mark.parametrize(
    "rules",
    ["e\\ f.md", "e f.md", "e\\ f.md\ne f.md"],
)
def test_a_rule_may_have_a_space_with_or_without_a_backslash(
    tmp_path: Path, rules: str
) -> None:
    write_files(tmp_path, {"a.md": "x", "e f.md": "x", ".gitignore": rules})

    assert set(find_sources(tmp_path)) == {"/a.md"}


# Rules of a `.gitignore` file in a subfolder: they override those above it.
#
# Of the files `FILES`, three are below `b`: `b/a.md`, `b/keep.md` and `b/c/a.md`. The key `b` in
# `rules_by_folder` has the rules of `b/.gitignore`.


def test_rules_of_a_subfolder_override_those_above_it(tmp_path: Path) -> None:
    """The folder `b` takes its files back, and `b/c` ignores one of them again."""
    rules_by_folder = {"": "*.md", "b": "!*.md", "b/c": "a.md"}

    ignored = ignored_files(tmp_path, rules_by_folder)

    assert ignored == FILES - {"b/a.md", "b/keep.md"}


def test_rule_for_folders_does_not_take_back_files(tmp_path: Path) -> None:
    """`!*/` is about folders, as it ends with a slash: all files are still ignored."""
    rules_by_folder = {"": "*.md", "b": "!*/"}

    assert ignored_files(tmp_path, rules_by_folder) == FILES
