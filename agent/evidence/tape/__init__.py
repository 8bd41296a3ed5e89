"""Repeats the recorded steps of a trial, to go on with it, or to compare it with its record.

A trial whose process was killed is *resumed*: it repeats its recorded steps, its `Tape`, and goes
on. A *replay* only compares. Each class below is asked for one thing, and looks at the
tape first. If the tape has ended, it asks somebody else:

    class              is asked for                        asks, once the tape has ended
    TapedCalls         the outcome of a call               the environment
    TapedCallEvents    to write the event of a call        the journal: it is not recorded yet
    TapedStart         the time at the start               the environment
    TapedAnswers       whether an answer was taken         the environment
    TapedModels        a reply to the solver               its model
    TapedSideReplies   a reply to anybody else             a model
    TapedApprovals     whether the user approves a call    the user
    TapedStops         whether a call is stopped           the check of calls
    TapedCitations     whether a path may be cited         the evidence
    TapedSubmissions   the verdicts on a submission        the gates
    TapedJournal       to write the end of a step          the journal: it is not recorded yet

No other part of a trial knows whether it is new, resumed or replayed.
"""

from controlplane.agent.evidence.tape.comparison import Difference, RecordDiverged
from controlplane.agent.evidence.tape.next_environment import NextEnvironment
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.agent.evidence.tape.taped_answers import TapedAnswers
from controlplane.agent.evidence.tape.taped_approvals import TapedApprovals
from controlplane.agent.evidence.tape.taped_call_events import TapedCallEvents
from controlplane.agent.evidence.tape.taped_calls import TapedCalls
from controlplane.agent.evidence.tape.taped_citations import TapedCitations
from controlplane.agent.evidence.tape.taped_journal import TapedJournal
from controlplane.agent.evidence.tape.taped_models import TapedModels
from controlplane.agent.evidence.tape.taped_side_replies import TapedSideReplies
from controlplane.agent.evidence.tape.taped_start import TapedStart
from controlplane.agent.evidence.tape.taped_stops import TapedStops
from controlplane.agent.evidence.tape.taped_submissions import TapedSubmissions

__all__ = [
    "Difference",
    "NextEnvironment",
    "RecordDiverged",
    "Tape",
    "TapedAnswers",
    "TapedApprovals",
    "TapedCallEvents",
    "TapedCalls",
    "TapedCitations",
    "TapedJournal",
    "TapedModels",
    "TapedSideReplies",
    "TapedStart",
    "TapedStops",
    "TapedSubmissions",
]
