from tests.store.databases import store, store_url

__all__ = ["store", "store_url"]
