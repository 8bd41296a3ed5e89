"""The eight gates, one module each, and what gates 3 and 6 use: demanded citations, values, posed instructions."""

from gates.checks import gate7_verify_reply
from gates.checks.gate3_canonical_citations import fault_of_reason as fault_of_reason
from gates.checks.posed_instructions import fault_of_posed_instruction as fault_of_posed_instruction
from gates.checks.posed_instructions import find_posed_instruction as find_posed_instruction

VERIFY_GATE = gate7_verify_reply.GATE
"""The number of the gate that calls the script's own `verify`."""
