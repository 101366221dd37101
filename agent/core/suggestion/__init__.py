"""Suggests the rules by which a Job or JobSet acts on our pod conditions, by pure functions over plain values.

Input: one document, and the Services next to it. Output: a ``change.Suggestion``: the changes, in the order in which
they apply, each with its reason, and what prevents them. ``agent.manifests.suggestion`` reads and rewrites the texts.

``together`` decides whether pods need one another, by signs in the document; in doubt they do, because Kubernetes
replaces an ignored pod alone. ``rules`` has the rules that a ``podFailurePolicy`` lacks, ``job`` adds the fields that
such a policy needs, and ``jobset`` the rules of ``failurePolicy`` that restart all Jobs.

A rule that is there already is never changed, moved or added again, so a suggestion for its own result is empty.
"""
