"""When a trial warns its model, when it ends, and what becomes of answers until then.

Steps, calls, the context, repeated scripts, rejected answers and unusable replies have limits. A
resumed trial goes on counting. An answer that a script only sets, or that the environment did not
take, is not lost. The journal has quotations, memory and early calls. A model's action is
understood in whatever form its reply has.
"""

import itertools
import json
import socket
import threading
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from controlplane.agent.events import (
    AnswerSent,
    ConversationOpened,
    Judged,
    ModelReplied,
    Noticed,
    ScriptMeasured,
    StepDone,
    TrialEvent,
)
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.limits.trial_limits import (
    DEFAULT_FORM,
    FENCED_TEXT,
    ContextLimit,
    RepetitionLimit,
    StepLimit,
    UnusableReplies,
)
from controlplane.agent.loop import TrialContext, TrialLimits, TrialSession
from controlplane.agent.loop.prompts import default_prompts
from controlplane.agent.loop.scripts import sandbox_of, submit_left_answer
from controlplane.agent.model import Reply, ReplyMode, Usage
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.record.trial_step import TrialStep
from controlplane.gates.submission import Submission
from controlplane.sandbox import (
    ALL_LAYERS,
    Ending,
    FileTree,
    ForkServer,
    Limits,
)
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    InitialCall,
    Operation,
    Plain,
    ToolSchema,
)
from tests.agent.loop.phonebook_trials import (
    ANSWER,
    LOOK_UP,
    feedback_of,
    record_after_steps,
    solve_for_ada,
)
from tests.agent.loop.solved_session import TRIAL
from tests.agent.opening.opened_trial import Shop
from tests.support.books.library import session_over
from tests.support.command import run_in_process
from tests.support.counting_environment import FILES, TOOL_SCHEMA, CountingEnvironment
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals import (
    RUN_OPENED,
    read_events,
    trial_records_of,
    write_journal,
)
from tests.support.phonebook import Phonebook
from tests.support.phonebook_model import ModelHttpRequest, http_response, model_server
from tests.support.product_files import ROOT
from tests.support.run_budgets import ample_budget
from tests.support.single_trial import SolvedTrial, solve_trial, step_reply

FILL = default_prompts().filled
"""Fills the holes of the product's prompts."""

# The step of a trial whose script works on the file `/note.txt`.
#
#     step = step_on_note(server, 'print(harness.read("/note.txt").content)', note="heron")
#     step.output == "heron\n"
#
# A step is a reply of the model, here a script, and what came of it.


def step_on_note(server: ForkServer, script: str, *, note: str) -> StepDone:
    """Return the step of a trial whose script works on a file /note.txt with this text."""
    benchmark = EffectCounterBenchmark(1)
    benchmark.start_trial("run1-0")
    benchmark.worlds["run1-0"].tree = FileTree({**FILES, "/note.txt": note})
    one_step = TrialLimits(max_steps=1, extra_steps=0)
    solved = solve_trial(
        benchmark, "run1-0", [step_reply(script)], server, trial_limits=one_step
    )
    (step,) = solved.steps
    return step


def test_a_script_takes_no_longer_than_what_is_left_of_its_trial(
    server: ForkServer,
) -> None:
    """A script that begins late would otherwise overrun the time of its trial."""
    session = session_over(
        CountingEnvironment(),
        "Check out.",
        recorded=[],
        new_events=[],
        limits=TrialLimits(time_s=900.0),
    )
    session.clock.continue_from(899.5)
    with sandbox_of(session, server, Limits(step_wall_s=5.0), ALL_LAYERS) as sandbox:
        late_step = sandbox.run("print('begun')\nwhile True: pass")
        session.clock.continue_from(0.0)
        early_step = sandbox.run("print('begun')")

    seconds = late_step.error.partition("the step ran longer than ")[2].split()[0]
    assert float(seconds) <= 0.5
    assert late_step.ending == Ending.LIMIT
    assert late_step.output == "begun\n"
    assert early_step.ending == Ending.FINISHED


def test_a_script_ends_with_its_trial_after_a_call_that_took_long(
    server: ForkServer,
) -> None:
    """The time of such a call is not the step's, but it is the trial's."""

    class Searching(CountingEnvironment):
        tool_schema = replace(
            TOOL_SCHEMA,
            operations=(Operation("look", (), (), "Search", longest_s=600.0),),
        )

        def call(
            self, operation: str, arguments: Mapping[str, Plain]
        ) -> dict[str, Plain]:
            session.clock.continue_from(905.0)  # The search took all its time.
            return {}

    session = session_over(
        Searching(),
        "Look.",
        recorded=[],
        new_events=[],
        limits=TrialLimits(time_s=900.0),
    )
    with sandbox_of(session, server, Limits(step_wall_s=4.0), ALL_LAYERS) as sandbox:
        step = sandbox.run("harness.look()\nwhile True: pass")

    assert step.error == "the time of the trial was over"
    assert step.ending == Ending.LIMIT


