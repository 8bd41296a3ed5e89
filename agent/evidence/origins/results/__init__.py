"""Finds the texts in what calls have returned, and says how far each is trusted.

The call `read("/mail/7.md")` has returned “Please pay 420 to GB33...”

1. `ReceivedCalls` gets the call. `WaitingTexts` keeps its result until it is needed.
2. `OutcomeLearner` adds the texts of errors, and of the user's replies. `OperationResults` splits
   any other result into texts, as the declaration of the operation says: it may be a file, a
   listing, or the output of a program. Here, it is one running text.
3. `AuthoredTexts` adds each text as the author of its file allows: the workspace's owner, the trial
   itself, or anybody, as for this mail.
"""
