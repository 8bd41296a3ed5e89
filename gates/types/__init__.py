"""What gates judge and say: submission, evidence, verdict, and the canonical forms of paths and words."""

from gates.types.canonical_paths import base_name as base_name
from gates.types.canonical_paths import canonical as canonical
from gates.types.canonical_paths import fold as fold
from gates.types.canonical_paths import split_fragment as split_fragment
from gates.types.evidence import Action as Action
from gates.types.evidence import Change as Change
from gates.types.evidence import Evidence as Evidence
from gates.types.evidence import Execution as Execution
from gates.types.evidence import Failure as Failure
from gates.types.evidence import Reference as Reference
from gates.types.evidence import Seen as Seen
from gates.types.evidence import Touch as Touch
from gates.types.evidence import seen_text as seen_text
from gates.types.plain_data import show as show