def test_a_script_takes_no_longer_than_its_trial(server: ForkServer) -> None:
    """A task may allow fewer seconds than the run allows each script."""
    solved = solve_for_ada(
        server,
        step_reply("while True: pass"),
        trial_limits=TrialLimits(max_steps=1, extra_steps=0, time_s=1.0),
        limits=Limits(step_wall_s=60.0),
    )

    (step,) = solved.steps
    seconds = step.error.partition("the step ran longer than ")[2].split()[0]
    assert float(seconds) <= 1.0


# Messages of models that endpoints were seen to send, all with the same action.
#
# An action is a JSON object with a script in the field `code`. Models send it as text, in a fence, as a tool
# call, or behind their thoughts: `{"role": "assistant", "content": "<think>perhaps ...</think>{...}"}`

SCRIPT = """scratchpad["answer"], scratchpad["outcome"] = harness.lookup("ada").number, "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] != "")
"""
ACTION = {"state": "answer", "plan": [], "done": True, "code": SCRIPT}
ACTION_JSON = json.dumps(ACTION)
THOUGHT_JSON = json.dumps({**ACTION, "code": "print('a thought, which is never run')"})
"""Another action, which the model only considers. It must not be run."""


def text_message(content: object, **fields: object) -> dict[str, object]:
    """Return a message of a model as an endpoint sends it, with further fields."""
    return {"role": "assistant", "content": content, **fields}


def call_message(
    name: str | None, arguments: object, content: object = None
) -> dict[str, object]:
    """Return a message of a model that calls a tool, as an endpoint sends it."""
    function = {"name": name, "arguments": arguments}
    call = {"id": "c", "type": "function", "function": function}
    return text_message(content, tool_calls=[call])


FORMS = [
    # Text: the JSON object alone, in a fence, or only the script
    text_message(ACTION_JSON),
    text_message(f"```json\n{ACTION_JSON}\n```"),
    text_message(f"I look it up.\n```python\n{SCRIPT}```"),
    text_message(f"Thought: I look it up.\n<code>\n{SCRIPT}</code>"),
    # A tool call, written as text
    text_message(
        f"<tool_call>\n<function=execute_script>\n<parameter=state>\nanswer\n</parameter>\n"
        f"<parameter=code>\n{SCRIPT}</parameter>\n</function>\n</tool_call>"
    ),
    text_message(
        f'<tool_call>\n{{"name": "execute_script", "arguments": {ACTION_JSON}}}\n</tool_call>'
    ),
    # Behind thoughts
    text_message(f"<think>perhaps {THOUGHT_JSON}</think>{ACTION_JSON}"),
    text_message(f"perhaps {THOUGHT_JSON}\n</think>\n{ACTION_JSON}"),
    text_message(f"<|channel>thought\nperhaps {THOUGHT_JSON}\n<channel|>{ACTION_JSON}"),
    text_message(
        f"<|channel|>analysis<|message|>{THOUGHT_JSON}<|end|>"
        f"<|start|>assistant<|channel|>final<|message|>{ACTION_JSON}"
    ),
    text_message(f"analysisPerhaps {THOUGHT_JSON}.assistantfinal{ACTION_JSON}"),
    text_message(f"<analysis>{THOUGHT_JSON}</analysis>{ACTION_JSON}"),
    # With a mark of the chat template at the end
    text_message(f"{ACTION_JSON}<|end|>"),
    text_message(f"{ACTION_JSON}<|im_end|>"),
    # In the field for thoughts
    text_message(None, reasoning_content=ACTION_JSON),
    text_message("", reasoning=f"```json\n{ACTION_JSON}\n```"),
    # A tool call, with variants of its name and arguments
    call_message("execute_script", ACTION_JSON),
    call_message("execute_script", ACTION),
    call_message("functions.execute_script", ACTION_JSON),
    call_message("execute_script<|channel|>json", ACTION_JSON),
    call_message(None, ACTION_JSON),
    call_message("execute_script", "", ACTION_JSON),
    call_message("execute_script", None, f"```python\n{SCRIPT}```"),
    text_message(
        None, function_call={"name": "execute_script", "arguments": ACTION_JSON}
    ),
    # The content is the object itself
    text_message(ACTION),
]


# The journal of a trial has the calls that are made before its model is asked.
#
# The environment declares such *initial calls*. The event `ConversationOpened` has all of them, each with
# its state: `made`, or `under_way` if the process was killed during the call.


