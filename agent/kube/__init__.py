"""The Kubernetes API, as far as the agent needs it: watch objects, read single ones, write pods and leases.

Input: the bytes of one API server. Output: the slim structs of :mod:`~agent.kube.objects`, which name only the fields
we read, and a small set of errors. Nothing here decides anything: ``agent.observe`` interprets a pod's state,
``agent.cluster`` acts on it.

One request takes these steps: :class:`~agent.kube.connection.Connection` sends it with the credentials and TLS of the
official client, and gives raw bytes, or raises one of :mod:`~agent.kube.errors`. :class:`~agent.kube.codec.Codec`
decodes the bytes with msgspec. An object that does not decode becomes an ``Undecodable``; it never stops a list or a
watch. Nor does one beyond ``agent.bounds``: :mod:`~agent.kube.beyond` reads its name, and it is logged, counted and
skipped. The readers and writers use these two: ``PodWriter`` (finalizer, deletion), ``GatedPods`` (created, started),
``PodReader``, ``EventReader``, ``LogReader``, ``Leases``, ``cluster_id``, and, for everything that is watched, the
informer in :mod:`agent.kube.reflector`. Each class says which RBAC verbs it needs.

Guarantees when something fails:

- Every call raises ``ApiError`` when the server refuses (``Gone``, ``Unauthorized`` and ``Forbidden`` for 410, 401,
  403) and ``Unreachable`` when it does not answer. Callers retry; only the reflector retries by itself.
- After a 401 or an untrusted certificate the credentials are read again and the request is repeated once, so that
  tokens and certificates can rotate under a running process.
- Every request has a time limit, and every stream an idle limit as well.
- A ``Connection`` that is closed has no socket left, of cancelled requests neither.
- A write to a pod names its uid and is idempotent: repeating it is safe, and a namesake is never touched.

To read a further field of an object, add it to ``objects``. To watch a further kind, make a ``Reflector`` with its
struct. Start with ``connection``, then ``codec``, then ``reflector``.
"""
