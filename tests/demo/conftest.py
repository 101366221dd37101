from tests.demo.ended import a_wide_demo

__all__ = ["a_wide_demo"]
