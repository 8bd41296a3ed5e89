"""`judge` shows what other gates would have made of recorded answers.

Gates, numbered from 1 to 8, are checks of a submitted answer, which may send it back to the model.
`judge last --gates none` runs the recorded scripts again with other gates, and prints which right
and wrong answers these would have stopped.
"""

import shutil
from pathlib import Path

import pytest

from controlplane.errors import JournalDamaged
from tests.support.command import ROOT, CommandResult, CommandRunner, run_in_process
from tests.support.strict_rule_set import NAME as STRICT_RULE_SET

RUN_OF_TWO_ANSWERS = (
    "run",
    "calendar-date.1",
    "--model",
    f"scripted:{ROOT}/docs/examples/rejection.toml",
    "--json",
)
"""A trial whose model first submits the wrong answer "In a week it is 24-11-2027.", which cites
a file that it has not read, and then the right answer "24-11-2027"."""


@pytest.fixture(scope="module")
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


class TestOtherGates:
    """One journal is judged by other gates than those of its run.

    `free.jsonl` has one answer, "In a week it is 24-11-2027.", which was sent without gates and
    scored 0. `gated.jsonl` has the same answer, which gate 4 rejected, and then "24-11-2027",
    which scored 1.
    """

    def test_gates_stop_an_answer_that_was_sent_without_gates(
        self, runs_of_two_answers: Path, run_command_here: CommandRunner
    ) -> None:
        """The journal free.jsonl has the answer "In a week it is 24-11-2027.", and score 0."""
        judged = run_command_here(
            "judge", f"{runs_of_two_answers}/free.jsonl", "--json"
        )

        assert effects_and_scores(judged) == [("stopped", 0.0)]

    def test_an_answer_is_as_before_if_the_gates_are_those_of_the_run(
        self, runs_of_two_answers: Path, run_command_here: CommandRunner
    ) -> None:
        """The run of free.jsonl was played without gates."""
        options = ("--gates", "none", "--json")
        judged = run_command_here(
            "judge", f"{runs_of_two_answers}/free.jsonl", *options
        )

        assert effects_and_scores(judged) == [("as before", 0.0)]


class TestRulesOfTheUser:
    """Rule sets of the user, or of the benchmark, judge beside the gates or alone.

    `gated.jsonl` has two answers. Gate 4 rejected "In a week it is 24-11-2027."; then
    "24-11-2027" was accepted, and scored 1. `STRICT_RULE_SET` names a rule set with one rule,
    no-2027, which rejects answers with a date in 2027.
    """

    @pytest.mark.parametrize(
        "gate_options",
        [
            pytest.param((), id="beside all gates"),
            pytest.param(("--gates", "none"), id="alone"),
        ],
    )
    def test_a_rule_of_the_user_stops_the_right_answer(
        self,
        gate_options: tuple[str, ...],
        runs_of_two_answers: Path,
        run_command_here: CommandRunner,
    ) -> None:
        """The rule set "strict" has one rule, no-2027, which rejects every answer with a date in
        2027.

        In gated.jsonl gate 4 rejected the first answer, and the second one was right. Now the rule
        rejects both.
        """
        options = (*gate_options, "--rule-sets", STRICT_RULE_SET, "--json")
        judged = run_command_here(
            "judge", f"{runs_of_two_answers}/gated.jsonl", *options
        )

        first_answer = ("other verdicts", None)
        second_answer = ("stopped", 1.0)
        assert effects_and_scores(judged) == [first_answer, second_answer]

    def test_an_answer_is_let_through_without_the_gate_that_rejected_it(
        self, runs_of_two_answers: Path, run_command_here: CommandRunner
    ) -> None:
        """In gated.jsonl gate 4 rejected the first answer. Here only gate 2 judges, beside the
        rules of the shop, by which the run was judged, too."""
        shop_rules = "controlplane.benchmarks.shop.rule_set:RULE_SET"
        options = ("--gates", "2", "--rule-sets", shop_rules, "--json")
        judged = run_command_here(
            "judge", f"{runs_of_two_answers}/gated.jsonl", *options
        )

        first_answer = ("let through", None)
        second_answer = ("as before", 1.0)
        assert effects_and_scores(judged) == [first_answer, second_answer]


class TestFoldersOfJournals:
    """`judge` takes a folder, and sums up what the gates do to right and wrong answers.

    The folder has `gated.jsonl`, a trial with a rejected and a right answer, and `free.jsonl`,
    with a wrong one. The rule no-2027 of the rule set "strict" rejects all three.
    `STRICT_RULE_SET` names this rule set.
    """

    def test_judge_sums_up_a_folder_by_right_and_wrong_answers(
        self, runs_of_two_answers: Path, run_command_here: CommandRunner
    ) -> None:
        """The rule no-2027 rejects all three answers of the two journals. Two of them were
        accepted.

        The table has a row for each rule: it rejects one answer that is right and one that is
        wrong."""
        judged = run_command_here(
            "judge", str(runs_of_two_answers), "--rule-sets", STRICT_RULE_SET
        )

        summary = (
            "3 submissions of 2 trials in 2 runs judged: 2 stopped (1 right, 1 wrong)"
        )
        assert summary in judged.out
        rows = [line.split() for line in judged.out.splitlines()]
        # The columns are: stops right, stops wrong, stops unscored, no longer rejects.
        assert ["strict/no-2027", "1", "1", "0", "0"] in rows

    def test_judge_sums_up_a_folder_as_json(
        self, runs_of_two_answers: Path, run_command_here: CommandRunner
    ) -> None:
        """The rule no-2027 would have stopped one right answer and one wrong one."""
        judged = run_command_here(
            "judge", str(runs_of_two_answers), "--rule-sets", STRICT_RULE_SET, "--json"
        )

        gates_by_name = {gate["name"]: gate for gate in judged.json["gates"]}
        rule = gates_by_name["strict/no-2027"]
        assert rule["stops_right"] == 1
        assert rule["stops_wrong"] == 1

    def test_judge_names_a_damaged_journal_of_a_folder_and_judges_the_others(
        self, runs_of_two_answers: Path, tmp_path: Path, run_command_here: CommandRunner
    ) -> None:
        """A changed line no longer fits the hash that the next line has of it."""
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
