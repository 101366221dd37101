"""The informer of the ``kubernetes`` package as a subject: all pods of the API server at the URL given.

Once so many pods as given are in its cache it prints a line of JSON, as ``bench/go/informer`` does.
"""

import json
import sys
import threading
import time

from kubernetes.client import ApiClient, Configuration, CoreV1Api
from kubernetes.informer import SharedInformer

from bench.subject.usage import cpu_seconds, memory_mb


def main(url: str, pods: int) -> None:
    """Fill the cache, say what it took, and end."""
    configuration = Configuration(host=url)
    informer = SharedInformer(CoreV1Api(ApiClient(configuration)).list_pod_for_all_namespaces)
    synced = threading.Event()
    seen = 0

    def added(_: object) -> None:
        nonlocal seen
        seen += 1
        if seen == pods:
            synced.set()

    informer.add_event_handler("ADDED", added)
    started = time.monotonic()
    informer.start()
    synced.wait()
    figures = {
        "seconds": time.monotonic() - started,
        "cpu_seconds": cpu_seconds(),
        "peak_mb": memory_mb()[0],
        "pods": pods,
    }
    print(json.dumps(figures), flush=True)
    informer.stop()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
