"""``failure-agent``: one program with a command for each process. A command's modules are loaded only when it runs."""

from typing import ClassVar

from agent.console.program import LazyGroup, make_root, run_program


class Processes(LazyGroup):
    """The processes, each with its module and its summary."""

    modules: ClassVar = {
        "cluster": ("agent.cluster.command", "Watch a cluster and report why its pods fail."),
        "admission": ("agent.cluster.admission.command", "Answer the admission webhook only, for mode daemonset."),
        "scheduler": ("agent.scheduler.command", "Decide what happens after each failure."),
        "lookout": ("agent.lookout.command", "Keep every failure where it can be looked up."),
        "simulator": ("agent.simulator.__main__", "Serve a simulated cluster over HTTP."),
        "demo": ("agent.demo.main", "Run all of it on this machine, with simulated clusters."),
        "init": ("agent.starter.command", "Write starter files for a cluster of your own."),
    }


app = make_root(
    "failure-agent",
    "Says why a pod failed, decides what happens next, and shows its reasoning.",
    cls=Processes,
    codes="0 fine; 1 something failed; 2 wrong usage or settings; 3 unreachable; 141 closed output",
)


def main() -> None:
    """Run ``failure-agent``."""
    run_program(app, name="failure-agent")


if __name__ == "__main__":
    main()
