import pytest

from agent.core.identity.expression import (
    Annotation,
    ExpressionError,
    Label,
    Owner,
    OwnerField,
    PodField,
    in_words,
    parse_expression,
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{uid}", (PodField.UID,)),
        ("{label:team}", (Label("team"),)),
        ("{namespace}/{annotation:my.org/gang}", (PodField.NAMESPACE, "/", Annotation("my.org/gang"))),
        ("{owner.uid}", (Owner(OwnerField.UID),)),
        ("{owner:batch/Job.name}", (Owner(OwnerField.NAME, kind="Job", group="batch"),)),
        ("x-{owner:ray.io/RayCluster.uid}", ("x-", Owner(OwnerField.UID, kind="RayCluster", group="ray.io"))),
    ],
)
def test_an_expression_is_text_and_places(text: str, parts: tuple[object, ...]) -> None:
    assert parse_expression(text).parts == parts
    assert parse_expression(text).text == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no place"),
        ("armada_job_id", "no place"),
        ("{label:team", "brace at character 1"),
        ("{uid}}", "brace at character 6"),
        ("{}", "unknown placeholder"),
        ("{labels:team}", "unknown placeholder 'labels:team'"),
        ("{uid:x}", "unknown placeholder"),
        ("{label}", "unknown placeholder"),
        ("{label:}", "not a key of labels"),
        ("{annotation:a b}", "not a key of annotations"),
        ("{owner:Job.uid}", "unknown placeholder"),
        ("{owner:batch/Job}", "unknown placeholder"),
        ("{owner:batch/Job.kind}", "unknown placeholder"),
    ],
)
def test_what_is_none_says_why(text: str, why: str) -> None:
    with pytest.raises(ExpressionError, match=why):
        parse_expression(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{annotation:failure-agent.dev/containers}", "the annotation failure-agent.dev/containers"),
        ("{namespace}/{label:team}", "the pod's namespace and the label team"),
        ("{owner.name}", "the name of its owner"),
        ("x-{owner:ray.io/RayCluster.uid}", "the uid of its RayCluster"),
    ],
)
def test_people_read_places_in_words(text: str, words: str) -> None:
    assert in_words(parse_expression(text)) == words
