"""Whether our namespace is there and open to us, by the errors of the client library.

The library tells both apart, so this needs no frames of our own: AuthorizationError for a role without any permission,
TopicNotFound for a tenant, namespace or topic that is not there. Which right is lacking on which topic is known when a
producer is opened or a subscription is made there (``preflight``), by the same error.
"""

import pulsar
from pulsar import exceptions

from agent.broker.pulsar.names import Names
from agent.broker.pulsar.reach import CheckFailure, CheckStep
from agent.broker.pulsar.registry import REGISTRY


def check_namespace(client: pulsar.Client, names: Names) -> None:
    """Look up the registry topic, which whoever uses the namespace does first. Raises CheckFailure.

    An error that says nothing of the namespace is passed over: it comes again with what is done next.
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
