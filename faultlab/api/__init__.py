"""The lab around code that people already have: Lab, mounts, strategies."""
