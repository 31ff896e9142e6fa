"""Simulated searches with known answers: how often they are right, and what they take."""
