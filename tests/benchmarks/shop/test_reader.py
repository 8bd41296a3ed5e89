"""What functions read a workspace by: many calls at once, each made once, and every failure told apart."""

import pytest

from benchmarks.shop.records import WorkspaceReader
from sandbox.functions import CannotRead
from sandbox.interface import CallError

LARGE = CallError("resource_exhausted", "the result of tree holds more than 1300 lists")


class Answers:
    """A harness that answers calls from a list of outcomes by operation and main argument."""

    def __init__(self, outcomes):
        self.known = ()
        self.executables = {"/bin/id": "who is signed in"}
        self.outcomes = outcomes
        self.batches = []

    def side_by_side(self, calls):
        self.batches.append([call[0] for call in calls])
        found = []
        for operation, given in calls:
            outcome = self.outcomes[operation, next(iter(given.values()))]
            found.append(outcome.pop(0) if isinstance(outcome, list) else outcome)
        return found


def text(content, *, truncated=False):
    return {"content": content, "truncated": truncated}


@pytest.mark.parametrize(
    ("outcome", "error"),
    [
        (CallError("not_found", "there is none"), LookupError),
        (CallError("unavailable", "down"), CannotRead),
        (text("te", truncated=True), CannotRead),
    ],
)
def test_failed_and_cut_off_reads_are_told_apart(outcome, error):
    with pytest.raises(error):
        WorkspaceReader(Answers({("read", "/a"): outcome})).read("/a")


def test_a_workspace_too_large_for_one_call_is_told() -> None:
    outcomes = {("find", "*"): {"paths": [], "truncated": True}, ("tree", "/"): LARGE}
    with pytest.raises(CannotRead, match="the result of tree holds more than 1300 lists"):
        WorkspaceReader(Answers(outcomes)).paths()


@pytest.mark.parametrize(("late", "told"), [(1, "Herbert"), (2, "/bin/id ended with exit code 124")])
def test_a_tool_that_timed_out_is_asked_once_more(late, told):
    outcomes = [{"stdout": "Herbert", "stderr": "", "exit_code": 124 if at < late else 0} for at in range(2)]
    answers = Answers({("exec", "/bin/id"): outcomes})
    try:
        found = WorkspaceReader(answers).run("/bin/id")
    except CannotRead as error:
        found = str(error)
    assert (found, len(answers.batches)) == (told, 2)


@pytest.mark.parametrize("ask", ["paths", "search", "run"])
def test_every_way_to_read_says_what_it_cannot(ask):
    down = CallError("unavailable", "down")
    answers = Answers({("find", "*"): down, ("search", "x"): down, ("exec", "x"): down})
    with pytest.raises(CannotRead, match="down"):
        getattr(WorkspaceReader(answers), ask)(*[] if ask == "paths" else ["x"])
