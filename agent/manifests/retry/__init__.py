"""Retry policies, in two dialects, and the scenarios to try them on.

Input: a ``RetryPolicy`` document. ``load.check_retry_policy`` chooses by its ``apiVersion``:
``armadaproject.io/v1beta1``, the flat form that Armada ships, goes to ``armada``; everything else goes to ``shapes``
and ``compile``, which refuse what is not ``armadaproject.io/v1``, the form of Armada's proposal
(armadaproject/armada#4683). A further dialect is one more file and one more line there. Out
comes a ``RetryPolicy`` of ``agent.core.retry``. The dialect is a part of it, because the two count retries
differently.

``findings`` warns about rules and limits that have no effect. ``coverage`` collects what earlier rules match; it is not
``matchers.shadow``, because here the first rule that matches decides, and a rule may look at init containers or not.

``scenario`` and ``scenario_shapes`` read scenario files: failures one after the other and the verdicts that are
expected. ``failctl decide`` and ``failctl policy test`` play them. The error table's courses use the same
``FailureShape``.
"""
