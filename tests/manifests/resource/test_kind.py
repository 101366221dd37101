from agent.api.v1 import resources_pb2 as pb
from agent.manifests.resource.kind import KINDS, NAMES, Kind


def test_the_table_has_every_kind_with_its_number_of_the_api() -> None:
    numbers = {name: number for name, number in pb.ResourceKind.items() if number}

    assert {f"RESOURCE_KIND_{kind.name}": row.number for kind, row in KINDS.items()} == numbers


def test_a_name_means_one_kind() -> None:
    assert len(NAMES) == sum(len(kind.names) for kind in Kind)
    assert len({kind.listed for kind in Kind}) == len({kind.schema for kind in Kind}) == len(Kind)


def test_versions_are_those_of_the_shapes_each_once() -> None:
    assert Kind.QUEUE.reader.versions == ("armadaproject.io/v1", "armadaproject.io/v1beta1")
    assert Kind.ERROR_RULE.reader.versions == ("failure-agent.dev/v1",)
