"""A script cannot make words citable that no file of the environment has.

A citation is accepted if a call opened the file and showed what the reason names. Here a script
knows the words `INVENTED`, "the vault opens at noon", beforehand, and tries to have them shown at a
path by the output of tools and by spellings of names. In `test_own_words.py`, it first writes or
stores the words.
"""

from __future__ import annotations

import pytest

from controlplane.agent.evidence.paths.listings import Listings
from controlplane.sandbox.interface import Plain, bounds
from tests.agent.evidence.log.citing_trial import (
    FILE_REASON,
    FILE_TEXT,
    INVENTED,
    CitingTrial,
)
from tests.gates.sample_trials import FILES

LOANS = "/docs/Loans.md"
SECRET = "/docs/Secret.md"
"""A file that exists. The script tries to cite it without having read it."""
STORE = "/shelves/store.json"

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
    trial.read(SECRET)

    assert trial.can_cite(SECRET, FILE_REASON)


def test_a_file_that_a_program_printed_is_citable(trial: CitingTrial) -> None:
    trial.run("/bin/show", SECRET, stdout=FILE_TEXT)

    assert trial.can_cite(SECRET, FILE_REASON)


def test_the_first_of_two_printed_files_is_citable(trial: CitingTrial) -> None:
    """The program prints both files, one after the other."""
    trial.run("/bin/show", SECRET, LOANS, stdout=FILE_TEXT + FILES[LOANS])

    assert trial.can_cite(SECRET, FILE_REASON)


def test_an_empty_file_is_citable_for_being_empty(trial: CitingTrial) -> None:
    """The reason says what was seen: that there is nothing."""
    trial.read("/empty.txt", "")

    assert trial.can_cite("/empty.txt", "it holds no lines")


def test_a_line_that_a_search_showed_makes_its_file_citable(trial: CitingTrial) -> None:
    """The search shows the line itself, so it counts like reading."""
    trial.search(SECRET, FILE_TEXT)

    assert trial.can_cite(SECRET, FILE_REASON)


def test_a_value_that_a_filter_picked_is_citable(trial: CitingTrial) -> None:
    """The filter `.opens` can only print what the file has."""
    trial.run("/bin/pick", ".opens", STORE, stdout='"seven"\n')

    assert trial.can_cite(STORE, FILE_REASON)


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
    """The filter has a text to compare with, but prints only a value of the file."""
    trial.run("/bin/pick", filter_text, STORE, stdout="17\n")

    assert trial.can_cite(STORE, "17 copies are there")


def test_a_value_that_was_looked_up_in_a_file_is_citable(trial: CitingTrial) -> None:
    """`/bin/stock` looks an id up in the file, and prints it with its number."""
    trial.run("/bin/stock", STORE, "b-104", stdout="b-104\t17\n")

    assert trial.can_cite(STORE, "17 of b-104")


def test_a_row_of_a_read_file_is_citable(trial: CitingTrial) -> None:
    trial.read(LOANS)

    assert trial.can_cite(LOANS + "#row=1", FILE_REASON)


def test_a_file_whose_name_has_a_hash_sign_is_citable(trial: CitingTrial) -> None:
    """`#` usually separates a row from its file."""
    trial.read("/notes/a#b.txt")

    assert trial.can_cite("/notes/a#b.txt", FILE_REASON)


def test_a_written_file_is_citable_as_written(trial: CitingTrial) -> None:
    """The reason claims only that the trial wrote the file."""
    trial.write("/tmp/x")

    assert trial.can_cite("/tmp/x", "written as asked")


def test_a_program_that_ran_is_citable_as_run(trial: CitingTrial) -> None:
    """The reason claims only that the program was run."""
    trial.run("/bin/query", "select 1", stdout="1")

    assert trial.can_cite("/bin/query", "the query that was run")


# Arguments that look like paths do not open a file
#
# Each script tries to cite `SECRET`, which it has not read, for the words `INVENTED`, "the vault
# opens at noon". A program prints these words, but not from that file.
# --------------------------------------------------------------------------------------------------------------


