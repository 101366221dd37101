"""The webhook: says which conditions a pod gets at the moment it fails, while the API server writes its status.

``review`` reads an AdmissionReview and writes the response; it also has the seam, ``Decider``. ``server`` serves it
over TLS in the agent's own event loop: ``listener`` bounds the connections, ``connection`` the time of a request, and
``certificates`` reads the files of the Secret again when they change. ``server`` also counts every answer
(``telemetry.admission_metrics``).

A request is never spooled, remembered or counted as a failure, and changes nothing in the agent: it may be a dry run,
another webhook may refuse it, and without ``admission.clientCaFile`` anybody who reaches the port may have made it up.
Every answer is ``allowed: true``. An answer that is late, or that could not be made, has no patch; then the Job behaves
as without us. So this package may fail in any way and no status write is lost, as long as a patch always applies: the
API server ignores a webhook that fails (``failurePolicy: Ignore``), but not a patch that does.

Start reading with ``review``.
"""
