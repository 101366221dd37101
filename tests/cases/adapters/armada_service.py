"""Armada's cases about its service, repository, cache and files: through our API, cache and command line."""

import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog.testing
import yaml
from typer.testing import CliRunner, Result

from agent.api.v1.resources_pb2 import RESOURCE_KIND_QUEUE, RESOURCE_KIND_RETRY_POLICY
from agent.client.errors import ApiError
from agent.client.resources import ResourceClient, connect
from agent.ctl.main import app
from agent.ctl.server import VARIABLE
from agent.manifests.resource.kind import Kind
from agent.scheduler.config.stored import LoadRefused
from agent.scheduler.service.plan import Intent
from agent.scheduler.service.rights import Denied, RightsUnknown
from agent.store import resources
from agent.store.errors import StoreError
from agent.store.resources import Change, NewVersion
from agent.store.store import Store
from tests.cases.adapter import Differs, Run, expect
from tests.cases.case import Case
from tests.scheduler.service.site import AT, Site, served, site

HEAD = {"apiVersion": "armadaproject.io/v1beta1"}
POLICY = RESOURCE_KIND_RETRY_POLICY
VERBS = ("create", "update", "delete", "list", "get")
_QUEUE = re.compile(r"([\w-]+) \[([\w,-]*)\] (?:-> \[([\w,-]*)\]|unchanged)")
_RETURNED = re.compile(r"returned detached=\[([\w,-]*)\]")


@dataclass
class Rights:
    """An authorizer as a case describes it."""

    about: str = ""
    says: str = ""
    asked: list[str] = field(default_factory=list)

    def check(self, who: str, permission: str) -> None:
        del who
        self.asked.append(permission)
        if permission == self.about and "lacks" in self.says:
            raise Denied(self.says)
        if permission == self.about:
            raise RightsUnknown(self.says)


@contextmanager
def _api(rights: Rights | None = None) -> Iterator[tuple[Site, Path, str]]:
    """An API over an empty store: its parts, the store's file and the address."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = stack.enter_context(Store.open(f"sqlite:///{folder}/store.db"))
        made = site(store, rights=rights)
        address = stack.enter_context(served(made))
        yield made, folder / "store.db", address


def _policy(name: str = "p1", **fields: object) -> str:
    return yaml.safe_dump({**HEAD, "kind": "RetryPolicy", "name": name, "defaultAction": "Retry", **fields})


def _queue(name: str, policies: Sequence[str]) -> str:
    return yaml.safe_dump({**HEAD, "kind": "Queue", "name": name, "retryPolicies": list(policies)})


def _call(client: ResourceClient, verb: str, text: str, name: str = "p1") -> object:
    calls: Mapping[str, Callable[[], object]] = {
        "create": lambda: client.create(text),
        "update": lambda: client.update(text),
        "delete": lambda: client.delete(POLICY, name, allow_missing=True),
        "list": lambda: client.list(POLICY),
        "get": lambda: client.get(POLICY, name),
    }
    return calls[verb]()


def _code(call: Callable[[], object]) -> str:
    """The code of a call, as Go names it: ``InvalidArgument``."""
    try:
        call()
    except ApiError as error:
        return "".join(part.capitalize() for part in error.code.name.split("_"))
    return "OK"


def run_service_errors(case: Case) -> None:
    """A call, as the case's fields or its name describe it, and the code of the answer."""
    if "detached" in case.data:
        _run_detached(case)
        return
    rights = Rights(about=case.data.get("permission", ""), says=case.data.get("authorizer", ""))
    verb = case.data.get("rpc") or _verb(case.identity)
    text, name = _policy(), "p1"
    if "no default action" in case.identity:
        text = yaml.safe_dump({**HEAD, "kind": "RetryPolicy", "name": "p1"})
    if "without a name" in case.identity:
        text, name = text.replace("name: p1\n", ""), ""
    with _api(rights) as (made, file, address), connect(address, who="case") as client:
        if verb == "update":
            made.resources.put(_policy(retryLimit=1), who="before", intent=Intent.CREATE)
        if "database is down" in case.identity:
            file.rename(file.with_suffix(".away"))
        got = _code(lambda: _call(client, verb, text, name))
    expect(case.data["expectGrpcCode"], got, of="code")
    if rights.about:
        expect(True, rights.about in rights.asked, of="permission asked for")


