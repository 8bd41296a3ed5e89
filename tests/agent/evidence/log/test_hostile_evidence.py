"""A script cannot make words citable that no file of the environment has.

An answer cites files, each with a reason. The citation is accepted if a call has read this file,
and showed what the reason names: `/docs/Secret.md` with "The archive opens at seven" -> "it opens
at seven". Here a script wants to cite `/docs/Secret.md` for "the vault opens at noon", which is not
in it. It makes programs print these words, or uses paths that look like others.
"""

from __future__ import annotations

import pytest

from tests.agent.evidence.log.citing_trial import CitingTrial

# The programs of the trial:
#   /bin/query ...           prints anything; none of its arguments are files
#   /bin/show [-n] FILE...   prints files
#   /bin/pick FILTER FILE... prints what a jq filter picks from files
#   /bin/stock FILE ID...    looks ids up in one file
#   /bin/ship ...            changes something; its arguments are not files
#   /bin/odd ...             nothing is known about it


@pytest.fixture
def trial() -> CitingTrial:
    """Return a trial that has made no call yet.

    A test says what each call returns: `trial.read(path, "text of the file")`. Then it asks
    whether the trial may cite a file: `trial.can_cite(path, reason="...")`.
    """
    return CitingTrial()


# What may be cited
# --------------------------------------------------------------------------------------------------------------