def test_a_changing_initial_call_is_read_back_from_the_journal_file(
    server: ForkServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A call that changes something is first announced in the journal as `under_way`. Its result
    must replace this state."""
    initial_calls = (
        InitialCall("read", {"path": "/AGENTS.MD"}),
        InitialCall("read", {"path": "/note.txt"}),
        InitialCall("exec", {"path": "/bin/checkout"}),  # changes something
    )
    tool_schema = replace(TOOL_SCHEMA, initial_calls=initial_calls)
    monkeypatch.setattr(CountingEnvironment, "tool_schema", tool_schema)
    only_reply = step_reply("print('any script')")

    benchmark = EffectCounterBenchmark(trials=1)
    one_step = TrialLimits(max_steps=1, extra_steps=0)
    solved = solve_trial(
        benchmark, "run1-0", [only_reply], server, trial_limits=one_step
    )
    journal = write_journal(tmp_path / "r.jsonl", [RUN_OPENED, *solved.events])

    (opening,) = [
        event for event in read_events(journal) if isinstance(event, ConversationOpened)
    ]
    calls = [(call.operation, call.state) for call in opening.calls]
    assert calls == [("read", "made"), ("read", "made"), ("exec", "made")]


# A quotation justifies a citation whose reason names nothing of the file.
#
# The gates, which check answers, look for words of the reason in the file, and "steht dort oben" is German.
# But the citation quotes the file: `cite("/note.txt", "steht dort oben", quote="the word is heron")`.


def test_a_quotation_justifies_a_citation_whose_reason_names_nothing(
    server: ForkServer,
) -> None:
    step = step_on_note(
        server,
        """
harness.read("/note.txt")
scratchpad.cite("/note.txt", "steht dort oben", quote="the word is heron")
scratchpad["answer"] = "heron"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "heron")
""",
        note="the word is heron\n",
    )

    (judged,) = step.verdicts
    results = {verdict.name: verdict.result for verdict in judged.verdicts}
    assert results["citations are justified"] == "pass"


# A script cites a file with the words in it that support the answer.
#
# `scratchpad.cite("/note.txt", reason, quote="the word is heron")` is refused if the words are not in
# what the script has read of the file. The journal has each citation, with the line of its quotation.


def test_a_wrong_quotation_is_refused_and_journalled_without_a_line(
    server: ForkServer,
) -> None:
    step = step_on_note(
        server,
        """
harness.read("/note.txt")
try:
    scratchpad.cite("/note.txt", "it says so", quote="the word is crane")
except CitationError as error:
    print(error)
""",
        note="the word is heron\n",
    )

    assert "`the word is crane` is not in what was read of `/note.txt`" in step.output
    (citation,) = step.citations
    assert citation.quote == "the word is crane"
    assert citation.line == 0
    assert citation.error != ""


def test_a_right_quotation_is_journalled_with_the_line_in_which_it_begins(
    server: ForkServer,
) -> None:
    """It may have other capital letters, blanks and line breaks than the file."""
    step = step_on_note(
        server,
        """
harness.read("/note.txt")
scratchpad.cite("/note.txt", "it says so", quote="WORD  is heron")
""",
        note="a note\n\nthe word\nis heron\n",
    )

    (citation,) = step.citations
    assert citation.quote == "WORD  is heron"
    assert citation.line == 3
    assert citation.error == ""


# The journal of a trial has, beside each step, an event with the memory that its script took.
#
# A script is measured once, also if the trial is resumed.


def measured_scripts(events: Iterable[object]) -> list[ScriptMeasured]:
    """Return the events with the memory of a script."""
    return [event for event in events if isinstance(event, ScriptMeasured)]


def test_the_memory_of_each_script_is_journalled_once(server: ForkServer) -> None:
    """A trial of three steps is cut off after the second script was measured, and resumed. Only
    the third script is run and measured then."""
    benchmark = EffectCounterBenchmark(1)
    scripts = [step_reply(f"print({number})") for number in (1, 2, 3)]

    three_steps = TrialLimits(max_steps=3, extra_steps=0)
    whole = solve_trial(benchmark, "run1-0", scripts, server, trial_limits=three_steps)
    first, second, third = measured_scripts(whole.events)
    assert [first.step, second.step, third.step] == [1, 2, 3]
    for measured in (first, second, third):
        assert measured.peak_memory_bytes > 1_000_000

    recorded_events = whole.events[: whole.events.index(second) + 1]
    record = trial_records_of(recorded_events)["run1-0"]
    assert [step.peak_memory_bytes for step in record.all_steps] == [
        first.peak_memory_bytes,
        second.peak_memory_bytes,
    ]

    resumed = solve_trial(
        EffectCounterBenchmark(1),
        "run1-0",
        scripts[2:],
        server,
        trial_limits=three_steps,
        record=record,
    )
    (measured_again,) = measured_scripts(resumed.events)
    assert measured_again.step == 3


def test_the_memory_of_a_script_that_filled_it_is_journalled(
    server: ForkServer,
) -> None:
    """After a `MemoryError`, the process of the script is ended. What it took is known all the
    same."""
    script = "x = []\nwhile True: x.append([None] * 10)"

    solved = solve_trial(
        EffectCounterBenchmark(1),
        "run1-0",
        [step_reply(script)],
        server,
        trial_limits=TrialLimits(max_steps=1, extra_steps=0),
    )

    (step,) = solved.steps
    assert "MemoryError" in (step.error or "")
    (measured,) = measured_scripts(solved.events)
    assert measured.peak_memory_bytes > Limits().memory_bytes / 2


# An answer that a script only sets, and does not submit, is submitted when the trial ends.
#
# A script submits its answer by `harness.answer(scratchpad, verify)`. Some only set
# `scratchpad["answer"]`. These trials ask for Ada's phone number, 17.


def test_an_answer_that_the_last_script_only_sets_is_submitted(
    server: ForkServer,
) -> None:
    script = (
        'scratchpad["answer"] = harness.lookup("ada").number\n'  # 17
        'scratchpad["outcome"] = "OUTCOME_OK"'
    )
    one_step = TrialLimits(max_steps=1, extra_steps=0)

    trial = solve_trial(
        Phonebook(0.0), "ada-0", [step_reply(script)], server, trial_limits=one_step
    )

    assert trial.session.is_over
    (answer,) = [event for event in trial.events if isinstance(event, AnswerSent)]
    assert answer.message == "17"
    assert not answer.fallback


def test_an_answer_is_not_judged_while_a_later_script_may_correct_it(
    server: ForkServer,
) -> None:
    sets_answer = (
        'scratchpad["answer"] = harness.lookup("ada").number\n'
        'scratchpad["outcome"] = "OUTCOME_OK"'
    )
    submits_answer = 'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
    replies = [step_reply(sets_answer), step_reply(submits_answer)]

    trial = solve_trial(Phonebook(0.0), "ada-0", replies, server)

    first_step, second_step = trial.steps
    assert first_step.verdicts == ()
    assert len(second_step.verdicts) == 1
    assert trial.reason == ""


# An answer that a script has left in its scratchpad is judged, and sent if the gates accept it.
#
# The gates are checks of answers. The trial asks for Ada's phone number, 17. `submit_left_answer(session,
# scratchpad)` submits the answer of a script that only set `scratchpad["answer"]`.


def new_session(events: list[TrialEvent]) -> TrialSession:
    """Return the session of a trial that asks for Ada's phone number. It adds its events to a list."""
    trial = Phonebook(0.0).start_trial("ada-0")
    recorder = new_recorder("ada-0", trial.environment, events.append, tape=Tape())
    return TrialSession(
        TrialContext("ada-0", "ada", trial.instruction, None), recorder, ample_budget()
    )


