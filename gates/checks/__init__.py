"""The eight gates, a module each, and the rules that two of them share."""

from gates.checks import gate7_verify_reply
from gates.checks.gate3_canonical_citations import fault_of_reason as fault_of_reason

VERIFY_GATE = gate7_verify_reply.GATE
"""The number of the gate that asks the script's own `verify`."""
