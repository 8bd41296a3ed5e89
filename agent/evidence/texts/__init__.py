"""The words and values of calls and their results,
and the forms in which a script's own text comes back."""
