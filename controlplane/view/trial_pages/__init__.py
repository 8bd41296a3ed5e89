"""The pages of a recorded trial, their parts, and the walk through them on a terminal."""
