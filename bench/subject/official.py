"""The informer of the ``kubernetes`` package as a subject: all pods of the API server at the URL given.

Once so many pods as given are in its cache it prints a line of JSON, as ``bench/go/informer`` does.
"""

import json
import resource
import sys
import threading
import time
from pathlib import Path

from kubernetes.client import ApiClient, Configuration, CoreV1Api
from kubernetes.informer import SharedInformer


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
    used = resource.getrusage(resource.RUSAGE_SELF)
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    figures = {
        "seconds": time.monotonic() - started,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_mb": peak * 1024 / 1e6,
        "pods": pods,
    }
    print(json.dumps(figures), flush=True)
    informer.stop()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
