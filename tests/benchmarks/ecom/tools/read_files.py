"""Which files count as read after a script has run a tool of the shop: those that the tool prints.

files_read_by("cat", "/a.md")                       # {"/a.md"}
files_read_by("cat", "-", "/a.md", stdin="words")   # set()

In the second call, `cat` prints "words" first, which the script has put in, and then the file. So the
output may be the script's own words, and no file counts as read.
"""

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from tests.benchmarks.shop.functions.goods_records import branch
from tests.benchmarks.shop.functions.written_shop import written_shop

BRANCH = "/proc/branches/store-1.json"


def files_read_by(tool: str, *arguments: str, stdin: str = "") -> set[str]:
    """Run a tool as a script does, in a shop with /a.md and a branch. Return the files that count as
    read.

    The tool must succeed. Its own file, such as `/bin/cat`, is left out.
    """
    shop = written_shop(
        {"/a.md": "a page", BRANCH: branch("store-1", "Graz", {"TARP-SAND": 4})}
    )
    # A recorder makes the calls of a trial, one attempt of an agent at a task, and notes what they
    # have read. An empty tape means that the trial repeats no earlier one.
    recorder = new_recorder(
        trial_id="t", environment=shop, emit=lambda event: None, tape=Tape()
    )
    recorder.step_log.begin(number=1)

    result = recorder.calls.make(
        "exec", {"path": f"/bin/{tool}", "args": list(arguments), "stdin": stdin}
    )
    assert result["exit_code"] == 0

    paths_read_or_run = recorder.evidence_log.view().accesses.keys()
    return paths_read_or_run - {f"/bin/{tool}"}
