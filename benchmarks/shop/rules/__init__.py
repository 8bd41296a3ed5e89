"""The rules of the pack: outcomes, citations, checklists and wording."""
