"""Probes drive a transport and return transcripts (`observe`); they judge nothing."""
