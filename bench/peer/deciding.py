"""A scheduler's settings, as an operator writes them."""

import json
from pathlib import Path
from typing import Final

from sqlalchemy import make_url

_POLICY: Final = """\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: bench}
spec:
  retryLimit: 5
  rules:
    - {name: oom, action: Retry, retryLimit: 2, onConditions: [OOMKilled]}
    - {name: leaf, action: Retry, retryLimit: 2, onCategory: category_3}
    - {name: segfault, action: Fail, onExitCodes: {operator: In, values: [139]}}
"""


def write_settings(folder: Path, *, broker: str, store: str, level: str = "error") -> Path:
    """The settings file, and beside it a policy and a file with the password that is in the store's address."""
    address = make_url(store)
    policy, password, file = folder / "policy.yaml", folder / "password", folder / "scheduler.yaml"
    policy.write_text(_POLICY, encoding="utf-8")
    password.write_text(str(address.password), encoding="utf-8")
    settings = {
        "broker": {"url": broker},
        "store": {"url": address._replace(password=None).render_as_string(), "passwordFile": str(password)},
        "scheduling": {"retryPolicy": {"enabled": True, "defaultPolicyName": "bench"}},
        "api": {"port": 0},
        "policies": [str(policy)],
        "log": {"level": level},
        "health": {"port": 0},
    }
    file.write_text(json.dumps(settings), encoding="utf-8")
    return file
