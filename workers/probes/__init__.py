"""Probes drive a transport and return transcripts; they judge nothing."""
