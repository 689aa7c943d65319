"""Policies: which evidence a transition needs."""
