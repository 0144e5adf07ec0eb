"""Annotation: transcripts become a gold benchmark with the help of a language model.

The paper's two phases (section 5.2): `targets` chooses the spans of a conversation, `graphs` traces
each of them. `asking` holds the model to the rules of the protocol, `endpoint` talks to the server,
`journal` remembers every answer, and `run` does all of it for a folder.
"""
