"""The path of a revision as a subject: for each line on its input it takes the sample's pods along the path once.

It prints the seconds of processor a pod. The revision is the one whose ``agent`` and ``bench`` are imported.
"""

import gc
import sys
import time

from bench.path import RULES, SEED, ours
from bench.sample import pods
from bench.sample.rules import hits, rule_set


def main(number: int) -> None:
    """Answer every line, for this many pods."""
    rules = rule_set(RULES, seed=SEED)
    lines = pods.watch_lines(number, hits=hits(rules), seed=SEED)
    path = ours(rules, lines)
    for _ in sys.stdin:
        gc.collect()
        began = time.process_time()
        for line in lines:
            path(line)
        print((time.process_time() - began) / number, flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
