"""How often whyfast, pyperf and hyperfine are right, at equal machine time, on known answers."""
