"""The forms of lines in what programs print: which say what is wrong, which only pass it on, and which say nothing.

They are those of families of tools (compilers, test runners, interpreters, package managers, shells), not of single
messages. A pattern is RE2 and is searched in a line without what stands before it, such as its time.
"""

from typing import Final

_LEVEL: Final = r"(?:ERROR|FATAL|CRITICAL|SEVERE|PANIC|EMERG)"
_QUIET: Final = r"(?:WARN|WARNING|INFO|DEBUG|TRACE|NOTICE|LOG|DETAIL|HINT)"
_LOGGER: Final = r"(?:[\w.-]+ - |\w[\w.-]*\W{1,3})"
_TAG: Final = rf"^(?:\[{_LEVEL}\] )?"
_NAME: Final = r"[\w./+:-]+"
_EXCEPTION: Final = r"(?:Error|Exception|Exit|Interrupt|Timeout|Failure|Panic|Killed\w*|Fault)(?:Group)?"

SILENT: Final = (
    r"^\W*$",
    r"^\++ \S",  # a trace of a shell
    r"^\s*(?:at [\w$.<>/]+ ?\(|File \"|\.\.\. \d+ more|from \S+:\d+:in |goroutine \d+ \[)",
    r"^\s*(?:\d+: [0-9a-fx]{6,}|#\d+ +0x)",  # frames
    r"^\s*(?:> )?\d* *\|",  # quoted source
    r"^\S+:\d+(?::\d+)?: +(?:\w*[Ww]arning|note|info|required from|[Ii]n |from|candidate)",
    r"^(?:\W|PHP |npm |[\w.-]+: )*(?i:warning|warn|note|notice|info|hint|help|debug|trace|detail|tip|usage)\b",
    rf"^{_LOGGER}?{_QUIET}\b",
    r"^(?i:see also|to see|re-run|run with|for more|(?:npm error )?a (?:complete|full) log|\S+ -> \[help)",
    r"^\w*:? ?(?i:clean(?:ing)? ?up|removing|stopping|shutting down|closing|post job|terminating|waiting)\b",
    r"(?i)\b(?:retry(?:ing)?|retried|(?:attempt|try) #?\d+|trying again|will try|falling back|ignored|ignoring)\b",
    r"(?i)\b(?:skipp(?:ed|ing)|(?:is|as) expected|xfail|continuing|deprecat\w+)\b",
)
"""Says nothing: traces, frames, quoted source, lines about no error, cleanup, errors that the program survived."""

WRAPPER: Final = (
    r"^(?:g?make|ninja)(?:\[\d+\])?: (?:\*\*\* \[|\*\*\* Waiting|build stopped|Target)",
    r"^collect2: |^error: (?:could not compile|test failed|command .* failed|Recipe|process didn't exit)",
    r"^npm (?:ERR!|error)(?: (?:code|Lifecycle|command|path|workspace|errno|signal|Exit|Failed at)|\s*$)",
    r"CalledProcessError|ChildFailedError|(?:non-zero|nonzero) exit|[Pp]rocess completed with exit|[Ee]xited with",
    r"\bexit(?:ed)? ?(?:status|code) *:? ?-?\d|ended with \d|failed with exit|code \d+\)?$|returned \d+ exit",
    r"stopped: subcommand|BUILD FAIL|Build failed|COMPILATION ERROR|Compilation failure|There are test failures",
    r"due to (?:\d+ )?previous error|see previous errors|Errors while running|ERROR SUMMARY|ABORTING",
    r"Exiting with failure|\b\d+ (?:errors?|failed|failures?|problems?|files? would|warnings?)\b",
    r"^\W*(?:FAIL(?:ED)?|ERROR|Error|FAILURES?|error|fatal|failed)\W*$|^FAILED \(|^FAIL\t|^--- FAIL|^not ok \d",
    r"^Execution halted|^Automatic merge failed|^(?:scp|rsync): ?(?:Connection closed|error: some)",
    r"(?i)(?:script|step|stage|job|task|recipe|command|target|suite|tests?|check|build|run) (?:has )?failed\W*$",
)
"""Reports only that something failed."""

CAUSE: Final = (
    rf"{_TAG}[A-Za-z_][\w.$]*{_EXCEPTION}(?:[:(\[].*| \(.*)?\s*$",
    r"^Caused by: |^Exception in thread |^panic: |^thread '[^']*' (?:\(\d+\) )?panicked at |^Fatal Python error: ",
    r"^\s+what\(\):|^(?:Uncaught|Unhandled) |^terminate called |^PHP Fatal error: |^timeout: sending signal",
    r"^E   +\S",  # pytest
    r"^\S+[:(]\d+(?:[:,.]\d+)?\)?: ?(?:(?i:fatal |internal )?(?i:error|fatal)\b[^a-z]|\*\*\* |E\d+|F\d+)",
    r"^\S+:\d+:\d+ - error|^\[ERROR\] \S+:\[\d+",
    r"^(?:[\w./+-]+: ){0,2}line \d+: ",  # shells
    rf"{_TAG}(?:{_NAME}: )?(?:fatal|FATAL|error|ERROR|Error|\*\*\*|abort)(?:\[\w+\])?: +\S",
    r"^npm (?:ERR!|error) \S|^Error in .+:",
    r"undefined reference to|multiple definition of|cannot find -l|cannot open shared object|undefined symbol",
    r"(?i): (?:command )?not found|no such file or directory|permission denied|unbound variable|connection refused",
    r"(?i)could not resolve|temporary failure in name|no space left|address already in use",
    r"(?i)(?:is|not) a directory|no such (?:variable|column|table|host|module|option|command)|cannot allocate",
    r"(?i)out of memory|(?:syntax|parse) error|unexpected (?:token|end|identifier|eof)|deadlock|has expired|bad crc",
    r"(?i)segmentation fault|bus error|core dumped|illegal instruction|floating point exception|sig(?:kill|segv|abrt)",
    r"(?i)assertion|heap-use|data race|invalid (?:read|write)|timed out|no match(?:ing)?|conflict \(",
    r"(?i)cannot find|can't (?:find|resolve|open|read)|is not (?:exported|defined|allowed|valid|a function)",
    r"(?i)does not (?:exist|match)|exceeded|has no (?:exported|attribute|member)",
)
"""Says what is wrong."""

PLACED: Final = (rf"^\s*(?:{_NAME}: )?[^\s:]+\.\w{{1,5}}:\d+:(?:\d+:)? +[^\s\[]",)
"""Names a line of the source, and so mostly what is wrong there."""

MARKED: Final = (rf"^\W?{_LEVEL}\b",)
"""Starts with the level of an error."""

LOGGED: Final = (rf"^{_LOGGER}{_LEVEL}\b",)
"""Starts with the name of a logger, then the level of an error."""

WORD: Final = (
    r"(?i)\b(?:errors?|fatal|fail(?:ed|ure|s)?|cannot|can't|could not|couldn't|unable|invalid|missing|denied)\b",
    r"(?i)\b(?:refused|unexpected|undefined|unknown|unresolved|abort(?:ed)?|killed|crash(?:ed)?|required)\b",
    r"(?i)\b(?:incompatible|mismatch|not (?:found|exist|enough|valid|supported|defined)|nan|overflow|violat\w+)\b",
    r"(?i)\b(?:too (?:many|large|small|long|open)|would reformat)\b",
)
"""Mentions a failure."""
