"""Commands that read journals: lists, results, replays."""
