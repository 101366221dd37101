"""Queues, in our form and in Armada's.

Input: a ``Queue`` document. ``load.check_queue`` chooses by its ``apiVersion``: ``armadaproject.io/v1beta1`` is the
flat form of ``armadactl``, everything else is ours, with ``metadata`` and ``spec``. Out comes a ``Queue`` of core.
``shapes`` has both forms. Whether the policies that a queue names exist, and count alike, is known only where all
resources are: see ``agent.manifests.resource``.
"""
