"""Classification: applies the rules of an ``errorCategories`` file to the evidence of a failure.

Input: a ``RuleSet`` (``rules``; ``agent.manifests`` compiles the file to it), then the ``Evidence`` of each failure.
Output: a ``Classification`` with every category that matched, the primary one first. Each match says what text matched,
where, and whether the system or the user's program wrote it.

The steps for one failure:

1. ``classifier.compile_rules`` uses ``compiler`` to turn the rules into a ``Program``. Each rule has a bit, in file
   order. Each signal (exit code, reason, condition, message, event, log) has a table from value to bit mask. All
   patterns for one signal form one ``PatternSet``, so that a thousand rules cost about as much as ten.
   ``classifier.compile_checked`` is for rules that were checked before: it compiles a set when it is first searched.
2. ``scan.scan`` makes one pass over the evidence and records ``Sighting``s: bits, and the container, event or line they
   were found on. The matchers of an ``allOf`` have their own bits; the rule's bit is set if one container satisfies all
   of them. Backtracking rules are searched last, and only if the cheap matchers in the same rule match.
3. Under ``order: file`` the lowest bit is the primary rule. Under ``order: evidence`` ``weighing`` compares what
   matched with how the pod ended (``mechanism``), refuses what cannot explain that, and ranks the rest by how good its
   evidence is (``grouping``): who said it and where. ``region`` finds the last error of a text, ``survived`` the errors
   after which a program went on (docs/evidence.md). ``grade`` says how well the answer is known, and what follows.
4. ``detail`` reads named groups of the primary rule's patterns, such as which resource was short.
   ``description`` describes why a rule matched, for matching rules only. ``explanation`` says for every rule why it did
   or did not match, or was refused, and uses ``nearness`` to select the most relevant ones; only ``failctl classify``
   needs it.

``Classifier.classify_early`` answers without logs and backtracking searches, for who cannot wait for either.
``unasked`` says whether such an answer is settled: whether no rule that was not asked could give another one.

A matcher is the condition of one rule. ``matchers`` has a module per matcher, also for retry policies. What the engine
asks a matcher is in ``matchers.matcher``.

``conditions`` is the table of named conditions (``onConditions: [OOMKilled]``). A name is defined by ``signs``, single
facts in a pod's status. ``rules.is_weak`` says which rules are so unspecific that late
evidence may say more.

Only ``pattern`` runs RE2. RE2 fails silently when it runs out of memory, so a set tests itself when it is created, and
one miss in a thousand is checked again pattern by pattern (``mismatches``). ``search`` is the protocol of the
backtracking engine, which core does not have; its result may be a timeout.

The names of fields in ``rules`` and ``matchers`` are hashed into the revision of a rule set. Do not rename them.

To add a named condition, edit ``conditions``; to add a matcher, start with ``matchers``.
"""
