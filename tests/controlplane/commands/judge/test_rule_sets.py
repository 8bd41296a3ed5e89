"""`judge --rule-sets NAME` judges recorded answers by further rules, those of the user for example.

The rules stand beside the gates (numbered checks of a submitted answer), or alone. In
`gated.jsonl`, gate 4 rejected the first answer, "In a week it is 24-11-2027."; the second one,
"24-11-2027", was accepted, and scored 1. For each answer, `judge` tells the effect of the new gates
and rules:

    in the run   now        effect
    rejected     rejected   "other verdicts", if it is another gate or rule that rejects
    rejected     accepted   "let through"
    accepted     rejected   "stopped"
    accepted     accepted   "as before"
"""

import shutil
from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged
from controlplane.gates.evidence import Evidence
from controlplane.gates.rules import Rule, RuleSet
from controlplane.gates.submission import Case, Submission
from tests.support.command import CommandResult, CommandRunner, run_in_process
from tests.support.product_files import ROOT

RUN_OF_TWO_ANSWERS = (
    "run",
    "calendar-date.1",
    "--model",
    f"scripted:{ROOT}/docs/examples/rejection.toml",
    "--json",
)
"""A trial whose model first submits the wrong answer "In a week it is 24-11-2027.", which cites
a file that it has not read, and then the right answer "24-11-2027"."""


