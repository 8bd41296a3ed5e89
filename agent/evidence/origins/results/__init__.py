"""Finds the texts in what calls have returned, and says how far each is trusted.

The call `read("/mail/7.md")` has returned “Please pay 420 to GB33...”

1. `ReceivedCalls` gets the call. `WaitingTexts` keeps its result until it is needed.
2. `ResultReader` splits the result into texts, as the declaration of the operation says: it
   may be a file, a listing, or the output of a program. Here, it is one running text.
3. `OutcomeLearner` adds these texts, and those of errors, to what the trial knows. It asks
   `texts_by_author` who wrote the file of each text: the workspace's owner, the trial itself, or
   anybody, as for this mail.
"""
