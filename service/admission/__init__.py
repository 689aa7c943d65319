"""The registry's law, framework-free: lifecycle, policy, gate, evidence, and the use cases."""
