"""The step that a trial is at, and its calls: made live, and followed to their outcomes."""