def test_a_left_answer_that_the_gates_reject_is_not_sent() -> None:
    """The gates, which are checks of answers, reject an outcome in the text of an answer."""
    events: list[TrialEvent] = []
    session = new_session(events)

    with session.step() as step:
        session.call("lookup", {"name": "ada"})
        submit_left_answer(
            session, {"answer": "OUTCOME_OK: 17", "outcome": "OUTCOME_OK"}
        )

    (submission,) = step.submissions
    assert not submission.accepted
    assert not session.is_over
    assert not [event for event in events if isinstance(event, AnswerSent)]


def test_the_user_is_told_that_a_left_answer_was_judged() -> None:
    events: list[TrialEvent] = []
    session = new_session(events)

    with session.step():
        session.call("lookup", {"name": "ada"})
        submit_left_answer(session, {"answer": "17", "outcome": "OUTCOME_OK"})

    (notice,) = [event.text for event in events if isinstance(event, Noticed)]
    assert "the gates judged it" in notice


def test_the_user_is_not_told_so_if_the_script_had_no_submission_left() -> None:
    """A script may submit three times. This one has used them up for answers without a text."""
    events: list[TrialEvent] = []
    session = new_session(events)

    with session.step() as step:
        for _ in range(3):
            session.submit(Submission(answer="", outcome="OUTCOME_OK"))
        submit_left_answer(session, {"answer": "17", "outcome": "OUTCOME_OK"})

    assert len(step.submissions) == 3
    assert not [event for event in events if isinstance(event, Noticed)]


# A script may catch the exception by which its answer is rejected, and print nothing.
#
# The model is told all the same. Here, the answer is "OUTCOME_OK: 17". Gate 6, one of the checks of answers,
# rejects it: the outcome has a field of its own, and must not stand in the answer.


def test_the_model_is_told_of_a_rejection_that_its_script_swallowed(
    server: ForkServer,
) -> None:
    # The second argument of `harness.answer` is a function by which a script checks its answer.
    swallows_rejection = (
        'scratchpad["answer"] = "OUTCOME_OK: " + harness.lookup("ada").number\n'
        'scratchpad["outcome"] = "OUTCOME_OK"\n'
        "try:\n"
        "    harness.answer(scratchpad, lambda sp: '17' in sp['answer'])\n"
        "except GateRejection:\n"
        "    pass"
    )
    submits_answer = (
        'scratchpad["answer"] = "17"\n'
        'harness.answer(scratchpad, lambda sp: sp["answer"] == "17")'
    )
    replies = [step_reply(swallows_rejection), step_reply(submits_answer)]

    trial = solve_trial(Phonebook(delay_s=0.0), "ada-0", replies, server)

    assert trial.reason == ""  # The trial has an answer, that of the second reply.
    _first_request, second_request = trial.model.requests
    last_message = second_request[-1]["content"]
    assert "<gates>" in last_message
    assert "gate 6" in last_message


# A trial may make a number of calls to its environment, here five.
#
# The model replies three times with the same script of two calls. So one call is left after the second
# script, and the last call of the third one is refused.

TWO_CALLS = step_reply("for number in range(2):\n    harness.lookup('ada')")


