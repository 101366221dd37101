"""Summary: evidence and classification become the one ``Failure`` that is kept.

In come the evidence, its classification, the occurrence, and who submitted which container. Out goes a ``Failure``
without secrets, at most 64 KiB in protobuf. This is the last step before the spool: nothing unredacted reaches disk,
broker or logs.

The order of ``summary.summarise``, which is where to begin:

1. Events beyond the tenth are counted and left out.
2. ``internal.decided``: what the system itself decides (pod deleted, missing, never started) gets an ``internal/...``
   category where no rule matched. ``internal.overrule`` puts such a finding above the rules' answer.
3. ``redaction``: one search over all texts says whether there is any secret; only then is each text rewritten. The
   rules are ``DEFAULT_RULES``, and what the agent's settings add under ``redaction``.
4. The failure is filled in: the failed container, the culprit, whether code of the user's ran (``user_code``), the end
   and the key line of a long message (``stack_trace``).
5. ``bounds``: every text and list has a limit. If the failure is still too large, tighter limits are tried, down to
   ones that fit whatever it holds. What was cut is named in ``truncated``.

``texts`` finds or rewrites every text of a value in one walk. Most failures need only the quick look (``collect``);
redaction and bounds take the slow walk (``rewrite``), which knows each text's path.
"""
