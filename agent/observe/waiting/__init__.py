"""For what a pod waits that has not failed: the third answer, next to a failure and to a healthy pod.

``wait`` has the answers. ``look.look`` gives one for a pod in which no rule finds a failure: it goes through the steps
of a pod's start in their order, from its scheduling gates to the probes of its containers, and names the first that is
not done. ``provided.provided`` gives one whatever the rules find: somebody says that it provides what the pod waits
for. Pure; begin with ``look``.
"""
