import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from agent.ctl.admission.certificate import Issued, issue, names
from agent.ctl.admission.check import AdmissionCheckRequest, Installed, State, findings
from agent.ctl.admission.trust import faults
from tests.deploy.manifests import DEPLOY, only
from tests.simulator.api import Json

NOW = datetime.now(UTC)
REQUEST = AdmissionCheckRequest(namespace="failure-agent", service="failure-agent-webhook")
DAYS = timedelta(days=1)
ISSUED = issue(names("failure-agent-webhook", "failure-agent"), now=NOW, lasts=365 * DAYS)
OTHER = issue(names("other", "failure-agent"), now=NOW, lasts=365 * DAYS)
SOON = issue(names("failure-agent-webhook", "failure-agent"), now=NOW, lasts=13 * DAYS)
OLD = issue(names("failure-agent-webhook", "failure-agent"), now=NOW - 2 * DAYS, lasts=DAYS)


def encoded(content: bytes) -> str:
    return base64.b64encode(content).decode()


def installed() -> Json:
    """What an API server has after ``deploy/admission.yaml`` and ``failctl admission certificate``, as one object."""
    configuration = only(DEPLOY / "admission.yaml", "MutatingWebhookConfiguration")
    configuration["webhooks"][0]["clientConfig"]["caBundle"] = encoded(ISSUED.authority)
    return {
        "version": {"major": "1", "minor": "30+", "gitVersion": "v1.30.2"},
        "configuration": configuration,
        "slices": {"items": [{"ports": [{"port": 8443}], "endpoints": [{"addresses": ["192.0.2.1"]}]}]},
        "secret": {"data": {"tls.crt": encoded(ISSUED.certificate)}},
    }


def found(state: Json) -> list[tuple[str, str, str, str]]:
    listed = findings(Installed(**state), REQUEST, now=NOW)
    return [(finding.step, finding.state, finding.words, finding.fix) for finding in listed]


def test_what_is_installed_as_it_is_written_is_fine() -> None:
    assert [(step, state) for step, state, _, _ in found(installed())] == [
        ("version", "fine"),
        ("webhook", "fine"),
        ("service", "fine"),
        ("certificate", "fine"),
    ]


def of_webhook(change: Callable[[Json], object]) -> Callable[[Json], object]:
    return lambda state: change(state["configuration"]["webhooks"][0])


def setting(**more: object) -> Callable[[Json], object]:
    return of_webhook(lambda webhook: webhook.update(more))


def without(field: str) -> Callable[[Json], object]:
    return of_webhook(lambda webhook: webhook.pop(field))


def of_certificate(issued: Issued, *, trusted: bool = True) -> Callable[[Json], object]:
    def change(state: Json) -> None:
        state["secret"]["data"]["tls.crt"] = encoded(issued.certificate)
        if trusted:
            state["configuration"]["webhooks"][0]["clientConfig"]["caBundle"] = encoded(issued.authority)

    return change


