"""Reasons against a call that changes something; `pre_call_check` asks for them."""
