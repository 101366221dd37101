"""Admission: which of our conditions a pod gets at the moment it fails, and why it gets none.

A Job's ``podFailurePolicy`` acts on conditions of a failed pod, and only on those that came with the failure itself. So
the answer is given while the API server writes the status, from what is in memory then (docs/plain-jobs.md).

``conditions`` turns a classification into conditions: only what is proven gives any. ``quoted`` keeps words of the
pod's spec from blaming infrastructure. ``brake`` stops all conditions for a while when a cluster gets more than it
should. The types of conditions are in ``identity.conditions``. Whether a rule that was not asked could give another
answer is asked of ``classify.classifier``, because it depends on the rules.
"""
