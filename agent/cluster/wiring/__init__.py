"""Connects the parts of the agent, from settings. No logic.

``make_pipeline`` makes what every mode has in common, from a pod's change to the spool and back to the pod: registry,
evidence, diagnoser, controller, writer, workqueues. ``deployment_mode`` and ``daemonset_mode`` add what is watched.
``commands`` makes what takes the commands of the scheduler. ``agent.cluster.app.build`` adds publisher, heartbeats and
leadership, and gives the result to ``process``.

To give a part a new collaborator, or a setting, begin here.
"""
