"""``failctl finalizers``: which pods our finalizer holds, and how to release them by hand.

By default the agent's finalizer keeps a failed pod until the broker has acknowledged its failure. If no agent runs any
more, such pods stay forever. ``list`` shows them with the reason, as far as the API server alone knows it.
``release`` removes the finalizer, with the rights of the person who calls it. Without ``--yes`` it only says what it
would do, because an event that was not published may be lost with its pod.
"""
