"""The eight gates: ordered, deterministic checks of a submission.

`rules` asks all of them; `submission` and `evidence` hold what they judge. Each gate
has a module (`facts_gate`, `canonical_citations`, `read_citations`, `justification`, `outcome_gate`,
`literal_tokens`, `verify_gates`). `values` reads the values that a text states, and
`support` says what supports the values of an answer.
"""
