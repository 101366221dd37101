"""What people submit: jobs of one pod.

``submission.Submission`` is one job as it was submitted, in whatever form it was written. ``forbidden`` finds what its
pod may not ask for: the scheduler asks it when a job is submitted, the agent again before it creates the pod.
``submission.job_id`` makes the id of a job.

A submission is kept as it was accepted. Its digest says whether another submission under the same client id is the
same.
"""