@pytest.mark.parametrize(
    ("change", "step", "words", "fix"),
    [
        (lambda state: state["version"].update(minor="29"), "version", "before 1.30 it drops matchCond", "upgrade to"),
        (lambda state: state["version"].clear(), "version", "the API server is None", "upgrade to Kubernetes 1.30"),
        (
            lambda state: state.update(configuration=None),
            "webhook",
            "there is no Mutating",
            "kubectl apply --server-side -f deploy",
        ),
        (
            lambda state: state["configuration"].update(webhooks=None),
            "webhook",
            "there is no",
            "kubectl apply --server-side -f deploy",
        ),
        (
            setting(name="other"),
            "webhook",
            "with the webhook failures.failure-agent.dev",
            "kubectl apply --server-side -f deploy",
        ),
        (without("matchConditions"), "webhook", "matchConditions is missing: every write", "the API server drops it"),
        (
            of_webhook(lambda webhook: webhook["matchConditions"][0].update(expression="true")),
            "webhook",
            "matchConditions is not as in",
            "kubectl apply --server-side -f deploy/admission.yaml",
        ),
        (
            of_webhook(lambda webhook: webhook["rules"][0].update(operations=["*"])),
            "webhook",
            "rules is not as in",
            "apply",
        ),
        (of_webhook(lambda webhook: webhook["rules"][0].update(resources=["pods/*"])), "webhook", "rules", "apply"),
        (of_webhook(lambda webhook: webhook["rules"].append({})), "webhook", "rules is not as in", "apply"),
        (setting(objectSelector={}), "webhook", "objectSelector is not as in", "apply"),
        (setting(namespaceSelector={}), "webhook", "namespaceSelector is missing", "apply"),
        (setting(failurePolicy="Fail"), "webhook", "failurePolicy is not as in deploy/admission.yaml: Fail", "apply"),
        (setting(timeoutSeconds=10), "webhook", "timeoutSeconds is not as in deploy/admission.yaml: 10", "apply"),
        (setting(reinvocationPolicy="IfNeeded"), "webhook", "reinvocationPolicy is not", "apply"),
        (
            of_webhook(lambda webhook: webhook["clientConfig"]["service"].update(name="other")),
            "webhook",
            "clientConfig.service is {'namespace': 'failure-agent', 'name': 'other'",
            "give --service",
        ),
        (
            of_webhook(lambda webhook: webhook["clientConfig"].pop("caBundle")),
            "certificate",
            "caBundle is empty",
            "failctl admission certificate --renew",
        ),
        (lambda state: state.update(slices=None), "service", "has no ready endpoint: nobody answers", "set admission"),
        (
            lambda state: state["slices"]["items"][0]["endpoints"][0].update(conditions={"ready": False}),
            "service",
            "the Service failure-agent/failure-agent-webhook has no ready endpoint",
            "not ready",
        ),
        (lambda state: state["slices"]["items"][0].update(ports=None), "service", "no ready endpoint", "admission"),
        (lambda state: state.update(secret=None), "certificate", "there is no Secret failure-agent/failure", "failctl"),
        (lambda state: state["secret"].update(data=None), "certificate", "the Secret has no certificate", "failctl"),
        (
            lambda state: state["secret"]["data"].update({"tls.crt": "!"}),
            "certificate",
            "the Secret has no certificate",
            "failctl",
        ),
        (of_certificate(OLD), "certificate", "the certificate expired at 20", "renew it: failctl admission certif"),
        (of_certificate(SOON), "certificate", "the certificate expires at 20", "renew it: failctl admission certif"),
        (of_certificate(SOON, trusted=False), "certificate", "the certificate expires at 20", "renew it"),
        (
            lambda state: state["configuration"]["webhooks"][0]["clientConfig"].update(
                caBundle=encoded(OTHER.authority)
            ),
            "certificate",
            "caBundle does not fit the certificate of the Secret for failure-agent-webhook.failure-agent.svc",
            "make both again: failctl admission certificate --renew",
        ),
        (of_certificate(OTHER), "certificate", "caBundle does not fit", "make both again"),
    ],
)
def test_what_is_wrong_is_named_with_a_fix(change: Callable[[Json], object], step: str, words: str, fix: str) -> None:
    state = installed()
    change(state)

    wrong = [finding for finding in found(state) if finding[1] != State.FINE]

    assert [(finding[0], words in finding[2], fix in finding[3]) for finding in wrong] == [(step, True, True)]


def test_a_secret_that_may_not_be_read_is_not_checked() -> None:
    (finding,) = [each for each in found({**installed(), "secret": "secrets is forbidden"}) if each[1] != State.FINE]

    assert finding[:3] == ("certificate", "unknown", "not checked: secrets is forbidden")


def test_endpoints_that_may_not_be_read_are_not_checked() -> None:
    (wrong,) = [finding for finding in found({**installed(), "slices": "is forbidden"}) if finding[1] != State.FINE]

    assert wrong[:3] == ("service", "unknown", "not checked: is forbidden")


def test_a_certificate_of_the_old_authority_is_trusted_while_the_new_one_comes() -> None:
    state = installed()
    state["configuration"]["webhooks"][0]["clientConfig"]["caBundle"] = encoded(OTHER.authority + ISSUED.authority)

    assert {finding[1] for finding in found(state)} == {"fine"}


def authority(key: ec.EllipticCurvePrivateKey, *, lasts: timedelta) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")])
    made = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    valid = made.serial_number(1).not_valid_before(NOW - DAYS).not_valid_after(NOW + lasts)
    return valid.add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True).sign(key, hashes.SHA256())


@pytest.mark.parametrize(("lasts", "faulty"), [(13 * DAYS, 1), (15 * DAYS, 0)])
def test_an_authority_that_expires_before_its_certificate_is_named(lasts: timedelta, faulty: int) -> None:
    key, host = ec.generate_private_key(ec.SECP256R1()), "webhook.example"
    issuer = authority(key, lasts=lasts)
    made = (
        x509.CertificateBuilder().subject_name(x509.Name([])).issuer_name(issuer.subject).public_key(key.public_key())
    )
    valid = made.serial_number(2).not_valid_before(NOW - DAYS).not_valid_after(NOW + 90 * DAYS)
    names_host = valid.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=True)
    chain, bundle = (
        certificate.public_bytes(Encoding.PEM) for certificate in (names_host.sign(key, hashes.SHA256()), issuer)
    )

    words = [difference.words for difference in faults(chain, bundle, host=host, now=NOW)]

    assert ["an authority of caBundle expires within 14 days" in said for said in words] == [True] * faulty


def test_an_address_outside_the_cluster_must_be_in_the_certificate() -> None:
    state = installed()
    state["configuration"]["webhooks"][0]["clientConfig"] = {
        "url": "https://127.0.0.1:8443/conditions",
        "caBundle": encoded(ISSUED.authority),
    }

    (wrong,) = [finding for finding in found(state) if finding[1] != State.FINE]
    assert wrong[2].startswith("caBundle does not fit the certificate of the Secret for 127.0.0.1")
