module failure-agent.dev/bench/webhook

go 1.25.0