def test_a_trial_warns_before_its_last_call_and_ends_after_it(
    server: ForkServer,
) -> None:
    solved = solve_for_ada(
        server, TWO_CALLS, TWO_CALLS, TWO_CALLS, trial_limits=TrialLimits(max_calls=5)
    )

    first, second, third = [feedback_of(step) for step in solved.steps]
    assert "may make 1 more calls" not in first
    assert "may make 1 more calls" in second
    assert "may make 1 more calls" not in third
    assert "at most 5 calls (--max-calls)" in third
    assert solved.reason.startswith("no answer within 5 calls (--max-calls)")


def test_a_resumed_trial_counts_the_calls_that_it_has_made(server: ForkServer) -> None:
    """The trial is cut off after its second step, when one of five calls is left."""
    whole = solve_for_ada(
        server, TWO_CALLS, TWO_CALLS, TWO_CALLS, trial_limits=TrialLimits(max_calls=5)
    )
    record = record_after_steps(2, whole)

    resumed = solve_for_ada(
        server, TWO_CALLS, record=record, trial_limits=TrialLimits(max_calls=5)
    )

    (third_step,) = resumed.steps
    assert feedback_of(third_step) == feedback_of(whole.steps[2])
    assert resumed.reason == whole.reason


# A conversation may have as many tokens as the context of the model.
#
# How many tokens a text has is estimated: by what the endpoint has counted so far, or before that, with
# three characters for a token.


def step_with_counted_tokens(prompt_tokens: int) -> TrialStep:
    """Return a step whose request had so many tokens, as the endpoint has counted."""
    usage = Usage(prompt_tokens=prompt_tokens)
    replied = ModelReplied(trial_id="t", step=1, reply="", usage=usage)
    step = TrialStep(1, StepDone(trial_id="t", step=1))
    step.replies.append(replied)
    return step


def test_there_is_no_warning_while_the_context_has_room() -> None:
    context = ContextLimit(1000)
    context.add("x" * 1400)
    context.count(step_with_counted_tokens(700))  # 2 characters a token

    assert context.warning(FILL) == ""
    assert context.reason == ""


def test_the_model_is_warned_before_its_context_is_full() -> None:
    context = ContextLimit(1000)
    context.add("x" * 1400)
    context.count(step_with_counted_tokens(700))  # 2 characters a token

    context.add("x" * 140)  # 70 tokens more, which leave 230

    assert "200 tokens" in context.warning(FILL)  # rounded down
    assert context.reason == ""


def test_a_trial_ends_when_its_context_is_full() -> None:
    context = ContextLimit(1000)
    context.add("x" * 1400)
    context.count(step_with_counted_tokens(700))  # 2 characters a token

    context.add("x" * 740)  # 370 tokens more: 1,070

    assert "1,000 tokens (--max-context-tokens)" in context.reason


def test_a_first_request_that_is_too_long_says_what_helps() -> None:
    """The endpoint has not counted anything yet."""
    context = ContextLimit(1000)

    context.add("x" * 9000)  # 3 characters a token

    assert "about 3,000; lower --initial-prompt-chars" in context.reason


# The form of the next reply, after replies with a broken script or another fault.
#
# A script in a JSON string is often broken by wrong escapes, so after two of them the model is asked
# for text with the script in a fence (```).


def after_broken_scripts(times: int) -> UnusableReplies:
    """Return the limit after so many replies in JSON whose script has a syntax error."""
    limit = UnusableReplies()
    for number in range(1, times + 1):
        done = StepDone(
            trial_id="t", step=number, code="x =", ending=str(Ending.SYNTAX)
        )
        step = TrialStep(number, done)
        replied = ModelReplied(
            trial_id="t", step=number, reply="", reply_mode=ReplyMode.SCHEMA
        )
        step.replies.append(replied)
        limit.count(step)
    return limit


def test_after_two_broken_scripts_in_json_a_fence_is_asked_for() -> None:
    limit = after_broken_scripts(2)

    assert limit.form == FENCED_TEXT
    assert "fence" in limit.warning(FILL)


def test_after_one_broken_script_the_form_stays() -> None:
    limit = after_broken_scripts(1)

    assert limit.form == DEFAULT_FORM
    assert limit.warning(FILL) == ""


def test_a_model_that_was_asked_for_a_fence_is_not_asked_again() -> None:
    """The endpoint goes on to send JSON, and the script in it is broken a third time."""
    limit = after_broken_scripts(3)

    assert limit.form == FENCED_TEXT
    assert limit.warning(FILL) == ""


# A trial ends after its answers were rejected a few times.
#
# A script submits an answer by `harness.answer(scratchpad, verify)`. Each answer here cites a file that was
# not read, so gate 4, one of the checks of answers, rejects it. The function `verify`, by which a script
# checks its own answer, only looks whether there is one.

SUBMIT_ONCE = """\
scratchpad["answer"] = "17"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["refs_why"] = {"/unread.md": "the number of ada"}
harness.answer(scratchpad, lambda sp: sp["answer"] != "")
"""

SUBMIT_FIVE_ANSWERS = """\
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["refs_why"] = {"/unread.md": "the number of ada"}
for number in range(5):
    scratchpad["answer"] = str(number)
    try:
        harness.answer(scratchpad, lambda sp: sp["answer"] != "")
    except GateRejection as error:
        print(error)
"""


