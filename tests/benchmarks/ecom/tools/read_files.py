"""Which files count as read after a script has run a tool of the shop.

files_read_by("cat", "/a.md")                       # {"/a.md"}
files_read_by("cat", "-", "/a.md", stdin="words")   # set()
"""

from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from tests.benchmarks.shop.functions.goods_records import branch
from tests.benchmarks.shop.functions.written_shop import written_shop

BRANCH = "/proc/branches/store-1.json"


def files_read_by(tool: str, *arguments: str, stdin: str = "") -> set[str]:
    """Run a tool as a script does, in a shop with /a.md and a branch, and return what counts as read.

    The tool itself, which must succeed, is left out.
    """
    shop = written_shop(
        {"/a.md": "a page", BRANCH: branch("store-1", "Graz", {"TARP-SAND": 4})}
    )
    # The recorder is what makes the calls of a trial, and notes what they have read.
    recorder = new_recorder(
        trial_id="t", environment=shop, emit=lambda event: None, tape=Tape()
    )
    recorder.step_log.begin(1)

    result = recorder.calls.make(
        "exec", {"path": f"/bin/{tool}", "args": list(arguments), "stdin": stdin}
    )

    assert result["exit_code"] == 0
    return recorder.evidence_log.view().accesses.keys() - {f"/bin/{tool}"}
