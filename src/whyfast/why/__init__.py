"""Evidence of two sides → an account of their difference. The design is docs/account.md."""
