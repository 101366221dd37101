"""The command line of ``failctl admission``."""

import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from agent.console.exits import Exit, end
from agent.console.options import ApiServer, Context, Kubeconfig, Output
from agent.console.program import add, make_app

admission = make_app("admission", "Install the webhook that gives failed pods conditions.")

Home = Annotated[str, typer.Option("-n", "--namespace", help="The namespace of the Service.", metavar="NAME")]
Service = Annotated[str, typer.Option("--service", help="The Service, and the Secret.", metavar="NAME")]


@add(
    admission,
    "failctl admission certificate | kubectl apply --server-side --field-manager=failctl -f -",
    "failctl admission certificate --renew | kubectl apply --server-side --field-manager=failctl -f -",
)
def certificate(
    renew: Annotated[bool, typer.Option("--renew", help="Go on trusting what the API server trusts now.")] = False,
    days: Annotated[int, typer.Option("--days", help="How long it is valid.", min=1, max=3650, metavar="DAYS")] = 365,
    namespace: Home = "failure-agent",
    service: Service = "failure-agent-webhook",
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    url: ApiServer = None,
) -> None:
    """Make a certificate for the webhook.

    Prints a Secret, with the private key, and the caBundle of deploy/admission.yaml, to be applied together. Only
    --renew reads from the API server; nothing is written there. Agents serve the new certificate without a restart,
    within minutes.
    """

    def run() -> Exit:
        from agent.ctl.admission.certificate import CertificateRequest
        from agent.ctl.admission.certificate import run as run_certificate
        from agent.ctl.destination import ApiServerAddress

        where = ApiServerAddress(kubeconfig=kubeconfig, context=context, url=url)
        request = CertificateRequest(namespace=namespace, service=service, days=days, renew=renew, where=where)
        return run_certificate(request, now=datetime.now(UTC), out=sys.stdout)

    end(run)


@add(admission, "failctl admission check", "failctl admission check --context gpu-east -o json")
def check(
    namespace: Home = "failure-agent",
    service: Service = "failure-agent-webhook",
    kubeconfig: Kubeconfig = None,
    context: Context = None,
    url: ApiServer = None,
    output: Output = "table",
) -> None:
    """Read the installed webhook back, and say what is wrong.

    Old API servers drop fields without a word. Checks the version, the configuration, whether the Service leads to
    a ready pod, and whether the API server trusts the certificate of the Secret for the next 14 days. Not checked:
    whether a NetworkPolicy lets the API server through. Exits with 1 if something is wrong.
    """

    def run() -> Exit:
        from agent.ctl.admission.check import AdmissionCheckRequest
        from agent.ctl.admission.check import run as run_check
        from agent.ctl.destination import ApiServerAddress

        where = ApiServerAddress(kubeconfig=kubeconfig, context=context, url=url)
        request = AdmissionCheckRequest(namespace=namespace, service=service, where=where, output=output)
        return run_check(request, now=datetime.now(UTC), out=sys.stdout)

    end(run)
