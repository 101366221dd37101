"""A reader with Armada's first FailureInfo, of four fields, understands ours (armadaproject/armada#4741)."""

from typing import Any

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from hypothesis import given
from msgspec.structs import replace

from agent.core.failure import Failure
from agent.wire.failure import encode
from tests.core import strategies

_INT32 = descriptor_pb2.FieldDescriptorProto.TYPE_INT32
_STRING = descriptor_pb2.FieldDescriptorProto.TYPE_STRING
_ONE = descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL
_MANY = descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED


def four_field_schema() -> Any:  # noqa: ANN401 - a class made at run time
    file = descriptor_pb2.FileDescriptorProto(name="seed.proto", package="seed", syntax="proto3")
    message = file.message_type.add(name="FailureInfo")
    message.field.add(name="exit_code", number=1, type=_INT32, label=_ONE)
    message.field.add(name="termination_message", number=2, type=_STRING, label=_ONE)
    message.field.add(name="categories", number=3, type=_STRING, label=_MANY)
    message.field.add(name="container_name", number=4, type=_STRING, label=_ONE)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("seed.FailureInfo"))


@pytest.fixture(scope="module")
def schema() -> Any:  # noqa: ANN401 - a class made at run time
    return four_field_schema()


@given(failure=strategies.failures())
def test_the_four_fields_of_the_seed_are_read_by_its_schema(schema: Any, failure: Failure) -> None:  # noqa: ANN401 - as above
    read = schema.FromString(encode(failure))

    assert read.exit_code == (failure.exit_code or 0)
    assert read.termination_message == failure.termination_message
    assert tuple(read.categories) == failure.classification.categories
    assert read.container_name == failure.container_name


@pytest.mark.slow
@given(failure=strategies.failures())
def test_our_exit_code_has_presence(failure: Failure) -> None:
    one, none = encode(replace(failure, exit_code=0)), encode(replace(failure, exit_code=None))

    assert one == b"\x08\x00" + none
