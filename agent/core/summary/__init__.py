"""Summary: builds the one ``Failure`` to store from evidence and classification.

Input: the evidence, its classification, the occurrence, and who submitted which container. Output: a ``Failure``
without secrets, at most 64 KiB in protobuf. This is the last step before the spool: nothing unredacted reaches disk,
broker or logs.

The steps of ``summary.summarise``, where to start reading:

1. Events after the tenth are only counted.
2. ``internal.decided``: findings of the agent itself (pod deleted, missing, never started) get an ``internal/...``
   category if no rule matched. ``overruling`` makes such a finding override the result of the rules.
3. ``redaction``: one search over all texts finds out whether there is any secret; only then is each text rewritten. The
   rules are ``DEFAULT_RULES``, and those that the agent's settings add in ``redaction``.
4. The fields are filled in: the failed container, the culprit, whether user code ran (``user_code``), the end and the
   key line of a long message (``key_line``). It is chosen by the kind of each line, which is that of its
   form (``line_kind``); ``line_forms`` is the table of forms. ``reached`` names the limit that was reached, by the spec
   of the pod and by the forms of messages that have its numbers.
5. ``bounds``: every text and list has a limit. If the failure is still too large, tighter limits are tried; the
   tightest always fit. ``truncated`` names what was cut. ``fit`` sees quickly that most failures need none of this.

``texts`` finds or rewrites every text of a value in one pass. Most failures need only the quick pass (``collect``);
redaction and bounds use the slow one (``rewrite``), which knows the path of each text.

``submitted_pod`` is about no failure: it takes out of a pod, as it was submitted, what may be a secret.
"""
