"""What is listed and watched, and how pods are handled whose end was not seen.

``cluster_informers`` makes the reflectors of mode deployment: pods, events about pods and about nodes, nodes, and what
owns pods (Jobs, JobSets, Workloads of Kueue), where the API server has them and the agent may list them.
``Informers.run`` starts events, nodes and owners first and gives them ten seconds, so that the pods that are listed
next find their evidence. ``NamedEvents`` hears Normal events about owners, for the reasons that rules name.

A change of a pod goes to ``Tombstones.on_pod`` before the controller sees it. Most changes pass. A pod that was known
and is not in the first list, or left a watch by label, may be deleted or may only be out of scope. Calling a live pod
missing would give its job a second run, so ``Tombstones`` asks the API server until it answers, and then calls
``on_gone`` or ``on_out_of_scope``. (In client-go the same doubt is a ``DeletedFinalStateUnknown``.) ``MovedPods`` is
the same ``AskLoop`` for mode daemonset, where a pod also leaves a watch when it gets a node.

If the API server is unavailable, reflectors list or resume by themselves (``agent.kube.reflector``), and unconfirmed
pods stay unconfirmed. If the process dies, the next one restores the known pods from the spool and starts from a list.

Start with ``Informers.run``, then ``Tombstones``.
"""
