"""Prints a task with its truth and solution, for people. Nothing that plays imports it, and no tool leads here."""
