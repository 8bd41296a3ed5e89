"""The replies of a scripted model to any trial of the benchmark `tests.support.many_trials`.

A trial has three turns. The first script counts. The second answers with nothing but an outcome, which
the checks of answers ("gates") send back. The third answers with the number, which they accept.
"""

SCRIPT = """
[[reply]]
state = "count"
plan = ["count", "answer"]
code = '''
scratchpad["n"] = harness.count().number
console.log("counted", scratchpad["n"])
'''
[[reply]]
state = "answer without words"
code = '''
scratchpad["answer"], scratchpad["outcome"] = "OUTCOME_OK", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "OUTCOME_OK")
'''
[[reply]]
state = "answer"
done = true
code = '''
harness.count()
scratchpad["answer"], scratchpad["outcome"] = scratchpad["n"], "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == sp["n"])
'''
"""
