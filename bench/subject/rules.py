"""The rules of an agent as a subject: reads and compiles those that ship, as an agent does when it starts.

It prints the seconds of processor that this took, without what the process imports for it.
"""

import time

from agent.core.classify.classifier import compile_rules
from agent.patterns import BacktrackingSearches
from agent.rule_files import read_rules
from agent.shipped import RULES, shipped

if __name__ == "__main__":
    began = time.process_time()
    compile_rules(read_rules(shipped(RULES)), searches=BacktrackingSearches(clock=time.monotonic))
    print(time.process_time() - began)
