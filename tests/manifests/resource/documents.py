"""Resources as tests write them."""

from collections.abc import Sequence


def policy(name: str, *, limit: int = 3, comment: str = "") -> str:
    """A policy in the dialect ``armadaproject.io/v1``."""
    return f"""\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {{name: {name}}}{comment and f"  # {comment}"}
spec:
  rules:
  - {{name: oom, action: Retry, retryLimit: {limit}, onConditions: [OOMKilled]}}
"""


def armadas(name: str, *, limit: int = 3) -> str:
    """A policy in Armada's dialect."""
    return f"""\
apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: {name}
retryLimit: {limit}
defaultAction: Retry
"""


def queue(name: str, policies: Sequence[str] = (), *, comment: str = "") -> str:
    """A queue, with each policy on a line of its own."""
    lines = "".join(f"  - {policy}{comment and f'  # {comment}'}\n" for policy in policies)
    return f"""\
apiVersion: armadaproject.io/v1
kind: Queue
metadata: {{name: {name}}}
spec:
  maxActiveRuns: 10
  retryPolicies:{chr(10) + lines if lines else " []" + chr(10)}"""


def rule(number: int, *, code: int = 1305) -> str:
    """A rule of the error table."""
    return f"""\
apiVersion: failure-agent.dev/v1
kind: ErrorRule
spec: {{RetryError_ID: {number}, ErrorSource: pilotErrorCode, ErrorCode: {code}, RetryAction: no_retry}}
"""
