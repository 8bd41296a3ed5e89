"""The eight gates: ordered, deterministic checks of a submission.

`judging` has their table and asks all of them; `submission` and `evidence` hold what they judge.
`checks` judges what they are about (`facts_gate`, `citations`, `justification`, `outcomes`,
`literal_tokens`, `verify_gates`). `values` reads the values that a text states, and `support`
says what supports the values of an answer.
"""