@pytest.fixture(scope="session")
def runs_of_two_answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the journals of two runs, in which the model replied the same:

    journal       answer                          gates                   score of the trial
    gated.jsonl   "In a week it is 24-11-2027."   rejected by gate 4
                  "24-11-2027"                    accepted                1
    free.jsonl    "In a week it is 24-11-2027."   none, so it was sent    0

    Gate 4 wants that citations were read.
    """
    folder = tmp_path_factory.mktemp("judged")
    runs = folder / "runs"
    runs.mkdir()

    gated = run_in_process(*RUN_OF_TWO_ANSWERS, cwd=folder)
    (folder / gated.json["journal"]).rename(runs / "gated.jsonl")

    no_gates = ("--gates", "none", "--rule-sets", "none")
    free = run_in_process(*RUN_OF_TWO_ANSWERS, *no_gates, cwd=folder)
    (folder / free.json["journal"]).rename(runs / "free.jsonl")
    return runs


# What `judge` says of each recorded answer: the effect of other gates on it.
#
#     effects_and_scores(judged)    ->    [("stopped", 0.0)]
#
# Gates, numbered from 1 to 8, are checks of a submitted answer, which may send it back to the model.


def effects_and_scores(judged: CommandResult) -> list[tuple[str, float | None]]:
    """Return the effect of the other gates on each answer of a journal: `[("stopped", 0.0)]`.

    "stopped"          it was accepted, and the other gates reject it
    "let through"      it was rejected, and the other gates accept it
    "other verdicts"   it is rejected again, but not by the same gates
    "as before"        the same gates accept or reject it

    The score is that of the trial which ended with the answer, and None if it was rejected.
    """
    effects = []
    for submission in judged.json["submissions"]:
        effects.append((submission["effect"], submission["score"]))
    return effects


# A rule set of a user: one rule, which rejects every answer with "2027" in it.
#
# `controlplane run --rule-sets tests.controlplane.commands.judge.test_rule_sets:RULE_SET` applies it to each answer of
# the model. A rule returns why it rejects an answer, or "".


def reject_2027(submission: Submission, evidence: Evidence, case: Case) -> str:
    """Return why an answer is rejected: it has "2027" in it."""
    if "2027" in str(submission.answer):
        return "No answer names that year."
    return ""


RULE_SET = RuleSet("strict", (Rule("no-2027", reject_2027),))

NAME = "tests.controlplane.commands.judge.test_rule_sets:RULE_SET"
"""The rule set, as the option `--rule-sets` names it."""


# `judge FOLDER` leaves out a damaged journal, names it, and judges the others.
#
# In the journal `free.jsonl`, a line was changed. It no longer fits the hash that the next line has of
# it: "left out: ... free.jsonl is damaged at line ...".


def test_judge_names_a_damaged_journal_of_a_folder_and_judges_the_others(
    runs_of_two_answers: Path, tmp_path: Path, run_command_here: CommandRunner
) -> None:
    folder = tmp_path / "mixed"
    shutil.copytree(runs_of_two_answers, folder)
    damaged_journal = folder / "free.jsonl"
    content = damaged_journal.read_bytes()
    damaged_journal.write_bytes(content.replace(b"In a week", b"In a wxxk"))

    judged_folder = run_command_here("judge", str(folder))
    judged_journal = run_command_here("judge", str(damaged_journal))

    assert judged_folder.code == JournalDamaged.exit_code
    assert "left out: " in judged_folder.err
    assert "2 as before" in judged_folder.out  # The two answers of gated.jsonl.
    assert judged_journal.code == JournalDamaged.exit_code


# `judge FOLDER` sums up what other rules would do to the answers in the journals of a folder.
#
#     3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)
#
# An answer that was accepted in its run, and that the other rules reject, is *stopped*. Here the
# other rules are one, no-2027 of the rule set "strict". It rejects all answers of the folder:
#
#     gated.jsonl   1. rejected in its run, too     not stopped
#                   2. accepted, and right          stopped
#     free.jsonl    1. accepted, and wrong          stopped


def test_judge_sums_up_a_folder_by_right_and_wrong_answers(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    judged = run_command_here("judge", str(runs_of_two_answers), "--rule-sets", NAME)

    summary = "3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)"
    assert summary in judged.out
    rows = [line.split() for line in judged.out.splitlines()]
    # The columns: stopped answers that are right, wrong, and without a score. The last one
    # counts answers that the rule rejected in their run, and does not reject now.
    assert ["strict/no-2027", "1", "1", "0", "0"] in rows


def test_judge_sums_up_a_folder_as_json(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    judged = run_command_here(
        "judge", str(runs_of_two_answers), "--rule-sets", NAME, "--json"
    )

    gates_by_name = {gate["name"]: gate for gate in judged.json["gates"]}
    rule = gates_by_name["strict/no-2027"]
    assert rule["stops_right"] == 1
    assert rule["stops_wrong"] == 1


# `judge` shows what other gates, checks of an answer, would have made of the answers in a journal.
#
#     run    --gates none    "In a week it is 24-11-2027." is sent, and has the score 0
#     judge                  all gates: "stopped", as the answer cites a file that was not read
#     judge  --gates none    the gates of the run: "as before"
#
# The run's journal is `free.jsonl`.


def test_judge_uses_all_gates_without_the_option_gates(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    judged = run_command_here("judge", f"{runs_of_two_answers}/free.jsonl", "--json")

    assert effects_and_scores(judged) == [("stopped", 0.0)]


def test_an_answer_is_as_before_if_the_gates_are_those_of_the_run(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    judged = run_command_here(
        "judge", f"{runs_of_two_answers}/free.jsonl", "--gates=none", "--json"
    )

    assert effects_and_scores(judged) == [("as before", 0.0)]


@pytest.mark.parametrize(
    "gate_options",
    [
        pytest.param((), id="beside all gates"),
        pytest.param(("--gates", "none"), id="alone"),
    ],
)
def test_a_rule_of_the_user_stops_the_right_answer(
    gate_options: tuple[str, ...],
    runs_of_two_answers: Path,
    run_command_here: CommandRunner,
) -> None:
    """The rule set "strict" has one rule, which rejects every answer with "2027": both answers."""
    judged = run_command_here(
        "judge",
        f"{runs_of_two_answers}/gated.jsonl",
        *gate_options,
        f"--rule-sets={NAME}",
        "--json",
    )

    first_answer = ("other verdicts", None)  # None: it has no score.
    second_answer = ("stopped", 1.0)
    assert effects_and_scores(judged) == [first_answer, second_answer]


def test_an_answer_is_let_through_without_the_gate_that_rejected_it(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    """The run was judged by all gates and the rules of the shop. Now gate 4 is missing."""
    judged = run_command_here(
        "judge",
        f"{runs_of_two_answers}/gated.jsonl",
        "--gates=2",
        "--rule-sets=controlplane.benchmarks.shop.rule_set:RULE_SET",
        "--json",
    )

    first_answer = ("let through", None)
    second_answer = ("as before", 1.0)
    assert effects_and_scores(judged) == [first_answer, second_answer]


# `judge RUN --why VALUE` says how a value was judged in each trial, and judges nothing.


def test_judge_says_how_a_value_was_judged(
    runs_of_two_answers: Path, run_command_here: CommandRunner
) -> None:
    journal = str(runs_of_two_answers / "gated.jsonl")

    judged = run_command_here("judge", journal, "--why", "24 November 2027")
    as_json = run_command_here("judge", journal, "--why", "24 November 2027", "--json")

    assert "  24-11-2027: date 2027-11-24\n" in judged.out
    assert "  mark: " in judged.out
    [lines] = as_json.json["why"].values()
    assert 4 <= len(lines) <= 8
