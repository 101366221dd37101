"""What follows from a step of a submitted job, as rows, all in the transaction that decided.

Whoever advances a job (``agent.core.lifecycle.advance``) does it here: the consumer, the scheduling pass, and the API.
``advanced.Advanced`` collects the steps of one job in one transaction, and ``write.write`` writes them: the job and its
runs, verdicts, requests, what ended it, and its commands and job events as rows of the outbox (``commands``,
``job_events``). ``pod_memory`` reads and raises the memory in a pod, and reads its annotations.

Verdicts on pods that nobody submitted, and submissions, have job events too: whoever writes those calls
``write.observed`` and ``write.submitted`` in the same transaction.

The caller holds the job's decision scope from the load of the job to the end of the transaction.
"""
