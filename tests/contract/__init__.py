"""What an API server does, held against the simulator and a real one; ``python -m tests.contract`` records it."""
