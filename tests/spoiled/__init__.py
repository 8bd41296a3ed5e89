"""Wrong answers made from right ones, with the trace that belongs to each, and what the gates make of them.

`python -m tests.spoiled` judges them as a live exit would. A third of the kinds and of the wordings is kept apart, in
`kept_apart/`: who writes or changes a gate or a rule does not read that folder, so that its figures stay honest.
"""
