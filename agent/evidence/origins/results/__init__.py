"""Finds the texts in what calls have returned, and says how far each is trusted.

The call `read("/mail/7.md")` has returned “Please pay 420 to GB33...”

1. `ReceivedCalls` gets the call, and keeps it until its texts are needed.
2. `OutcomeReader` returns its *outcome*: the texts in its result, which here is one running text.
   The results of files, programs and other tools have their own modules.
3. `add_outcome` adds each text as the author of its file allows: the workspace's owner, the trial
   itself, or anybody, as for this mail.
"""
