"""Repeats the recorded steps of a trial, in a resumed trial or a replay.

The journal is a file with the events of all trials. The events of one trial make up its
*record*. The `Tape` is the record of an earlier attempt at a trial, while the trial
repeats it. What a trial needs from outside, it asks one of these classes for, which look at
the tape first. If the tape has ended, they turn to the outside:

    TapedCalls         the outcome of a call                  the environment
    TapedModels        a reply to the solver, or a review     a model
    TapedSideReplies   a reply to somebody else               a model
    TapedStart         the time at the start                  the environment
    TapedAnswers       the outcome of an answer               the environment
    TapedSubmissions   the verdicts on a submission           the gates, and the journal
    TapedStops         is a call stopped by a check?          the check, and the journal
    TapedApprovals     does the user approve of a call?       the user
    TapedJournal       is this event written already?         the journal

Each class looks at the same place: step, kind and number, such as the third call
of step 2. A replay has no outside: it reports a difference. No other part of a trial knows
whether it is new, resumed or replayed.

`LOST` is the error of a call that a process did not finish, because it was killed. The module
`attempt` decides how a new attempt continues a recorded trial, and `repeated_calls` makes its
calls again in a new environment.
"""

from controlplane.agent.evidence.tape.comparison import Difference, RecordDiverged
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_answers import TapedAnswers
from controlplane.agent.evidence.tape.taped_calls import LOST, TapedCalls
from controlplane.agent.evidence.tape.taped_journal import TapedJournal
from controlplane.agent.evidence.tape.taped_models import TapedModels
from controlplane.agent.evidence.tape.taped_side_replies import TapedSideReplies
from controlplane.agent.evidence.tape.taped_start import TapedStart
from controlplane.agent.evidence.tape.taped_submissions import TapedSubmissions

__all__ = [
    "LOST",
    "Difference",
    "RecordDiverged",
    "Tape",
    "TapedAnswers",
    "TapedCalls",
    "TapedJournal",
    "TapedModels",
    "TapedSideReplies",
    "TapedStart",
    "TapedSubmissions",
]
