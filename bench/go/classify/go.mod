module failure-agent.dev/bench/classify

go 1.24
