"""The journal of a trial has, beside each step, an event with the memory that its script took.

A script is measured once, also if the trial is resumed.
"""

from collections.abc import Iterable

from controlplane.agent.events import ScriptMeasured
from controlplane.agent.loop import BudgetLimits
from controlplane.agent.record.events_by_step import peak_memory_by_step
from controlplane.sandbox import ForkServer
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.journals.trial_records import trial_records_of
from tests.support.single_trial import solve_trial, step_reply


def measured_scripts(events: Iterable[object]) -> list[ScriptMeasured]:
    """Return the events with the memory of a script."""
    return [event for event in events if isinstance(event, ScriptMeasured)]


def test_the_memory_of_each_script_is_journalled_once(server: ForkServer) -> None:
    """A trial of three steps is cut off after the second script was measured, and resumed. Only
    the third script is run and measured then."""
    benchmark = EffectCounterBenchmark(1)
    scripts = [step_reply(f"print({number})") for number in (1, 2, 3)]

    three_steps = BudgetLimits(max_steps=3, extra_steps=0)
    whole = solve_trial(benchmark, "run1-0", scripts, server, budget=three_steps)
    first, second, third = measured_scripts(whole.events)
    assert [first.step, second.step, third.step] == [1, 2, 3]
    for measured in (first, second, third):
        assert measured.peak_memory_bytes > 1_000_000

    recorded_events = whole.events[: whole.events.index(second) + 1]
    record = trial_records_of(recorded_events)["run1-0"]
    assert peak_memory_by_step(record.all_steps) == {
        1: first.peak_memory_bytes,
        2: second.peak_memory_bytes,
    }

    resumed = solve_trial(
        EffectCounterBenchmark(1),
        "run1-0",
        scripts[2:],
        server,
        budget=three_steps,
        record=record,
    )
    (measured_again,) = measured_scripts(resumed.events)
    assert measured_again.step == 3
