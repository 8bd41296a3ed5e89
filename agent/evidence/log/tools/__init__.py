"""Runs of an environment's tools, programs such as `/bin/jq`, and what an answer may cite of them."""
