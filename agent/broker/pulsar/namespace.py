"""Whether our namespace exists and is open to us, by the errors of the client library.

The library distinguishes both, so this needs no frames of our own: AuthorizationError for a role without any
permission, TopicNotFound for a tenant, namespace or topic that does not exist. The same error shows which permission is
missing on which topic when a producer or a subscription is opened there (``preflight``).
"""

import pulsar
from pulsar import exceptions

from agent.broker.pulsar.address import Names
from agent.broker.pulsar.reach import CheckFailure, CheckStep
from agent.broker.pulsar.registry import REGISTRY


def check_namespace(client: pulsar.Client, names: Names) -> None:
    """Look up the registry topic, which whoever uses the namespace does first. Raises CheckFailure.

    An error that is not about the namespace is ignored: the next operation reports it.
    """
    try:
        client.get_topic_partitions(names.full(REGISTRY))
    except exceptions.AuthorizationError as error:
        fix = f"have an operator grant it: pulsar-admin namespaces grant-permission {names.namespace} --role ROLE ..."
        raise CheckFailure(CheckStep.PERMISSION, f"our role has no permission in {names.namespace}", fix=fix) from error
    except exceptions.TopicNotFound as error:
        raise CheckFailure(
            CheckStep.TENANT,
            f"{names.namespace} does not exist, or topics are not created in it automatically",
            fix="correct it, or create it: pulsar-admin tenants create, "
            f"pulsar-admin namespaces create {names.namespace}, pulsar-admin topics create {names.full(REGISTRY)}",
        ) from error
    except exceptions.PulsarException:
        return
