"""Replies of a model, each with a script that leaves something else for the next step to know.

`READ_AND_CITE` leaves a text that was read, `CHECK_OUT` a change, `PAID_CHECK_OUT` dollars and tokens,
`ANSWER_FROM_AN_UNREAD_FILE` a rejected answer, and `READ_A_MISSING_FILE` a failure.
"""

from controlplane.agent.model import Reply, Usage
from tests.support.single_trial import step_reply

READ_AND_CITE = step_reply("""
harness.read("/note.txt")
scratchpad.cite("/note.txt", "it says so there", quote="the word is heron")
print("read")
""")
CHECK_OUT = step_reply("print(harness.exec('/bin/checkout').stdout)")
PAID_CHECK_OUT = Reply(text=CHECK_OUT, cost_usd=0.25, usage=Usage(prompt_tokens=900))
ANSWER_FROM_AN_UNREAD_FILE = step_reply("""
scratchpad["answer"] = "crane"
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad["refs_why"] = {"/never/read.txt": "it says crane"}
try:
    harness.answer(scratchpad, lambda sp: sp["answer"] == "crane")
except GateRejection as error:
    print(error)
""")
READ_A_MISSING_FILE = step_reply("harness.read('/no/such/file.txt')")
