"""Several retry policies in one file."""

from agent.core.retry.policy import RetryPolicy
from agent.documents.checked import empty_document
from agent.documents.compose import read
from agent.documents.problem import ManifestError, errors_of
from agent.manifests.retry_policy import check_retry_policy


def load_retry_policies(text: str | bytes, *, file: str) -> tuple[RetryPolicy, ...]:
    """Return the policies of a file, one a document. Raises ``ManifestError`` with every fault at once."""
    documents = read(text, file=file)
    checked = [check_retry_policy(root, documents.source) for root in documents.roots]
    problems = errors_of((*documents.problems, *(problem for one in checked for problem in one.problems)))
    if not documents.roots and not problems:
        problems = (documents.source.problem(empty_document()),)
    if problems:
        raise ManifestError(problems)
    return tuple(one.wanted() for one in checked)
