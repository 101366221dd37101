"""Reads Jobs and JobSets to suggest rules for them, and writes the suggestion into the text.

Input: a text with one or more documents of Kubernetes. ``workloads.read_workloads`` checks each Job and JobSet as lint
does, but accepts the fields that only our own state machines do not support. ``rewrite.rewritten`` changes the text: it
keeps comments and the order of fields, and proves by reading its result that nothing else changed.
``agent.core.suggestion`` decides what to change.
"""
