"""What gates judge and say: submission, evidence, verdict, and the canonical forms of paths and words."""
