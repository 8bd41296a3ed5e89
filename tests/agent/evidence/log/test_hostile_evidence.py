"""A script cannot make words citable that no file of the environment has.

A citation is a path with a reason. It is accepted if a call has read this file and showed what the
reason names. Here a script knows the words `OWN_WORDS`, "the vault opens at noon", beforehand. It
makes programs print them, or uses spellings of names, to cite a file for them. In
`test_own_words.py`, it first writes or stores the words.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.paths.listings import Listings
from controlplane.sandbox.interface import Plain, bounds
from tests.agent.evidence.log.citing_trial import (
    FILE_REASON,
    FILE_TEXT,
    OWN_WORDS,
    CitingTrial,
)
from tests.gates.sample_trials import FILES

LOANS_FILE = "/docs/Loans.md"
SECRET_FILE = "/docs/Secret.md"
"""A file that exists. The script tries to cite it without having read it."""
STORE_FILE = "/shelves/store.json"
"""A file with books and how many copies there are of each."""

# The programs of the trial:
#   /bin/query ...           prints anything; none of its arguments are files
#   /bin/show [-n] FILE...   prints files
#   /bin/pick FILTER FILE... prints what a jq filter picks from files
#   /bin/stock FILE ID...    looks ids up in one file
#   /bin/ship ...            changes something; its arguments are not files
#   /bin/odd ...             nothing is known about it


@pytest.fixture
def trial() -> CitingTrial:
    """Return a trial that has made no call yet. `can_cite(path, reason)` says if a citation is
    accepted."""
    return CitingTrial()


# What may be cited
# --------------------------------------------------------------------------------------------------------------


def test_a_read_file_is_citable(trial: CitingTrial) -> None:
    trial.read(SECRET_FILE, FILE_TEXT)

    assert trial.can_cite(SECRET_FILE, FILE_REASON)


def test_a_file_that_a_program_printed_is_citable(trial: CitingTrial) -> None:
    trial.run("/bin/show", SECRET_FILE, stdout=FILE_TEXT)

    assert trial.can_cite(SECRET_FILE, FILE_REASON)


def test_the_first_of_two_printed_files_is_citable(trial: CitingTrial) -> None:
    """The program prints both files, one after the other."""
    trial.run(
        "/bin/show", SECRET_FILE, LOANS_FILE, stdout=FILE_TEXT + FILES[LOANS_FILE]
    )

    assert trial.can_cite(SECRET_FILE, FILE_REASON)


def test_an_empty_file_is_citable_for_being_empty(trial: CitingTrial) -> None:
    """The reason says what was seen: that there is nothing."""
    trial.read("/empty.txt", "")

    assert trial.can_cite("/empty.txt", "it holds no lines")


def test_a_line_that_a_search_showed_makes_its_file_citable(trial: CitingTrial) -> None:
    """The search shows the line itself, so it counts like reading."""
    trial.search(SECRET_FILE, FILE_TEXT)

    assert trial.can_cite(SECRET_FILE, FILE_REASON)


def test_a_value_that_a_filter_picked_is_citable(trial: CitingTrial) -> None:
    """The filter of `/bin/pick`, here `.opens`, can only print what the file has."""
    trial.run("/bin/pick", ".opens", STORE_FILE, stdout='"seven"\n')

    assert trial.can_cite(STORE_FILE, FILE_REASON)


@pytest.mark.parametrize(
    "filter_text",
    [
        pytest.param('.rows[] | select(.id == "b-104") | .copies', id="an id"),
        pytest.param(
            r'.rows[] | select(.id == "b\"104") | .copies', id="a quotation mark"
        ),
    ],
)
def test_a_value_of_a_row_that_a_filter_chose_is_citable(
    trial: CitingTrial, filter_text: str
) -> None:
    """The text in the filter only chooses a row. What is printed, 17, is a value of this row."""
    trial.run("/bin/pick", filter_text, STORE_FILE, stdout="17\n")

    assert trial.can_cite(STORE_FILE, "17 copies are there")


def test_a_value_that_was_looked_up_in_a_file_is_citable(trial: CitingTrial) -> None:
    """`/bin/stock` prints the id that the script passed, and the number of copies in the file."""
    trial.run("/bin/stock", STORE_FILE, "b-104", stdout="b-104\t17\n")

    assert trial.can_cite(STORE_FILE, "17 of b-104")


def test_a_row_of_a_read_file_is_citable(trial: CitingTrial) -> None:
    trial.read(LOANS_FILE, FILE_TEXT)

    assert trial.can_cite(LOANS_FILE + "#row=1", FILE_REASON)


def test_a_file_whose_name_has_a_hash_sign_is_citable(trial: CitingTrial) -> None:
    """`#` usually separates a row from its file."""
    trial.read("/notes/a#b.txt", FILE_TEXT)

    assert trial.can_cite("/notes/a#b.txt", FILE_REASON)


def test_a_written_file_is_citable_as_written(trial: CitingTrial) -> None:
    """The reason claims only that the trial wrote the file."""
    trial.write("/tmp/x", OWN_WORDS)

    assert trial.can_cite("/tmp/x", "written as asked")


def test_a_program_that_ran_is_citable_as_run(trial: CitingTrial) -> None:
    """The reason claims only that the program was run."""
    trial.run("/bin/query", "select 1", stdout="1")

    assert trial.can_cite("/bin/query", "the query that was run")


# Arguments that look like paths, but do not make a program read the file
#
# Each script tries to cite `SECRET_FILE`, which it has not read, for the words `OWN_WORDS`, "the vault
# opens at noon". A program gets the path as an argument and prints the words, but does not have them
# from this file. What each program reads is declared in the table at the top of this module.
# --------------------------------------------------------------------------------------------------------------


def test_an_argument_of_a_query_does_not_make_a_file_citable(
    trial: CitingTrial,
) -> None:
    """`/bin/query` takes no files as arguments, so the words do not come from this file."""
    trial.run("/bin/query", SECRET_FILE, stdout=OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_path_that_a_query_prints_does_not_make_a_file_citable(
    trial: CitingTrial,
) -> None:
    """The query selects the path and the words as constants, and reads no file."""
    query = f"select '{SECRET_FILE}', '{OWN_WORDS}'"
    trial.run("/bin/query", stdin=query, stdout=f"{SECRET_FILE},{OWN_WORDS}\n")

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_an_undeclared_program_does_not_make_a_file_citable(trial: CitingTrial) -> None:
    """`/bin/nowhere` is not declared, so nobody knows what it does with its argument."""
    trial.run("/bin/nowhere", SECRET_FILE, stdout=OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_changing_program_does_not_make_a_file_citable(trial: CitingTrial) -> None:
    """`/bin/ship` changes something. It is not declared to print files."""
    trial.run("/bin/ship", SECRET_FILE, stdout=OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_path_as_the_filter_does_not_make_a_file_citable(trial: CitingTrial) -> None:
    """The first argument of `/bin/pick` is a filter, not a file. It is applied to standard input."""
    trial.run("/bin/pick", SECRET_FILE, stdin="{}", stdout=OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_path_that_is_looked_up_in_a_file_is_not_citable(trial: CitingTrial) -> None:
    """The first argument of `/bin/stock` is a file. The second one is an id to look up in it."""
    trial.run("/bin/stock", STORE_FILE, SECRET_FILE, stdout=f"{SECRET_FILE}\t0\n")

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_relative_path_does_not_make_the_absolute_one_citable(
    trial: CitingTrial,
) -> None:
    """Nobody knows in which folder the program runs, so `docs/Secret.md` may be any file."""
    trial.run("/bin/show", "docs/Secret.md", stdout=OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


# What a program prints may come from its arguments instead of the file
#
# The program does read the file `SECRET_FILE`. But the words `OWN_WORDS`, "the vault opens at noon",
# are not in it: the script passes them to the program, which prints them. Most of these tests run
# `/bin/pick FILTER FILE`, where FILTER is an expression of jq that may compute anything.
# --------------------------------------------------------------------------------------------------------------


def test_a_filter_that_is_a_text_shows_nothing_of_the_file(trial: CitingTrial) -> None:
    """For jq, a quoted text is an expression. It prints the text, whatever is in the file."""
    trial.run("/bin/pick", f'"{OWN_WORDS}"', SECRET_FILE, stdout=f'"{OWN_WORDS}"\n')

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_filter_that_computes_a_number_shows_nothing_of_the_file(
    trial: CitingTrial,
) -> None:
    """jq computes the square root of 1442401, which the filter states, and prints it."""
    trial.run("/bin/pick", "1442401|sqrt", SECRET_FILE, stdout="1201\n")

    assert not trial.can_cite(SECRET_FILE, "1201 are there")


def test_a_filter_may_hide_a_text_between_two_choices(trial: CitingTrial) -> None:
    """`select(...)` alone only chooses values of the file. This filter could be taken for one, but it
    has the text "vault" between two of them."""
    filter_text = 'select(") | "vault" | select("'
    trial.run("/bin/pick", filter_text, SECRET_FILE, stdout='"vault"\n')

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_filter_may_print_a_text_while_it_chooses(trial: CitingTrial) -> None:
    """The filter chooses values of the file. But jq's function `debug` prints the text before it to
    standard error."""
    trial.run(
        "/bin/pick",
        f'select("{OWN_WORDS}"|debug)',
        SECRET_FILE,
        stdout='{"opens": "seven"}',
        stderr=f'["DEBUG:","{OWN_WORDS}"]',
    )

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_filter_may_hide_its_output_in_a_quoted_name(trial: CitingTrial) -> None:
    """The filter has three parts: `select(")|.[")`, `({vault:1}|keys)`, `select("]|select(")`. The
    second one makes a mapping and prints its keys, `["vault"]`. If the filter were split at each `|`
    without regard to quotation marks, this part would seem to be within a name, `.["..."]`."""
    trial.run(
        "/bin/pick",
        'select(")|.["),({vault:1}|keys),select("]|select(")',
        SECRET_FILE,
        stdout='{}\n["vault"]\n{}\n',
    )

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_filter_on_stdin_and_a_file_may_show_only_stdin(trial: CitingTrial) -> None:
    """The program is to print standard input (`-`) and then the file. It has printed only standard
    input, where the script has put its own words."""
    trial.run(
        "/bin/pick",
        ".",
        "-",
        SECRET_FILE,
        stdin=f'"{OWN_WORDS}"',
        stdout=f'"{OWN_WORDS}"\n',
    )

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((SECRET_FILE,), id="stdin that no argument asks for"),
        pytest.param(("-", SECRET_FILE), id="stdin before the file"),
    ],
)
def test_output_with_stdin_in_it_shows_nothing_of_the_file(
    trial: CitingTrial, arguments: tuple[str, ...]
) -> None:
    """`/bin/show` prints standard input, where the script has put its own words, and the file."""
    trial.run("/bin/show", *arguments, stdin=OWN_WORDS, stdout=OWN_WORDS + FILE_TEXT)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_output_with_a_written_file_in_it_shows_nothing_of_the_other(
    trial: CitingTrial,
) -> None:
    """`/bin/show` prints two files: one that the script has written, and the one that it cites."""
    trial.write("/tmp/own", OWN_WORDS)
    trial.run("/bin/show", "/tmp/own", SECRET_FILE, stdout=OWN_WORDS + FILE_TEXT)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_an_undeclared_option_may_print_anything(trial: CitingTrial) -> None:
    """`/bin/show` is declared with the option `-n`. Another one may make it print something else than
    the file."""
    trial.run("/bin/show", "--version", SECRET_FILE, stdout=OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_an_option_that_takes_a_text_may_print_it(trial: CitingTrial) -> None:
    """jq's option `--arg x TEXT` defines a variable. The filter `$x` prints it, here the script's own
    words."""
    trial.run(
        "/bin/pick",
        "--arg",
        "x",
        OWN_WORDS,
        "$x",
        SECRET_FILE,
        stdout=f'"{OWN_WORDS}"\n',
    )

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


# Files that do not exist, calls that failed, and texts that were not shown
#
# The script tries to cite a file for `FILE_REASON`, which names something of the file's text, or for
# `OWN_WORDS`, which does not. No call has shown the file's text to the model, so both are refused.
# --------------------------------------------------------------------------------------------------------------


def test_a_folder_is_not_citable(trial: CitingTrial) -> None:
    """The listing has shown that `/docs` is a folder."""
    trial.list("/docs", LOANS_FILE)
    trial.run("/bin/show", "/docs", stdout=OWN_WORDS)

    assert not trial.can_cite("/docs", OWN_WORDS)


def test_a_file_that_its_folder_does_not_list_is_not_citable(
    trial: CitingTrial,
) -> None:
    """The listing of `/docs` shows that the file does not exist, whatever the program prints."""
    trial.list("/docs", LOANS_FILE)
    trial.run("/bin/show", SECRET_FILE, stdout=OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_file_that_was_not_found_is_not_citable(trial: CitingTrial) -> None:
    """The error `not_found` shows that the file does not exist, whatever the program prints."""
    trial.fail("read", {"path": SECRET_FILE}, code="not_found")
    trial.run("/bin/show", SECRET_FILE, stdout=OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_program_that_failed_has_not_shown_its_file(trial: CitingTrial) -> None:
    """With an exit code of 1, what it printed may be an error message."""
    trial.run("/bin/show", SECRET_FILE, stdout=FILE_TEXT, exit_code=1)

    assert not trial.can_cite(SECRET_FILE, FILE_REASON)


def test_a_file_that_could_not_be_executed_is_not_citable_as_run(
    trial: CitingTrial,
) -> None:
    trial.run(
        SECRET_FILE, exit_code=126
    )  # the shell's code for a file that is no program

    assert not trial.can_cite(SECRET_FILE, "the command was called")


def test_a_file_whose_reading_failed_is_not_citable(trial: CitingTrial) -> None:
    """The call was made, but it returned an error instead of the text."""
    trial.fail("read", {"path": SECRET_FILE}, code="internal")

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_read_behind_the_end_of_a_file_shows_nothing(trial: CitingTrial) -> None:
    """Reading from line 1,000,000 on succeeds, and returns an empty text."""
    trial.read(SECRET_FILE, "", start_line=1_000_000)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_text_of_which_the_prompt_showed_only_a_blank_is_not_citable(
    trial: CitingTrial,
) -> None:
    """The first prompt has the results of calls, cut to save room. Here it has only the first
    character of the text, a line break."""
    trial.read(SECRET_FILE, "\n" + FILE_TEXT, shown_chars=1)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_an_output_of_which_the_prompt_showed_nothing_is_not_citable(
    trial: CitingTrial,
) -> None:
    """The program was run before the first prompt, which had no room for its output."""
    trial.run("/bin/show", SECRET_FILE, stdout=FILE_TEXT, shown_chars=0)

    assert not trial.can_cite(SECRET_FILE, FILE_REASON)


def test_a_match_of_a_search_without_text_shows_nothing(trial: CitingTrial) -> None:
    """The search names the file but shows only blanks."""
    trial.search(SECRET_FILE, "  ")

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_text_in_a_listing_shows_nothing_of_the_file(trial: CitingTrial) -> None:
    """A listing names files. A field `text` in it is not the text of a file."""
    trial.call(
        "list",
        {"path": "/"},
        {"entries": [{"path": "docs/Secret.md", "text": OWN_WORDS}]},
    )

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_words_of_another_file_do_not_justify_a_citation(trial: CitingTrial) -> None:
    """The script has read both files, and cites one of them for what the other one says."""
    trial.read(LOANS_FILE, "Books marked reserved cannot be renewed.")
    trial.run("/bin/show", SECRET_FILE, stdout=FILE_TEXT)

    assert not trial.can_cite(SECRET_FILE, "books marked reserved cannot be renewed")


# Names that imitate another file, or a row of it
#
# In a citation, `/docs/Loans.md#row=1` or `/docs/Loans.md#1` is row 1 of the file `/docs/Loans.md`,
# unless there is a file of this name.
# --------------------------------------------------------------------------------------------------------------


def test_a_file_whose_name_imitates_a_row_does_not_stand_for_the_file(
    trial: CitingTrial,
) -> None:
    """Here `/docs/Secret.md#row=7` is a file. Reading it shows nothing of `/docs/Secret.md`."""
    trial.read("/docs/Secret.md#row=7", OWN_WORDS)

    assert not trial.can_cite(SECRET_FILE, OWN_WORDS)


def test_a_listed_file_whose_name_imitates_a_row_must_be_read_itself(
    trial: CitingTrial,
) -> None:
    """The listing shows that `/docs/Loans.md#1` is a file, and not row 1 of `/docs/Loans.md`. Only the
    latter was read."""
    trial.list("/docs", "/docs/Loans.md", "/docs/Loans.md#1")
    trial.read("/docs/Loans.md", FILE_TEXT)

    assert not trial.can_cite("/docs/Loans.md#1", FILE_REASON)


def test_a_path_with_dots_does_not_stand_for_another_file(trial: CitingTrial) -> None:
    """`/docs/../docs/Secret.md` is `/docs/Secret.md`, which was not read. Another file was."""
    trial.read("/docs/Loans.md", FILE_TEXT)

    assert not trial.can_cite("/docs/../docs/Secret.md", OWN_WORDS)


def test_a_deleted_file_does_not_make_its_neighbour_citable(trial: CitingTrial) -> None:
    """The script deleted `/docs/Secret.md.bak`, and claims to have deleted `/docs/Secret.md`."""
    trial.delete("/docs/Secret.md.bak")

    assert not trial.can_cite("/docs/Secret.md", "deleted as asked")


def test_a_tree_is_not_read_below_a_path_that_is_too_long() -> None:
    """A tree lists files by nested names. Here its folder `/aaa...` has so long a name that no path is
    learnt for it. Its file `../b.md` must not be taken for the file `/b.md`."""
    file: dict[str, Plain] = {"name": "../b.md"}
    long_name = "a" * bounds.MOST_PATH_CHARS
    folder: dict[str, Plain] = {"name": long_name, "is_dir": True, "children": [file]}
    tree: dict[str, Plain] = {"name": "", "is_dir": True, "children": [folder]}
    listings = Listings()

    listings.learn("/", tree)

    assert listings.folders.paths == {"/"}
    assert not listings.paths.has("/b.md")
