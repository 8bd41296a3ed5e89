"""The one way an answer leaves a trial."""