def play_same_script(server: ForkServer, script: str) -> SolvedTrial:
    """Play a trial whose model replies with this script in each step, at most nine times."""
    replies = [step_reply(script)] * 9
    return solve_trial(Phonebook(delay_s=0.0), "ada-0", replies, server)


@pytest.fixture(scope="module")
def trial_of_five_answers_a_script(server: ForkServer) -> SolvedTrial:
    return play_same_script(server, SUBMIT_FIVE_ANSWERS)


def test_a_trial_ends_when_the_same_answer_is_rejected_five_times(
    server: ForkServer,
) -> None:
    trial = play_same_script(server, SUBMIT_ONCE)

    assert "same answer 5 times in a row" in trial.reason
    assert len(trial.steps) == 5


def test_a_trial_ends_when_twelve_answers_were_judged_three_of_each_script(
    trial_of_five_answers_a_script: SolvedTrial,
) -> None:
    trial = trial_of_five_answers_a_script

    judged_answers = [len(step.verdicts) for step in trial.steps]
    assert judged_answers == [3, 3, 3, 3]
    assert trial.reason.startswith(
        "12 submissions were sent back: the last submission was sent back by gate 4"
    )


def test_a_script_is_told_why_its_last_two_answers_are_not_judged(
    trial_of_five_answers_a_script: SolvedTrial,
) -> None:
    """The first three scripts are told to end, since the next script may submit again."""
    *first_outputs, last_output = [
        step.output for step in trial_of_five_answers_a_script.steps
    ]

    assert [output.count("end the script") for output in first_outputs] == [2, 2, 2]
    assert last_output.count("end the script") == 0
    assert last_output.count("12 submissions of this trial were sent back") == 2


# A model that writes the same script again and again in vain is warned, and then its trial ends.
#
# The third `print(1)` in a row is warned, and the fifth ends the trial. A step is a reply of the model and
# the script in it.


def play_scripts(server: ForkServer, *scripts: str) -> SolvedTrial:
    """Play a trial whose model replies with these scripts, one in each step."""
    replies = [step_reply(script) for script in scripts]
    return solve_trial(Phonebook(0.0), "ada-0", replies, server)


def test_a_script_with_the_same_output_is_warned_and_then_ends_the_trial(
    server: ForkServer,
) -> None:
    """The model has six replies, and the sixth is not used."""
    print_1 = "print(1)"
    trial = play_scripts(server, print_1, print_1, print_1, print_1, print_1, print_1)

    warned_steps: list[int] = []
    for step in trial.steps:
        if "3 times in a row with the same output" in "".join(step.feedback):
            warned_steps.append(step.step)
    assert warned_steps == [3]
    assert len(trial.steps) == 5
    assert (
        "the same script 5 times in a row, each time with the same output"
        in trial.reason
    )


def test_a_trial_ends_when_the_same_script_is_refused_five_times(
    server: ForkServer,
) -> None:
    """No script may import `socket`, so these are refused before they run."""
    refused = "import socket"
    trial = play_scripts(
        server, "print(1)", refused, refused, refused, refused, refused, refused
    )

    assert "same script 5 times" in trial.reason
    assert len(trial.steps) == 6  # print(1), and five refused ones


# How often a model may write the same script before it is warned, and before its trial ends.
#
# The limit counts steps, each with a script. It has a `warning` for the model after a step, and a `reason`
# once the trial ends:
#
#     max_same   refusals of the same script, before it runs
#     max_runs   runs of the same script with the same output


def test_a_script_that_failed_is_warned_at_its_first_repetition() -> None:
    """A failure will not go away by itself, so the warning does not wait for a limit."""
    repetition = RepetitionLimit(max_same=5, max_runs=5)
    failed = StepDone(
        trial_id="t",
        step=1,
        code="count += 1",
        error="NameError: name 'count' is not defined",
        ending=Ending.RAISED,
    )

    repetition.count(TrialStep(1, done=failed))
    assert repetition.warning(FILL) == ""

    repetition.count(TrialStep(2, done=failed))
    assert "name 'count' is not defined" in repetition.warning(FILL)


def test_a_script_whose_output_changes_may_run_any_number_of_times() -> None:
    """A script may wait for something. This one runs nine times, but prints the same only twice in
    a row, which is less than `max_runs`."""
    repetition = RepetitionLimit(max_same=3, max_runs=3)

    for output in ["0", "0", "1", "1", "2", "2", "3", "3", "4"]:
        done = StepDone(trial_id="t", step=1, code="print(n)", output=output)
        repetition.count(TrialStep(1, done=done))

        assert repetition.reason == ""


# A trial may take a number of steps, and a few extra ones after the model was told to answer.
#
# A step is a reply of the model with what its script did. Some steps in which nothing ran are *refunded*, so
# that they do not count: the first three with a refused script, and the first two without a script.


def solved_step(number: int, done: StepDone) -> TrialStep:
    """Return a step in which the solver's model was asked."""
    step = TrialStep(number, done)
    step.replies.append(ModelReplied(trial_id="t", step=number, reply=""))
    return step


