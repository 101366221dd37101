"""JobSets (``jobset.x-k8s.io/v1alpha2``), accepted as JobSet's webhook accepts them.

Input: a JobSet manifest and the feature gates that are on. Output: a ``JobSet`` of ``agent.core.jobset`` with the
Jobs of its templates. ``load.check_jobset`` works as ``job.load.check_job`` does, and uses it for the templates: types
(``shapes``), our annotations of the JobSet and of each template (``annotations``), fields that are refused by name
(``_refusals``), then JobSet's own validation in core.

An error about a feature gate that is off names the setting that switches the gate on. ``findings`` are warnings, for
example about a rule that can never be asked. ``outcomes`` reads the file for ``failctl jobset simulate``.
"""
