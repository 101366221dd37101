"""Kubernetes Jobs (``batch/v1``), accepted as the API server accepts them.

Input: a Job manifest. Output: a ``JobManifest`` of ``agent.core.job``: its spec with defaults, and what its
annotations choose. ``load.check_job`` collects errors from four sources, so that a person sees all of them at once:

1. ``shapes``: the types of the fields. Words such as ``action`` are not checked here, because core does it in the words
   of the API server.
2. ``annotations``: ours (``failure-agent.dev/job-...``), by which a Job chooses what Kubernetes does not have. The
   manifest stays valid for Kubernetes.
3. ``unsupported_fields``: fields that Kubernetes takes and this system does not, such as ``managedBy``. They are
   refused by name rather than ignored.
4. ``agent.core.job.validation``: what the API server refuses. ``fault_at`` finds the place of its field path.

``findings`` are warnings, for example about a rule that hides disruptions. ``outcomes`` reads the file from which
``failctl job simulate`` takes how pods end.
"""
