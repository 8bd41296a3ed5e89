"""Scripts with which a scripted model plays a trial of `file_benchmark.py`.

`STEP.format(0, 1)` is a script that reads the records 0 and 1, and `ANSWER` one that submits the right
answer, 7.
"""

STEP = """
listing = harness.list("/records")
first = harness.read("/records/{0}.json").json()
second = harness.read("/records/{1}.json").json()
totals = {{}}
for record in (first, second):
    totals[record["id"]] = totals.get(record["id"], 0) + record["count"]
scratchpad["totals"] = totals
print(len(listing.entries), sorted(totals.items()))
"""
"""A script that reads two records. `STEP.format(0, 1)` fills in their numbers, and makes `{{}}` to `{}`."""


ANSWER = """
record = harness.read("/records/7.json").json()
harness.stat("/records/8.json")
scratchpad["answer"] = str(record["count"])
scratchpad["outcome"] = "OUTCOME_OK"
scratchpad.cite("/records/7.json", "record r-7 holds the count 7")
def verify(sp):
    return sp["answer"] == "7" and sp["outcome"] == "OUTCOME_OK"
harness.answer(scratchpad, verify)
"""
"""A script that submits the right answer. It is used as it is, without `format`."""
