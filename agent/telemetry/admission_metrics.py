"""Metrics of the admission webhook. Labels are fixed words and the categories of rule files, so they are bounded."""

from enum import StrEnum

from prometheus_client import Counter, Gauge, Histogram


class Refused(StrEnum):
    """Why a request, or a connection, was not answered as an AdmissionReview.

    ``handshake``: no TLS, or a client without a certificate that ``admission.clientCaFile`` trusts. ``http``: no HTTP
    request. ``slow``: it did not arrive whole in time. ``length``: no Content-Length. ``busy``: too much in hand.
    ``review``: the body is no AdmissionReview.
    """

    HANDSHAKE = "handshake"
    HTTP = "http"
    PATH = "path"
    METHOD = "method"
    TYPE = "type"
    LENGTH = "length"
    TOO_LARGE = "too-large"
    BUSY = "busy"
    SLOW = "slow"
    REVIEW = "review"


CONDITIONS = Counter("failure_agent_admission_conditions", "Conditions that failing pods were given.", ["condition"])
WITHHELD = Counter("failure_agent_admission_withheld", "Requests answered without a condition, by reason.", ["reason"])
SHADOWED = Counter(
    "failure_agent_admission_shadowed_conditions",
    "Conditions that failing pods would have been given (admission.shadow).",
    ["condition"],
)
DISAGREED = Counter(
    "failure_agent_admission_disagreed",
    "Conditions of failed pods, or those of shadow mode, that the report of the failure does not agree with.",
    ["condition"],
)
STOPPED = Gauge(
    "failure_agent_admission_stopped", "1 while no pod gets a condition because too many did (admission.brake)."
)
REFUSED = Counter("failure_agent_admission_refused", "Requests and connections that were refused, by why.", ["why"])
SECONDS = Histogram(
    "failure_agent_admission_seconds",
    "From the first byte of a request to its answer.",
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.5, 1.0),
)
CONNECTIONS = Gauge("failure_agent_admission_connections", "Connections to the webhook, handshakes included.")
CERTIFICATE_EXPIRES = Gauge(
    "failure_agent_admission_certificate_expiry_timestamp_seconds",
    "When the certificate that the webhook serves with expires, in seconds since 1970.",
)
CERTIFICATE_REFUSED = Gauge(
    "failure_agent_admission_certificate_refused",
    "1 while changed files of the webhook's certificate cannot be used and the last ones stay in effect.",
)
