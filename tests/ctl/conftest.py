from tests.broker.brokers import broker_url

__all__ = ["broker_url"]
