"""``failctl dlq``: list, show, replay and drop dead letters, the messages that a consumer could not handle.

A dead letter is in a dead-letter topic of the broker, with properties that say which topic and subscription it came
from, and why. ``dlq`` goes through these topics one at a time and takes at most a hundred messages at once, because
each may be megabytes. ``text`` prints them; everything in them is hostile.

``replay.Replayer`` sends the original message to the replay topic of the subscription that failed. A dead letter is
dropped only after the broker has acknowledged that, so a crash in between replays it twice. That is harmless, because
consumers recognise a message that they have already handled. ``drop`` cannot be undone and needs ``--yes``.
"""
