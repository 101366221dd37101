"""What this process has used so far, and what its metrics say."""

import resource
from pathlib import Path

from prometheus_client import REGISTRY


def memory_mb() -> tuple[float, float]:
    """Resident memory at its highest and now, in megabytes (proc(5): VmHWM, VmRSS)."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    kib = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.startswith("Vm")}
    return kib["VmHWM"] * 1024 / 1e6, kib["VmRSS"] * 1024 / 1e6


def cpu_seconds() -> float:
    """Processor time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def samples(name: str, label: str) -> dict[str, float]:
    """The values of a metric, by one of its labels."""
    return {
        sample.labels[label]: sample.value
        for metric in REGISTRY.collect()
        for sample in metric.samples
        if sample.name == name
    }