def _verb(identity: str) -> str:
    found = next((one for one in VERBS if re.search(rf"\b{one}", identity)), None)
    if found is None:
        raise Differs(f"no call has a name like {identity!r}")
    return found


def _run_detached(case: Case) -> None:
    with _api() as (made, _, address), connect(address, who="case") as client:
        client.create("---\n".join([_policy(), *(_queue(name, ["p1"]) for name in case.data["detached"])]))
        with structlog.testing.capture_logs() as logs:
            client.delete(POLICY, "p1")
        expect([], made.names(Kind.RETRY_POLICY), of="policies left")
    said = "\n".join(f"{one['event']} {one.get('queues', '')}" for one in logs)
    for words in case.data.get("expectLogContains", ()):
        expect(True, words in said, of=f"{words!r} in {said!r}")
    for words in case.data.get("expectLogNotContains", ()):
        expect(False, words in said, of=f"{words!r} in {said!r}")


def run_repository(case: Case) -> None:
    """What the store of policies does, as the case's name describes it."""
    with _api() as (_, _, address), connect(address, who="case") as client:
        if "does not exist" in case.identity:
            verb = "get" if "getting" in case.identity else "update"
            got = _code(lambda: _call(client, verb, _policy()))
            expect(case.data["expect"], {"NotFound": "ErrRetryPolicyNotFound"}.get(got, got), of="error")
        elif "over an existing name" in case.identity:
            client.create(_policy(retryLimit=1))
            client.create(_policy(retryLimit=2))
            (only,) = (one for one in client.list(POLICY) if one.version)
            second = yaml.safe_load(only.text)["retryLimit"] == 2
            expect(case.data["expect"], "upsert: second definition wins" if second else only.text, of="policy")
        elif "idempotent" in case.identity:
            client.create(_policy())
            client.delete(POLICY, "p1")
            again = client.delete(POLICY, "p1", allow_missing=True)
            expect(case.data["expect"], f"second delete succeeds, {_words(again.detached)}", of="second delete")
        elif _QUEUE.search(str(case.data["expect"])):
            _run_detaching(client, str(case.data["expect"]))
        else:
            raise Differs(f"nothing does what {case.identity!r} describes")


def _words(detached: Sequence[str]) -> str:
    return f"detached list {list(detached) or 'empty'}"


def _run_detaching(client: ResourceClient, expected: str) -> None:
    queues = {name: (_names(before), _names(after or before)) for name, before, after in _QUEUE.findall(expected)}
    policies = sorted({name for before, _ in queues.values() for name in before})
    client.create("---\n".join(_policy(name) for name in policies))
    client.create("---\n".join(_queue(name, before) for name, (before, _) in queues.items()))
    done = client.delete(POLICY, "p1")
    found = _RETURNED.search(expected)
    expect(_names(found[1] if found else ""), list(done.detached), of="detached")
    for name, (_, after) in queues.items():
        written = yaml.safe_load(client.get(RESOURCE_KIND_QUEUE, name).text)
        expect(after, written["retryPolicies"], of=f"policies of {name}")


def _names(text: str) -> list[str]:
    return [one for one in text.split(",") if one]


def run_policy_cache(case: Case) -> None:
    """Refreshes of the cache, one after the other, each of what the store has or of one that is away."""
    with _api() as (made, file, _):
        for number, step in enumerate(case.data["steps"]):
            away = file.with_suffix(".away")
            if step.get("apiError"):
                file.rename(away)
            else:
                _fill(made.store, step.get("policies", ()))
            failed = False
            try:
                made.in_force.cache.refresh()
            except (StoreError, LoadRefused):
                failed = True
            if step.get("apiError"):
                away.rename(file)
            expect(bool(step.get("expectRefreshError")), failed, of=f"refresh {number} fails")
            served_now = made.in_force.cache.current.policies
            expect(
                list(step.get("served", ())), [one for one in step.get("served", ()) if one in served_now], of="served"
            )
            expect([], [one for one in step.get("missing", ()) if one in served_now], of="served, though missing")


