"""JobSets and their failure policy, as pure functions over child Jobs.

B1 to B6 in comments are the sections of reference/kubernetes-job-and-jobset.md part B; names in parentheses, such as
``getChildJobs``, are the functions of JobSet that are followed.

``advance.advance`` is one step of upstream's ``reconcile``, and where to begin. In come the ``JobSet``, its status, our
``JobSetMemory`` beside it, and what there is (``Observed``: child Jobs, pods, limits of other layers). Out goes a
``JobSetStep``: the new status and memory, effects (create, delete, suspend a Job), events, and the verdict if one was
made.

The order of a step:

1. ``owned`` sorts the child Jobs: those of an earlier attempt are deleted, the others are active, successful or failed.
2. If a Job failed: ``case.speak`` says what the failure policy proposes, ``decide`` asks every limit about it
   (``limits``), and ``apply`` writes the verdict into the status. A limit can only turn a restart into the JobSet's
   end.
3. Else, if enough Jobs succeeded, the JobSet completes.
4. Else ``creating`` makes the Jobs that are missing and resumes suspended ones, by restart strategy, startup order and
   delay. ``in_place`` is the other way to restart: pods stay, and an agent in each starts its containers anew.

A failed Job is a new failure, judged in the same way as a failed pod: ``child.failure_of`` is where a Job's own step
becomes a failure for its JobSet.

A step that is cut short is taken again: effects name Jobs, whose names are the same in every attempt. Upstream forgets
its count of restarts when a JobSet is deleted and made again under its name; ``lineage`` is what we keep so that such a
loop ends.

``play`` carries effects out on Jobs that are values, and ``ensemble`` adds their pods, for ``failctl`` and tests. So
far no process runs JobSets by this room; ``failctl`` and the checks of manifests use it.
"""
