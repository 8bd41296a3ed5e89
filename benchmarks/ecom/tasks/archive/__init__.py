"""The task to find the fraud in an archived payment export, and the score of an answer to it."""
