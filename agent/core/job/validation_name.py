"""Names that the API server checks with regular expressions (apimachinery ``IsLabelKey``, ``IsDomainPrefixedPath``)."""

import re
from collections.abc import Iterator

from agent.core.job.field_error import FieldError, invalid, required
from agent.core.job.naming import drawn_name

_LABEL_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_KEY_SAID = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    f"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_LABEL_KEY}')"
)
_DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_DNS_LABEL}(\.{_DNS_LABEL})*"
_SUBDOMAIN_SAID = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    f"and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
)
_PATH = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"
_LONGEST_NAME = 63
_LONGEST_SUBDOMAIN = 253


def validate_qualified_name(field: str, name: str) -> Iterator[FieldError]:
    """Yield the errors of a name with an optional DNS prefix and ``/``."""
    prefix, slash, last = name.rpartition("/")
    if "/" in prefix:
        said = f"a valid label key {_LABEL_KEY_SAID} with an optional DNS subdomain prefix and '/' (e.g. "
        yield invalid(field, name, f"{said}'example.com/MyName')")
        return
    if slash and not prefix:
        yield invalid(field, name, "prefix part must be non-empty")
    elif slash:
        yield from (invalid(field, name, f"prefix part {said}") for said in _subdomain_faults(prefix))
    if not last:
        yield invalid(field, name, "name part must be non-empty")
    elif len(last.encode()) > _LONGEST_NAME:
        yield invalid(field, name, f"name part must be no more than {_LONGEST_NAME} bytes")
    if not re.fullmatch(_LABEL_KEY, last):
        yield invalid(field, name, f"name part {_LABEL_KEY_SAID}")


def validate_object_name(name: str | None, generate_name: str | None) -> Iterator[FieldError]:
    """Yield the errors of ``metadata.name`` and ``generateName``; one of them is enough (``ValidateObjectMeta``).

    Without a name the generated one is checked; here it ends in ``DRAWN``.
    """
    if generate_name:
        prefix = _without_dash(generate_name)
        yield from (invalid("metadata.generateName", generate_name, said) for said in _subdomain_faults(prefix))
    chosen = name or (drawn_name(generate_name) if generate_name else None)
    if chosen is None:
        yield required("metadata.name", "name or generateName is required")
    else:
        yield from (invalid("metadata.name", chosen, said) for said in _subdomain_faults(chosen))


def validate_domain_prefixed_path(field: str, path: str) -> Iterator[FieldError]:
    """Yield the errors of a path like ``acme.io/foo``."""
    if not path:
        yield required(field, "")
        return
    host, _, rest = path.partition("/")
    if not host or not rest:
        yield invalid(field, path, 'must be a domain-prefixed path (such as "acme.io/foo")')
        return
    yield from (invalid(field, host, said) for said in _subdomain_faults(host))
    if not re.fullmatch(_PATH, rest):
        yield invalid(field, rest, f"Invalid path (regex used for validation is '{_PATH}')")


def pod_host_fault(job: str, completions: int) -> str | None:
    """Return why the host name of the last pod of an Indexed Job is invalid, if it is (``ValidateJob``)."""
    host = f"{job}-{completions - 1}"
    if re.fullmatch(_DNS_LABEL, host) and len(host) <= _LONGEST_NAME:
        return None
    return f"will not able to create pod with invalid DNS label: {host}"


def _without_dash(prefix: str) -> str:
    """A prefix as it is checked, with a trailing dash masked (``maskTrailingDash``)."""
    return f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix


def _subdomain_faults(name: str) -> Iterator[str]:
    if len(name.encode()) > _LONGEST_SUBDOMAIN:
        yield f"must be no more than {_LONGEST_SUBDOMAIN} bytes"
    if not re.fullmatch(_SUBDOMAIN, name):
        yield _SUBDOMAIN_SAID
