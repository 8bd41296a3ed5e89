"""The worlds in which a loop plays, in three parts: train, check and final."""