def _fill(store: Store, policies: Sequence[Mapping[str, Any]]) -> None:
    """Make the store have exactly these policies, valid or not, as a person with the database could."""
    kind = Kind.RETRY_POLICY.value
    texts = {one["name"]: yaml.safe_dump({**HEAD, "kind": kind, **one}) for one in policies}
    with store.decide({resources.SCOPE}) as connection:
        gone = {one.name: None for one in resources.everything(connection) if one.name not in texts}
        for name, text in {**texts, **gone}.items():
            change = Change.UPDATED if text else Change.DELETED
            new = NewVersion(kind=kind, name=name, uid=f"uid-{name}", text=text, change=change, at=AT, by="case")
            resources.write(connection, new)


def run_armadactl_files(case: Case) -> None:
    """Files through the command line, ``create retrypolicy -f`` and ``get``."""
    with _api() as (_, file, address):
        line = _CommandLine(address, file.parent)
        if "expectError" in case.data:
            done = line.create(case.data["yaml"])
            wanted = case.data["expectError"].casefold()
            expect(True, done.exit_code != 0 and wanted in done.output.casefold(), of=f"{wanted!r} in {done.output!r}")
            return
        if "also when empty" in case.identity:
            expect(
                case.data["expect"], yaml.safe_load(line.run("get", "retrypolicies", "-o", "yaml").stdout), of="list"
            )
            line.create(HANDWRITTEN)
            listed = yaml.safe_load(line.run("get", "retry-policies", "-o", "yaml").stdout)
            expect(["p1"], [one["name"] for one in listed["retryPolicies"]], of="list of one")
            return
        said = [line.create(case.data.get("yaml") or HANDWRITTEN).stdout]
        got = line.run("get", "retrypolicy", "p1", "-o", "yaml").stdout
        if "usable as create input" in case.identity:
            said.append(line.run("delete", "retrypolicy", "p1").stdout)
            expect(0, line.create(got).exit_code, of="exit code of create")
            expect(got, line.run("get", "retrypolicy", "p1", "-o", "yaml").stdout, of="policy after the round trip")
            expect("round-trips", case.data["expect"], of="expectation")
            return
        if isinstance(case.data.get("expect"), Mapping):
            found = yaml.safe_load(got)
            expect(case.data["expect"], {name: found.get(name) for name in case.data["expect"]}, of="policy")
        said += [got, line.update(HANDWRITTEN).stdout, line.run("delete", "retry-policy", "p1").stdout]
        for words in case.data.get("expectOutputContains", ()):
            expect(True, words in "".join(said), of=f"{words!r} in {said!r}")
        for words in case.data.get("expectOutputNotContains", ()):
            expect(False, words in "".join(said), of=f"{words!r} in {said!r}")


HANDWRITTEN = """\
apiVersion: armadaproject.io/v1beta1
kind: RetryPolicy
name: p1
retryLimit: 3
defaultAction: Retry
rules:
  - action: Fail
    onCategory: UserError
"""


@dataclass
class _CommandLine:
    """``failctl`` with the API of a case."""

    address: str
    folder: Path

    def run(self, *words: str) -> Result:
        """Run ``failctl`` with these words."""
        return CliRunner().invoke(app, words, env={VARIABLE: self.address})

    def create(self, text: str | None) -> Result:
        """Create from a file with this text; ``None`` is a file that is not there."""
        return self._put("create", text)

    def update(self, text: str) -> Result:
        """Update from a file with this text."""
        return self._put("update", text)

    def _put(self, verb: str, text: str | None) -> Result:
        file = self.folder / "policy.yaml"
        file.unlink(missing_ok=True)
        if text is not None:
            file.write_text(text)
        return self.run(verb, "retrypolicy", "-f", str(file))


RUNS: Mapping[str, Run] = {
    "service_errors": run_service_errors,
    "repository": run_repository,
    "policy_cache": run_policy_cache,
    "armadactl_files": run_armadactl_files,
}
