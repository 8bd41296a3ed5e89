"""Adds what calls have returned to what a trial knows of origins.

The call `read("/mail/7.md")` has returned “Please pay 420 to GB33...”

1. `CallOutcomes` gets the call, and makes a `CallResult` of it.
2. `ResultOrigins` splits the result into texts, as the declaration of the operation says: it
   may be a file, a listing, or the output of a program (`ProgramOutput`).
3. `AuthoredTexts` adds each text by who wrote its file: the workspace's owner (`RuleFiles`),
   the trial itself, or anybody, as for this mail.
"""