def test_an_argument_of_a_query_does_not_open_a_file(trial: CitingTrial) -> None:
    """The query may have printed the words of its own accord."""
    trial.run("/bin/query", SECRET, stdout=INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_path_that_a_query_prints_does_not_open_a_file(trial: CitingTrial) -> None:
    """The query itself has the path and the words."""
    query = f"select '{SECRET}', '{INVENTED}'"
    trial.run("/bin/query", stdin=query, stdout=f"{SECRET},{INVENTED}\n")

    assert not trial.can_cite(SECRET, INVENTED)


def test_an_undeclared_program_does_not_open_a_file(trial: CitingTrial) -> None:
    """Nobody knows what `/bin/nowhere` does with its argument."""
    trial.run("/bin/nowhere", SECRET, stdout=INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_changing_program_does_not_open_a_file(trial: CitingTrial) -> None:
    """`/bin/ship` is declared as one that changes something, not as one that prints files."""
    trial.run("/bin/ship", SECRET, stdout=INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_path_as_the_filter_does_not_open_a_file(trial: CitingTrial) -> None:
    """The first argument of `/bin/pick` is the filter, and not a file."""
    trial.run("/bin/pick", SECRET, stdin="{}", stdout=INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_path_that_is_looked_up_in_a_file_is_not_opened(trial: CitingTrial) -> None:
    """Only the first argument of `/bin/stock` is a file."""
    trial.run("/bin/stock", STORE, SECRET, stdout=f"{SECRET}\t0\n")

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_relative_path_does_not_open_the_absolute_one(trial: CitingTrial) -> None:
    """Nobody knows in which folder the program runs."""
    trial.run("/bin/show", "docs/Secret.md", stdout=INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


# What a program prints may come from its arguments instead of the file
#
# The program opens the file `SECRET`. The words `INVENTED`, "the vault opens at noon", are not in
# it: the script itself makes the program print them.
# --------------------------------------------------------------------------------------------------------------


def test_a_filter_that_is_a_text_shows_nothing_of_the_file(trial: CitingTrial) -> None:
    """jq prints the text, whatever is in the file."""
    trial.run("/bin/pick", f'"{INVENTED}"', SECRET, stdout=f'"{INVENTED}"\n')

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_filter_that_computes_a_number_shows_nothing_of_the_file(
    trial: CitingTrial,
) -> None:
    """The number is the square root of one that the script passed."""
    trial.run("/bin/pick", "1442401|sqrt", SECRET, stdout="1201\n")

    assert not trial.can_cite(SECRET, "1201 are there")


def test_a_filter_may_hide_a_text_between_two_choices(trial: CitingTrial) -> None:
    """Read carelessly, this filter is one `select(...)`. Its parts are two, with "vault" between."""
    trial.run("/bin/pick", 'select(") | "vault" | select("', SECRET, stdout='"vault"\n')

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_filter_may_print_a_text_while_it_chooses(trial: CitingTrial) -> None:
    """jq's function `debug` prints its input to standard error."""
    trial.call(
        "exec",
        {
            "path": "/bin/pick",
            "args": [f'select("{INVENTED}"|debug)', SECRET],
            "stdin": "",
        },
        {
            "stdout": '{"opens": "seven"}',
            "stderr": f'["DEBUG:","{INVENTED}"]',
            "exit_code": 0,
        },
    )

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_filter_may_hide_its_output_in_a_quoted_name(trial: CitingTrial) -> None:
    """Between two harmless filters, it prints the key of a mapping that it has made itself."""
    trial.run(
        "/bin/pick",
        'select(")|.["),({vault:1}|keys),select("]|select(")',
        SECRET,
        stdout='{}\n["vault"]\n{}\n',
    )

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_filter_on_stdin_and_a_file_may_show_only_stdin(trial: CitingTrial) -> None:
    """`-` stands for standard input, where the script has put its own words."""
    trial.run(
        "/bin/pick",
        ".",
        "-",
        SECRET,
        stdin=f'"{INVENTED}"',
        stdout=f'"{INVENTED}"\n',
    )

    assert not trial.can_cite(SECRET, INVENTED)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param((SECRET,), id="stdin that no argument asks for"),
        pytest.param(("-", SECRET), id="stdin before the file"),
    ],
)
def test_output_with_stdin_in_it_shows_nothing_of_the_file(
    trial: CitingTrial, arguments: tuple[str, ...]
) -> None:
    """The script has put its own words into standard input, and the program prints them too."""
    trial.run("/bin/show", *arguments, stdin=INVENTED, stdout=INVENTED + FILE_TEXT)

    assert not trial.can_cite(SECRET, INVENTED)


def test_output_with_a_written_file_in_it_shows_nothing_of_the_other(
    trial: CitingTrial,
) -> None:
    """The script's own file and the other one are printed together."""
    trial.write("/tmp/own")
    trial.run("/bin/show", "/tmp/own", SECRET, stdout=INVENTED + FILE_TEXT)

    assert not trial.can_cite(SECRET, INVENTED)


def test_an_undeclared_option_may_print_anything(trial: CitingTrial) -> None:
    """The option may make the program print something else than the file."""
    trial.run("/bin/show", "--version", SECRET, stdout=INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_an_option_that_takes_a_text_may_print_it(trial: CitingTrial) -> None:
    """`--arg` gives the filter `$x` the script's own words."""
    trial.run(
        "/bin/pick", "--arg", "x", INVENTED, "$x", SECRET, stdout=f'"{INVENTED}"\n'
    )

    assert not trial.can_cite(SECRET, INVENTED)


# Files that do not exist, calls that failed, and texts that were not shown
#
# `FILE_REASON` names something of the file, and `INVENTED` does not. Neither may be cited here.
# --------------------------------------------------------------------------------------------------------------


def test_a_folder_is_not_citable(trial: CitingTrial) -> None:
    """The listing has shown that `/docs` is a folder."""
    trial.list("/docs", LOANS)
    trial.run("/bin/show", "/docs", stdout=INVENTED)

    assert not trial.can_cite("/docs", INVENTED)


def test_a_file_that_its_folder_does_not_list_is_not_citable(
    trial: CitingTrial,
) -> None:
    """The program prints something, but the file does not exist."""
    trial.list("/docs", LOANS)
    trial.run("/bin/show", SECRET, stdout=INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_file_that_was_not_found_is_not_citable(trial: CitingTrial) -> None:
    """The program prints something, but the file does not exist."""
    trial.fail("read", {"path": SECRET}, code="not_found")
    trial.run("/bin/show", SECRET, stdout=INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_program_that_failed_has_not_shown_its_file(trial: CitingTrial) -> None:
    """With an exit code of 1, what it printed may be an error message."""
    trial.run("/bin/show", SECRET, stdout=FILE_TEXT, exit_code=1)

    assert not trial.can_cite(SECRET, FILE_REASON)


def test_a_file_that_could_not_be_executed_is_not_citable_as_run(
    trial: CitingTrial,
) -> None:
    trial.run(SECRET, exit_code=126)  # the shell's code for a file that is no program

    assert not trial.can_cite(SECRET, "the command was called")


def test_a_file_whose_reading_failed_is_not_citable(trial: CitingTrial) -> None:
    """The call was made and returned nothing."""
    trial.fail("read", {"path": SECRET}, code="internal")

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_read_behind_the_end_of_a_file_shows_nothing(trial: CitingTrial) -> None:
    """The call succeeds for a file of any length."""
    trial.read(SECRET, "", start_line=1_000_000)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_text_of_which_the_prompt_showed_only_a_blank_is_not_citable(
    trial: CitingTrial,
) -> None:
    """The first prompt has the results of some calls, which are cut to save room."""
    trial.read(SECRET, "\n" + FILE_TEXT, shown_chars=1)

    assert not trial.can_cite(SECRET, INVENTED)


def test_an_output_of_which_the_prompt_showed_nothing_is_not_citable(
    trial: CitingTrial,
) -> None:
    """The program was run before the first prompt, which had no room for its output."""
    trial.run("/bin/show", SECRET, stdout=FILE_TEXT, shown_chars=0)

    assert not trial.can_cite(SECRET, FILE_REASON)


def test_a_match_of_a_search_without_text_shows_nothing(trial: CitingTrial) -> None:
    """The search names the file but shows only blanks."""
    trial.search(SECRET, "  ")

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_text_in_a_listing_shows_nothing_of_the_file(trial: CitingTrial) -> None:
    """A listing names files. A field `text` in it is not the text of a file."""
    trial.call(
        "list",
        {"path": "/"},
        {"entries": [{"path": "docs/Secret.md", "text": INVENTED}]},
    )

    assert not trial.can_cite(SECRET, INVENTED)


def test_words_of_another_file_do_not_justify_a_citation(trial: CitingTrial) -> None:
    """The words are those of `/docs/Loans.md`, which was read as well."""
    trial.read(LOANS, FILES[LOANS])
    trial.run("/bin/show", SECRET, stdout=FILE_TEXT)

    assert not trial.can_cite(SECRET, "books marked reserved cannot be renewed")


# Names that imitate another file, or a row of it
# --------------------------------------------------------------------------------------------------------------


def test_a_file_whose_name_imitates_a_row_does_not_stand_for_the_file(
    trial: CitingTrial,
) -> None:
    """`/docs/Secret.md#row=7` is a file of its own here, and not row 7 of the file."""
    trial.read(SECRET + "#row=7", INVENTED)

    assert not trial.can_cite(SECRET, INVENTED)


def test_a_listed_file_whose_name_imitates_a_row_must_be_read_itself(
    trial: CitingTrial,
) -> None:
    """Both files are listed, and only the one without `#1` was read."""
    trial.list("/docs", LOANS, LOANS + "#1")
    trial.read(LOANS)

    assert not trial.can_cite(LOANS + "#1", FILE_REASON)


def test_a_path_with_dots_does_not_stand_for_another_file(trial: CitingTrial) -> None:
    """The path leads to a file that was not read."""
    trial.read(LOANS)

    assert not trial.can_cite("/docs/../docs/Secret.md", INVENTED)


def test_a_deleted_file_does_not_make_its_neighbour_citable(trial: CitingTrial) -> None:
    """The names differ only at their ends."""
    trial.delete(SECRET + ".bak")

    assert not trial.can_cite(SECRET, "deleted as asked")


def test_a_tree_is_not_read_below_a_path_that_is_too_long() -> None:
    """The child `../b.md` of a folder with too long a name must not become `/b.md`."""
    child: dict[str, Plain] = {"name": "../b.md"}
    folder: dict[str, Plain] = {
        "name": "a" * bounds.MOST_PATH_CHARS,
        "is_dir": True,
        "children": [child],
    }
    tree: dict[str, Plain] = {"name": "", "is_dir": True, "children": [folder]}
    listings = Listings()

    listings.learn("/", tree)

    assert listings.folders.paths == {"/"}
    assert not listings.paths.has("/b.md")
