"""What is kept between runs: builds by digest, samples in SQLite."""
