"""The user's setting `--provenance`: what happens to a call with an untrusted value.

`parse_policy("ask,pay=block")` returns the `ProvenancePolicy` of the setting. A trial's names of
operations and arguments are not known then, so `fault_of_names` checks them later.
"""