def test_a_read_file_is_citable(trial: CitingTrial) -> None:
    trial.read("/docs/Secret.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_file_that_a_program_printed_is_citable(trial: CitingTrial) -> None:
    trial.run("/bin/show", "/docs/Secret.md", stdout="The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_the_first_of_two_printed_files_is_citable(trial: CitingTrial) -> None:
    """The program prints both files, one after the other."""
    trial.run(
        "/bin/show",
        "/docs/Secret.md",
        "/docs/Loans.md",
        stdout="The archive opens at seven.A loan runs 21 days.",
    )

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_an_empty_file_is_citable_for_being_empty(trial: CitingTrial) -> None:
    """The reason says what was seen: that there is nothing."""
    trial.read("/empty.txt", "")

    assert trial.can_cite("/empty.txt", reason="it holds no lines")


def test_a_line_that_a_search_showed_makes_its_file_citable(trial: CitingTrial) -> None:
    """The search shows the line itself, so it counts like reading."""
    trial.search("/docs/Secret.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_value_that_a_filter_picked_is_citable(trial: CitingTrial) -> None:
    """The filter of `/bin/pick`, here `.opens`, can only print what the file has."""
    trial.run("/bin/pick", ".opens", "/shelves/store.json", stdout='"seven"\n')

    assert trial.can_cite("/shelves/store.json", reason="it opens at seven")


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
    trial.run("/bin/pick", filter_text, "/shelves/store.json", stdout="17\n")

    assert trial.can_cite("/shelves/store.json", reason="17 copies are there")


def test_a_value_that_was_looked_up_in_a_file_is_citable(trial: CitingTrial) -> None:
    """`/bin/stock FILE ID` prints the id, and the number of copies that the file has for it: 17."""
    trial.run("/bin/stock", "/shelves/store.json", "b-104", stdout="b-104\t17\n")

    assert trial.can_cite("/shelves/store.json", reason="17 of b-104")


def test_a_row_of_a_read_file_is_citable(trial: CitingTrial) -> None:
    """`#row=1` stands for row 1 of the file."""
    trial.read("/docs/Loans.md", "The archive opens at seven.")

    assert trial.can_cite("/docs/Loans.md#row=1", reason="it opens at seven")


def test_a_file_whose_name_has_a_hash_sign_is_citable(trial: CitingTrial) -> None:
    """`#` usually separates a row from its file."""
    trial.read("/notes/a#b.txt", "The archive opens at seven.")

    assert trial.can_cite("/notes/a#b.txt", reason="it opens at seven")


def test_a_written_file_is_citable_as_written(trial: CitingTrial) -> None:
    """The reason claims only that the trial wrote the file."""
    trial.write("/tmp/x", "the vault opens at noon")

    assert trial.can_cite("/tmp/x", reason="written as asked")


def test_a_program_that_ran_is_citable_as_run(trial: CitingTrial) -> None:
    """The reason claims only that the program was run."""
    trial.run("/bin/query", "select 1", stdout="1")

    assert trial.can_cite("/bin/query", reason="the query that was run")


# Arguments that look like paths, but do not make a program read the file
#
# A program gets the path `/docs/Secret.md` as an argument, and prints "the vault opens at noon". But
# it does not have these words from this file. What each program reads is declared to the product.
# --------------------------------------------------------------------------------------------------------------


def test_an_argument_of_a_query_does_not_make_a_file_citable(
    trial: CitingTrial,
) -> None:
    """`/bin/query` is declared to take no files as arguments, so its output is not from this file."""
    trial.run("/bin/query", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_path_that_a_query_prints_does_not_make_a_file_citable(
    trial: CitingTrial,
) -> None:
    """The query selects the path and the words as constants, and reads no file."""
    query = "select '/docs/Secret.md', 'the vault opens at noon'"
    trial.run(
        "/bin/query", stdin=query, stdout="/docs/Secret.md,the vault opens at noon\n"
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_an_undeclared_program_does_not_make_a_file_citable(trial: CitingTrial) -> None:
    """Nothing is declared of `/bin/nowhere`, so nobody knows what it does with its argument."""
    trial.run("/bin/nowhere", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_changing_program_does_not_make_a_file_citable(trial: CitingTrial) -> None:
    """`/bin/ship` changes something. It is not declared to print files."""
    trial.run("/bin/ship", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_path_as_the_filter_does_not_make_a_file_citable(trial: CitingTrial) -> None:
    """The first argument of `/bin/pick FILTER FILE` is a filter. Without a file, it is applied to
    standard input, and nothing is read."""
    trial.run(
        "/bin/pick", "/docs/Secret.md", stdin="{}", stdout="the vault opens at noon"
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_path_that_is_looked_up_in_a_file_is_not_citable(trial: CitingTrial) -> None:
    """`/bin/stock FILE ID` reads the first file only. The script passes the path as the id, which is
    looked up in that file, and printed."""
    trial.run(
        "/bin/stock",
        "/shelves/store.json",
        "/docs/Secret.md",
        stdout="/docs/Secret.md\t0\n",
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_relative_path_does_not_make_the_absolute_one_citable(
    trial: CitingTrial,
) -> None:
    """Nobody knows in which folder the program runs, so `docs/Secret.md` may be any file."""
    trial.run("/bin/show", "docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


# What a program prints may come from its arguments instead of the file
#
# The program does read the file `/docs/Secret.md`. But "the vault opens at noon" is not in it: the
# script passes these words to the program, which prints them. Most of these tests run `/bin/pick FILTER
# FILE`, where FILTER is an expression of jq that may compute anything.
# --------------------------------------------------------------------------------------------------------------


def test_a_filter_that_is_a_text_shows_nothing_of_the_file(trial: CitingTrial) -> None:
    """For jq, a quoted text is an expression. It prints the text, whatever is in the file."""
    quoted_text = '"the vault opens at noon"'
    trial.run("/bin/pick", quoted_text, "/docs/Secret.md", stdout=quoted_text)

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_filter_that_computes_a_number_shows_nothing_of_the_file(
    trial: CitingTrial,
) -> None:
    """jq computes the square root of 1442401, which the filter states, and prints it."""
    trial.run("/bin/pick", "1442401|sqrt", "/docs/Secret.md", stdout="1201\n")

    assert not trial.can_cite("/docs/Secret.md", reason="1201 are there")


def test_a_filter_may_hide_a_text_between_two_choices(trial: CitingTrial) -> None:
    """`select(...)` alone only chooses values of the file. This filter could be taken for one, but it
    has the text "vault" between two of them."""
    filter_text = 'select(") | "vault" | select("'
    trial.run("/bin/pick", filter_text, "/docs/Secret.md", stdout='"vault"\n')

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_filter_may_print_a_text_while_it_chooses(trial: CitingTrial) -> None:
    """The filter chooses values of the file. But jq's function `debug` prints the text before it to
    standard error."""
    trial.run(
        "/bin/pick",
        'select("the vault opens at noon"|debug)',
        "/docs/Secret.md",
        stdout='{"opens": "seven"}',
        stderr='["DEBUG:","the vault opens at noon"]',
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_filter_may_hide_its_output_in_a_quoted_name(trial: CitingTrial) -> None:
    """The filter has three parts: `select(")|.[")`, `({vault:1}|keys)`, `select("]|select(")`. The
    second one makes a mapping and prints its keys, `["vault"]`. If the filter were split at each `|`
    without regard to quotation marks, this part would seem to be within a name, `.["..."]`."""
    trial.run(
        "/bin/pick",
        'select(")|.["),({vault:1}|keys),select("]|select(")',
        "/docs/Secret.md",
        stdout='{}\n["vault"]\n{}\n',
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_filter_on_stdin_and_a_file_may_show_only_stdin(trial: CitingTrial) -> None:
    """The program is to print standard input (`-`) and then the file. It has printed only standard
    input, where the script has put its own words."""
    trial.run(
        "/bin/pick",
        ".",
        "-",
        "/docs/Secret.md",
        stdin='"the vault opens at noon"',
        stdout='"the vault opens at noon"\n',
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(("/docs/Secret.md",), id="stdin that no argument asks for"),
        pytest.param(("-", "/docs/Secret.md"), id="stdin before the file"),
    ],
)
def test_output_with_stdin_in_it_shows_nothing_of_the_file(
    trial: CitingTrial, arguments: tuple[str, ...]
) -> None:
    """`/bin/show` prints standard input, where the script has put its own words, and the file."""
    trial.run(
        "/bin/show",
        *arguments,
        stdin="the vault opens at noon.",
        stdout="the vault opens at noon.The archive opens at seven.",
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_output_with_a_written_file_in_it_shows_nothing_of_the_other(
    trial: CitingTrial,
) -> None:
    """`/bin/show` prints two files: one that the script has written, and the one that it cites."""
    trial.write("/tmp/own", "the vault opens at noon.")
    trial.run(
        "/bin/show",
        "/tmp/own",
        "/docs/Secret.md",
        stdout="the vault opens at noon.The archive opens at seven.",
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_an_undeclared_option_may_print_anything(trial: CitingTrial) -> None:
    """`/bin/show` is declared with the option `-n`. Another one may make it print something else than
    the file."""
    trial.run(
        "/bin/show", "--version", "/docs/Secret.md", stdout="the vault opens at noon"
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_an_option_that_takes_a_text_may_print_it(trial: CitingTrial) -> None:
    """jq's option `--arg x TEXT` defines a variable. The filter `$x` prints it, here the script's own
    words."""
    trial.run(
        "/bin/pick",
        "--arg",
        "x",
        "the vault opens at noon",
        "$x",
        "/docs/Secret.md",
        stdout='"the vault opens at noon"\n',
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


# Files that do not exist, calls that failed, and texts that were not shown
#
# A reason must name something that a call has shown of the file. Here no call has shown its text to
# the model, so every reason is refused, even one that is true.
# --------------------------------------------------------------------------------------------------------------


def test_a_folder_is_not_citable(trial: CitingTrial) -> None:
    """The listing has shown that `/docs` is a folder."""
    trial.list("/docs", "/docs/Loans.md")
    trial.run("/bin/show", "/docs", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs", reason="the vault opens at noon")


def test_a_file_that_its_folder_does_not_list_is_not_citable(
    trial: CitingTrial,
) -> None:
    """The listing of `/docs` shows that the file does not exist, whatever the program prints."""
    trial.list("/docs", "/docs/Loans.md")
    trial.run("/bin/show", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_file_that_was_not_found_is_not_citable(trial: CitingTrial) -> None:
    """The error `not_found` shows that the file does not exist, whatever the program prints."""
    trial.fail("read", {"path": "/docs/Secret.md"}, code="not_found")
    trial.run("/bin/show", "/docs/Secret.md", stdout="the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_program_that_failed_has_not_shown_its_file(trial: CitingTrial) -> None:
    """With an exit code of 1, what it printed may be an error message."""
    trial.run(
        "/bin/show",
        "/docs/Secret.md",
        stdout="The archive opens at seven.",
        exit_code=1,
    )

    assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_file_that_could_not_be_executed_is_not_citable_as_run(
    trial: CitingTrial,
) -> None:
    """126 is the exit code of a shell for a file that is not a program."""
    trial.run("/docs/Secret.md", exit_code=126)

    assert not trial.can_cite("/docs/Secret.md", reason="the command was called")


def test_a_file_whose_reading_failed_is_not_citable(trial: CitingTrial) -> None:
    """The call was made, but it returned an error instead of the text."""
    trial.fail("read", {"path": "/docs/Secret.md"}, code="internal")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_read_behind_the_end_of_a_file_shows_nothing(trial: CitingTrial) -> None:
    """Reading from line 1,000,000 on succeeds, and returns an empty text."""
    trial.read("/docs/Secret.md", "", start_line=1_000_000)

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_text_of_which_the_prompt_showed_only_a_blank_is_not_citable(
    trial: CitingTrial,
) -> None:
    """The first prompt shows the results of some calls, cut to save room. Of this text, it shows only
    the first character, a line break."""
    trial.read("/docs/Secret.md", "\nThe archive opens at seven.", shown_chars=1)

    assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")
    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_an_output_of_which_the_prompt_showed_nothing_is_not_citable(
    trial: CitingTrial,
) -> None:
    """The first prompt shows the results of some calls. It had no room for the output of this one."""
    trial.run(
        "/bin/show",
        "/docs/Secret.md",
        stdout="The archive opens at seven.",
        shown_chars=0,
    )

    assert not trial.can_cite("/docs/Secret.md", reason="it opens at seven")


def test_a_match_of_a_search_without_text_shows_nothing(trial: CitingTrial) -> None:
    """The search names the file but shows only blanks."""
    trial.search("/docs/Secret.md", "  ")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_text_in_a_listing_shows_nothing_of_the_file(trial: CitingTrial) -> None:
    """A listing names files. A field `text` in it is not the text of a file."""
    trial.call(
        "list",
        {"path": "/"},
        {"entries": [{"path": "docs/Secret.md", "text": "the vault opens at noon"}]},
    )

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_words_of_another_file_do_not_justify_a_citation(trial: CitingTrial) -> None:
    """The script has read both files, and cites one of them for what the other one says."""
    trial.read("/docs/Loans.md", "Books marked reserved cannot be renewed.")
    trial.run("/bin/show", "/docs/Secret.md", stdout="The archive opens at seven.")

    assert not trial.can_cite(
        "/docs/Secret.md", reason="books marked reserved cannot be renewed"
    )


# Names that imitate another file, or a row of it
#
# In a citation, `/docs/Loans.md#row=1` or `/docs/Loans.md#1` is row 1 of the file `/docs/Loans.md`,
# unless there is a file of this name.
# --------------------------------------------------------------------------------------------------------------


def test_a_file_whose_name_imitates_a_row_does_not_stand_for_the_file(
    trial: CitingTrial,
) -> None:
    """Here `/docs/Secret.md#row=7` is a file. Reading it shows nothing of `/docs/Secret.md`."""
    trial.read("/docs/Secret.md#row=7", "the vault opens at noon")

    assert not trial.can_cite("/docs/Secret.md", reason="the vault opens at noon")


def test_a_listed_file_whose_name_imitates_a_row_must_be_read_itself(
    trial: CitingTrial,
) -> None:
    """The listing shows that `/docs/Loans.md#1` is a file, and not row 1 of `/docs/Loans.md`. Only the
    latter was read."""
    trial.list("/docs", "/docs/Loans.md", "/docs/Loans.md#1")
    trial.read("/docs/Loans.md", "The archive opens at seven.")

    assert not trial.can_cite("/docs/Loans.md#1", reason="it opens at seven")


def test_a_path_with_dots_does_not_stand_for_another_file(trial: CitingTrial) -> None:
    """`/docs/../docs/Secret.md` is `/docs/Secret.md`, which was not read. Another file was."""
    trial.read("/docs/Loans.md", "The archive opens at seven.")

    assert not trial.can_cite(
        "/docs/../docs/Secret.md", reason="the vault opens at noon"
    )


def test_a_deleted_file_does_not_make_its_neighbour_citable(trial: CitingTrial) -> None:
    """The script deleted `/docs/Secret.md.bak`, and claims to have deleted `/docs/Secret.md`."""
    trial.delete("/docs/Secret.md.bak")

    assert not trial.can_cite("/docs/Secret.md", reason="deleted as asked")
