import pytest

from agent.kube.access import Access, access_of

WATCH = {"watch": "true"}


@pytest.mark.parametrize(
    ("method", "path", "params", "said"),
    [
        ("GET", "/api/v1/pods", {}, "list pods"),
        ("GET", "/api/v1/pods", WATCH, "watch pods"),
        ("GET", "/api/v1/namespaces/ml/pods", {"watch": "false"}, "list pods in namespace ml"),
        ("GET", "/api/v1/namespaces/ml/pods/a", {}, "get pods in namespace ml"),
        ("GET", "/api/v1/namespaces/ml/pods/a/log", {}, "get pods/log in namespace ml"),
        ("PATCH", "/api/v1/namespaces/ml/pods/a", {}, "patch pods in namespace ml"),
        ("DELETE", "/api/v1/namespaces/ml/pods/a", {}, "delete pods in namespace ml"),
        ("POST", "/api/v1/namespaces/ml/pods", {}, "create pods in namespace ml"),
        ("GET", "/api/v1/namespaces", {}, "list namespaces"),
        ("GET", "/api/v1/namespaces/kube-system", {}, "get namespaces kube-system"),
        ("PATCH", "/api/v1/nodes/n/status", {}, "patch nodes/status n"),
        (
            "PUT",
            "/apis/coordination.k8s.io/v1/namespaces/a/leases/b",
            {},
            "update leases.coordination.k8s.io in namespace a",
        ),
        ("GET", "/apis/batch/v1/jobs", WATCH, "watch jobs.batch"),
        ("GET", "/api/v1/namespaces/a%2Fb/pods", {}, "list pods in namespace a/b"),
    ],
)
def test_each_request_needs_one_permission(method: str, path: str, params: dict[str, str], said: str) -> None:
    assert str(access_of(method, path, params)) == said


@pytest.mark.parametrize("path", ["/", "/readyz", "/version", "/api", "/api/v1", "/apis", "/apis/batch/v1"])
def test_a_path_that_is_no_resource_needs_no_permission(path: str) -> None:
    assert access_of("GET", path, {}) is None


def test_a_subresource_is_part_of_the_resource() -> None:
    assert access_of("GET", "/api/v1/namespaces/ml/pods/a/log", {}) == Access(
        verb="get", resource="pods/log", namespace="ml"
    )
