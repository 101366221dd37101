import pytest
from prometheus_client import REGISTRY, generate_latest

from agent.telemetry import broker_metrics, cluster_metrics, lookout_metrics, scheduler_metrics


def _value(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


@pytest.mark.parametrize(("category", "counted"), [("infra", 1.0), ("", 0.0)])
def test_a_failure_is_counted_under_its_category(category: str, counted: float) -> None:
    before = _value("failure_agent_failures_total", category=category, subcategory="oom", origin="infra")
    cluster_metrics.record_failure(category, "oom", origin="infra")

    after = _value("failure_agent_failures_total", category=category, subcategory="oom", origin="infra")
    assert after - before == counted


def test_a_category_is_counted_separately_by_origin() -> None:
    for origin in ("user", "infra", "infra"):
        cluster_metrics.record_failure("apart", "disk", origin=origin)

    said = generate_latest(REGISTRY).decode()
    assert 'failure_agent_failures_total{category="apart",origin="infra",subcategory="disk"} 2.0' in said
    assert 'failure_agent_failures_total{category="apart",origin="user",subcategory="disk"} 1.0' in said


@pytest.mark.parametrize(("category", "counted"), [("infra", 1.0), ("", 0.0)])
def test_a_classification_is_timed_under_its_category(category: str, counted: float) -> None:
    before = _value("failure_agent_classification_seconds_count", category=category)
    cluster_metrics.record_classification(0.0001, category=category, subcategory="")

    assert _value("failure_agent_classification_seconds_count", category=category) - before == counted


def test_every_metric_of_ours_has_our_prefix_and_a_description() -> None:
    metrics = [
        value
        for module in (cluster_metrics, scheduler_metrics, broker_metrics, lookout_metrics)
        for name, value in vars(module).items()
        if name.isupper() and not name.startswith("_")
    ]

    described = [metric.describe()[0] for metric in metrics]
    assert len(described) >= 30
    assert all(family.name.startswith("failure_agent_") for family in described)
    assert all(family.documentation for family in described)
