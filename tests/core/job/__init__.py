"""Tests of the Job engine, some of them beside Kubernetes' own Job controller."""
