"""Traces of observability tools: records of model calls and tool runs, not of a conversation.

Each file of a tool's reader finds the calls and runs; `steps` puts conversations together from
them; `recorded` reads the messages inside, which are in whatever form the traced program used.
"""
