from agent.events import StepDone
from agent.evidence import ResumeState
from agent.loop import BudgetLimits
from agent.loop.turn_loop import Budget, ContextMeter, Repetition
from agent.model import Reply
from sandbox import ForkServer
from tests.support.phonebook import Phonebook
from tests.support.scored_journal import records_of
from tests.support.single_trial import Solved, solve, step


def test_refused_scripts_are_refunded_three_times_and_unusable_replies_twice() -> None:
    budget = Budget(BudgetLimits())
    for _ in range(5):
        budget.spend(script_refused=True)
    assert budget.spent == 2
    for _ in range(5):
        budget.spend(reply_unusable=True)
    assert budget.spent == 5


def test_the_model_is_told_before_the_bound_and_the_trial_ends_at_it() -> None:
    meter = ContextMeter(1000)
    meter.add("x" * 2100)
    meter.count_request(700, 0, "")
    assert (meter.exhausted, meter.notice("")) == ("", ())
    (told,) = meter.notice("z" * 210)
    assert "200 tokens" in told
    meter.add("z" * 900)
    assert "1,000 tokens (--max-context-tokens)" in meter.exhausted


def test_a_first_request_that_is_too_long_says_what_helps() -> None:
    meter = ContextMeter(1000)
    meter.add("x" * 9000)
    assert "about 3,000; lower --initial-prompt-chars" in meter.exhausted


def test_a_script_that_runs_without_new_output_is_told_and_then_ends_the_trial(server: ForkServer) -> None:
    done = play(server, *[step("print(1)")] * 6)
    fed = ["".join(one.feedback) for one in done.events if isinstance(one, StepDone)]
    assert [at for at, text in enumerate(fed, 1) if "3 times in a row with the same output" in text] == [3]
    assert len(fed) == 5
    assert "the same script 5 times in a row, each time with the same output" in done.reason
    seen = Repetition(3, 5)
    for at in range(9):
        seen.count_run("print(n)", f"{at // 2}")
        assert seen.reason == ""


def asked_in(mode: str, text: str = "no JSON") -> Reply:
    return Reply(text=text, reply_mode=mode)


def play(server: ForkServer, *replies: Reply | str, resume_state: ResumeState | None = None) -> Solved:
    return solve(Phonebook(0.0), "ada-0", replies, server, resume_state=resume_state)


def test_ten_in_a_row_end_the_trial_with_that_reason_and_a_resumed_one_counts_on(server: ForkServer) -> None:
    whole = play(server, *[asked_in("schema")] * 12)
    assert whole.reason == "every reply held no JSON object"
    assert len(whole.steps) == 10
    cut = [event for event in whole.events if getattr(event, "step", 0) <= 7]
    state = records_of(cut)["ada-0"]
    resumed = play(server, *[asked_in("schema")] * 12, resume_state=state)
    assert (resumed.reason, len(resumed.steps)) == (whole.reason, 3)
