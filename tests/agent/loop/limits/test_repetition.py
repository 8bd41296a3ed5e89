"""A model that does the same thing in vain is warned, and then its trial ends.

It may run a script with the same output again and again, submit the same answer that was
rejected, or reply without a script. A few repetitions are allowed: of most things, the fifth one in
a row ends the trial.
"""

from __future__ import annotations

from controlplane.agent.events import Judged, StepDone
from controlplane.agent.loop.limits.rejected_submissions import RejectedSubmissions
from controlplane.agent.loop.limits.repetition import RepetitionLimit
from controlplane.agent.model import Reply
from controlplane.agent.record.trial_step import TrialStep
from controlplane.sandbox import Ending, ForkServer
from tests.agent.loop.phonebook_trials import (
    LOOK_UP,
    feedback_of,
    record_after_steps,
    solve_for_ada,
)
from tests.support.single_trial import step_reply


class TestRepeatedScripts:
    """A script that does the same again is warned, and the fifth time ends the trial.

    What counts is the same output (or failure) of the same script, in steps that follow each other.
    """

    def test_a_script_with_the_same_output_is_warned_and_then_ends_the_trial(
        self, server: ForkServer
    ) -> None:
        """The model replies with `print(1)` again and again."""
        solved = solve_for_ada(server, *[step_reply("print(1)")] * 6)

        warned_steps: list[int] = []
        for step in solved.steps:
            if "3 times in a row with the same output" in feedback_of(step):
                warned_steps.append(step.step)
        assert warned_steps == [3]
        assert len(solved.steps) == 5
        assert (
            "the same script 5 times in a row, each time with the same output"
            in solved.reason
        )

    def test_a_trial_ends_when_the_same_script_is_refused_five_times(
        self, server: ForkServer
    ) -> None:
        """After the first step, which looks the number up, each script imports `socket`, and is
        refused before it runs."""
        forbidden_script = step_reply("import socket")

        solved = solve_for_ada(server, LOOK_UP, *[forbidden_script] * 9)

        assert "same script 5 times" in solved.reason
        assert len(solved.steps) == 1 + 5

    def test_a_script_that_failed_is_warned_at_its_first_repetition(self) -> None:
        """A failure will not go away by itself, so the warning comes earlier than for other
        scripts."""
        repetition = RepetitionLimit(max_same=5, max_runs=5)
        failed = StepDone(
            trial_id="t",
            step=1,
            code="count += 1",
            error="NameError: name 'count' is not defined",
            ending=Ending.RAISED,
        )

        repetition.count(TrialStep(1, done=failed))
        assert repetition.warning == ""

        repetition.count(TrialStep(2, done=failed))
        assert "name 'count' is not defined" in repetition.warning

    def test_a_script_whose_output_changes_may_run_any_number_of_times(self) -> None:
        """A script may wait for something. Here it prints the same only twice in a row, and five
        times would end the trial."""
        repetition = RepetitionLimit(max_same=3, max_runs=5)

        for number, output in enumerate("001122334", start=1):
            done = StepDone(trial_id="t", step=number, code="print(n)", output=output)
            repetition.count(TrialStep(number, done=done))

            assert repetition.reason == ""


class TestRepeatedSubmissions:
    """An answer may be rejected a few times, until the trial ends.

    A script submits by `harness.answer(scratchpad, verify)`. The gates, which are checks of
    answers, reject each of these answers, because it cites a file that was not read (gate 4).
    """

    def test_a_trial_ends_when_the_same_answer_is_rejected_five_times(
        self, server: ForkServer
    ) -> None:
        """After the first step, which looks the number up, each script submits the same answer."""
        # A script whose answer is rejected, because it cites a file that was not read.
        cites_an_unread_file = step_reply(
            'scratchpad["answer"] = scratchpad["n"]\n'
            'scratchpad["outcome"] = "OUTCOME_OK"\n'
            'scratchpad["refs_why"] = {"/unread.md": "the number of ada"}\n'
            'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
        )
        solved = solve_for_ada(server, LOOK_UP, *[cites_an_unread_file] * 9)

        assert "same answer 5 times in a row" in solved.reason
        assert len(solved.steps) == 1 + 5

    def test_an_accepted_answer_that_the_environment_did_not_take_counts_as_submitted(
        self,
    ) -> None:
        """The trial then ends without an answer. The reason must not say that nothing was
        submitted."""
        accepted = Judged(
            accepted=True,
            answer="7",
            outcome="OUTCOME_OK",
            refs=(),
            message="",
            verdicts=(),
        )

        submissions = RejectedSubmissions().followed_by(accepted)

        assert "did not take the last submission" in submissions.last_fault


