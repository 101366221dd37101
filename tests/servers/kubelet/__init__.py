"""Kubelets for a real API server: they run no program, but write what kubelets of Kubernetes 1.35 write about pods.

``nodes`` starts and ends all of it, with a Node for each kubelet. ``runtime`` has the containers of a machine, which
live and end as a ``behaviour`` says, whether their kubelet runs, is cut off, or not. It keeps the ledger: which
container ran when, whatever statuses say. ``kubelet`` watches the pods of its node and has a ``worker`` for each, which
compares the pod with its containers, again after each change of either. ``steps`` says which containers are to be
started, ``status`` what is to be written of them; both are pure. ``link`` is the way to the API server.

They admit pods by their node selector only, and know no probes, hooks, ephemeral containers, deadlines or evictions.
They write no events and serve no logs.
"""
