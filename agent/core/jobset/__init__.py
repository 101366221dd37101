"""JobSets and their failure policy, as pure functions (reference/kubernetes-job-and-jobset.md part B)."""