def count_refused_script(steps: StepLimit, number: int) -> None:
    """Count a step whose script was refused before it ran; it is refunded if it may be."""
    refunded = steps.refunds.can_refund_script
    done = StepDone(trial_id="t", step=number, code="import os", refunded=refunded)
    steps.count(solved_step(number, done))


def count_reply_without_script(steps: StepLimit, number: int) -> None:
    """Count a step in which the model has sent no script; it is refunded if it may be."""
    refunded = steps.refunds.can_refund_reply
    done = StepDone(trial_id="t", step=number, code="", refunded=refunded)
    steps.count(solved_step(number, done))


def test_three_refused_scripts_are_refunded() -> None:
    steps = StepLimit(TrialLimits())

    for number in (1, 2, 3, 4, 5):
        count_refused_script(steps, number)

    assert steps.spent == 2  # 4 and 5


def test_two_replies_without_a_script_are_refunded() -> None:
    steps = StepLimit(TrialLimits())

    for number in (1, 2, 3, 4, 5):
        count_reply_without_script(steps, number)

    assert steps.spent == 3  # 3, 4 and 5


def test_refused_scripts_and_replies_without_a_script_are_refunded_each() -> None:
    steps = StepLimit(TrialLimits())

    for number in (1, 2, 3, 4, 5):
        count_refused_script(steps, number)
    for number in (6, 7, 8, 9, 10):
        count_reply_without_script(steps, number)

    assert steps.spent == 5  # 4 and 5, then 8, 9 and 10


def test_a_trial_warns_asks_for_an_answer_and_ends(server: ForkServer) -> None:
    """The model prints 1, 2, 3, ..., and never answers. It has 7 steps and 2 extra ones, 9 in all.
    Two steps before the 7th, it is warned: 4 of the 9 are left. After the 7th, the message to answer
    now, the *nudge*, says that the steps are used up."""
    limits = TrialLimits(max_steps=7, extra_steps=2, warn_before=2)
    scripts = [step_reply(f"print({number})") for number in range(1, 20)]

    solved = solve_for_ada(server, *scripts, trial_limits=limits)

    _first_message, *messages_after_steps = [
        request[-1]["content"] for request in solved.model.requests
    ]
    message_after_step = dict(enumerate(messages_after_steps, start=1))
    assert "Only 4 steps are left" in message_after_step[5]
    assert "used up" in message_after_step[7]
    assert len(solved.steps) == 9
    assert "7 steps, and 2 more after the nudge" in solved.reason


# An answer that the gates accepted, and the environment did not take, counts as submitted.
#
# The trial then ends without an answer, and the reason must not say that nothing was submitted.


def test_an_accepted_answer_that_the_environment_did_not_take_counts_as_submitted() -> (
    None
):
    accepted = Judged(
        accepted=True,
        answer="7",
        outcome="OUTCOME_OK",
        refs=(),
        message="",
        verdicts=(),
    )

    repetition = RepetitionLimit(max_same=5)
    step = solved_step(1, StepDone(trial_id="t", step=1))
    step.submissions.append(accepted)
    repetition.count(step)

    assert repetition.last_fault == "the environment did not take the last submission"


# A model that replies without a script again and again ends its trial.
#
# After 3 replies with the same fault, the next request asks in another form, if the endpoint has one: by a
# schema, by the call of a tool, as text. Two limits end the trial:
#
#     10 unusable replies, in whatever form
#     5 unusable replies with the same fault in one form

REPLY_TO_SCHEMA = Reply(text="no JSON", reply_mode="schema")
"""The model was asked for JSON by a schema. An endpoint with schemas has other forms, too."""


def play_same_reply(
    server: ForkServer, reply: Reply | str, *, record: TrialRecord | None = None
) -> SolvedTrial:
    """Play or resume a trial whose model gives the same reply in each step, at most 12 times."""
    return solve_for_ada(server, *[reply] * 12, record=record)


def test_a_trial_ends_after_ten_unusable_replies_in_a_row(server: ForkServer) -> None:
    """The form changes after each three, so no form has the five for the other limit."""
    trial = play_same_reply(server, REPLY_TO_SCHEMA)

    assert trial.reason == "every reply held no JSON object"
    assert len(trial.steps) == 10


def test_a_resumed_trial_counts_the_unusable_replies_before_it(
    server: ForkServer,
) -> None:
    """The process is killed after seven unusable replies, so three more end the trial."""
    whole = play_same_reply(server, REPLY_TO_SCHEMA)

    resumed = play_same_reply(
        server, REPLY_TO_SCHEMA, record=record_after_steps(7, whole)
    )

    assert resumed.reason == "every reply held no JSON object"
    assert len(resumed.steps) == 3


def test_a_trial_ends_when_replies_have_the_same_fault_five_times(
    server: ForkServer,
) -> None:
    """The endpoint does not say in which form it asks, so there is no other form."""
    trial = play_same_reply(server, "I cannot do it.")

    assert len(trial.model.requests) == 5


