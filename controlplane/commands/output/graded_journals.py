"""Grades the answers of recorded trials by today's grader, for `judge --grader`.

After a change of a benchmark's grader, this tells which scores would be others. No trial is played: the
worlds are rebuilt by the calls that the trials recorded.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from controlplane.commands.arguments.named_journals import (
    NamedJournal,
    left_out_if_faulty,
)
from controlplane.commands.arguments.options import (
    show_status,
)
from controlplane.commands.output.judgement_output import (
    JudgementOutput,
    report_left_out,
)
from controlplane.configuration.recorded_settings import check_own, settings_here
from controlplane.journal.journal_reader import Journal, open_journal
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.replay.regrading import Rescored, rescored_trials
from controlplane.view.tables.grading_table import MeanScores, print_graded


def grade_journals(
    journals: Sequence[NamedJournal], output: JudgementOutput, *, is_trusted: bool
) -> list[str]:
    """Grade the trials of these journals, and print the old and the new scores.

    Returns why trials or journals are left out, such as an unreadable journal: one text for each.
    """
    trials: list[Rescored] = []
    problems: list[str] = []
    with show_status("grading"):
        for named in journals:
            with (
                left_out_if_faulty(named, problems),
                open_journal(named.path) as journal,
            ):
                # Grading imports the benchmark that the journal names, which may be any
                # code. So the journal has to be the user's own, or trusted.
                check_own(journal, is_trusted=is_trusted)
                trials += _graded(journal)
    report_left_out(problems)
    if output.as_json:
        result: dict[str, object] = asdict(MeanScores.of(trials))
        result["trials"] = [asdict(trial) for trial in trials]
        result["left_out"] = problems
        print(json.dumps(result))
    else:
        print_graded(trials, runs=len(journals), everything=output.everything)
    return problems


def _graded(journal: Journal) -> list[Rescored]:
    """Rebuild and grade the trials of a journal. No trial is played."""
    settings = settings_here(journal, flags={})
    spec = RunSpec(settings, rule_sets=journal.opened.rule_sets)
    with open_resources(spec, plays_trials=False) as resources:
        return list(rescored_trials(journal, resources))