class TestManySubmissions:
    """Of each script, three submissions are judged, and of a trial twelve.

    The gates, which are checks of answers, reject each of these answers: gate 4, because it cites a
    file that was not read. The tests have more replies than are needed.
    """

    def test_three_submissions_of_a_script_and_twelve_of_a_trial_are_judged(
        self, server: ForkServer
    ) -> None:
        """Each script submits five times, and three of these are judged. After four scripts, twelve
        submissions have been judged, and the trial ends."""
        # A script that submits five answers. Gate 4 rejects each, because it cites an unread file.
        submits_five_times = step_reply(
            'scratchpad["outcome"] = "OUTCOME_OK"\n'
            'scratchpad["refs_why"] = {"/unread.md": "the number of ada"}\n'
            "for number in range(5):\n"
            '    scratchpad["answer"] = str(number)\n'
            "    try:\n"
            '        harness.answer(scratchpad, lambda sp: sp["answer"] != "")\n'
            "    except GateRejection as error:\n"
            "        print(error)"
        )
        solved = solve_for_ada(server, *[submits_five_times] * 9)

        first, second, third, fourth = solved.steps
        for step in (first, second, third, fourth):
            assert len(step.verdicts) == 3
        # Two of the five submissions of a script are not judged. The first three scripts are told to
        # end, since the next step may submit again.
        for step in (first, second, third):
            assert step.output.count("end the script") == 2
        # The fourth script is told that the trial has no submission left.
        assert fourth.output.count("end the script") == 0
        assert fourth.output.count("12 submissions of this trial were sent back") == 2
        assert solved.reason.startswith(
            "12 submissions were sent back: the last submission was sent back by gate 4"
        )


REPLY_WITHOUT_JSON = Reply(text="no JSON", reply_mode="schema")


class TestUnusableReplies:
    """A model that replies without a script again and again ends its trial.

    Ten unusable replies in a row end it, and so do five with the same fault. After three with the
    same fault, the model is asked in another form, if there is one, and the count of five starts
    again. Each test gives more replies than are needed, and counts those that were used.
    """

    def test_a_trial_ends_after_ten_unusable_replies_in_a_row(
        self, server: ForkServer
    ) -> None:
        """The model was asked for a JSON object by a schema, and replies with something else."""
        solved = solve_for_ada(server, *[REPLY_WITHOUT_JSON] * 12)

        assert solved.reason == "every reply held no JSON object"
        assert len(solved.steps) == 10

    def test_a_resumed_trial_counts_the_unusable_replies_before_it(
        self, server: ForkServer
    ) -> None:
        """The trial is cut off after seven unusable replies, so that three more end it."""
        whole = solve_for_ada(server, *[REPLY_WITHOUT_JSON] * 12)
        record = record_after_steps(7, whole)

        resumed = solve_for_ada(server, *[REPLY_WITHOUT_JSON] * 12, record=record)

        assert resumed.reason == whole.reason
        assert len(resumed.steps) == 3

    def test_a_trial_ends_when_replies_have_the_same_fault_five_times(
        self, server: ForkServer
    ) -> None:
        """The model replies with the same sentence, without a script."""
        solved = solve_for_ada(server, *["I cannot do it."] * 8)

        assert len(solved.model.requests) == 5