# What a solver can ask its session about the trial: the request, the tools, and the rules.
#
# A *solver* is what works on a trial, and a user may write one (docs/benchmarks.md). The trial here is in
# a workspace with the rules "Renew a loan only once.".

RULES = "Renew a loan only once."
SESSION_FACTS_TOOL_SCHEMA = ToolSchema(
    operations=FILE_OPERATIONS, rules_document="/RULES.md"
)


def session_of_library(events: list[TrialEvent]) -> TrialSession:
    """Return the session of a trial whose workspace has rules. Its events are added to `events`."""
    recorder = new_recorder(
        TRIAL.trial_id,
        Shop(SESSION_FACTS_TOOL_SCHEMA, files={"/RULES.md": RULES}),
        events.append,
        tape=Tape(),
    )
    return TrialSession(TRIAL, recorder, ample_budget())


def test_a_session_has_the_request_the_trial_and_its_tool_schema() -> None:
    session = session_of_library([])

    assert session.instruction == "Check out, and answer with the word only."
    assert session.trial is TRIAL
    assert session.tool_schema == SESSION_FACTS_TOOL_SCHEMA


def test_a_session_has_the_rules_once_a_call_has_read_them() -> None:
    session = session_of_library([])
    assert session.rules == ""

    session.call("read", {"path": "/RULES.md"})

    assert session.rules == RULES


def test_a_resumed_session_has_the_rules_that_a_recorded_call_has_read() -> None:
    events: list[TrialEvent] = []
    session_of_library(events).call("read", {"path": "/RULES.md"})
    (recorded_step,) = trial_records_of(events)[TRIAL.trial_id].all_steps

    resumed = session_of_library([])
    resumed.gated_exit.restore(recorded_step)

    assert resumed.rules == RULES


# What the model is asked next, after its script has run.
#
# request 1    the system prompt, and the user's task
# request 2    the same, the model's first reply, and what its script printed
# request 3    the same as in request 2, the second reply, and so on
#
# The trial asks for Ada's phone number: `LOOK_UP` is a reply that looks it up, and `ANSWER` one that
# submits it.


def test_every_request_begins_with_the_whole_one_before(
    server: ForkServer,
) -> None:
    """Endpoints cache the beginning of a conversation, so nothing in it may change later. The trial
    ends at its limit of steps, 35 and some more."""
    mistakes = [
        step_reply("print(1"),
        step_reply("import os"),
        "not JSON at all",
        step_reply("raise ValueError('no')"),
    ]
    scripts = [step_reply(f"print({number})") for number in range(40)]

    requests = solve_for_ada(server, *mistakes, *scripts).model.requests

    assert len(requests) >= 35
    for earlier, later in itertools.pairwise(requests):
        assert later[: len(earlier)] == earlier


def test_after_a_repeated_failure_one_request_has_a_higher_temperature(
    server: ForkServer,
) -> None:
    """A higher temperature lets the model try something else. The third request, which comes after
    the second failure, has it."""
    failing = step_reply("print(1 / 0)")

    solved = solve_for_ada(server, failing, failing, LOOK_UP, ANSWER)

    assert solved.model.temperatures == [None, None, 1.2, None]


def test_a_script_that_fails_like_the_one_before_comes_in_no_request(
    server: ForkServer,
) -> None:
    """A model that sees the same failure twice is tempted to repeat it."""
    first_failure = step_reply("print(1 / 0)")
    same_failure = step_reply("value = 1 / 0")

    solved = solve_for_ada(server, first_failure, same_failure, LOOK_UP, ANSWER)

    for request in solved.model.requests:
        assert same_failure not in [message["content"] for message in request]
    last_request = [message["content"] for message in solved.model.requests[-1]]
    assert first_failure in last_request
    assert LOOK_UP in last_request


# A model's action is understood in whatever form its reply has.
#
# An action is a JSON object with a script in the field `code`. Models send it as text, in a fence,
# as a tool call, or behind their thoughts: all messages in `FORMS` have the same action. A form
# that is not understood would cost the trial a step.


def test_no_step_is_lost_to_the_form_of_a_reply(tmp_path: Path) -> None:
    """A run has a trial for each form. A lost reply would cost its trial a second step."""
    lock = threading.Lock()  # The trials ask side by side.
    remaining_forms = iter(FORMS)

    def reply_in_next_form(
        request: ModelHttpRequest, connection: socket.socket
    ) -> bytes:
        with lock:
            message = next(remaining_forms)
        choice = {"message": message, "finish_reason": "stop"}
        return http_response(200, json.dumps({"choices": [choice]}))

    with model_server(reply_in_next_form) as server:
        run = run_in_process(
            *("run", "ada", "--benchmark", "tests.support.phonebook"),
            *("--repeats", str(len(FORMS)), "--model", "m", "--json"),
            *("--runs-dir", tmp_path),
            cwd=ROOT,
            OPENAI_BASE_URL=server.url,
        )

    assert run.code == 0, run.err
    assert [trial["score"] for trial in run.json["trials"]] == [1.0] * len(FORMS)
    assert [trial["steps"] for trial in run.json["trials"]] == [1] * len(FORMS)
