"""A sweep: one base run and others that differ from it in settings, in the same worlds."""
