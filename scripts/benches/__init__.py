"""What `scripts/bench` can measure, one suite in each file."""
