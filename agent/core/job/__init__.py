"""Kubernetes Jobs and their indexes, exactly, as pure functions (reference/kubernetes-job-and-jobset.md part A)."""
